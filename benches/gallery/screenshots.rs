//! The pictures of the pages: all of them in `target/screens`, and those that README and docs show in
//! `docs/screens`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::admin_console::PASSWORD;
use crate::page::Page;
use crate::server::Server;

/// The settings of the servers of which pictures are taken.
pub const SETTINGS: [(&str, &str); 5] = [
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ("CARAPLACE_MAX_CHARGES", "32"),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "8"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "5"),
];

const SCREENS_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/screens");
const DOCS_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/screens");
/// The pictures in `docs/screens`.
const PICTURES_OF_DOCS: [&str; 6] = [
    "canvas-1440-dark",
    "canvas-1440-light",
    "canvas-390-light",
    "inspect-1440-dark",
    "past-1440-dark",
    "plan-1440-dark",
];
pub const SCHEMES: [&str; 2] = ["dark", "light"];
/// Width, height, and true for a touch screen.
pub type Size = (u32, u32, bool);
pub const DESKTOP: Size = (1440, 900, false);
pub const PHONE: Size = (390, 844, true);
/// The screen sizes for other pages.
pub const DEFAULT_VIEWS: [(Size, &str); 2] = [(DESKTOP, "dark"), (PHONE, "light")];
/// True when the time bar is ready, if the page has one, and no picture in sight is loading.
pub const IS_COMPLETE: &str = "(!one('#time') || one('#time').hasAttribute('data-ready')) && [...document.images].every((image) => image.complete || image.getBoundingClientRect().top > innerHeight)";

/// Deletes the older screenshots.
pub fn delete_screenshots() -> Result<()> {
    if Path::new(SCREENS_FOLDER).exists() {
        fs::remove_dir_all(SCREENS_FOLDER)?;
    }
    Ok(fs::create_dir_all(SCREENS_FOLDER)?)
}

/// Renews the pictures in `docs/screens`.
pub fn copy_to_docs() -> Result<()> {
    for name in PICTURES_OF_DOCS {
        let picture = Path::new(SCREENS_FOLDER).join(format!("{name}.png"));
        fs::copy(&picture, Path::new(DOCS_FOLDER).join(format!("{name}.png")))
            .with_context(|| format!("picture {name}"))?;
    }
    Ok(())
}

/// Takes screenshots of one page with these screen sizes and colour schemes.
pub async fn take_screenshots(
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

pub async fn emulate_screen(page: &Page, scheme: &str, (width, height, is_touch): Size) {
    page.chrome.set_color_scheme(scheme).await;
    page.chrome.emulate_screen(width, height, is_touch).await;
}

/// Stores a screenshot of the complete page, compressed better than by the browser.
pub async fn save_screenshot(page: &Page, name: &str) -> Result<()> {
    page.wait_until(IS_COMPLETE).await;
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
