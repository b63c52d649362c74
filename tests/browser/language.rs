//! The canvas page in German, and the switch between its languages.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::json;

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::fixtures::UNLIMITED;
use super::keyboard::ENTER;
use super::page::Page;
use super::reports_and_passes::{sign_in_with_pass, to_keys};
use super::support::{Reply, Server};
use super::viewers;

const CATALOGUE: &str = include_str!("../../public/words/de.json");

/// The visible texts that match one of the given patterns. What agents wrote may be in any language.
const FIND_ENGLISH: &str = r"(() => {
    const patterns = given.map((pattern) => new RegExp(`^\\s*${pattern}\\s*$`, 's'));
    const found = new Set();
    const check = (text, place) => { if (text && patterns.some((pattern) => pattern.test(text))) found.add(`${place}: ${text}`); };
    check(document.title, 'title');
    for (const node of document.body.querySelectorAll('*')) {
        if (!visible(node) || node.closest('.foreign, bdi, blockquote')) continue;
        for (const name of ['aria-label', 'aria-roledescription', 'aria-valuetext', 'title', 'placeholder', 'alt']) check(node.getAttribute(name), name);
        for (const child of node.childNodes) if (child.nodeType === Node.TEXT_NODE) check(child.data, node.tagName);
    }
    return [...found];
})()";

/// Returns a pattern for each English text whose German one differs.
fn english_patterns() -> Vec<String> {
    let catalogue: BTreeMap<String, String> = serde_json::from_str(CATALOGUE).unwrap();
    let placeholder = Regex::new(r"\\\{\w+\\\}").unwrap();
    let translated = catalogue.iter().filter(|(english, german)| english != german);
    translated
        .map(|(english, _)| placeholder.replace_all(&regex::escape(english.trim()), ".+").into_owned())
        .collect()
}

/// Starts a server with a message, a pixel and a plan.
async fn start_server() -> Server {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.post_message("Ein Leuchtturm am Weg.").await.status, 201);
    assert_eq!(ada.paint(64, 64, 5).await.status, 201);
    let plan =
        json!({"title": "Leuchtturm", "note": "Reihe um Reihe.", "x": 63, "y": 63, "rows": ["55", "55"]});
    assert_eq!(ada.post("/api/plans", plan).await.status, 201);
    server
}

/// Returns a browser that prefers German.
async fn german_browser() -> Page {
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    prefer_german(&page).await;
    page
}

async fn prefer_german(page: &Page) {
    page.chrome.devtools("Network.enable", json!({})).await;
    let headers = json!({"headers": {"Accept-Language": "de-CH,de;q=0.9,en;q=0.5"}});
    page.chrome.devtools("Network.setExtraHTTPHeaders", headers).await;
}

async fn assert_german(page: &Page, state: &str) {
    let english = page.evaluate_with(FIND_ENGLISH, json!(english_patterns())).await;
    assert_eq!(english, json!([]), "{state}");
}

#[tokio::test]
async fn german_page_has_no_english_text() {
    let server = start_server().await;
    let page = german_browser().await;
    page.visit(&server.url("/")).await;
    assert_eq!(page.evaluate("document.documentElement.lang").await, "de");
    page.wait_until("one('#pass') && text('.log-start') !== ''").await;
    assert_german(&page, "the first view").await;
    assert_accessible(&page, "the German page").await;
    page.visit(&server.url("/#pixel=64.64")).await;
    page.wait_until("shown('#inspect blockquote')").await;
    assert_german(&page, "the card of a pixel").await;
    page.evaluate("one('#plans-toggle').click()").await;
    page.wait_until("shown('#plans .plan')").await;
    assert_german(&page, "the list of plans").await;
    page.evaluate("one('#share').click()").await;
    page.wait_until("text('#share-label') === 'Kopiert' || shown('#notice')").await;
    assert_german(&page, "a shared link").await;
    page.evaluate("one('#search').click()").await;
    page.wait_until("shown('dialog.search')").await;
    assert_german(&page, "the search").await;
    let search = "(one('#search-field').value = given, one('#search-field').dispatchEvent(new Event('input', { bubbles: true })))";
    page.evaluate_with(search, json!("Leuchtturm")).await;
    page.wait_until("one('.search-results a')").await;
    assert_german(&page, "what was found").await;
    page.evaluate("one('dialog.search').close()").await;
    page.evaluate("one('#help').click()").await;
    page.wait_until("shown('dialog.help')").await;
    assert_german(&page, "the help").await;
    page.evaluate("one('dialog.help').close()").await;
    page.visit(&server.url("/#at=1")).await;
    page.wait_until("one('#status').dataset.state === 'past'").await;
    assert_german(&page, "a past moment").await;
}

#[tokio::test]
async fn refusals_are_told_in_german() {
    let server = Server::start_with(&viewers::UNLIMITED).await;
    let key = server.create_operator_key("desk").await;
    let (page, pass) = sign_in_with_pass(&server, &key).await;
    prefer_german(&page).await;
    viewers::post_as_viewer(&server, &pass, json!({"content": "Hallo"})).await;
    viewers::visit(&page, &server, "/").await;
    page.wait_until("shown('#composer-text')").await;
    page.evaluate("one('#composer-text').focus()").await;
    page.chrome.press(&to_keys("Hallo")).await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until(
        "text('.composer-status') === 'Das ist derselbe Text wie in der letzten eigenen Nachricht.'",
    )
    .await;
    let me = Reply::fetch(server.get_request("/api/viewers/me").bearer_auth(&pass)).await.body;
    let path = format!("/api/admin/agents/{}/mute", me["viewer"]["id"].as_str().unwrap());
    let mute = server.post_request(&path).bearer_auth(&key).json(&json!({"reason": "Too loud."}));
    let muted = Reply::fetch(mute).await;
    assert_eq!(muted.status, 200, "{}", muted.body);
    page.chrome.press(&to_keys(" Welt")).await;
    page.chrome.press(&[ENTER]).await;
    // Only the server knows the reason and the end, and says them in English.
    page.wait_until(
        "text('.composer-status').startsWith('Stummgeschaltet durch die Betreiber. ') && \
         text('.composer-status [lang=en]') === 'You are muted permanently: Too loud.'",
    )
    .await;
}

#[tokio::test]
async fn switch_shows_the_other_language_and_is_remembered() {
    let server = start_server().await;
    let page = german_browser().await;
    page.visit(&server.url("/#pixel=64.64")).await;
    assert_eq!(page.evaluate("text('.header-end .language')").await, "English");
    page.click_on(".header-end .language").await;
    page.wait_until("document.documentElement.lang === 'en' && loaded() && shown('#inspect')").await;
    assert_eq!(
        page.evaluate("[location.pathname, location.hash, text('#painters-title')]").await,
        json!(["/", "#pixel=64.64", "Painting now"])
    );
    // The browser still prefers German.
    page.visit(&server.url("/")).await;
    assert_eq!(page.evaluate("document.documentElement.lang").await, "en");
    page.chrome.emulate_screen(320, 568, true).await;
    assert_eq!(page.evaluate("shown('.header-end .language')").await, false);
    page.tap(".menu-button").await;
    page.wait_until("shown('#menu .language')").await;
    page.evaluate("one('#menu .language').scrollIntoView({ block: 'end', behavior: 'instant' })").await;
    let height = page.evaluate("one('#menu .language').getBoundingClientRect().height").await;
    assert!(height.as_f64().unwrap() >= 44.0, "{height}");
    page.tap("#menu .language").await;
    page.wait_until("document.documentElement.lang === 'de' && loaded()").await;
}

#[tokio::test]
async fn german_page_fits_every_screen() {
    let server = start_server().await;
    let page = german_browser().await;
    page.chrome.set_color_scheme("dark").await;
    page.visit(&server.url("/")).await;
    let mut problems = Vec::new();
    for (width, height, is_touch) in
        [(320, 568, true), (390, 844, true), (768, 1024, true), (1024, 768, false), (1440, 900, false)]
    {
        page.chrome.emulate_screen(width, height, is_touch).await;
        page.wait_for_paint().await;
        let found = page.evaluate("misfits()").await;
        problems.extend(found.as_array().unwrap().iter().map(|problem| format!("{width}: {problem}")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
