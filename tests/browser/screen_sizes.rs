//! The pages on small and large screens and with letters of twice the size: no content is cut off.

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::fixtures::populated_server;
use super::page::Page;
use super::pages::{PAGES, address};

/// Width and height in CSS pixels, and true for a touch screen.
const SCREENS: [(u32, u32, bool); 6] = [
    (320, 568, true),
    (390, 844, true),
    (768, 1024, true),
    (1024, 768, false),
    (1440, 900, false),
    (2560, 1440, false),
];
/// Default font sizes in CSS pixels: normal and doubled.
const FONT_SIZES: [u32; 2] = [16, 32];

#[tokio::test]
async fn every_page_fits_every_screen() {
    let (server, ids) = populated_server().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.chrome.set_color_scheme("dark").await;
    let mut problems = Vec::new();
    for (name, path) in PAGES {
        page.visit(&server.url(&address(path, &ids))).await;
        for (width, height, is_touch) in SCREENS {
            page.chrome.emulate_screen(width, height, is_touch).await;
            for font_size in FONT_SIZES {
                problems.extend(
                    find_layout_problems(&page, font_size)
                        .await
                        .map(|problem| format!("{name}, {width}, letters of {font_size}: {problem}")),
                );
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Returns the layout problems of the current page with this font size.
async fn find_layout_problems(page: &Page, font_size: u32) -> impl Iterator<Item = String> {
    page.chrome.devtools("Page.setFontSizes", json!({"fontSizes": {"standard": font_size}})).await;
    page.wait_for_paint().await;
    let problems = page.evaluate("misfits()").await;
    let problems: Vec<String> = serde_json::from_value(problems).unwrap();
    problems.into_iter()
}
