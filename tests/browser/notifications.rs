//! How a viewer chooses to be told of its inbox: by mail, and by notifications of the browser.

use serde_json::{Value, json};

use super::axe::assert_accessible;
use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::reports_and_passes::sign_in_as;
use super::support::{Reply, Server};
use super::viewers::{UNLIMITED, visit};

/// Stands in for the browser's push service.
const PUSH_SCRIPT: &str = include_str!("push.js");
const WORKER: &str = include_str!("../../public/push-worker.js");
const BOX: &str = "one('#notify-push')";

/// Starts a server that can send mails and push messages.
async fn start_server() -> Server {
    let mut settings = UNLIMITED.to_vec();
    settings.extend([
        ("CARAPLACE_VAPID_PRIVATE_KEY", "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"),
        ("CARAPLACE_VAPID_SUBJECT", "mailto:operator@caraplace.dev"),
        ("CARAPLACE_WEBHOOK_ALLOW", "127.0.0.2/32"),
        ("SMTP_URL", "smtp://127.0.0.1:9"),
    ]);
    Server::start_with(&settings).await
}

/// Opens the inbox of a viewer with a mail address. Also returns the pass.
async fn open_settings(server: &Server, script: &str) -> (Page, String) {
    open_settings_as(server, &server.create_operator_key("desk").await, script).await
}

async fn open_settings_as(server: &Server, key: &str, script: &str) -> (Page, String) {
    let grant = json!({"reason": "a friend", "email": "kim@example.com"});
    let (page, pass) = sign_in_as(server, key, grant).await;
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": script})).await;
    open_inbox(&page, server).await;
    (page, pass)
}

async fn open_inbox(page: &Page, server: &Server) {
    visit(page, server, "/").await;
    page.evaluate("one('.inbox-button').click()").await;
    page.wait_until("shown('#notify-push')").await;
}

async fn read_settings(server: &Server, pass: &str) -> Value {
    Reply::fetch(server.get_request("/api/viewers/me").bearer_auth(pass)).await.body["notifications"].clone()
}

#[tokio::test]
async fn viewer_turns_notifications_of_this_browser_on_and_off() {
    let server = start_server().await;
    let (page, pass) = open_settings(&server, PUSH_SCRIPT).await;
    let permission =
        json!({"permission": {"name": "notifications"}, "setting": "granted", "origin": server.url("")});
    page.chrome.devtools("Browser.setPermission", permission).await;
    assert_eq!(page.evaluate(&format!("[{BOX}.checked, asked]")).await, json!([false, 0]));
    assert_accessible(&page, "the settings of notifications").await;
    page.evaluate(&format!("{BOX}.click()")).await;
    page.wait_until(
        "text('.inbox-settings .panel-status') === 'This browser will be notified.' && asked === 1",
    )
    .await;
    assert_eq!(read_settings(&server, &pass).await["push_devices"], 1);
    page.wait_until("navigator.serviceWorker.controller?.scriptURL.endsWith('/push-worker.js')").await;
    open_inbox(&page, &server).await;
    assert_eq!(page.evaluate(&format!("[{BOX}.checked, asked]")).await, json!([true, 0]));
    page.evaluate(&format!("{BOX}.click()")).await;
    page.wait_until("text('.inbox-settings .panel-status') === 'This browser will not be notified.'").await;
    assert_eq!(read_settings(&server, &pass).await["push_devices"], 0);
    assert_eq!(page.evaluate("localStorage.getItem('test-subscription')").await, json!(null));
}

#[tokio::test]
async fn settings_say_why_this_browser_cannot_be_notified() {
    let server = start_server().await;
    let key = server.create_operator_key("desk").await;
    let (page, _) = open_settings_as(&server, &key, "delete window.PushManager").await;
    let hint = format!("[{BOX}.disabled, text('.notify-hint')]");
    assert_eq!(page.evaluate(&hint).await, json!([true, "This browser shows no notifications from here."]));
    assert_accessible(&page, "without notifications").await;
    let script = "Object.defineProperty(Notification, 'permission', { get: () => 'denied' })";
    let (denied, _) = open_settings_as(&server, &key, script).await;
    denied
        .wait_until(&format!("{BOX}.disabled && text('.notify-hint').startsWith('Your browser blocks')"))
        .await;
}

#[tokio::test]
async fn viewer_turns_mails_on_and_off() {
    let server = start_server().await;
    let (page, pass) = open_settings(&server, "").await;
    for (wanted, text) in [(true, "You will get mail."), (false, "You will get no mail.")] {
        page.evaluate("one('#notify-mail').click()").await;
        page.wait_until_with("text('.inbox-settings .panel-status') === given", json!(text)).await;
        assert_eq!(read_settings(&server, &pass).await["mail"], wanted);
        assert_eq!(page.evaluate("one('#notify-mail').checked").await, wanted);
    }
}

#[tokio::test]
async fn worker_shows_pushes_as_text_and_opens_only_own_addresses() {
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    let script = format!(
        "const done = arguments[0];
        const handlers = {{}}, log = [];
        const tab = {{ url: 'https://caraplace.example/#x=1', postMessage: (data) => log.push(['told', data.message]), focus: () => log.push(['focused']) }};
        let tabs = [];
        const self = {{
          location: {{ origin: 'https://caraplace.example' }},
          addEventListener: (kind, handle) => {{ handlers[kind] = handle; }},
          registration: {{ showNotification: async (title, {{ body, data }}) => log.push([title, body, data.url]) }},
          clients: {{ matchAll: async () => tabs, openWindow: (url) => log.push(['opened', url]) }},
        }};
        {WORKER}
        const run = async (kind, event) => {{
          let work;
          handlers[kind]({{ ...event, waitUntil: (promise) => {{ work = promise; }} }});
          await work;
        }};
        const push = (data) => run('push', {{ data: {{ json: () => data }} }});
        const click = (url) => run('notificationclick', {{ notification: {{ close: () => {{}}, data: {{ url }} }} }});
        (async () => {{
          await push({{ title: '<b>Ada</b>', body: 'Hello', url: '/?message=msg_1' }});
          await push({{ title: 'Ada', body: 'Hello', url: 'https://evil.example/' }});
          await run('push', {{ data: null }});
          await click('https://caraplace.example/?message=msg_1');
          await click('https://evil.example/');
          tabs = [tab];
          await click('/?message=msg_1');
          done(log);
        }})();"
    );
    let log = page.chrome.run_async(&script, vec![]).await.unwrap();
    let own = "https://caraplace.example/";
    assert_eq!(
        log,
        json!([
            ["<b>Ada</b>", "Hello", format!("{own}?message=msg_1")],
            ["Ada", "Hello", own],
            ["Caraplace", "There is something new for you.", "/"],
            ["opened", format!("{own}?message=msg_1")],
            ["opened", own],
            ["told", "msg_1"],
            ["focused"],
        ])
    );
}
