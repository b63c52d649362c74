//! Searches of each kind, after acts that only their author sees.

use serde_json::{Value, json};

use super::transcript::Transcript;
use super::{Cast, compare_plays};
use crate::direct::send_ok;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, found_crew, found_crew_of, open_plan, post_text};
use crate::support::values::id_of;
use crate::support::{Agent, Reply};

/// Searches, and records the results. A cursor contains a score, which contains a time, so that only its
/// presence is recorded, and the results of the next page.
async fn search(eve: &Agent<'_>, query: &str, transcript: &mut Transcript) {
    let mut path = format!("/api/search?{query}");
    loop {
        let reply = eve.get(&path).await;
        let mut body = reply.body.clone();
        let next = body["next_before"].as_str().map(str::to_owned);
        body["next_before"] = json!(next.is_some());
        transcript.record(query, &Reply { body, ..reply });
        let Some(next) = next else { return };
        path = format!("/api/search?{query}&before={next}");
    }
}

/// Does what Eve alone sees if she is shadow-banned. Returns two of her messages, with one of Bob after each.
async fn act(cast: &Cast<'_>, [message, plan, crew]: [&Value; 3]) -> [Value; 2] {
    let Cast { server, eve, bob, .. } = cast;
    let patch = async |path: String, body: Value| eve.patch(&path, body).await.assert_status(200);
    patch(format!("/api/chat/{}", id_of(message)), json!({"content": "a green bridge"})).await;
    let change = json!({"expected_version": 1, "title": "A green bridge", "note": "over it", "x": 50});
    eve.put(&format!("/api/plans/{}", id_of(plan)), change).await.assert_status(200);
    patch(format!("/api/crews/{}", id_of(crew)), json!({"description": "green bridges"})).await;
    let first = post_text(eve, "one tower").await;
    server.advance_clock(60);
    post_text(bob, "Hello").await;
    server.advance_clock(60);
    let second = post_text(eve, "two towers").await;
    // Own messages after the same event have its number, by which a search cannot divide them.
    post_text(bob, "Hello again").await;
    let region = json!({"x1": 20, "y1": 20, "x2": 22, "y2": 22});
    let intent = json!({"type": "intent", "content": "a tower here", "region": region});
    eve.post("/api/chat", intent).await.assert_status(201);
    let plan = json!({"title": "A tower", "note": "with a bridge", "x": 70, "y": 70, "rows": ["5555"]});
    open_plan(eve, plan).await;
    found_crew(eve, "Tower bridge", "open").await;
    [first, second]
}

async fn play(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { server, eve, bob, .. } = cast;
    let message = post_text(eve, "a brown bridge").await;
    let plan = json!({"title": "A brown bridge", "x": 40, "y": 40, "rows": ["55"]});
    let plan = open_plan(eve, plan).await;
    let crew = found_crew(eve, "Brown bridge", "open").await;
    post_text(bob, "a bridge of Bob").await;
    cast.begin().await;
    let [first, second] = act(cast, [&message, &plan, &crew]).await;
    server.advance_clock(60);
    for kind in ["chat", "agents", "plans", "crews", "seasons", "chat,plans,crews"] {
        for words in ["bridge", "tower", "brown", "green", "eve"] {
            search(eve, &format!("in={kind}&q={words}"), transcript).await;
        }
    }
    for more in ["&agent=Eve", "&agent=Bob", "&near=21,21", "&limit=1"] {
        search(eve, &format!("in=chat,plans&q=bridge{more}"), transcript).await;
        search(eve, &format!("in=chat,plans&q=tower{more}"), transcript).await;
    }
    for field in ["seq", "timestamp"] {
        let value = |message: &Value| message[field].to_string().replace('"', "");
        for period in [
            format!("from={}", value(&second)),
            format!("to={}", value(&first)),
            format!("from={}&to={}", value(&first), value(&second)),
        ] {
            let reply = eve.get(&format!("/api/search?in=chat&q=tower&{period}")).await;
            transcript.record(&format!("towers by {field}"), &reply);
        }
    }
}

#[tokio::test]
async fn searches_find_what_their_author_sees() {
    compare_plays("search", &FREE_CONSOLE_SETTINGS, play).await;
}

/// Searches private messages, after Eve has changed one and written others.
async fn play_private(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { server, eve, bob, .. } = cast;
    let message = send_ok(eve, &[&bob.id], "a brown cellar").await["message"].clone();
    send_ok(bob, &[&eve.id], "the large cellar of Bob").await;
    let crew = found_crew_of(eve, "Cellars", "invite", &[bob]).await;
    cast.begin().await;
    let changed = json!({"content": "a green cellar"});
    eve.patch(&format!("/api/chat/{}", id_of(&message)), changed).await.assert_status(200);
    server.advance_clock(60);
    send_ok(eve, &[&bob.id], "one cellar").await;
    server.advance_clock(60);
    let posted = json!({"content": "two cellars"});
    eve.post(&format!("/api/crews/{}/messages", id_of(&crew)), posted).await.assert_status(201);
    for words in ["cellar", "brown", "green", "two"] {
        for more in ["", "&agent=Eve", "&agent=Bob", "&near=21,21", "&limit=1"] {
            search(eve, &format!("in=messages&q={words}{more}"), transcript).await;
        }
        search(eve, &format!("in=chat,messages,crews&q={words}"), transcript).await;
    }
}

#[tokio::test]
async fn private_searches_find_what_their_author_sees() {
    compare_plays("private search", &FREE_CONSOLE_SETTINGS, play_private).await;
}
