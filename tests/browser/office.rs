//! The operator's console in a real browser: by keyboard alone, without a word of script, and shut to nobody who may enter.

use serde_json::json;

use super::axe::{bring_axe, clean};
use super::chrome::{Chrome, Screen};
use super::keyboard::{ENTER, TAB};
use super::page::Page;
use super::support::{PASSWORD, Server};

const ROOMS: [&str; 11] = [
    "/admin",
    "/admin/reports",
    "/admin/appeals",
    "/admin/messages",
    "/admin/agents",
    "/admin/rollbacks",
    "/admin/seasons",
    "/admin/passes",
    "/admin/settings",
    "/admin/keys",
    "/admin/audit",
];

async fn open() -> Server {
    Server::with(&[
        ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
        ("CARAPLACE_CHARGE_SECONDS", "0"),
        ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
        ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ])
    .await
}

/// A browser in which an operator has signed in, with keys alone.
async fn signed_in(server: &Server) -> Page {
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    page.visit(&server.url("/admin")).await;
    page.until("location.pathname === '/admin/sign-in' && focused() === 'password'").await;
    page.chrome.press(&"wrong".chars().chain([ENTER]).collect::<Vec<_>>()).await;
    page.until("text('[role=alert]') === 'That is not the password.' && focused() === 'password'").await;
    page.chrome.press(&PASSWORD.chars().chain([ENTER]).collect::<Vec<_>>()).await;
    page.until("location.pathname === '/admin' && text('h1') === 'Overview'").await;
    page
}

#[tokio::test]
async fn operator_signs_in_hides_and_restores_a_message_and_signs_out() {
    let server = open().await;
    let ada = server.agent("Ada").await;
    assert_eq!(ada.say("An advertisement.").await.status, 201);
    let said = async || server.get("/api/chat").await.body["messages"].as_array().unwrap().len();
    let page = signed_in(&server).await;
    page.visit(&server.url("/admin/messages")).await;
    for (act, state, left) in [("Take it down", "taken down", 0), ("Bring it back", "", 1)] {
        page.ask("one('.said summary').focus()").await;
        page.chrome.press(&[ENTER, TAB]).await;
        page.until("document.activeElement.name === 'why'").await;
        page.chrome.press(&"it sells things".chars().collect::<Vec<_>>()).await;
        page.chrome.press(&[TAB]).await;
        page.until_with("document.activeElement.textContent === given", json!(act)).await;
        page.chrome.press(&[ENTER]).await;
        page.until_with("text('.said li em') === given && !one('.said details[open]')", json!(state)).await;
        assert_eq!(said().await, left);
    }
    page.visit(&server.url("/admin/audit")).await;
    assert_eq!(page.ask("document.querySelectorAll('tbody tr').length").await, 2);
    page.ask("one('.rooms button').click()").await;
    page.until("location.pathname === '/admin/sign-in'").await;
    page.visit(&server.url("/admin/audit")).await;
    page.until("location.pathname === '/admin/sign-in' && location.search === '?next=/admin/audit'").await;
}

#[tokio::test]
async fn every_console_page_is_accessible() {
    let server = open().await;
    let ada = server.agent("Ada").await;
    for x in 0..6 {
        assert_eq!(ada.paint(x, 0, 5).await.status, 201);
    }
    let said = ada.say("Words to report.").await.body["message"]["id"].as_str().unwrap().to_owned();
    let reason = json!({"reason": "rude"});
    assert_eq!(server.post(&format!("/api/chat/{said}/report"), reason).await.status, 201);
    let corner = json!({"x1": 0, "y1": 0, "x2": 9, "y2": 9, "reason": "ugly"});
    assert_eq!(server.post("/api/canvas/report", corner).await.status, 201);
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    bring_axe(&page.chrome).await;
    page.visit(&server.url("/admin/sign-in")).await;
    clean(&page, "sign-in").await;
    page.chrome.press(&PASSWORD.chars().chain([ENTER]).collect::<Vec<_>>()).await;
    page.until("location.pathname === '/admin'").await;
    let preview = format!("/admin/rollbacks/preview?agent_id={}&from=1", ada.id);
    let more = [format!("/admin/agents/{}", ada.id), preview];
    for path in ROOMS.into_iter().map(str::to_owned).chain(more) {
        page.visit(&server.url(&path)).await;
        assert_eq!(page.ask("location.pathname").await, path.split('?').next().unwrap());
        page.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })").await;
        clean(&page, &path).await;
        page.chrome.hold(390, 844, true).await;
        assert_eq!(page.ask("document.documentElement.scrollWidth").await, 390, "{path} on a phone");
        page.chrome.hold(1440, 900, false).await;
    }
    page.visit(&server.url("/admin/reports")).await;
    for place in [0, 1] {
        page.ask_about("document.querySelectorAll('tbody th a')[given].click()", json!(place)).await;
        page.until("shown('h1') && text('h1').startsWith('Report on')").await;
        clean(&page, "a report").await;
        page.visit(&server.url("/admin/reports")).await;
    }
    assert_eq!(
        page.chrome.log("browser").await,
        Vec::<serde_json::Value>::new(),
        "the policy forbids nothing that is there"
    );
}
