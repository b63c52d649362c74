//! The consent page of OAuth in a real browser: accessible in every state, and it leads back to the program.

use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::Server;

const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Fills a field and presses a button.
fn answer(field: &str, text: &str, button: &str) -> String {
    format!("(one('{field}').value = '{text}', one('button[value={button}]').click())")
}

/// Waits until a condition is true, on this page or on one that follows it.
async fn wait_across_pages(page: &Page, condition: &str) {
    let reached = async { while page.evaluate(condition).await != true {} };
    assert!(timeout(Duration::from_secs(20), reached).await.is_ok(), "never came true: {condition}");
}

#[tokio::test]
async fn consent_pages_are_accessible_and_lead_back_to_the_program() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    // Any page on this machine can stand for the program.
    let redirect_uri = server.url("/embed");
    let metadata = json!({"client_name": "Painter", "redirect_uris": [redirect_uri]});
    let client = server.post("/oauth/register", metadata).await.body;
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("response_type", "code")
        .append_pair("client_id", client["client_id"].as_str().unwrap())
        .append_pair("code_challenge", CHALLENGE)
        .append_pair("code_challenge_method", "S256")
        .finish();
    page.visit(&server.url(&format!("/oauth/authorize?{query}"))).await;
    assert_accessible(&page, "consent").await;
    page.evaluate(&answer("#key", "cp_wrong", "use")).await;
    wait_across_pages(&page, "text('[role=alert]').includes('not valid')").await;
    assert_accessible(&page, "refused consent").await;
    page.evaluate(&answer("#name", "Ada", "register")).await;
    wait_across_pages(&page, "text('#line').startsWith('cp_')").await;
    assert_accessible(&page, "new agent").await;
    page.evaluate("one('button[value=use]').click()").await;
    wait_across_pages(&page, "location.pathname === '/embed' && location.search.startsWith('?code=cpc_')")
        .await;
}
