//! Screenshots of every page and state in `docs/screens`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::admin_console;
use crate::chrome::{Chrome, Screen};
use crate::demo_canvas;
use crate::page::Page;
use crate::pages::{PAGES, address};
use crate::server::Server;
use crate::states::STATES;
use crate::viewer_states::{self, VIEWER_STATES};

const SCREENS_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/screens");
const SCHEMES: [&str; 2] = ["dark", "light"];
/// Width, height, and true for a touch screen.
type Size = (u32, u32, bool);
const DESKTOP: Size = (1440, 900, false);
const PHONE: Size = (390, 844, true);
/// The screen sizes for the canvas page.
const SIZES: [Size; 5] = [(320, 568, true), PHONE, (768, 1024, true), DESKTOP, (2560, 1440, false)];
/// The screen sizes for other pages.
const DEFAULT_VIEWS: [(Size, &str); 2] = [(DESKTOP, "dark"), (PHONE, "light")];
const SETTINGS: [(&str, &str); 5] = [
    ("CARAPLACE_ADMIN_PASSWORD", admin_console::PASSWORD),
    ("CARAPLACE_MAX_CHARGES", "32"),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "8"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "5"),
];
/// Time for a picture, and for more messages than a screen shows.
const PAINTING_SECONDS: u32 = 40;
/// Maximum time for all screenshots.
const SCREENSHOT_SECONDS: u32 = 900;

/// Deletes the older screenshots and takes new ones.
pub async fn run() -> Result<()> {
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    let _ = fs::remove_dir_all(SCREENS_FOLDER);
    fs::create_dir_all(SCREENS_FOLDER)?;
    let empty_server = Server::start(&SETTINGS).await?;
    take_screenshots(&page, &empty_server, "/", "empty", &DEFAULT_VIEWS).await?;
    drop(empty_server);

    let server = Server::start(&SETTINGS).await?;
    demo_canvas::start_placements(&server, PAINTING_SECONDS).await?;
    let swarm = demo_canvas::start_swarm(&server, SCREENSHOT_SECONDS)?;
    let agent = best_painter(&server).await?;
    let canvas_views = SIZES.into_iter().flat_map(|size| SCHEMES.map(|scheme| (size, scheme)));
    take_screenshots(&page, &server, "/", "canvas", &canvas_views.collect::<Vec<_>>()).await?;
    for (name, path) in PAGES.into_iter().filter(|(_, path)| *path != "/") {
        take_screenshots(&page, &server, &address(path, &agent), name, &DEFAULT_VIEWS).await?;
    }
    for state in STATES {
        let size = if state.is_phone { PHONE } else { DESKTOP };
        emulate_screen(&page, SCHEMES[0], size).await;
        page.visit(&format!("{}{}", server.url, address(state.path, &agent))).await;
        page.evaluate(state.action).await;
        page.wait_until(state.condition).await;
        save_screenshot(&page, &format!("{}-{}-{}", state.name, size.0, SCHEMES[0])).await?;
    }
    admin_console::create_reports(&server).await?;
    admin_console::sign_in(&page, &server).await;
    for (name, path) in admin_console::CONSOLE_PAGES {
        take_screenshots(&page, &server, &path.replace("{agent}", &agent), name, &DEFAULT_VIEWS).await?;
    }
    emulate_screen(&page, SCHEMES[0], DESKTOP).await;
    viewer_states::sign_in(&page, &server).await?;
    for (name, action, condition) in VIEWER_STATES {
        for (size, scheme) in DEFAULT_VIEWS {
            emulate_screen(&page, scheme, size).await;
            viewer_states::visit(&page, &server).await;
            viewer_states::enter(&page, action, condition).await;
            save_screenshot(&page, &format!("{name}-{}-{scheme}", size.0)).await?;
        }
    }
    emulate_screen(&page, SCHEMES[0], DESKTOP).await;
    page.visit(&format!("{}/", server.url)).await;
    drop((swarm, server));
    page.wait_until("!live() && shown('#notice')").await;
    for scheme in SCHEMES {
        emulate_screen(&page, scheme, DESKTOP).await;
        save_screenshot(&page, &format!("not-live-1440-{scheme}")).await?;
    }
    Ok(())
}

/// Takes screenshots of one page with these screen sizes and colour schemes.
async fn take_screenshots(
    page: &Page,
    server: &Server,
    path: &str,
    name: &str,
    views: &[(Size, &str)],
) -> Result<()> {
    for (size, scheme) in views {
        emulate_screen(page, scheme, *size).await;
        page.visit(&format!("{}{path}", server.url)).await;
        save_screenshot(page, &format!("{name}-{}-{scheme}", size.0)).await?;
    }
    Ok(())
}

async fn emulate_screen(page: &Page, scheme: &str, (width, height, is_touch): Size) {
    page.chrome.set_color_scheme(scheme).await;
    page.chrome.emulate_screen(width, height, is_touch).await;
}

/// Stores a screenshot, compressed better than by the browser.
async fn save_screenshot(page: &Page, name: &str) -> Result<()> {
    page.wait_for_paint().await;
    let screenshot =
        compress_png(&page.chrome.screenshot().await).with_context(|| format!("picture {name}"))?;
    eprintln!("  {name}: {} kB", screenshot.len() / 1000);
    Ok(fs::write(Path::new(SCREENS_FOLDER).join(format!("{name}.png")), screenshot)?)
}

fn compress_png(png: &[u8]) -> Result<Vec<u8>> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().context("too large")?];
    let info = reader.next_frame(&mut pixels)?;
    let samples = info.color_type.samples();
    // The lowest bits of dark colours are a soft gradient that compresses badly and is invisible.
    let without_low_bits = |value: &u8| if *value < 0x40 { value & 0xfc } else { *value };
    let opaque: Vec<u8> =
        pixels.chunks_exact(samples).flat_map(|pixel| pixel[..3].iter().map(without_low_bits)).collect();
    let mut compressed = Vec::new();
    let mut encoder = png::Encoder::new(&mut compressed, info.width, info.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(&opaque)?;
    Ok(compressed)
}

async fn best_painter(server: &Server) -> Result<String> {
    let board: Value = server.get("/api/leaderboard").await?.json().await?;
    Ok(board["leaderboard"][0]["id"].as_str().context("no agent has painted")?.to_owned())
}
