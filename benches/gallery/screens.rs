//! Pictures of every page and state, for people to look at: `docs/screens`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::chrome::{Chrome, Screen};
use crate::exhibit;
use crate::page::Page;
use crate::pages::{PAGES, address};
use crate::server::Server;
use crate::states::STATES;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/screens");
const SCHEMES: [&str; 2] = ["dark", "light"];
/// Width, height, and whether it is touched.
const SIZES: [(u32, u32, bool); 2] = [(1440, 900, false), (390, 844, true)];
/// The canvas page alone is also shown on these.
const MORE_SIZES: [(u32, u32, bool); 3] = [(320, 568, true), (768, 1024, true), (2560, 1440, false)];
const SETTINGS: [(&str, &str); 4] = [
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
    shoot(&page, &nothing_yet, "/", "empty", &SIZES).await?;
    drop(nothing_yet);

    let server = Server::start(&SETTINGS).await?;
    exhibit::paint(&server, PAINTING_SECONDS).await?;
    let crowd = exhibit::crowd(&server, LOOKING_SECONDS)?;
    let agent = best_painter(&server).await?;
    shoot(&page, &server, "/", "canvas", &MORE_SIZES).await?;
    for (name, path) in PAGES {
        shoot(&page, &server, &address(path, &agent), name, &SIZES).await?;
    }
    for state in STATES {
        let size = SIZES[usize::from(state.phone)];
        hold(&page, SCHEMES[0], size).await;
        page.visit(&format!("{}{}", server.url, address(state.path, &agent))).await;
        page.ask(state.act).await;
        page.until(state.until).await;
        keep(&page, &format!("{}-{}-{}", state.name, size.0, SCHEMES[0])).await?;
    }
    hold(&page, SCHEMES[0], SIZES[0]).await;
    page.visit(&format!("{}/", server.url)).await;
    drop((crowd, server));
    page.until("!live() && shown('#notice')").await;
    for scheme in SCHEMES {
        hold(&page, scheme, SIZES[0]).await;
        keep(&page, &format!("not-live-1440-{scheme}")).await?;
    }
    Ok(())
}

/// One page, light and dark, on these screens.
async fn shoot(
    page: &Page,
    server: &Server,
    path: &str,
    name: &str,
    sizes: &[(u32, u32, bool)],
) -> Result<()> {
    for scheme in SCHEMES {
        for size in sizes {
            hold(page, scheme, *size).await;
            page.visit(&format!("{}{path}", server.url)).await;
            keep(page, &format!("{name}-{}-{scheme}", size.0)).await?;
        }
    }
    Ok(())
}

async fn hold(page: &Page, scheme: &str, (width, height, touched): (u32, u32, bool)) {
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
    // The lowest bits are the lamp's soft light, which no compression likes; nobody sees them.
    let coarse = |value: &u8| (value & 0xfc) | (value >> 6);
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
