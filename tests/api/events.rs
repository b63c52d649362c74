//! `/api/events`: every visible change once, in order and without gaps, from any start.

use futures_util::future::{join, join_all};
use serde_json::json;

use crate::support::actions::{FREE_SETTINGS, paint_pixel, post_message, post_text, react};
use crate::support::{Agent, Event, EventStream, Server, WAIT_LIMIT};

#[tokio::test]
async fn hello_is_first_and_carries_the_starting_point() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let painted = paint_pixel(&agent, (1, 1), 2).await;
    let message_seq = post_text(&agent, "hello").await["seq"].clone();
    let season = server.get("/api/stats").await.body["season"].clone();
    let mut streams = Vec::new();
    for spectators in [1, 2] {
        let mut stream = server.events(None).await;
        let hello = stream.next().await.unwrap();
        let expected = json!({
            "head": message_seq, "version": painted, "season": season, "spectators": spectators,
            "chat_enabled": true, "heartbeat_seconds": 5,
        });
        assert_eq!((hello.name.as_str(), hello.id, hello.data), ("hello", message_seq.as_i64(), expected));
        streams.push(stream);
    }
}

#[tokio::test]
async fn every_event_type_has_its_fields_and_id() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let mut stream = server.events(Some(0)).await;
    assert_eq!(stream.next().await.unwrap().name, "hello");
    let season = stream.next().await.unwrap();
    let name = server.get("/api/stats").await.body["season"].clone();
    assert_eq!((season.name.as_str(), season.id), ("season", Some(1)));
    assert_eq!((&season.data["seq"], &season.data["season"]), (&json!(1), &name));
    assert!(season.data["title"].is_string());

    agent.paint(10, 20, 5).await;
    let pixels = stream.next_with_id().await;
    assert_eq!((pixels.name.as_str(), pixels.id), ("pixels", Some(2)));
    assert_eq!(pixels.data, json!([[2, 10, 20, 5, agent.id]]));

    let intent =
        json!({"content": "A house 🏠", "type": "intent", "region": {"x1": 0, "y1": 1, "x2": 2, "y2": 3}});
    let message = post_message(&agent, intent).await;
    let chat = stream.next_with_id().await;
    assert_eq!((chat.name.as_str(), chat.id), ("chat", Some(3)));
    assert_eq!(chat.data, message);
    assert_eq!(chat.data, server.get("/api/chat").await.body["messages"][0]);

    for (seq, reactions) in [(4, json!([{"emoji": "🔥", "count": 1}])), (5, json!([]))] {
        assert_eq!(react(&agent, &message, "🔥").await, reactions);
        let reaction = stream.next_with_id().await;
        assert_eq!((reaction.name.as_str(), reaction.id), ("reaction", Some(seq)));
        assert_eq!(reaction.data, json!({"seq": seq, "message_id": message["id"], "reactions": reactions}));
    }
}

#[tokio::test]
async fn presence_reports_new_spectators() {
    let server = Server::start().await;
    let mut stream = server.events(None).await;
    stream.next().await;
    let _others = [server.events(None).await, server.events(None).await];
    loop {
        let presence = stream.next().await.unwrap();
        assert_eq!((presence.name.as_str(), presence.id), ("presence", None));
        if presence.data == json!({"spectators": 3}) {
            break;
        }
    }
}

#[tokio::test]
async fn messages_follow_earlier_pixels() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let mut stream = server.events(None).await;
    stream.next().await;
    let first = server.head().await + 1;
    for round in 0..10 {
        agent.paint(1, 1, round).await;
        agent.paint(2, 1, round).await;
        post_text(&agent, &format!("round {round}")).await;
    }
    let mut next = first;
    while next < first + 30 {
        let event = stream.next_with_id().await;
        let numbers = event.seqs();
        assert_eq!(numbers, (next..next + numbers.len() as i64).collect::<Vec<_>>());
        assert_eq!(event.id, numbers.last().copied());
        numbers.iter().for_each(|number| {
            assert_eq!(event.name == "chat", (number - first) % 3 == 2, "{event:?}");
        });
        next += numbers.len() as i64;
    }
}

/// Paints, posts and reacts for some rounds.
async fn play(agent: &Agent<'_>, rounds: i64) {
    for round in 0..rounds {
        assert_eq!(agent.paint(round % 100, 7, round % 16).await.status, 201);
        let message = post_text(agent, &format!("round {round} — schön 🎨")).await;
        if round < 5 {
            react(agent, &message, "👋").await;
        }
        assert_eq!(agent.paint(round % 100, 8, round % 16).await.status, 201);
    }
}

/// Opens a stream after a number, which is sent in the header or in the query.
async fn resume(server: &Server, after: i64, by_header: bool) -> EventStream {
    if by_header {
        // The header takes precedence over the query.
        let request = server.get_request("/api/events?since=0").header("Last-Event-ID", after);
        return EventStream::open(request).await;
    }
    server.events(Some(after)).await
}

/// Opens streams repeatedly, each at a pseudo-random number, and reads a part of each.
async fn open_streams_at_varied_seqs(server: &Server, turns: i64) -> Vec<(i64, EventStream)> {
    let mut streams = Vec::new();
    for turn in 0..turns {
        let after = (turn * 2_654_435_761) % (server.head().await + 1);
        let mut stream = resume(server, after, turn % 2 == 0).await;
        let hello = stream.next().await.unwrap().data;
        assert!(hello["version"].as_i64() <= hello["head"].as_i64(), "{hello}");
        assert_eq!(stream.next_with_id().await.seqs()[0], after + 1);
        streams.push((after, resume(server, after, turn % 2 == 1).await));
    }
    streams
}

#[tokio::test]
async fn streams_under_load_deliver_each_event_once_in_order() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agents = server.register_agents(["Ada", "Bob", "Cyd", "Dee", "Eve"]).await;
    let mut streams = vec![(0, server.events(Some(0)).await), (1, server.events(None).await)];
    let load = join_all(agents.iter().map(|agent| play(agent, 25)));
    let (_, during) = join(load, open_streams_at_varied_seqs(&server, 30)).await;
    streams.extend(during);
    let head = server.head().await;
    assert_eq!(head, 1 + 5 * (3 * 25 + 5));
    for after in [0, 1, head / 2, head - 1] {
        streams.push((after, resume(&server, after, true).await));
        streams.push((after, resume(&server, after, false).await));
    }
    for (after, mut stream) in streams {
        let numbers = stream.read_seqs_up_to(head).await;
        assert_eq!(numbers, (after + 1..=head).collect::<Vec<_>>(), "after {after}");
    }
}

#[tokio::test]
async fn streams_read_events_before_a_restart_from_the_log() {
    let mut server = Server::start_with(&FREE_SETTINGS).await;
    play(&server.register_agent("Ada").await, 10).await;
    let before = server.head().await;
    let mut all = server.events(Some(0)).await;
    let mut first_events = Vec::new();
    while first_events.last().is_none_or(|(id, _, _)| *id < Some(before)) {
        let event = all.next_with_id().await;
        first_events.push((event.id, event.name, event.data));
    }
    server.restart().await;
    play(&server.register_agent("Bob").await, 10).await;
    let head = server.head().await;
    for after in [0, 5, before - 1, before, before + 1, head - 1] {
        let mut stream = resume(&server, after, after % 2 == 0).await;
        let numbers = stream.read_seqs_up_to(head).await;
        assert_eq!(numbers, (after + 1..=head).collect::<Vec<_>>(), "after {after}");
    }
    let mut again = server.events(Some(0)).await;
    let event = again.next_with_id().await;
    assert_eq!((event.id, event.name, event.data), first_events.remove(0));
}

#[tokio::test]
async fn future_event_id_resets_the_client() {
    let server = Server::start().await;
    let head = server.head().await;
    for after in [head + 1, head + 1_000, i64::MAX] {
        let mut stream = server.events(Some(after)).await;
        assert_eq!(stream.next().await.unwrap().name, "hello");
        let reset = stream.next().await.unwrap();
        assert_eq!((reset.name.as_str(), reset.id, reset.data), ("reset", None, json!({"head": head})));
        assert!(stream.next().await.is_none(), "the stream ends");
    }
    let mut stream = server.events(Some(head)).await;
    stream.next().await;
    server.register_agent("Ada").await.paint(1, 1, 1).await;
    assert_eq!(stream.next_with_id().await.id, Some(head + 1));
}

#[tokio::test]
async fn stream_resumes_after_a_time() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let first = post_text(&agent, "one").await;
    server.advance_clock(1);
    let second = post_text(&agent, "two").await;
    let open = async |since: &str| {
        EventStream::open(server.get_request(&format!("/api/events?since={since}"))).await
    };
    let mut stream = open(first["timestamp"].as_str().unwrap()).await;
    let next = stream.next_with_id().await;
    assert_eq!((next.id, &next.data), (second["seq"].as_i64(), &second), "the time itself is not included");
    let mut stream = open("2001-01-01T00:00:00%2B01:00").await;
    assert_eq!(stream.next_with_id().await.id, Some(1));
    let mut at_head = open("2999-01-01T00:00:00Z").await;
    let third = post_text(&agent, "three").await;
    assert_eq!(at_head.next_with_id().await.data, third);
}

#[tokio::test]
async fn invalid_event_id_is_a_bad_cursor() {
    let server = Server::start().await;
    for wrong in ["-1", "1.5", "abc", "0x10", "99999999999999999999", "", "2026-01-01"] {
        server.get(&format!("/api/events?since={wrong}")).await.assert_refused(400, "bad_cursor");
    }
    for wrong in ["-1", "abc", "815,816", "99999999999999999999"] {
        let reply = server.get_with_headers("/api/events", &[("Last-Event-ID", wrong)]).await;
        reply.assert_refused(400, "bad_cursor");
    }
}

#[tokio::test]
async fn refuses_clients_that_do_not_accept_event_streams() {
    let server = Server::start().await;
    for (accept, status) in [
        ("application/json", 406),
        ("text/html;q=1, image/*", 406),
        ("text/event-stream;q=0", 406),
        ("*/*", 200),
        ("text/*", 200),
        ("application/json, text/event-stream", 200),
    ] {
        let response = server.get_request("/api/events").header("Accept", accept).send().await.unwrap();
        assert_eq!(response.status(), status, "{accept}");
        if status == 200 {
            assert_eq!(response.headers()["content-type"], "text/event-stream");
            assert_eq!(response.headers()["cache-control"], "no-store");
            continue;
        }
        let reply = server.get_with_headers("/api/events", &[("Accept", accept)]).await;
        reply.assert_refused(406, "not_acceptable");
    }
    server.client_with_key("cp_wrong").get("/api/events").await.assert_refused(401, "key_invalid");
}

/// Reads the next event of each stream.
async fn next_events(streams: &mut [EventStream]) -> Vec<Event> {
    let next = |stream| tokio::time::timeout(WAIT_LIMIT, EventStream::next_with_id(stream));
    let events = join_all(streams.iter_mut().map(next)).await;
    events.into_iter().map(|event| event.expect("the event never came")).collect()
}

#[tokio::test]
async fn other_instance_publishes_every_event() {
    let [server, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    other.catch_up().await;
    let mut streams = [server.events(None).await, other.events(None).await];
    for round in 0..5 {
        let painted = paint_pixel(&agent, (round, 3), 4).await;
        next_events(&mut streams).await.iter().for_each(|event| assert_eq!(event.id, Some(painted)));
        let message = post_text(&agent, &format!("round {round}")).await;
        next_events(&mut streams).await.iter().for_each(|event| assert_eq!(event.data, message));
        let reactions = react(&agent, &message, "🎉").await;
        let events = next_events(&mut streams).await;
        events.iter().for_each(|event| assert_eq!(event.data["reactions"], reactions));
    }
}

#[tokio::test]
async fn stream_resumes_on_an_instance_that_lags_behind() {
    let [server, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    for round in 0..10 {
        let painted = paint_pixel(&agent, (round, 3), 4).await;
        let mut stream = resume(&other, painted, round % 2 == 0).await;
        assert_eq!(stream.next().await.unwrap().name, "hello");
        agent.paint(round, 4, 4).await;
        let next = stream.next_with_id().await;
        assert_eq!((next.name.as_str(), next.id), ("pixels", Some(painted + 1)), "{next:?}");
    }
}
