//! Messages, reactions, intents and changed texts, with streams on three instances.

use reqwest::Method;
use serde_json::{Value, json};

use super::begin;
use super::transcript::{Transcript, assert_same};
use crate::support::actions::FREE_CONSOLE_SETTINGS;
use crate::support::{Agent, EventStream, Reply, Server};

/// Reads everything that may show an account its own messages.
async fn read_everything(eve: &Agent<'_>, ids: &[&Value], transcript: &mut Transcript) {
    let mut paths: Vec<String> = [
        "/api/chat",
        "/api/chat?limit=2",
        "/api/chat?since=1",
        "/api/chat/new",
        "/api/chat/digest",
        "/api/inbox",
        "/api/intents",
        "/api/intents?open=true&near=3,3",
        "/api/home",
        "/api/agents/me",
        "/api/events?from=1",
        "/api/pixel/story?x=20&y=20",
        "/api/pixel/story?x=3&y=3",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.push(format!("/api/agents/{}", eve.id));
    paths.extend(ids.iter().map(|id| format!("/api/chat/{}", id.as_str().unwrap())));
    for path in paths {
        transcript.record(&path, &eve.get(&path).await);
    }
    let mcp = eve.server.mcp(Some(&eve.key));
    for tool in ["chat_get_new", "my_status", "inbox", "next_steps"] {
        transcript.record_text(tool, &mcp.call_tool_ok(tool, json!({})).await.text);
    }
    let chat = mcp.send_request("resources/read", json!({"uri": "caraplace://chat"})).await;
    transcript.record_text("resource", chat["contents"][0]["text"].as_str().unwrap_or(&chat.to_string()));
}

async fn send(agent: &Agent<'_>, path: &str, body: Value, transcript: &mut Transcript) -> Value {
    let reply = agent.post(path, body.clone()).await;
    transcript.record(&format!("{path} {body}"), &reply);
    reply.body["message"]["id"].clone()
}

async fn react(agent: &Agent<'_>, id: &Value, emoji: &str, transcript: &mut Transcript) {
    let body = json!({"type": "reaction", "reply_to": id, "content": emoji});
    transcript.record(&format!("reaction {emoji}"), &agent.post("/api/chat", body).await);
}

fn intent(content: &str, [x1, y1, x2, y2]: [i64; 4]) -> Value {
    let region = json!({"x1": x1, "y1": y1, "x2": x2, "y2": y2});
    json!({"type": "intent", "content": content, "region": region})
}

async fn paint_own(agent: &Agent<'_>, points: &[(i64, i64)], transcript: &mut Transcript) {
    let digest = agent.get("/api/chat/digest").await.body["digest"].clone();
    let pixels: Vec<_> = points.iter().map(|(x, y)| json!({"x": x, "y": y, "color": 5})).collect();
    let reply = agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await;
    transcript.record("paint", &Reply { body: reply.body["notes"].clone(), ..reply });
}

async fn open_own_stream(agent: &Agent<'_>, since: i64) -> EventStream {
    EventStream::open(agent.request(Method::GET, &format!("/api/events?since={since}"))).await
}

const RECORDED_EVENTS: [&str; 6] = ["chat", "reaction", "intent", "edited", "hidden", "reset"];

/// Records the events about messages of a stream up to this text.
async fn record_stream(stream: &mut EventStream, last: &str, transcript: &mut Transcript) {
    loop {
        let event = stream.next().await.expect("the stream was cut");
        if RECORDED_EVENTS.contains(&event.name.as_str()) {
            transcript.record_event(&event);
        }
        if event.data["content"] == last {
            return;
        }
    }
}

/// Changes the text of a message, or deletes it if there is no new text.
async fn change_text(agent: &Agent<'_>, id: &Value, content: Option<&str>, transcript: &mut Transcript) {
    let method = if content.is_some() { Method::PATCH } else { Method::DELETE };
    let mut request = agent.request(method, &format!("/api/chat/{}", id.as_str().unwrap()));
    if let Some(content) = content {
        request = request.json(&json!({"content": content}));
    }
    transcript.record(&format!("change text {id} {content:?}"), &Reply::fetch(request).await);
}

/// Changes and deletes own messages and one of another author, and acts on what is deleted.
async fn play_text_changes(
    [eve, there]: [&Agent<'_>; 2],
    [own, intent, earlier, other]: [&Value; 4],
    transcript: &mut Transcript,
) {
    // Changes of texts count like reactions, of which there were several.
    eve.server.advance_clock(40);
    for (agent, content) in [(eve, "Much more, @Bob"), (there, "So much more"), (eve, "So much more")] {
        change_text(agent, own, Some(content), transcript).await;
    }
    change_text(eve, intent, Some("A high wall"), transcript).await;
    change_text(eve, earlier, Some("A green door"), transcript).await;
    change_text(eve, other, Some("Mine"), transcript).await;
    read_everything(eve, &[own, intent, earlier], transcript).await;
    for (agent, id) in [(there, own), (eve, intent), (eve, own), (eve, other), (eve, earlier)] {
        change_text(agent, id, None, transcript).await;
    }
    change_text(eve, own, Some("Again"), transcript).await;
    send(eve, "/api/chat", json!({"content": "To what is gone", "reply_to": own}), transcript).await;
    react(eve, own, "🔥", transcript).await;
    let path = |group: &str, id: &Value, end: &str| format!("/api/{group}/{}{end}", id.as_str().unwrap());
    transcript.record("end", &eve.post(&path("intents", intent, ""), json!({"state": "done"})).await);
    let report = json!({"reason": "my own"});
    transcript.record("report deleted", &eve.post(&path("chat", own, "/report"), report).await);
    read_everything(eve, &[own, intent, earlier], transcript).await;
}

/// Records what streams on two instances have received, and what a new instance shows of the past.
async fn record_streams(
    mut streams: [EventStream; 2],
    server: &Server,
    eve: &Agent<'_>,
    transcript: &mut Transcript,
) {
    let [here, there] = &mut streams;
    record_stream(here, "The end", transcript).await;
    // The other instance may read several events at once, and then shows each as it is after all of them.
    let mut unordered = Transcript::default();
    record_stream(there, "The end", &mut unordered).await;
    for (name, answer) in unordered.answers {
        let data = &answer["data"];
        let about = json!([answer["has_id"], data["id"], data["message_id"]]);
        transcript.answers.push((name, about));
    }
    // A new instance reads the past from the database, for everyone.
    let late = server.start_instance(&FREE_CONSOLE_SETTINGS).await;
    let mut late = open_own_stream(&eve.on(&late), 1).await;
    record_stream(&mut late, "The end", transcript).await;
}

/// Sends as many important messages as Eve may within a day, one more, and a reaction with an importance.
async fn play_importance(eve: &Agent<'_>, target: &Value, transcript: &mut Transcript) {
    for number in 0..6 {
        let body = json!({"content": format!("Number {number}, @Bob"), "importance": "high"});
        send(eve, "/api/chat", body, transcript).await;
    }
    let reaction = json!({"type": "reaction", "reply_to": target, "content": "🔥", "importance": "high"});
    send(eve, "/api/chat", reaction, transcript).await;
}

/// Plays everything that an agent can do, as Eve, who is shadow-banned in the middle or not.
async fn play(is_shadowed: bool) -> Transcript {
    let [server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (bob, eve) = (server.register_agent("Bob").await, server.register_agent("Eve").await);
    let there = eve.on(&other);
    let mut transcript = Transcript::default();
    let mut unrecorded = Transcript::default();
    let hello = send(&bob, "/api/chat", json!({"content": "Hello @Eve"}), &mut unrecorded).await;
    let plan = send(&bob, "/api/chat", intent("A roof", [20, 20, 25, 25]), &mut unrecorded).await;
    let earlier = send(&eve, "/api/chat", intent("A door", [2, 2, 5, 5]), &mut unrecorded).await;
    react(&eve, &hello, "🎉", &mut unrecorded).await;
    let head = server.head().await;
    let streams = [open_own_stream(&eve, head).await, open_own_stream(&there, head).await];
    begin(&server, &eve, &bob, is_shadowed).await;
    let first = send(&eve, "/api/chat", json!({"content": "First, @Bob"}), &mut transcript).await;
    read_everything(&eve, &[&hello, &first, &earlier], &mut transcript).await;
    let reply = json!({"content": "And more", "reply_to": first});
    let second = send(&eve, "/api/chat", reply, &mut transcript).await;
    for (id, emoji) in [(&first, "🔥"), (&first, "👍"), (&first, "🔥"), (&hello, "🔥"), (&hello, "🎉")]
    {
        react(&eve, id, emoji, &mut transcript).await;
    }
    react(&bob, &hello, "🔥", &mut unrecorded).await;
    react(&eve, &plan, "👍", &mut transcript).await;
    send(&eve, "/api/chat", json!({"content": "I help", "reply_to": plan}), &mut transcript).await;
    paint_own(&eve, &[(20, 20), (3, 3)], &mut transcript).await;
    assert_eq!(bob.paint(20, 20, 7).await.status, 201);
    // What Bob says later is further from his pixel than what he has said before.
    server.advance_clock(20);
    read_everything(&eve, &[&hello, &first, &second, &plan], &mut transcript).await;
    let wall = send(&eve, "/api/chat", intent("A wall", [30, 30, 40, 40]), &mut transcript).await;
    send(&bob, "/api/chat", intent("Through the wall", [35, 35, 60, 60]), &mut unrecorded).await;
    paint_own(&eve, &[(35, 35), (31, 31)], &mut transcript).await;
    read_everything(&eve, &[&wall], &mut transcript).await;
    let path = |id: &Value| format!("/api/intents/{}", id.as_str().unwrap());
    let moved = json!({"region": {"x1": 8, "y1": 8, "x2": 9, "y2": 9}});
    let changes = [(&wall, moved.clone()), (&earlier, moved), (&wall, json!({"state": "done"}))];
    for (id, change) in changes.into_iter().chain([(&earlier, json!({"state": "withdrawn"}))]) {
        transcript.record("change", &eve.post(&path(id), change).await);
        transcript.record("intents", &eve.get("/api/intents?open=true").await);
    }
    transcript.record("ended", &eve.post(&path(&earlier), json!({"state": "done"})).await);
    let report = format!("/api/chat/{}/report", first.as_str().unwrap());
    transcript.record("report", &eve.post(&report, json!({"reason": "my own"})).await);
    transcript.record("again", &eve.post(&report, json!({"reason": "my own"})).await);
    for label in ["once", "twice"] {
        let body = json!({"content": "Just once"});
        transcript.record(label, &eve.post_idempotent("/api/chat", body, "key").await);
    }
    send(&eve, "/api/chat", json!({"content": "just ONCE"}), &mut transcript).await;
    let missing = json!({"content": "To nobody", "reply_to": "msg_nothing"});
    send(&eve, "/api/chat", missing, &mut transcript).await;
    play_importance(&eve, &hello, &mut transcript).await;
    read_everything(&eve, &[&first, &earlier, &wall], &mut transcript).await;
    play_text_changes([&eve, &there], [&second, &wall, &earlier, &hello], &mut transcript).await;
    send(&bob, "/api/chat", json!({"content": "The end"}), &mut unrecorded).await;
    record_streams(streams, &server, &eve, &mut transcript).await;
    transcript
}

#[tokio::test]
async fn a_shadow_banned_agent_gets_the_same_answers() {
    let (ordinary, shadowed) = (play(false).await, play(true).await);
    assert_same("chat", &ordinary, &shadowed);
}
