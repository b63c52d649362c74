//! The menu in the header of all pages on small screens.

use serde_json::json;

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::keyboard::{ENTER, ESCAPE};
use super::page::Page;
use super::support::Server;

#[tokio::test]
async fn menu_on_phones_has_the_links_of_the_header() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    page.visit(&server.url("/")).await;
    assert_eq!(page.evaluate("shown('.menu-button')").await, false);
    page.chrome.emulate_screen(390, 844, true).await;
    assert_eq!(page.evaluate("shown('.site-links')").await, false);
    page.tap(".menu-button").await;
    page.wait_until("shown('#menu a[href=\"/leaderboard\"]')").await;
    assert_eq!(
        page.evaluate("misfits().filter((problem) => !problem.startsWith('covered'))").await,
        json!([])
    );
    assert_accessible(&page, "the menu").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('#menu')").await;
    page.evaluate("one('.menu-button').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("shown('#menu')").await;
    page.tap("#menu a[href=\"/how\"]").await;
    page.wait_until("location.pathname === '/how'").await;
    // The other pages have the same header.
    page.wait_until("shown('.menu-button')").await;
    assert_eq!(page.evaluate("shown('.site-links')").await, false);
    page.tap(".menu-button").await;
    page.wait_until("shown('#menu a[href=\"/how\"][aria-current]')").await;
    page.tap("#menu a[href=\"/plans\"]").await;
    page.wait_until("location.pathname === '/plans'").await;
}
