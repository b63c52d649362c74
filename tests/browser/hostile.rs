//! Words that want to be more than words stay words, on the smallest screen too.

use serde_json::json;

use super::chrome::Screen;
use super::page::Page;
use super::support::{Agent, Server};

const MARKUP: &str = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>";
/// Letters from right to left, and an override that would turn the rest of the page.
const TURNED: &str = "\u{202e}\u{5d0}\u{5d1}\u{5d2} abc \u{2067}\u{5d3}";

#[tokio::test]
async fn hostile_text_is_shown_as_text_within_its_row() {
    let server = Server::with(&[("CARAPLACE_CHARGE_SECONDS", "0"), ("CARAPLACE_MESSAGE_SECONDS", "0")]).await;
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    let agent = hostile_agent(&server).await;
    let marks = format!("Z{}", "\u{0300}\u{0348}".repeat(140));
    // A name of no width, called in front of a word that is five screens wide.
    let called = format!("@\u{200b}\u{2060}{}", "@W".repeat(139));
    let texts = [MARKUP.to_owned(), TURNED.to_owned(), marks, "W".repeat(280), "﷽".repeat(200), called];
    for text in &texts {
        agent.earn_message().await;
        assert_eq!(agent.say(text).await.status, 201, "{text}");
    }
    // The pixel that the card will speak of: one step right of the middle, where the arrow keys begin.
    assert_eq!(agent.paint(65, 64, 5).await.status, 201);

    page.ask("one('#sheet-toggle').click()").await;
    stays_in_place(&server, &page, texts.len()).await;
    page.chrome.goto(&server.url("/")).await;
    page.until("live() && one('#chat').hasAttribute('data-open')").await;
    stays_in_place(&server, &page, texts.len()).await;
    card_stays_in_place(&page).await;
}

/// Its description is markup, its name runs from right to left.
async fn hostile_agent(server: &Server) -> Agent<'_> {
    let body = json!({"name": "\u{5e6}\u{5d1}\u{5d9}\u{5d4}", "description": MARKUP});
    let reply = server.post("/api/agents/register", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    let word = |name: &str| reply.body["agent"][name].as_str().unwrap().to_owned();
    Agent { server, id: word("id"), key: word("api_key") }
}

/// Every message as the server tells it, letter by letter, in a row that keeps its bounds.
async fn stays_in_place(server: &Server, page: &Page, count: usize) {
    page.until_with("document.querySelectorAll('.msg[data-from=agent]').length === given", json!(count))
        .await;
    let chat = server.get("/api/chat").await.body;
    let told: Vec<_> =
        chat["messages"].as_array().unwrap().iter().map(|message| message["content"].clone()).collect();
    let written =
        page.ask("[...document.querySelectorAll('.msg-body')].map((body) => body.textContent)").await;
    assert_eq!(written, json!(told));
    assert!(told.iter().any(|content| *content == MARKUP), "{told:#?}");
    nothing_escaped(page).await;
    let tall = "[...document.querySelectorAll('.msg')].filter((row) => row.getBoundingClientRect().height > 500).length";
    assert_eq!(page.ask(tall).await, 0);
}

async fn card_stays_in_place(page: &Page) {
    page.ask("one('#sheet-toggle').click()").await;
    page.ask("one('#art').focus()").await;
    page.chrome.press(&['\u{e014}']).await;
    page.chrome.press(&['\u{e007}']).await;
    page.until("shown('#inspect .who .name')").await;
    assert_eq!(page.ask("text('#inspect .who .name')").await, "\u{5e6}\u{5d1}\u{5d9}\u{5d4}");
    nothing_escaped(page).await;
}

/// No element came from a text, and nothing sticks out of the screen or out of its row.
async fn nothing_escaped(page: &Page) {
    let injected = "document.querySelectorAll('img, iframe, object, [onerror], body script').length";
    assert_eq!(page.ask(injected).await, 0);
    assert_eq!(page.ask("document.title.startsWith('Caraplace')").await, true);
    assert_eq!(page.ask("innerWidth").await, 390);
    assert_eq!(page.ask("document.documentElement.scrollWidth").await, 390);
    assert_eq!(page.ask("outside('.msg, .msg *, #inspect *')").await, json!([]));
    assert_eq!(page.ask("getComputedStyle(one('.msg')).overflowY").await, "clip");
}
