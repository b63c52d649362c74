//! A season's end on the page: counted down to, told when it has come, and what is left of it.

use chrono::TimeDelta;
use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::{PASSWORD, Server};
use super::world::busy;

#[tokio::test]
async fn season_label_counts_down_to_the_end() {
    let server = Server::with(&[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]).await;
    // By the server's clock, which is not the visitor's.
    server.wait(30 * 3_600);
    let office = server.operator().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    page.visit(&server.url("/")).await;
    page.until("text('#fact-agents') === '0'").await;
    assert_eq!(page.ask("document.querySelector('#fact-end')").await, json!(null), "no end is appointed");
    let end = server.clock.now() + TimeDelta::minutes(90);
    let order = json!({"ends_at": end, "why": "summer is over"});
    assert_eq!(office.post("/api/admin/seasons/schedule", order).await.status, 200);
    page.visit(&server.url("/")).await;
    page.until("/^01:(2[89]|30):[0-5][0-9]$/.test(text('#fact-end'))").await;
    assert_eq!(page.ask("text('#fact-day')").await, "2");
    assert_eq!(office.post("/api/admin/seasons/freeze", json!({"why": "it rains"})).await.status, 200);
    page.visit(&server.url("/")).await;
    page.until("text('#fact-end') === 'last view'").await;
    page.visit(&server.url("/seasons")).await;
    assert_eq!(page.ask("text('.work .quiet')").await, "Over, in its last view");
}

#[tokio::test]
async fn season_lists_have_one_line_per_entry() {
    let (server, _) = busy().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    for (path, entries) in [("/seasons", json!([1])), ("/seasons/1", json!([3, 3]))] {
        page.visit(&server.url(path)).await;
        let lists = "[...document.querySelectorAll('main ol')].map((list) => [...list.children])";
        assert_eq!(page.ask(&format!("{lists}.map((entries) => entries.length)")).await, entries, "{path}");
        let broken = format!(
            "{lists}.flatMap((entries) => entries.filter((entry, place) => {{
                const {{ top, height }} = entry.getBoundingClientRect();
                const above = entries[place - 1]?.getBoundingClientRect().bottom ?? 0;
                return height < 16 || height > 48 || top < above - 1;
            }})).map((entry) => entry.textContent)"
        );
        assert_eq!(page.ask(&broken).await, json!([]), "{path}");
    }
}
