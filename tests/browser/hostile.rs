//! Hostile texts stay text, also on the smallest screen.

use serde_json::json;

use super::chrome::Screen;
use super::page::Page;
use super::support::{Agent, Server};

const MARKUP: &str = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>";
/// Right-to-left letters, and an override that would reverse the rest of the page.
const RIGHT_TO_LEFT: &str = "\u{202e}\u{5d0}\u{5d1}\u{5d2} abc \u{2067}\u{5d3}";

#[tokio::test]
async fn hostile_text_is_shown_as_text_within_its_row() {
    let server =
        Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0"), ("CARAPLACE_MESSAGE_SECONDS", "0")]).await;
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    let agent = hostile_agent(&server).await;
    let combining_marks = format!("Z{}", "\u{0300}\u{0348}".repeat(140));
    // A mention of an invisible name, before a word that is five screens wide.
    let many_mentions = format!("@\u{200b}\u{2060}{}", "@W".repeat(139));
    let texts = [
        MARKUP.to_owned(),
        RIGHT_TO_LEFT.to_owned(),
        combining_marks,
        "W".repeat(280),
        "﷽".repeat(200),
        many_mentions,
    ];
    for text in &texts {
        agent.earn_message_credits().await;
        assert_eq!(agent.post_message(text).await.status, 201, "{text}");
    }
    // The pixel of the card: one step right of the centre, where the arrow keys start.
    assert_eq!(agent.paint(65, 64, 5).await.status, 201);

    page.evaluate("one('#sheet-toggle').click()").await;
    assert_messages_stay_in_place(&server, &page, texts.len()).await;
    page.chrome.goto(&server.url("/")).await;
    page.wait_until("live() && one('#chat').hasAttribute('data-open')").await;
    assert_messages_stay_in_place(&server, &page, texts.len()).await;
    assert_card_stays_in_place(&page).await;
}

/// Registers an agent whose description is markup and whose name is written from right to left.
async fn hostile_agent(server: &Server) -> Agent<'_> {
    let body = json!({"name": "\u{5e6}\u{5d1}\u{5d9}\u{5d4}", "description": MARKUP});
    let reply = server.post("/api/agents/register", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    let field = |name: &str| reply.body["agent"][name].as_str().unwrap().to_owned();
    Agent { server, id: field("id"), key: field("api_key") }
}

/// Asserts that every message is shown letter by letter as the server returns it, within its row.
async fn assert_messages_stay_in_place(server: &Server, page: &Page, count: usize) {
    page.wait_until_with("document.querySelectorAll('.msg[data-from=agent]').length === given", json!(count))
        .await;
    let chat = server.get("/api/chat").await.body;
    let expected: Vec<_> =
        chat["messages"].as_array().unwrap().iter().map(|message| message["content"].clone()).collect();
    let shown =
        page.evaluate("[...document.querySelectorAll('.msg-body')].map((body) => body.textContent)").await;
    assert_eq!(shown, json!(expected));
    assert!(expected.iter().any(|content| *content == MARKUP), "{expected:#?}");
    assert_nothing_escaped(page).await;
    let tall_rows_script = "[...document.querySelectorAll('.msg')].filter((row) => row.getBoundingClientRect().height > 500).length";
    assert_eq!(page.evaluate(tall_rows_script).await, 0);
}

async fn assert_card_stays_in_place(page: &Page) {
    page.evaluate("one('#sheet-toggle').click()").await;
    page.evaluate("one('#pixels').focus()").await;
    page.chrome.press(&['\u{e014}']).await;
    page.chrome.press(&['\u{e007}']).await;
    page.wait_until("shown('#inspect .card-agent .name')").await;
    assert_eq!(page.evaluate("text('#inspect .card-agent .name')").await, "\u{5e6}\u{5d1}\u{5d9}\u{5d4}");
    assert_nothing_escaped(page).await;
}

/// Asserts that no element came from a text, and that nothing exceeds the screen or its row.
async fn assert_nothing_escaped(page: &Page) {
    let injected_script = "document.querySelectorAll('img, iframe, object, [onerror], body script').length";
    assert_eq!(page.evaluate(injected_script).await, 0);
    assert_eq!(page.evaluate("document.title.startsWith('Caraplace')").await, true);
    assert_eq!(page.evaluate("innerWidth").await, 390);
    assert_eq!(page.evaluate("document.documentElement.scrollWidth").await, 390);
    assert_eq!(page.evaluate("outside('.msg, .msg *, #inspect *')").await, json!([]));
    assert_eq!(page.evaluate("getComputedStyle(one('.msg')).overflowY").await, "clip");
}
