//! The streams of shadow-banned accounts: no cut, the same order and ids on every instance, and a resumption
//! that loses nothing.

use reqwest::Method;
use serde_json::json;

use super::FREE_CONSOLE_SETTINGS;
use crate::support::actions::{post_text, react};
use crate::support::{Agent, EventStream, Server};

async fn open_own_stream(agent: &Agent<'_>) -> EventStream {
    EventStream::open(agent.request(Method::GET, "/api/events")).await
}

/// Resumes an own stream after an id, as a browser does.
async fn resume(agent: &Agent<'_>, id: &str) -> EventStream {
    EventStream::open(agent.request(Method::GET, "/api/events").header("Last-Event-ID", id)).await
}

/// Returns the texts and ids of the next messages, up to and including this text.
async fn read_messages(stream: &mut EventStream, last: &str) -> Vec<(String, String)> {
    let mut messages = Vec::new();
    loop {
        let event = stream.next().await.expect("the stream was cut");
        if event.name != "chat" {
            continue;
        }
        assert_eq!(event.id_text, Some(event.data["seq"].to_string()), "an id is the number of its event");
        let text = event.data["content"].as_str().unwrap().to_owned();
        let is_last = text == last;
        messages.push((text, event.id_text.unwrap()));
        if is_last {
            return messages;
        }
    }
}

fn texts(messages: &[(String, String)]) -> Vec<&str> {
    messages.iter().map(|(text, _)| text.as_str()).collect()
}

#[tokio::test]
async fn a_shadow_ban_begins_and_ends_within_open_streams() {
    let [server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let there = eve.on(&other);
    other.catch_up().await;
    let mut own = [open_own_stream(&eve).await, open_own_stream(&there).await];
    let mut public = [server.events(None).await, other.events(None).await, open_own_stream(&ada).await];
    let operator = server.sign_in_operator().await;
    post_text(&eve, "one").await;
    operator.apply_sanction(&eve, "shadow").await;
    post_text(&eve, "two").await;
    post_text(&there, "three").await;
    post_text(&ada, "four").await;
    operator.apply_sanction(&eve, "unshadow").await;
    post_text(&there, "five").await;
    post_text(&ada, "six").await;
    for stream in &mut own {
        let seen = read_messages(stream, "six").await;
        assert_eq!(texts(&seen), ["one", "two", "three", "four", "five", "six"]);
    }
    for stream in &mut public {
        assert_eq!(texts(&read_messages(stream, "six").await), ["one", "four", "five", "six"]);
    }
}

#[tokio::test]
async fn an_own_stream_resumes_without_losing_a_message() {
    let [server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let mut own = open_own_stream(&eve).await;
    let words = ["one", "two", "three", "four", "five", "six"];
    for word in words {
        let author = if ["one", "four"].contains(&word) { &ada } else { &eve };
        post_text(author, word).await;
    }
    let seen = read_messages(&mut own, "six").await;
    assert_eq!(texts(&seen), words);
    post_text(&ada, "seven").await;
    for (index, (_, id)) in seen.iter().enumerate() {
        // An id is that of a public message: that one never comes again, and all own ones behind it do.
        let public = if index < 3 { 0 } else { 3 };
        assert_eq!(*id, seen[public].1);
        for agent in [&eve, &eve.on(&other)] {
            let rest = read_messages(&mut resume(agent, id).await, "seven").await;
            assert_eq!(texts(&rest), [&words[public + 1..], &["seven"]].concat(), "after {id}");
        }
    }
    let rest = read_messages(&mut resume(&ada, &seen[2].1).await, "seven").await;
    assert_eq!(texts(&rest), ["four", "seven"]);
}

#[tokio::test]
async fn a_new_stream_starts_after_the_own_messages_before_it() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let seq = post_text(&ada, "one").await["seq"].to_string();
    post_text(&eve, "two").await;
    post_text(&eve, "three").await;
    let mut own = open_own_stream(&eve).await;
    for stream in [&mut own, &mut open_own_stream(&ada).await] {
        let hello = stream.next().await.unwrap();
        assert_eq!((hello.name.as_str(), hello.id_text.as_deref()), ("hello", Some(seq.as_str())));
    }
    post_text(&eve, "four").await;
    let new = read_messages(&mut own, "four").await;
    assert_eq!(texts(&new), ["four"], "nothing from before the stream comes");
    // Ids of earlier versions had a zero for each own event.
    for id in [seq.clone(), format!("0{seq}"), format!("000{seq}")] {
        let mut resumed = resume(&eve, &id).await;
        assert_eq!(resumed.next().await.unwrap().id_text.as_deref(), Some(seq.as_str()));
        assert_eq!(texts(&read_messages(&mut resumed, "four").await), ["two", "three", "four"]);
    }
}

#[tokio::test]
async fn a_stream_resumes_behind_any_number_of_own_events() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let hello = post_text(&ada, "hello").await;
    react(&eve, &hello, "🔥").await;
    let more = "insert into shadow_event (agent, after_seq, kind, message_id, at)
                select agent, after_seq, kind, message_id, at from shadow_event, generate_series(1, 1100)";
    server.execute(more).await;
    post_text(&eve, "newest").await;
    let mut resumed = resume(&eve, &hello["seq"].to_string()).await;
    assert_eq!(texts(&read_messages(&mut resumed, "newest").await), ["newest"]);
}

#[tokio::test]
async fn a_message_sent_while_disconnected_arrives_after_the_last_event() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let seq = post_text(&ada, "one").await["seq"].to_string();
    post_text(&eve, "two").await;
    assert_eq!(texts(&read_messages(&mut resume(&eve, &seq).await, "two").await), ["two"]);
    let path = format!("/api/events?from={seq}");
    let events = eve.get(&path).await.body["events"].clone();
    let contents = events.as_array().unwrap().iter().map(|event| &event["data"]["content"]);
    assert_eq!(contents.collect::<Vec<_>>(), ["one", "two"]);
    assert!(!server.get(&path).await.body.to_string().contains("two"));
}

#[tokio::test]
async fn public_reactions_arrive_with_the_own_ones() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let hello = post_text(&ada, "hello").await["id"].clone();
    let (mut own, mut public) = (open_own_stream(&eve).await, server.events(None).await);
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let reaction = json!({"type": "reaction", "reply_to": hello, "content": "🔥"});
    for agent in [&eve, &ada] {
        assert_eq!(agent.post("/api/chat", reaction.clone()).await.status, 201);
    }
    let mut counts = Vec::new();
    while counts.len() < 2 {
        let event = own.next().await.unwrap();
        if event.name == "reaction" {
            counts.push(event.data["reactions"][0]["count"].clone());
        }
    }
    assert_eq!(counts, [1, 2]);
    assert_eq!(public.next_with_id().await.data["reactions"][0]["count"], 1);
}
