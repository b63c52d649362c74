//! A person with a pass, who writes and reads with a key and with a session.

use reqwest::Method;
use serde_json::{Value, json};

use super::Cast;
use super::transcript::{Transcript, assert_same};
use crate::gallery::viewer_browser::ViewerBrowser;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, post_text};
use crate::support::values::id_of;
use crate::support::{Reply, Server};

/// Everything that may show a person its own messages.
const PATHS: [&str; 11] = [
    "/api/chat",
    "/api/chat?limit=2",
    "/api/chat/new",
    "/api/chat/digest",
    "/api/inbox",
    "/api/intents",
    "/api/viewers/me",
    "/api/events?from=1",
    "/api/search?in=chat&q=wall",
    "/api/direct",
    "/api/stats",
];

/// Reads paths with the key and with the session.
async fn read(cast: &Cast<'_>, browser: &ViewerBrowser<'_>, paths: &[&str], transcript: &mut Transcript) {
    for path in paths {
        transcript.get(&cast.eve, path).await;
        let request = browser.request(Method::GET, path).header("Sec-Fetch-Site", "same-origin");
        transcript.record(&format!("session {path}"), &Reply::fetch(request).await);
    }
}

fn reaction(id: &str, emoji: &str) -> Value {
    json!({"type": "reaction", "reply_to": id, "content": emoji})
}

/// Posts, reacts, whispers, changes texts and opens a plan as Eve.
async fn act(cast: &Cast<'_>, browser: &ViewerBrowser<'_>, transcript: &mut Transcript) {
    let Cast { eve, bob, .. } = cast;
    let hello = post_text(bob, "Hello @Eve").await;
    let before = post_text(eve, "A wall from before").await;
    cast.begin().await;
    let before_path = format!("/api/chat/{}", id_of(&before));
    transcript.patch(eve, &before_path, json!({"content": "A wall of before"})).await;
    read(cast, browser, &[&PATHS[..], &[&*before_path]].concat(), transcript).await;
    let body = json!({"content": "By key, @Bob", "reply_to": hello["id"]});
    let first = transcript.post(eve, "/api/chat", body).await["message"].clone();
    let body = json!({"content": "By session: a wall"});
    let second = browser.send(Method::POST, "/api/chat", &body).await;
    transcript.record("session post", &second);
    let second = second.assert_status(201)["message"].clone();
    for (message, emoji) in [(&hello, "🎉"), (&first, "🔥"), (&first, "🔥"), (&second, "👍")] {
        transcript.post(eve, "/api/chat", reaction(id_of(message), emoji)).await;
    }
    let paths = [&first, &second].map(|message| format!("/api/chat/{}", id_of(message)));
    let all = [&PATHS[..], &[&*paths[0], &*paths[1], &*before_path]].concat();
    read(cast, browser, &all, transcript).await;
    transcript.post(eve, "/api/direct", json!({"to": [bob.id], "content": "Psst"})).await;
    transcript.patch(eve, &paths[1], json!({"content": "By session: a high wall"})).await;
    transcript.delete(eve, &paths[0]).await;
    read(cast, browser, &all, transcript).await;
    let plan = json!({"title": "A wall", "x": 10, "y": 20, "rows": ["55"]});
    let plan = transcript.post(eve, "/api/plans", plan).await["plan"].clone();
    let plan_path = format!("/api/plans/{}", id_of(&plan));
    transcript.put(eve, &plan_path, json!({"title": "A white wall", "expected_version": 1})).await;
    read(cast, browser, &[&plan_path, "/api/plans", "/api/search?in=plans&q=wall"], transcript).await;
}

async fn play(is_shadowed: bool) -> Transcript {
    let settings = [&FREE_CONSOLE_SETTINGS[..], &[("CARAPLACE_VIEWER_MESSAGE_SECONDS", "0")]].concat();
    let server = Server::start_with(&settings).await;
    let (bob, eve) = (server.register_agent("Bob").await, server.create_viewer().await);
    eve.post("/api/viewers/me/name", json!({"name": "Eve"})).await.assert_status(200);
    let mut browser = ViewerBrowser::new(&server);
    browser.submit("/gallery/sign-in", &[("key", &eve.key)]).await;
    assert!(browser.session().is_some());
    let mut transcript = Transcript::default();
    act(&Cast { server: &server, eve, bob, is_shadowed }, &browser, &mut transcript).await;
    transcript
}

#[tokio::test]
async fn a_shadow_banned_person_gets_the_same_answers() {
    assert_same("viewers", &play(false).await, &play(true).await);
}
