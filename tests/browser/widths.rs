//! From the smallest phone to the widest wall, also with letters twice as large: nothing is lost.

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::pages::{PAGES, address};
use super::world::busy;

/// Width and height in CSS pixels, and whether it is touched.
const SCREENS: [(u32, u32, bool); 6] = [
    (320, 568, true),
    (390, 844, true),
    (768, 1024, true),
    (1024, 768, false),
    (1440, 900, false),
    (2560, 1440, false),
];
/// What the visitor has told the browser about letters: as they are, and twice as large.
const LETTERS: [u32; 2] = [16, 32];

#[tokio::test]
async fn every_page_fits_every_screen() {
    let (server, agent) = busy().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    page.chrome.prefer("dark").await;
    let mut found = Vec::new();
    for (name, path) in PAGES {
        page.visit(&server.url(&address(path, &agent))).await;
        for (width, height, touched) in SCREENS {
            page.chrome.hold(width, height, touched).await;
            for letters in LETTERS {
                found.extend(
                    misfits(&page, letters)
                        .await
                        .map(|it| format!("{name}, {width}, letters of {letters}: {it}")),
                );
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What is wrong with the page as it stands, with letters of this size.
async fn misfits(page: &Page, letters: u32) -> impl Iterator<Item = String> {
    page.chrome.devtools("Page.setFontSizes", json!({"fontSizes": {"standard": letters}})).await;
    page.settle().await;
    let found = page.ask("misfits()").await;
    let found: Vec<String> = serde_json::from_value(found).unwrap();
    found.into_iter()
}
