//! The operator's console in a real browser: by keyboard alone, without scripts, and accessible.

use serde_json::json;

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::keyboard::{ENTER, TAB};
use super::page::Page;
use super::support::{PASSWORD, Server};

const CONSOLE_PATHS: [&str; 20] = [
    "/admin",
    "/admin/reports",
    "/admin/appeals",
    "/admin/drafts",
    "/admin/messages",
    "/admin/plans",
    "/admin/crews",
    "/admin/agents",
    "/admin/networks",
    "/admin/invitation-codes",
    "/admin/webhooks",
    "/admin/clients",
    "/admin/rollbacks",
    "/admin/seasons",
    "/admin/passes",
    "/admin/settings",
    "/admin/keys",
    "/admin/operators",
    "/admin/account",
    "/admin/audit",
];

async fn start_server() -> Server {
    Server::start_with(&[
        ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
        ("CARAPLACE_CHARGE_SECONDS", "0"),
        ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
        ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ])
    .await
}

/// Opens a browser and signs in as an operator by keyboard.
async fn sign_in(server: &Server) -> Page {
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url("/admin")).await;
    page.wait_until("location.pathname === '/admin/sign-in' && focused() === 'password'").await;
    page.chrome.press(&"wrong".chars().chain([ENTER]).collect::<Vec<_>>()).await;
    page.wait_until("text('[role=alert]') === 'Wrong password.' && focused() === 'password'").await;
    page.chrome.press(&PASSWORD.chars().chain([ENTER]).collect::<Vec<_>>()).await;
    page.wait_until("location.pathname === '/admin' && text('h1') === 'Overview'").await;
    page
}

#[tokio::test]
async fn operator_signs_in_hides_and_restores_a_message_and_signs_out() {
    let server = start_server().await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.post_message("An advertisement.").await.status, 201);
    let message_count = async || server.get("/api/chat").await.body["messages"].as_array().unwrap().len();
    let page = sign_in(&server).await;
    page.visit(&server.url("/admin/messages")).await;
    for (button, state, remaining) in [("Take down", "taken down", 0), ("Restore", "", 1)] {
        page.evaluate("one('.message-list summary').focus()").await;
        page.chrome.press(&[ENTER, TAB]).await;
        page.wait_until("document.activeElement.name === 'reason'").await;
        page.chrome.press(&"it sells things".chars().collect::<Vec<_>>()).await;
        page.chrome.press(&[TAB]).await;
        page.wait_until_with("document.activeElement.textContent === given", json!(button)).await;
        page.chrome.press(&[ENTER]).await;
        page.wait_until_with(
            "text('.message-list li em') === given && !one('.message-list details[open]')",
            json!(state),
        )
        .await;
        assert_eq!(message_count().await, remaining);
    }
    page.visit(&server.url("/admin/audit")).await;
    assert_eq!(
        page.evaluate("document.querySelectorAll('.list > tbody > tr:not(.changes)').length").await,
        2
    );
    page.evaluate("one('.console-nav button').click()").await;
    page.wait_until("location.pathname === '/admin/sign-in'").await;
    page.visit(&server.url("/admin/audit")).await;
    page.wait_until("location.pathname === '/admin/sign-in' && location.search === '?next=/admin/audit'")
        .await;
}

#[tokio::test]
async fn every_console_page_is_accessible() {
    let server = start_server().await;
    let ada = server.register_agent("Ada").await;
    for x in 0..6 {
        assert_eq!(ada.paint(x, 0, 5).await.status, 201);
    }
    let message_id =
        ada.post_message("Words to report.").await.body["message"]["id"].as_str().unwrap().to_owned();
    let plan = json!({"title": "A house", "x": 10, "y": 20, "rows": ["5."], "note": "From the left."});
    assert_eq!(ada.post("/api/plans", plan).await.status, 201);
    let reason = json!({"reason": "rude"});
    assert_eq!(server.post(&format!("/api/chat/{message_id}/report"), reason).await.status, 201);
    let canvas_report = json!({"x1": 0, "y1": 0, "x2": 9, "y2": 9, "reason": "ugly"});
    assert_eq!(server.post("/api/canvas/report", canvas_report).await.status, 201);
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    page.visit(&server.url("/admin/sign-in")).await;
    assert_accessible(&page, "sign-in").await;
    page.chrome.press(&PASSWORD.chars().chain([ENTER]).collect::<Vec<_>>()).await;
    page.wait_until("location.pathname === '/admin'").await;
    let preview = format!("/admin/rollbacks/preview?agent_id={}&from=1", ada.id);
    let more_paths = [format!("/admin/agents/{}", ada.id), preview];
    for path in CONSOLE_PATHS.into_iter().map(str::to_owned).chain(more_paths) {
        page.visit(&server.url(&path)).await;
        assert_eq!(page.evaluate("location.pathname").await, path.split('?').next().unwrap());
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })").await;
        assert_accessible(&page, &path).await;
        page.chrome.emulate_screen(390, 844, true).await;
        assert_eq!(page.evaluate("document.documentElement.scrollWidth").await, 390, "{path} on a phone");
        page.chrome.emulate_screen(1440, 900, false).await;
    }
    page.visit(&server.url("/admin/account")).await;
    page.evaluate("one('form[action$=prepare] button').click()").await;
    page.wait_until("shown('main svg')").await;
    assert_accessible(&page, "the picture of a secret").await;
    let invitation = server.invite("moderator").await;
    page.visit(&server.url(&invitation)).await;
    assert_accessible(&page, "an invitation").await;
    page.visit(&server.url("/admin/reports")).await;
    for index in [0, 1] {
        page.evaluate_with("document.querySelectorAll('tbody th a')[given].click()", json!(index)).await;
        page.wait_until("shown('h1') && text('h1').startsWith('Report on')").await;
        assert_accessible(&page, "a report").await;
        page.visit(&server.url("/admin/reports")).await;
    }
    assert_eq!(
        page.chrome.take_log("browser").await,
        Vec::<serde_json::Value>::new(),
        "the policy forbids nothing that is there"
    );
}

#[tokio::test]
async fn the_sides_of_a_region_have_room_for_four_digits() {
    let server = start_server().await;
    let page = sign_in(&server).await;
    page.visit(&server.url("/admin/rollbacks?x1=4095&y1=4095&x2=4095&y2=4095")).await;
    let is_cut = "[...document.querySelectorAll('.corners input')].filter((input) => input.scrollWidth > input.clientWidth || input.clientWidth < 60).length";
    assert_eq!(page.evaluate(is_cut).await, 0);
}

#[tokio::test]
async fn menu_is_one_line_on_screens_and_opens_on_phones() {
    let server = start_server().await;
    let page = sign_in(&server).await;
    page.chrome.emulate_screen(1280, 800, false).await;
    let lines =
        "new Set([...document.querySelectorAll('.console-nav .tabs a')].map((link) => link.offsetTop)).size";
    assert_eq!(page.evaluate(lines).await, 1);
    assert_eq!(page.evaluate("shown('.console-menu')").await, false);
    page.chrome.emulate_screen(390, 844, true).await;
    assert_eq!(page.evaluate("shown('.console-nav .tabs')").await, false);
    page.tap(".console-menu summary").await;
    page.wait_until("shown('.console-menu a[href=\"/admin/audit\"]')").await;
    page.tap(".console-menu a[href=\"/admin/settings\"]").await;
    page.wait_until("location.pathname === '/admin/settings' && shown('.list td[data-label]')").await;
    let label = "getComputedStyle(one('.list td[data-label=Value]'), '::before').content";
    assert_eq!(page.evaluate(label).await, "\"Value\"");
    assert_eq!(page.evaluate("shown('.list thead')").await, false);
}

#[tokio::test]
async fn words_of_tables_are_not_cut() {
    let server = start_server().await;
    let (ada, reporter) = (server.register_agent("Ada").await, server.register_agent("ReporterA").await);
    let message = ada.post_message("Words to report.").await.assert_status(201);
    let path = format!("/api/chat/{}/report", message["message"]["id"].as_str().unwrap());
    reporter
        .post(&path, json!({"reason": "It sells things that nobody here wants."}))
        .await
        .assert_status(201);
    let page = sign_in(&server).await;
    page.chrome.emulate_screen(1280, 800, false).await;
    page.visit(&server.url("/admin/reports")).await;
    page.evaluate("one('tbody th a').click()").await;
    page.wait_until(
        "shown('h1') && text('h1').startsWith('Report on') && text('.list').includes('ReporterA')",
    )
    .await;
    let cut_words = "[...document.querySelectorAll('.list thead th, .list bdi')].filter((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return !/\\s/.test(cell.textContent) && range.getClientRects().length > 1;
    }).map((cell) => cell.textContent)";
    assert_eq!(page.evaluate(cut_words).await, json!([]));
}

#[tokio::test]
async fn keys_lead_through_the_queue_of_reports_but_not_while_typing() {
    let server = start_server().await;
    let ada = server.register_agent("Ada").await;
    for text in ["Buy one.", "Buy two."] {
        let posted = ada.post_message(text).await.assert_status(201);
        let path = format!("/api/chat/{}/report", posted["message"]["id"].as_str().unwrap());
        server.post(&path, json!({"reason": "spam"})).await.assert_status(201);
    }
    let page = sign_in(&server).await;
    page.visit(&server.url("/admin/reports")).await;
    page.wait_until("document.readyState === 'complete'").await;
    page.chrome.press(&['j', 'j']).await;
    page.wait_until("document.activeElement === document.querySelectorAll('.queue-list tbody th a')[1]")
        .await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("document.readyState === 'complete' && text('h1').startsWith('Report on')").await;
    let older = page.evaluate("location.pathname").await;
    page.chrome.press(&['k']).await;
    page.wait_until_with("location.pathname !== given && document.readyState === 'complete'", older.clone())
        .await;
    page.chrome.press(&['j']).await;
    page.wait_until_with("location.pathname === given && document.readyState === 'complete'", older.clone())
        .await;
    page.chrome.press(&['d']).await;
    page.wait_until("document.activeElement.closest('#decide') !== null").await;
    page.evaluate("one('#decide-reason').focus()").await;
    page.chrome.press(&['j', 'k', 'd']).await;
    page.wait_until("one('#decide-reason').value.includes('jkd')").await;
    assert_eq!(page.evaluate("location.pathname").await, older);
}
