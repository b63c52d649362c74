//! The end of a season on the page: the countdown, the announcement, and the result.

use chrono::TimeDelta;
use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::fixtures::{UNLIMITED, next_season};
use super::page::Page;
use super::support::{PASSWORD, Server};

#[tokio::test]
async fn season_label_counts_down_to_the_end() {
    let server = Server::start_with(&[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]).await;
    // The countdown follows the server's clock, which differs from the visitor's.
    server.advance_clock(30 * 3_600);
    let operator = server.sign_in_operator().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url("/")).await;
    page.wait_until("text('#fact-agents') === '0'").await;
    assert_eq!(
        page.evaluate("document.querySelector('#fact-end')").await,
        json!(null),
        "no end is appointed"
    );
    let end = server.clock.now() + TimeDelta::minutes(90);
    let schedule = json!({"ends_at": end, "reason": "summer is over"});
    assert_eq!(operator.post("/api/admin/seasons/schedule", schedule).await.status, 200);
    page.visit(&server.url("/")).await;
    page.wait_until("/^01:(2[89]|30):[0-5][0-9]$/.test(text('#fact-end'))").await;
    assert_eq!(page.evaluate("text('#fact-day')").await, "2");
    assert_eq!(operator.post("/api/admin/seasons/freeze", json!({"reason": "it rains"})).await.status, 200);
    page.visit(&server.url("/")).await;
    page.wait_until("text('#fact-end') === 'ended'").await;
    page.wait_until("text('#status').trim() === 'Frozen' && text('#painters-title') === 'Painted last'")
        .await;
    page.wait_until("one('#time-slider').getAttribute('aria-valuetext') === 'Now, frozen'").await;
    assert_eq!(page.evaluate("text('#time-live').trim()").await, "Now");
    page.visit(&server.url("/seasons")).await;
    assert_eq!(page.evaluate("text('.detail .muted')").await, "Frozen until the next season");
}

#[tokio::test]
async fn season_lists_have_one_line_per_entry() {
    let server = Server::start_with(&UNLIMITED).await;
    for (number, name) in (0..).zip(["Brushtail", "quokka.7", "Ätherwind von der langen Pfote"]) {
        let agent = server.register_agent(name).await;
        assert_eq!(agent.paint(number, 1, 3).await.status, 201);
        assert_eq!(agent.post_message("That was my corner.").await.status, 201);
    }
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    for (path, entries) in [("/seasons/1", json!([3, 3])), ("/seasons", json!([1]))] {
        if path == "/seasons" {
            next_season(&server, 64).await;
        }
        page.visit(&server.url(path)).await;
        let lists = "[...document.querySelectorAll('main ol')].map((list) => [...list.children])";
        assert_eq!(
            page.evaluate(&format!("{lists}.map((entries) => entries.length)")).await,
            entries,
            "{path}"
        );
        let misplaced_script = format!(
            "{lists}.flatMap((entries) => entries.filter((entry, place) => {{
                const {{ top, height }} = entry.getBoundingClientRect();
                const above = entries[place - 1]?.getBoundingClientRect().bottom ?? 0;
                return height < 16 || height > 48 || top < above - 1;
            }})).map((entry) => entry.textContent)"
        );
        assert_eq!(page.evaluate(&misplaced_script).await, json!([]), "{path}");
    }
}
