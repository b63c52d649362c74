//! Reads of the log: `/api/events?from=`, `/api/timeline` and `/api/chat?at=`.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use rules::numbers::Seq;
use serde_json::{Value, json};

use crate::support::actions::{post_text, react};
use crate::support::log_fixture::{SMALL_CANVAS_SETTINGS, start_with_placements};
use crate::support::values::{fields_of, id_of, texts_of};
use crate::support::waiting::fetch_overpainted;
use crate::support::{Agent, Server};

async fn fetch_page(server: &Server, query: &str) -> Value {
    let reply = server.get(&format!("/api/events?{query}")).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"), "{}", reply.body);
    reply.body
}

/// Posts a placement, a message and a reaction.
async fn paint_post_and_react(agent: &Agent<'_>) -> (Value, Value) {
    let pixel = agent.paint(3, 4, 5).await.body["pixel"].clone();
    let message = post_text(agent, "look").await;
    react(agent, &message, "🔥").await;
    (pixel, message)
}

#[tokio::test]
async fn page_holds_streamed_events_with_times() {
    let server = Server::start_with(&SMALL_CANVAS_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let (pixel, message) = paint_post_and_react(&agent).await;
    let head = server.head().await;
    let page = fetch_page(&server, "from=0").await;
    assert_eq!(fields_of(&page, ["from", "to", "head", "next_from"]), json!([1, head, head, null]));
    let placed: DateTime<Utc> = pixel["placed_at"].as_str().unwrap().parse().unwrap();
    assert_eq!(page["pixels"], json!([[pixel["seq"], 3, 4, 5, agent.id, placed.timestamp_millis()]]));
    let mut stream = server.events(Some(0)).await;
    let mut streamed = Vec::new();
    while streamed.len() < 3 {
        let event = stream.next().await.unwrap();
        if ["season", "chat", "reaction"].contains(&event.name.as_str()) {
            streamed.push(event);
        }
    }
    let events = page["events"].as_array().unwrap();
    assert_eq!(events.len(), 3, "{page}");
    for (event, streamed_event) in events.iter().zip(&streamed) {
        assert_eq!((&event["event"], &event["data"]), (&json!(streamed_event.name), &streamed_event.data));
        assert_eq!(event["seq"].as_i64(), streamed_event.id);
    }
    assert_eq!(events[1]["time"], message["timestamp"]);
}

#[tokio::test]
async fn pages_have_no_gaps() {
    let (server, _) = start_with_placements(2_500).await;
    let (mut from, mut numbers) = (json!(2), Vec::new());
    loop {
        let page = fetch_page(&server, &format!("from={from}&to=2400&limit=1000")).await;
        let pixels = page["pixels"].as_array().unwrap();
        numbers.extend(pixels.iter().map(|pixel| pixel[0].as_i64().unwrap()));
        assert_eq!(page["to"].as_i64(), numbers.last().copied());
        from = page["next_from"].clone();
        if from.is_null() {
            break;
        }
    }
    assert_eq!(numbers, (2..=2_400).collect::<Vec<_>>());
    assert_eq!(fetch_page(&server, "from=1").await["to"], 2_501, "one page contains all");
}

#[tokio::test]
async fn range_may_be_given_as_inclusive_times() {
    let (server, painted) = start_with_placements(300).await;
    let written = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Micros, true);
    let (one, other) = (painted[10].placed_at, painted[50].placed_at);
    let expected: Vec<_> =
        painted.iter().filter(|it| one <= it.placed_at && it.placed_at <= other).map(|it| it.seq).collect();
    let page_of = fetch_page(&server, &format!("from={}&to={}", written(one), written(other))).await;
    let numbers = |page: &Value| -> Vec<i64> {
        page["pixels"].as_array().unwrap().iter().map(|pixel| pixel[0].as_i64().unwrap()).collect()
    };
    assert_eq!(numbers(&page_of), expected);
    let between = written(one + TimeDelta::microseconds(1));
    let nothing = fetch_page(&server, &format!("from={between}&to={between}")).await;
    assert_eq!((numbers(&nothing), &nothing["next_from"]), (vec![], &Value::Null));
    for query in [
        "from=5&to=4".to_owned(),
        format!("from={}&to={}", written(other), written(one)),
        "from=9000000".to_owned(),
        "from=1&to=9000000".to_owned(),
        format!("from={}", written(server.clock.now() + TimeDelta::days(2))),
        "from=soon".to_owned(),
    ] {
        server.get(&format!("/api/events?{query}")).await.assert_refused(400, "invalid_field");
    }
}

#[tokio::test]
async fn deleted_texts_leave_redacted_events() {
    let server = Server::start_with(&SMALL_CANVAS_SETTINGS).await;
    let (_, message) = paint_post_and_react(&server.register_agent("Ada").await).await;
    server.execute("delete from chat_message").await;
    let page = fetch_page(&server, "from=1").await;
    let chat = &page["events"][1];
    let expected = json!(["chat", message["seq"], message["timestamp"]]);
    assert_eq!(fields_of(chat, ["event", "seq", "time"]), expected);
    assert_eq!((&chat["data"]["redacted"], chat["data"].get("content")), (&json!(true), None));
    assert_eq!(page["events"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn unchanged_page_is_not_sent_again() {
    let server = Server::start_with(&SMALL_CANVAS_SETTINGS).await;
    paint_post_and_react(&server.register_agent("Ada").await).await;
    let packed = ("accept-encoding", "br");
    let reply = server.get_with_headers("/api/events?from=1", &[packed]).await;
    assert_eq!(reply.header("content-encoding"), "br");
    let known = ("if-none-match", reply.header("etag"));
    assert_eq!(server.get_with_headers("/api/events?from=1", &[packed, known]).await.status, 304);
}

#[tokio::test]
async fn timeline_counts_every_placement_once() {
    let (server, painted) = start_with_placements(40_000).await;
    // The newest events are hours ahead of the clock.
    server.advance_clock(3 * 3_600);
    paint_post_and_react(&server.register_agent("Ada").await).await;
    let mut done = Seq::ZERO;
    let state = server.running().state.clone();
    caraplace_canvas::history::snapshots::store_missing(&state, &mut done).await.unwrap();
    for (steps, snapshots) in [(1, true), (7, true), (1_000, true), (13, false), (999, false)] {
        if !snapshots {
            server.execute("delete from snapshot").await;
        }
        let line = server.get(&format!("/api/timeline?steps={steps}")).await.body;
        let time = |name: &str| line[name].as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
        let (opened, now) = (time("opened_at"), time("now"));
        let mut counts = vec![0; steps];
        for one in &painted {
            let (since, whole) =
                ((one.placed_at - opened).num_microseconds(), (now - opened).num_microseconds());
            let (since, whole) = (i128::from(since.unwrap()), i128::from(whole.unwrap()));
            // A step includes its end and excludes its start.
            let step =
                (1..steps).find(|step| since <= whole * *step as i128 / steps as i128).unwrap_or(steps);
            counts[step - 1] += 1;
        }
        counts[steps - 1] += 1;
        assert_eq!(line["counts"], json!(counts), "{steps}");
        assert_eq!(fields_of(&line, ["first", "head", "width"]), json!([1, server.head().await, 9]));
    }
    server.get("/api/timeline?steps=0").await.assert_refused(400, "invalid_field");
    server.get("/api/timeline?steps=1001").await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn timeline_counts_pixels_painted_over() {
    // System messages would change the digest when this clock jumps.
    let settings = [SMALL_CANVAS_SETTINGS.as_slice(), &[("CARAPLACE_SYSTEM_MESSAGES", "false")]].concat();
    let mut server = Server::start_with(&settings).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    // A blank pixel, an own one, and the first that counts.
    for (agent, color) in [(&ada, 5), (&ada, 6), (&bob, 7)] {
        assert_eq!(agent.paint(1, 1, color).await.status, 201);
    }
    server.advance_clock(3_600);
    for (agent, x, color) in [(&bob, 2, 3), (&ada, 1, 8), (&ada, 2, 4), (&ada, 2, 5)] {
        assert_eq!(agent.paint(x, 1, color).await.status, 201);
    }
    server.advance_clock(600);
    assert_eq!(fetch_overpainted(&server, 2).await, json!([1, 2]));
    let other = server.start_instance(&settings).await;
    assert_eq!(fetch_overpainted(&other, 2).await, json!([1, 2]));
    drop(other);
    server.restart().await;
    assert_eq!(fetch_overpainted(&server, 2).await, json!([1, 2]));
}

/// Another instance has stored a snapshot of events that this one has not read yet.
#[tokio::test]
async fn timeline_ends_at_the_head_of_this_instance() {
    let server = Server::start_with(&SMALL_CANVAS_SETTINGS).await;
    server.register_agent("Ada").await.paint(3, 4, 5).await;
    let ahead = "insert into snapshot (seq, at, version, placements, pixels)
        select log_head.seq + 9, opened_at, log_head.seq + 9, 10, '' from log_head, season";
    server.execute(ahead).await;
    let line = server.get("/api/timeline?steps=3").await.body;
    let counts: Vec<i64> = serde_json::from_value(line["counts"].clone()).unwrap();
    assert!(counts.iter().all(|count| *count >= 0) && counts.iter().sum::<i64>() == 1, "{counts:?}");
}

#[tokio::test]
async fn chat_at_a_point_in_time_has_earlier_messages_only() {
    let server = Server::start_with(&SMALL_CANVAS_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let mut messages = Vec::new();
    for number in 0..6 {
        messages.push(post_text(&agent, &format!("number {number}")).await);
        agent.paint(0, 0, number).await;
        server.advance_clock(1);
    }
    let ids: Vec<_> = messages.iter().map(id_of).collect();
    let at = server.get(&format!("/api/chat?limit=2&at={}", messages[3]["seq"])).await.body;
    assert_eq!((texts_of(&at["messages"], "id"), &at["next_before"]), (ids[2..4].to_vec(), &json!(ids[2])));
    assert_eq!(at["digest"], json!(server.digest().await));
    let timestamp = &messages[4]["timestamp"];
    for (query, expected) in [
        (format!("at={}&before={}", messages[3]["seq"], ids[2]), &ids[..2]),
        (format!("at={}&before={}", messages[1]["seq"], ids[5]), &ids[..2]),
        (format!("at={}", timestamp.as_str().unwrap()), &ids[..5]),
        ("at=0".to_owned(), &[]),
    ] {
        let page = server.get(&format!("/api/chat?{query}")).await.body;
        assert_eq!(texts_of(&page["messages"], "id"), expected, "{query}");
    }
}
