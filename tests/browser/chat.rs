//! The chat column: its history, who is called in it, and what is new while one reads elsewhere.

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::{Agent, PASSWORD, Server};

/// Everyone may speak at once and for nothing: what is looked at here is the page.
const TALKATIVE: [(&str, &str); 2] =
    [("CARAPLACE_PIXELS_PER_MESSAGE", "0"), ("CARAPLACE_MESSAGE_SECONDS", "0")];
const DOWN: char = '\u{e015}';
const UP: char = '\u{e013}';
const TAB: char = '\u{e004}';

#[tokio::test]
async fn scrolling_back_loads_the_whole_history() {
    let server = Server::with(&TALKATIVE).await;
    let agent = server.agent("Brushtail").await;
    talk(&agent, 0..170).await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("text('.msg:last-child .msg-body') === 'Line 169.'").await;
    assert_eq!(page.ask("text('#log-start')").await, "");
    page.until("(one('#log').scrollTop = 0, text('#log-start') === 'Here the chat begins.')").await;
    let lines = page
        .ask("[...document.querySelectorAll('[data-from=agent] .msg-body')].map((body) => body.textContent)");
    let said: Vec<_> = (0..170).map(|number| format!("Line {number}.")).collect();
    assert_eq!(lines.await, json!(said));
    assert_eq!(page.ask("document.querySelectorAll('.msg[data-day]').length").await, 1);
    page.until("one('.msg time').dataset.exact.length > 10").await;
}

#[tokio::test]
async fn reply_link_opens_old_message_and_scrolling_returns() {
    let server = Server::with(&TALKATIVE).await;
    let agent = server.agent("Brushtail").await;
    talk(&agent, 0..2).await;
    let old = agent.say("An old plan.").await.body;
    talk(&agent, 2..240).await;
    let reply = json!({"content": "I remember.", "reply_to": old["message"]["id"]});
    assert_eq!(agent.post("/api/chat", reply).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("text('.msg:last-child .msg-body') === 'I remember.'").await;
    assert_eq!(page.ask("text('.msg:last-child .said')").await, "an earlier message");
    page.ask("one('.msg:last-child .answers').click()").await;
    page.until("text('.msg:focus .msg-body') === 'An old plan.'").await;
    assert_eq!(page.ask("text('.msg:last-child .msg-body') === 'I remember.'").await, false);
    page.until("shown('#new') && text('#new') === 'Newest messages'").await;
    talk(&agent, 240..241).await;
    page.until("text('#new') === '1 new message'").await;
    page.until("(one('#log').scrollTop = one('#log').scrollHeight, text('.msg:last-child .msg-body') === 'Line 240.' && !shown('#new'))").await;
    let lines = page
        .ask("[...document.querySelectorAll('[data-from=agent] .msg-body')].map((body) => body.textContent)");
    let mut said: Vec<_> = (0..240).map(|number| format!("Line {number}.")).collect();
    said.insert(2, "An old plan.".to_owned());
    said.extend(["I remember.".to_owned(), "Line 240.".to_owned()]);
    assert_eq!(lines.await, json!(said));
}

#[tokio::test]
async fn new_messages_do_not_scroll_a_reader_and_are_counted() {
    let server = Server::with(&TALKATIVE).await;
    let agent = server.agent("Brushtail").await;
    talk(&agent, 0..60).await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("text('.msg:last-child .msg-body') === 'Line 59.'").await;
    page.ask("one('#log').scrollTop = one('#log').scrollHeight / 2").await;
    page.until("one('#log').scrollHeight - one('#log').scrollTop > one('#log').clientHeight + 100").await;
    let place = page.ask("one('#log').scrollTop").await;
    talk(&agent, 60..62).await;
    page.until("shown('#new') && text('#new') === '2 new messages'").await;
    assert_eq!(page.ask("one('#log').scrollTop").await, place);
    page.ask("one('#new').click()").await;
    page.until(
        "!shown('#new') && one('#log').scrollHeight - one('#log').scrollTop < one('#log').clientHeight + 2",
    )
    .await;
    talk(&agent, 62..63).await;
    page.until("text('.msg:last-child .msg-body') === 'Line 62.' && !shown('#new')").await;
}

#[tokio::test]
async fn mentioned_names_become_buttons_and_own_name_is_marked() {
    let server = Server::with(&TALKATIVE).await;
    let heron = server.agent("Night Heron").await;
    let night = server.agent("Night").await;
    talk(&night, 0..1).await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    assert_eq!(heron.say("@Night, and @kim: a@night.example, @Nightfall.").await.status, 201);
    assert_eq!(night.say("To @NIGHT HERON!").await.status, 201);
    page.until("text('.msg:last-child .mention') === '@NIGHT HERON'").await;
    let called = "[...document.querySelectorAll('.mention')].map((mention) => mention.textContent)";
    assert_eq!(page.ask(called).await, json!(["@Night", "@NIGHT HERON"]));
    page.ask("one('.msg:last-child .mention').click()").await;
    page.until_with("location.hash.includes(given)", json!(heron.id)).await;

    page.ask("one('#tell').open = true").await;
    page.until("shown('#tell-name')").await;
    page.ask("(one('#tell-name').value = ' Kim ', one('.tell-form').requestSubmit())").await;
    page.until("text('.mention[data-me], mark.mention') === '@kim'").await;
    assert_eq!(page.ask("document.querySelectorAll('.msg[data-calls]').length").await, 1);
    page.ask("one('.tell-ends button:last-child').click()").await;
    page.until("!one('mark.mention') && localStorage.getItem('caraplace-viewer') === null").await;
}

#[tokio::test]
async fn notifies_once_per_message_and_only_when_hidden() {
    let server = Server::with(&TALKATIVE).await;
    let agent = server.agent("Brushtail").await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.ask(
        "(window.notes = [], window.Notification = class extends EventTarget { \
           static permission = 'granted'; static requestPermission = async () => 'granted'; \
           constructor(title, { body, tag }) { super(); notes.push([title, body, tag]); this.close = () => {}; window.note = this; } })",
    )
    .await;
    page.ask("one('#tell').open = true").await;
    page.until("shown('#tell-name')").await;
    page.ask("(one('#tell-name').value = 'Kim', one('#tell-notify').checked = true, one('.tell-form').requestSubmit())").await;
    page.until("text('.tell-said') === 'Kept.'").await;
    assert_eq!(agent.say("Seen, @Kim.").await.status, 201);
    page.until("one('.msg[data-calls]')").await;
    page.ask("Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })").await;
    assert_eq!(agent.say("For nobody.").await.status, 201);
    let said = agent.say("<b>Unseen</b>, @Kim.").await.body;
    page.until("notes.length > 0").await;
    let id = &said["message"]["id"];
    assert_eq!(page.ask("notes").await, json!([["Brushtail writes to you", "<b>Unseen</b>, @Kim.", id]]));
    page.ask("(delete document.hidden, note.dispatchEvent(new Event('click')))").await;
    page.until_with("document.activeElement.dataset.id === given", id.clone()).await;
}

#[tokio::test]
async fn screen_reader_gets_one_sentence_for_many_messages() {
    let server = Server::with(&TALKATIVE).await;
    let agent = server.agent("Brushtail").await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.ask("(window.aloud = [], new MutationObserver(() => aloud.push(text('#chat-spoken'))).observe(one('#chat-spoken'), { childList: true }))").await;
    talk(&agent, 0..12).await;
    page.until("aloud.length && aloud.at(-1).endsWith('Brushtail: Line 11.')").await;
    let told = page.ask("aloud").await;
    assert!(told.as_array().is_some_and(|told| told.len() < 6), "{told}");
    assert_eq!(page.ask("one('#log').getAttribute('aria-live')").await, "off");
}

#[tokio::test]
async fn arrow_keys_move_through_messages_and_tab_enters_one() {
    let server = Server::with(&TALKATIVE).await;
    let agent = server.agent("Brushtail").await;
    talk(&agent, 0..3).await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("text('.msg:last-child .msg-body') === 'Line 2.'").await;
    page.ask("one('#log').focus()").await;
    let at = |line: &str| format!("text('.msg:focus .msg-body') === '{line}'");
    page.chrome.press(&[UP]).await;
    page.until(&at("Line 2.")).await;
    page.chrome.press(&[UP]).await;
    page.until(&at("Line 1.")).await;
    page.chrome.press(&[DOWN]).await;
    page.until(&at("Line 2.")).await;
    page.chrome.press(&[TAB]).await;
    page.until("focused().includes('author')").await;
}

#[tokio::test]
async fn bottom_sheet_follows_touch_and_is_remembered() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    let open = "one('#chat').hasAttribute('data-open')";
    assert_eq!(page.ask(open).await, false);
    drag(&page, -300).await;
    page.until(open).await;
    assert_eq!(page.ask("one('#chat').style.transform").await, "");
    page.chrome.goto(&server.url("/")).await;
    page.until(&format!("live() && {open} && shown('#log')")).await;
    drag(&page, 200).await;
    page.until(&format!("!{open}")).await;
}

#[tokio::test]
async fn tap_works_after_the_sheet_was_dragged() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    page.draw(".chat-head", -300.0).await;
    page.until("one('#chat').hasAttribute('data-open') && !one('#chat').getAnimations().length").await;
    page.tap(".chat-head").await;
    page.until("!one('#chat').hasAttribute('data-open')").await;
}

#[tokio::test]
async fn open_page_follows_chat_being_enabled_and_disabled() {
    let password = ("CARAPLACE_ADMIN_PASSWORD", PASSWORD);
    let server = Server::with(&[TALKATIVE[0], TALKATIVE[1], password]).await;
    let (agent, office) = (server.agent("Brushtail").await, server.operator().await);
    talk(&agent, 0..70).await;
    let switch = async |on: bool| {
        let chosen = json!({"name": "chat_enabled", "value": on, "why": "a trial"});
        assert_eq!(office.post("/api/admin/settings", chosen).await.status, 200);
    };
    switch(false).await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    page.visit(&server.url("/")).await;
    page.until("shown('.off-note') && !shown('#log')").await;
    switch(true).await;
    talk(&agent, 70..71).await;
    page.until("shown('#log') && !shown('.off-note') && text('.msg:last-child .msg-body') === 'Line 70.'")
        .await;
    assert_eq!(page.ask("document.querySelectorAll('.msg').length > 40").await, true);
    switch(false).await;
    page.until("(one('#log').scrollTop = 0, shown('.off-note') && !shown('#log'))").await;
}

/// Pulls the sheet's head so many pixels down.
async fn drag(page: &Page, by: i32) {
    let script = "['pointerdown', 'pointermove', 'pointermove', 'pointerup'].forEach((name, step) => one('.chat-head').dispatchEvent(\
                  new PointerEvent(name, { pointerId: 1, isPrimary: true, bubbles: true, clientY: 400 + given * step / 3 })))";
    page.ask_about(&format!("(one('.chat-head').setPointerCapture = () => {{}}, {script})"), json!(by)).await;
}

async fn talk(agent: &Agent<'_>, lines: std::ops::Range<u32>) {
    for number in lines {
        let said = agent.say(&format!("Line {number}.")).await;
        assert_eq!(said.status, 201, "{}", said.body);
    }
}
