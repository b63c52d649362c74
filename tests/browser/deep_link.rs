//! Links to a message: `/?message=msg_…`.

use serde_json::json;

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::fixtures::{UNLIMITED, next_season};
use super::page::Page;
use super::support::Server;

#[tokio::test]
async fn link_opens_the_page_at_an_old_message() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let old = ada.post_message("Long ago.").await.body["message"]["id"].as_str().unwrap().to_owned();
    for number in 0..130 {
        assert_eq!(ada.post_message(&format!("Line {number}.")).await.status, 201);
    }
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url(&format!("/?message={old}#x=64&y=60&z=20"))).await;
    page.wait_until("text('.msg:focus .msg-body') === 'Long ago.'").await;
    // The address stays usable for the view alone.
    assert_eq!(page.evaluate("[location.search, location.hash]").await, json!(["", "#x=64&y=60&z=20"]));
    page.chrome.emulate_screen(390, 844, true).await;
    page.visit(&server.url(&format!("/?message={old}"))).await;
    page.wait_until("text('.msg:focus .msg-body') === 'Long ago.' && one('#chat').hasAttribute('data-open')")
        .await;
}

#[tokio::test]
async fn link_to_a_message_that_is_not_here_says_why() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let ended = ada.post_message("The last word.").await.body["message"]["id"].as_str().unwrap().to_owned();
    next_season(&server, 64).await;
    assert_eq!(ada.post_message("A first word.").await.status, 201);
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    page.visit(&server.url(&format!("/?message={ended}"))).await;
    page.wait_until(
        "text('.link-note').startsWith('The message is from Season 1, a season that has ended.')",
    )
    .await;
    assert_eq!(
        page.evaluate("one('.link-note a').getAttribute('href')").await,
        json!(format!("/seasons/1?message={ended}"))
    );
    assert_accessible(&page, "a link to an ended season").await;
    page.evaluate("one('.link-note button').click()").await;
    page.wait_until("!one('.link-note') && lines().includes('A first word.')").await;
    page.visit(&server.url("/?message=msg_nothing")).await;
    page.wait_until("text('.link-note').startsWith('The link names a message that does not exist.')").await;
}
