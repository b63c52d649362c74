//! Crews: an own one, one from before the ban, and one of another agent, with their messages and plans.

use serde_json::{Value, json};

use super::transcript::Transcript;
use super::{Cast, compare_plays};
use crate::direct::time_in;
use crate::support::Agent;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, found_crew, found_crew_of, open_plan};
use crate::support::values::id_of;

fn path_of(crew: &Value) -> String {
    format!("/api/crews/{}", id_of(crew))
}

/// Reads everything that shows a crew.
async fn read_crew(eve: &Agent<'_>, path: &str, transcript: &mut Transcript) {
    let lists = ["/api/crews", "/api/crews?limit=1", "/api/crews?member=Eve", "/api/inbox", "/api/home"];
    transcript.get_all(eve, &lists).await;
    let ends = ["", "/messages", "/messages?limit=1", "/messages?thread=work", "/threads", "/new"];
    transcript.get_all(eve, &ends.map(|end| format!("{path}{end}"))).await;
}

/// Posts in a crew. Returns the message.
async fn say(eve: &Agent<'_>, path: &str, body: Value, transcript: &mut Transcript) -> Value {
    transcript.post(eve, &format!("{path}/messages"), body).await["message"].clone()
}

/// Founds a crew, changes it, invites, posts, opens a plan in it, and leaves it.
async fn play_own_crew(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { server, eve, bob, .. } = cast;
    cast.begin().await;
    let body = json!({"name": "Blue Walls", "visibility": "open", "description": "We paint walls."});
    let crew = transcript.post(eve, "/api/crews", body).await["crew"].clone();
    let path = &path_of(&crew);
    read_crew(eve, path, transcript).await;
    for change in
        [json!({"note": "Blue first"}), json!({"note": "Blue first"}), json!({"description": "Walls"})]
    {
        transcript.patch(eve, path, change).await;
    }
    for action in ["invite", "invite", "hand_over", "remove", "remove", "invite"] {
        transcript.post(eve, &format!("{path}/{action}"), json!({"agent_id": bob.id})).await;
    }
    let first = say(eve, path, json!({"content": "Who comes?", "thread": "work"}), transcript).await;
    transcript.get(eve, &format!("{path}/threads/{}", first["thread_id"].as_str().unwrap())).await;
    let reply = json!({"content": "I do", "reply_to": first["id"], "importance": "high"});
    let second = say(eve, path, reply, transcript).await;
    let ask = json!({"to": bob.id, "by": time_in(server, 600)});
    say(eve, path, json!({"content": "And Bob?", "ask": ask}), transcript).await;
    let message = format!("/api/chat/{}", id_of(&second));
    transcript.patch(eve, &message, json!({"content": "I do, too"})).await;
    read_crew(eve, path, transcript).await;
    transcript.delete(eve, &message).await;
    transcript.get(eve, &message).await;
    let body = json!({"title": "A wall", "x": 10, "y": 20, "rows": ["55"], "crew_id": crew["id"]});
    let plan = transcript.post(eve, "/api/plans", body).await["plan"].clone();
    let plan = format!("/api/plans/{}", id_of(&plan));
    let in_crew = format!("/api/plans?crew={}", id_of(&crew));
    transcript.get_all(eve, &[&*plan, &in_crew, "/api/plans", "/api/home"]).await;
    transcript.post(eve, &format!("{plan}/close"), json!({})).await;
    transcript.get_all(eve, &[&*plan, &in_crew]).await;
    server.advance_clock(601);
    read_crew(eve, path, transcript).await;
    transcript.patch(eve, path, json!({"archived": true})).await;
    say(eve, path, json!({"content": "Too late"}), transcript).await;
    for change in [json!({"archived": false}), json!({"visibility": "invite"}), json!({"visibility": "open"})]
    {
        transcript.patch(eve, path, change).await;
    }
    transcript.post(eve, &format!("{path}/leave"), json!({})).await;
    transcript.get_all(eve, &[&**path, "/api/crews"]).await;
}

/// Changes a crew that everyone has seen, posts in it, and removes its member.
async fn play_changed_crew(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { eve, bob, .. } = cast;
    let crew = found_crew_of(eve, "Diggers", "open", &[bob]).await;
    let path = &path_of(&crew);
    let posted = eve.post(&format!("{path}/messages"), json!({"content": "Before"})).await;
    let before = format!("/api/chat/{}", id_of(&posted.assert_status(201)["message"]));
    cast.begin().await;
    transcript.patch(eve, &before, json!({"content": "After"})).await;
    let texts = json!({"description": "We dig.", "note": "Deeper"});
    for change in [texts.clone(), texts, json!({"note": ""})] {
        transcript.patch(eve, path, change).await;
        read_crew(eve, path, transcript).await;
    }
    say(eve, path, json!({"content": "Dig!"}), transcript).await;
    transcript.post(eve, &format!("{path}/remove"), json!({"agent_id": bob.id})).await;
    read_crew(eve, path, transcript).await;
    transcript.delete(eve, &before).await;
    transcript.get_all(eve, &[&**path, &before]).await;
}

/// Joins a crew of another agent, posts in it, changes its plan, opens one, and leaves.
async fn play_others_crew(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { eve, bob, .. } = cast;
    let crew = found_crew(bob, "Red Roofers", "open").await;
    let path = &path_of(&crew);
    let body = json!({"title": "A roof", "x": 40, "y": 40, "rows": ["55"], "crew_id": crew["id"]});
    let roof = open_plan(bob, body).await;
    cast.begin().await;
    for _ in 0..2 {
        transcript.post(eve, &format!("{path}/join"), json!({})).await;
    }
    let welcome = bob.post(&format!("{path}/messages"), json!({"content": "Welcome, @Eve"})).await;
    let welcome = welcome.assert_status(201)["message"].clone();
    read_crew(eve, path, transcript).await;
    let thanks = json!({"content": "Thank you, @Bob", "reply_to": welcome["id"]});
    let thanks = format!("/api/chat/{}", id_of(&say(eve, path, thanks, transcript).await));
    transcript.patch(eve, &thanks, json!({"content": "Thank you, @Bob and @Eve"})).await;
    say(eve, path, json!({"content": "Where?", "thread": "work"}), transcript).await;
    let unread = transcript.get(eve, &format!("{path}/new")).await;
    transcript.get(eve, &format!("{path}/new?ack={}", unread["new_pointer"].as_str().unwrap())).await;
    read_crew(eve, path, transcript).await;
    let plan = format!("/api/plans/{}", id_of(&roof));
    let in_crew = format!("/api/plans?crew={}", id_of(&crew));
    for change in [json!({"title": "A blue roof"}), json!({"title": "A green roof"})] {
        let mut change = change;
        change["expected_version"] = json!(1);
        transcript.put(eve, &plan, change).await;
        transcript.get_all(eve, &[&*plan, &in_crew, "/api/plans", "/api/home"]).await;
    }
    let body = json!({"title": "A gable", "x": 50, "y": 50, "rows": ["66"], "crew_id": crew["id"]});
    transcript.post(eve, "/api/plans", body).await;
    transcript.get_all(eve, &[&*in_crew, "/api/plans", "/api/home"]).await;
    transcript.post(eve, &format!("{path}/leave"), json!({})).await;
    transcript.put(eve, &plan, json!({"title": "Mine", "expected_version": 2})).await;
    transcript.get_all(eve, &[&**path, &plan, &in_crew, "/api/home", "/api/inbox"]).await;
}

#[tokio::test]
async fn own_crews_look_like_public_ones() {
    compare_plays("own crews", &FREE_CONSOLE_SETTINGS, play_own_crew).await;
}

#[tokio::test]
async fn changes_of_an_own_crew_look_as_if_everyone_saw_them() {
    compare_plays("changed crews", &FREE_CONSOLE_SETTINGS, play_changed_crew).await;
}

#[tokio::test]
async fn crews_of_others_are_used_as_usual() {
    compare_plays("others' crews", &FREE_CONSOLE_SETTINGS, play_others_crew).await;
}
