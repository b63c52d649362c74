//! Pictures of every page and state, for people to look at: `docs/screens`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::chrome::{Chrome, Screen};
use crate::exhibit;
use crate::office;
use crate::page::Page;
use crate::pages::{PAGES, address};
use crate::server::Server;
use crate::states::STATES;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/screens");
const SCHEMES: [&str; 2] = ["dark", "light"];
/// Width, height, and whether it is touched.
type Size = (u32, u32, bool);
const DESK: Size = (1440, 900, false);
const PHONE: Size = (390, 844, true);
/// The canvas page is shown on every one of these.
const SIZES: [Size; 5] = [(320, 568, true), PHONE, (768, 1024, true), DESK, (2560, 1440, false)];
/// How other pages are shown: enough to judge them by, and few enough to keep.
const SIGHTS: [(Size, &str); 2] = [(DESK, "dark"), (PHONE, "light")];
const SETTINGS: [(&str, &str); 5] = [
    ("CARAPLACE_ADMIN_PASSWORD", office::PASSWORD),
    ("CARAPLACE_MAX_CHARGES", "32"),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "8"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "5"),
];
/// Long enough for a picture, and for more talk than a screen holds.
const PAINTING_SECONDS: u32 = 40;
/// More than all pictures take.
const LOOKING_SECONDS: u32 = 900;

/// Takes them all; older ones go first.
pub async fn run() -> Result<()> {
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    let _ = fs::remove_dir_all(FOLDER);
    fs::create_dir_all(FOLDER)?;
    let nothing_yet = Server::start(&SETTINGS).await?;
    shoot(&page, &nothing_yet, "/", "empty", &SIGHTS).await?;
    drop(nothing_yet);

    let server = Server::start(&SETTINGS).await?;
    exhibit::paint(&server, PAINTING_SECONDS).await?;
    let crowd = exhibit::crowd(&server, LOOKING_SECONDS)?;
    let agent = best_painter(&server).await?;
    let canvas = SIZES.into_iter().flat_map(|size| SCHEMES.map(|scheme| (size, scheme)));
    shoot(&page, &server, "/", "canvas", &canvas.collect::<Vec<_>>()).await?;
    for (name, path) in PAGES.into_iter().filter(|(_, path)| *path != "/") {
        shoot(&page, &server, &address(path, &agent), name, &SIGHTS).await?;
    }
    for state in STATES {
        let size = if state.phone { PHONE } else { DESK };
        hold(&page, SCHEMES[0], size).await;
        page.visit(&format!("{}{}", server.url, address(state.path, &agent))).await;
        page.ask(state.act).await;
        page.until(state.until).await;
        keep(&page, &format!("{}-{}-{}", state.name, size.0, SCHEMES[0])).await?;
    }
    office::trouble(&server).await?;
    office::enter(&page, &server).await;
    for (name, path) in office::ROOMS {
        shoot(&page, &server, &path.replace("{agent}", &agent), name, &SIGHTS).await?;
    }
    hold(&page, SCHEMES[0], DESK).await;
    page.visit(&format!("{}/", server.url)).await;
    drop((crowd, server));
    page.until("!live() && shown('#notice')").await;
    for scheme in SCHEMES {
        hold(&page, scheme, DESK).await;
        keep(&page, &format!("not-live-1440-{scheme}")).await?;
    }
    Ok(())
}

/// One page, on these screens and in these lights.
async fn shoot(page: &Page, server: &Server, path: &str, name: &str, sights: &[(Size, &str)]) -> Result<()> {
    for (size, scheme) in sights {
        hold(page, scheme, *size).await;
        page.visit(&format!("{}{path}", server.url)).await;
        keep(page, &format!("{name}-{}-{scheme}", size.0)).await?;
    }
    Ok(())
}

async fn hold(page: &Page, scheme: &str, (width, height, touched): Size) {
    page.chrome.prefer(scheme).await;
    page.chrome.hold(width, height, touched).await;
}

/// Keeps what is seen, in fewer bytes than the browser takes for it.
async fn keep(page: &Page, name: &str) -> Result<()> {
    page.settle().await;
    let picture = smaller(&page.chrome.picture().await).with_context(|| format!("picture {name}"))?;
    eprintln!("  {name}: {} kB", picture.len() / 1000);
    Ok(fs::write(Path::new(FOLDER).join(format!("{name}.png")), picture)?)
}

fn smaller(picture: &[u8]) -> Result<Vec<u8>> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(picture)).read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().context("too large")?];
    let info = reader.next_frame(&mut pixels)?;
    let samples = info.color_type.samples();
    // The lowest bits of the dark are the lamp's soft light, which no compression likes; nobody sees them.
    let coarse = |value: &u8| if *value < 0x40 { value & 0xfc } else { *value };
    let opaque: Vec<u8> =
        pixels.chunks_exact(samples).flat_map(|pixel| pixel[..3].iter().map(coarse)).collect();
    let mut small = Vec::new();
    let mut encoder = png::Encoder::new(&mut small, info.width, info.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(&opaque)?;
    Ok(small)
}

async fn best_painter(server: &Server) -> Result<String> {
    let board: Value = server.get("/api/leaderboard").await?.json().await?;
    Ok(board["leaderboard"][0]["id"].as_str().context("nobody has painted")?.to_owned())
}
