//! Numbers and times have one form in the scripts of the page and on the pages of the server.

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::Server;

#[tokio::test]
async fn numbers_and_dates_have_the_form_of_the_servers_pages() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url("/how")).await;
    let script = "const [done] = arguments;
        import('/js/shared/format.js').then((format) => done([
            format.formatCount(1234567),
            format.formatDate(Date.UTC(2026, 10, 9, 12)),
            format.formatExact('2026-11-09T12:35:09Z').startsWith('9 November 2026, '),
            format.formatDay('2026-11-09T12:35:09Z'),
        ]));";
    let texts = page.chrome.run_async(script, vec![]).await.unwrap();
    let expected = json!(["1\u{202f}234\u{202f}567", "9 November 2026", true, "Monday, 9 November 2026"]);
    assert_eq!(texts, expected);
}
