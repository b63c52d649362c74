//! The pages of past events that streams read when they resume.

use futures_util::future::join_all;
use serde_json::Value;

use crate::support::Server;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, FREE_SETTINGS, paint, post_text};

/// The number of streams that resume at once.
const STREAM_COUNT: usize = 12;

/// Returns the number of pages that this process has read.
async fn count_read_pages(server: &Server) -> u64 {
    let metrics = server.get("/metrics").await;
    let sample = r#"caraplace_cache_misses_total{cache="event_pages"} "#;
    let value = metrics.text().lines().find_map(|line| line.strip_prefix(sample));
    value.unwrap().parse().unwrap()
}

#[tokio::test]
async fn streams_that_wait_for_the_same_events_share_them_and_hold_up_no_other_reads() {
    let mut server = Server::start_with(&FREE_SETTINGS).await;
    paint(&server.register_agent("Ada").await, (0..40).map(|x| (x, 1))).await;
    let head = server.head().await;
    // After a restart, the events are not in memory.
    server.restart().await;
    let read_before = count_read_pages(&server).await;
    let mut blocked = server.pool.begin().await.unwrap();
    sqlx::query("lock table placement in access exclusive mode").execute(&mut *blocked).await.unwrap();
    let mut streams = join_all((0..STREAM_COUNT).map(|_| server.events(Some(0)))).await;
    server.wait_for_blocked_queries("%from placement p join agent a%", 1).await;
    // This reads many rows, too.
    server.get("/api/agents").await.assert_status(200);
    blocked.rollback().await.unwrap();
    for stream in &mut streams {
        assert_eq!(stream.read_seqs_up_to(head).await, (1..=head).collect::<Vec<_>>());
    }
    // The first stream may have begun to read before the others were opened.
    let read = count_read_pages(&server).await - read_before;
    assert!(read <= 3, "{STREAM_COUNT} streams have read {read} pages");
}

#[tokio::test]
async fn a_page_that_was_read_before_a_message_was_hidden_is_read_again() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let message = post_text(&ada, "a wicked word").await;
    let seq = message["seq"].as_i64().unwrap();
    // The page with the message ends before the event that hides it.
    for row in 0..3 {
        paint(&ada, (0..100).map(|x| (x, row))).await;
    }
    // The other instance reads from the database.
    let other = server.start_instance(&FREE_CONSOLE_SETTINGS).await;
    let read_content = async |instance: &Server| {
        let mut resumed = instance.events(Some(seq - 1)).await;
        resumed.next_with_id().await.data["content"].clone()
    };
    for instance in [&server, &other] {
        assert_eq!(read_content(instance).await, "a wicked word");
    }
    server.sign_in_operator().await.hide_message(&message).await;
    for instance in [&server, &other] {
        assert_eq!(read_content(instance).await, Value::Null);
    }
}
