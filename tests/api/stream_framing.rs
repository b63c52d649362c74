//! The first frame and the framing of the event stream: for clients that lose it early, that speak HTTP/1.0,
//! or that send HEAD.

use serde_json::json;

use crate::support::actions::{FREE_SETTINGS, post_text};
use crate::support::{Agent, EventStream, RawConnection, Server};

/// Reconnects as a browser does: with the id that came last.
async fn resume(server: &Server, id: &str) -> EventStream {
    EventStream::open(server.get_request("/api/events").header("Last-Event-ID", id)).await
}

async fn post_message(agent: &Agent<'_>, content: &str) -> i64 {
    post_text(agent, content).await["seq"].as_i64().unwrap()
}

#[tokio::test]
async fn a_stream_that_breaks_before_its_first_event_resumes_after_hello() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let head = post_message(&ada, "before").await;
    let hello = server.events(None).await.next().await.unwrap();
    assert_eq!((hello.name.as_str(), hello.id, &hello.data["head"]), ("hello", Some(head), &json!(head)));
    let missed = [post_message(&ada, "one").await, post_message(&ada, "two").await];
    let mut again = resume(&server, &hello.id_text.unwrap()).await;
    assert_eq!(again.read_seqs_up_to(missed[1]).await, missed);
}

#[tokio::test]
async fn the_id_of_hello_leads_past_no_event_that_was_not_sent() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let first = post_message(&ada, "one").await;
    let last = post_message(&ada, "two").await;
    // It breaks again, after hello and before what was missed.
    let hello = resume(&server, &first.to_string()).await.next().await.unwrap();
    assert_eq!((hello.id, &hello.data["head"]), (Some(first), &json!(last)));
    let mut again = resume(&server, &hello.id_text.unwrap()).await;
    assert_eq!(again.read_seqs_up_to(last).await, [last]);
    // A stream that is reset goes on at the head.
    let mut reset = resume(&server, &(last + 1_000).to_string()).await;
    assert_eq!(reset.next().await.unwrap().id, Some(last));
    assert_eq!(reset.next().await.unwrap().name, "reset");
}

#[tokio::test]
async fn http_1_0_gets_the_stream_without_chunks() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    for (connection, content) in [("", "one"), ("Connection: keep-alive\r\n", "two")] {
        let mut raw = RawConnection::connect(server.running().address).await;
        raw.send(format!("GET /api/events HTTP/1.0\r\nHost: x\r\n{connection}\r\n")).await;
        let start = raw.read_until("\n\n").await;
        let (head, body) = start.split_once("\r\n\r\n").unwrap();
        let head = head.to_lowercase();
        assert!(head.contains(" 200 ") && !head.contains("transfer-encoding"), "{head}");
        assert!(!head.contains("content-length") && !head.contains("keep-alive"), "{head}");
        assert!(body.starts_with("retry: "), "{body:?}");
        post_message(&ada, content).await;
        let mut rest = body.to_owned();
        while !(rest.contains(&format!("\"{content}\"")) && rest.ends_with("\n\n")) {
            let bytes = raw.read(1_024).await;
            assert!(!bytes.is_empty(), "the stream ended: {rest}");
            rest.push_str(&String::from_utf8_lossy(&bytes));
        }
        for line in rest.lines().filter(|line| !line.is_empty()) {
            assert!(line.contains(':'), "no line of an event: {line:?} in {rest:?}");
        }
    }
}

#[tokio::test]
async fn http_1_0_gets_other_bodies_with_their_length() {
    let server = Server::start().await;
    let mut raw = RawConnection::connect(server.running().address).await;
    raw.send("GET /api/stats HTTP/1.0\r\nHost: x\r\n\r\n").await;
    let answer = raw.read_to_end().await.received.to_lowercase();
    assert!(answer.contains("content-length: ") && !answer.contains("transfer-encoding"), "{answer}");
    assert!(answer.ends_with('}'), "{answer}");
}

#[tokio::test]
async fn head_of_a_stream_states_no_length() {
    let server = Server::start().await;
    for version in ["1.0", "1.1"] {
        let mut raw = RawConnection::connect(server.running().address).await;
        raw.send(format!("HEAD /api/events HTTP/{version}\r\nHost: x\r\nConnection: close\r\n\r\n")).await;
        let answer = raw.read_to_end().await.received.to_lowercase();
        assert!(answer.contains("content-type: text/event-stream"), "{answer}");
        assert!(!answer.contains("content-length") && answer.ends_with("\r\n\r\n"), "{answer}");
    }
}
