//! Threads of crews: told by counts and newest lines, with calls that return them, within the budget.

use serde_json::{Value, json};

use super::{items, mark, numbers, send};
use crate::support::actions::{FREE_SETTINGS, fetch_home, fetch_markdown, found_crew_of};
use crate::support::values::{fields_of, id_of, texts_of};
use crate::support::{Agent, Server};

/// Founds a crew of two, and returns its id.
async fn found(owner: &Agent<'_>, member: &Agent<'_>, name: &str) -> String {
    id_of(&found_crew_of(owner, name, "open", &[member]).await).to_owned()
}

async fn post(author: &Agent<'_>, crew: &str, thread: Option<&str>, content: &str) -> Value {
    let mut body = json!({"content": content});
    if let Some(thread) = thread {
        body["thread"] = json!(thread);
    }
    send(author, &format!("/api/crews/{crew}/messages"), body).await["message"].clone()
}

fn lines(threads: &Value) -> Value {
    let line = |thread: &Value| fields_of(thread, ["thread", "unread", "newest"]);
    threads.as_array().unwrap().iter().map(line).collect()
}

#[tokio::test]
async fn threads_are_told_by_counts_and_newest_lines() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&bob, &ada, "Roofers").await;
    post(&ada, &crew, None, "Who is here?").await;
    for content in ["A red roof?", "Or a blue one?"] {
        post(&ada, &crew, Some("roof & sky"), content).await;
    }
    let long = format!("The last wall {}", "is high ".repeat(20));
    let wall = post(&ada, &crew, Some("walls"), &long).await;
    post(&bob, &crew, Some("own"), "One's own messages are never unread").await;
    let home = fetch_home(&bob, "").await;
    let channel = &home["channels"][0];
    assert_eq!((&channel["unread"], &channel["thread_count"]), (&json!(4), &json!(2)), "{home}");
    assert_eq!((&channel["from"], &channel["name"]), (&json!(ada.id), &json!("Ada")));
    let expected = json!([["walls", 1, format!("{}…", &long[..80])], ["roof & sky", 2, "Or a blue one?"]]);
    assert_eq!(lines(&channel["threads"]), expected);
    assert_eq!(fields_of(&channel["threads"][1], ["from", "name"]), json!([ada.id, "Ada"]));
    let call = channel["threads"][1]["read"].as_str().unwrap();
    assert_eq!(call, format!("GET /api/crews/{crew}/messages?thread=roof+%26+sky"));
    let text = fetch_markdown(&bob, "max_tokens=2000").await;
    let line = format!("{crew} thread roof & sky: 2 unread, the newest by Ada: Or a blue one?");
    assert!(text.lines().any(|shown| shown == line), "{text}");
    assert!(text.contains("GET /api/crews/{id}/messages?thread={thread}"), "{text}");
    let item = items(&bob).await.remove(0);
    assert_eq!(fields_of(&item, ["kind", "count", "thread_count"]), json!(["crew", 4, 2]));
    assert_eq!((&item["threads"], &item["message"]["id"]), (&channel["threads"], &wall["id"]));
    assert_eq!(item["threads"][0]["id"], wall["thread_id"], "{item}");
    // The call of the thread returns it whole.
    let thread = bob.get(call.strip_prefix("GET ").unwrap()).await.body;
    assert_eq!(texts_of(&thread["messages"], "content"), ["A red roof?", "Or a blue one?"]);
    assert_eq!(mark(&bob, json!({"ids": [item["id"]]})).await["unread"], 1, "one was never served");
    let home = fetch_home(&bob, "").await;
    let channel = &home["channels"][0];
    assert_eq!((&channel["unread"], &channel["newest"]), (&json!(1), &json!("Who is here?")));
    assert!(channel["threads"].is_null() && channel["thread_count"].is_null(), "{home}");
}

#[tokio::test]
async fn home_marks_only_the_lines_that_it_shows_whole() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&bob, &ada, "Roofers").await;
    post(&ada, &crew, Some("roof"), "A red roof?").await;
    post(&ada, &crew, Some("walls"), &format!("The wall {}", "is high ".repeat(20))).await;
    post(&ada, &crew, None, "Who is here?").await;
    let home = fetch_home(&bob, "").await;
    let read = bob.post("/api/home/read", json!({"up_to": home["up_to"]})).await.body;
    assert_eq!(read["unread"], numbers(1, 0, 1, 0), "the wall was shortened: {read}");
    assert_eq!(fetch_home(&bob, "").await["channels"][0]["threads"][0]["thread"], "walls");
}

#[tokio::test]
async fn tools_tell_and_read_threads() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&bob, &ada, "Roofers").await;
    post(&ada, &crew, Some("roof"), "A red roof?").await;
    post(&ada, &crew, None, "Who is here?").await;
    let tools = server.mcp(Some(&bob.key));
    let call = format!("messages(id={crew}, thread=\"roof\")");
    let steps = tools.call_tool_ok("next_steps", json!({})).await;
    assert_eq!(steps.structured["channels"][0]["threads"][0]["read"], call, "{}", steps.text);
    assert!(steps.text.contains(&format!("{crew} thread roof: 1 unread")), "{}", steps.text);
    for tool in ["inbox", "messages"] {
        let listed = tools.call_tool_ok(tool, json!({})).await;
        assert_eq!(listed.structured["items"][0]["threads"][0]["read"], call, "{tool}");
        assert!(listed.text.contains(&call), "{tool}: {}", listed.text);
    }
    let thread = tools.call_tool_ok("messages", json!({"id": crew, "thread": "roof"})).await;
    let messages = thread.structured["messages"].as_array().unwrap();
    assert_eq!((messages.len(), &messages[0]["content"]), (1, &json!("A red roof?")));
    tools.call_tool("messages", json!({"thread": "roof"})).await.assert_refused("invalid_field");
}

#[tokio::test]
async fn threads_keep_to_the_budget() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    for name in ["Roofers", "Masons"] {
        let crew = found(&bob, &ada, name).await;
        // One crew per minute.
        server.advance_clock(61);
        for number in 0..12 {
            post(&ada, &crew, Some(&format!("{name} {number}")), &format!("A line of {name} {number}")).await;
        }
    }
    let full = fetch_home(&bob, "max_tokens=32768").await;
    for channel in full["channels"].as_array().unwrap() {
        let threads = channel["threads"].as_array().unwrap().len();
        assert_eq!((&channel["unread"], &channel["thread_count"], threads), (&json!(12), &json!(12), 10));
    }
    let newest = &full["channels"][0]["threads"][0];
    assert_eq!((&newest["thread"], &newest["newest"]), (&json!("Masons 11"), &json!("A line of Masons 11")));
    let mut numbers = Vec::new();
    for tokens in [64, 128, 256, 512, 1_024, 2_048] {
        let reply = bob.get(&format!("/api/home?max_tokens={tokens}")).await;
        assert!(reply.bytes.len() <= tokens * 3, "{tokens}");
        let channels = reply.body["channels"].as_array().cloned().unwrap_or_default();
        let threads: usize =
            channels.iter().filter_map(|channel| channel["threads"].as_array()).map(Vec::len).sum();
        numbers.push((channels.len(), threads));
        let text = fetch_markdown(&bob, &format!("max_tokens={tokens}")).await;
        assert!(text.len() <= tokens * 3, "{tokens}");
    }
    assert!(numbers.is_sorted() && numbers[4].0 == 2 && (1..20).contains(&numbers[4].1), "{numbers:?}");
}
