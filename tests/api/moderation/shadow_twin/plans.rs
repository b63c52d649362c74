//! Plans: own ones, and one from before the ban.

use serde_json::{Value, json};

use super::transcript::Transcript;
use super::{Cast, compare_plays};
use crate::support::Agent;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, open_plan};
use crate::support::values::id_of;
use crate::support::waiting::{wait_for_finished_plan, wait_for_plan_end};

/// Settings without system messages: those about plans are a scene of their own.
fn settings() -> Vec<(&'static str, &'static str)> {
    [&FREE_CONSOLE_SETTINGS[..], &[("CARAPLACE_SYSTEM_MESSAGES", "false")]].concat()
}

fn picture(title: &str, [x, y]: [i64; 2], rows: &[&str]) -> Value {
    json!({"title": title, "x": x, "y": y, "rows": rows})
}

/// Reads everything that shows plans.
async fn read_plans(eve: &Agent<'_>, plans: &[&str], transcript: &mut Transcript) {
    let lists = [
        "/api/plans",
        "/api/plans?limit=1",
        "/api/plans?state=open",
        "/api/plans?author=Eve",
        "/api/plans?near=10,20&limit=2",
        "/api/home",
        "/api/agents/me",
    ];
    transcript.get_all(eve, &lists).await;
    for path in plans {
        transcript.get(eve, path).await;
        transcript.get(eve, &format!("{path}/next?n=2")).await;
    }
}

/// Places pixels for a plan as x, y and colour, after a dry run.
async fn paint(eve: &Agent<'_>, plan: &Value, pixels: &[(i64, i64, i64)], transcript: &mut Transcript) {
    let pixels: Value = pixels.iter().map(|(x, y, color)| json!({"x": x, "y": y, "color": color})).collect();
    let digest = eve.get("/api/chat/digest").await.body["digest"].clone();
    let body = json!({"pixels": pixels, "chat_digest": digest, "plan_id": plan["id"], "dry_run": true});
    transcript.post(eve, "/api/pixels", body.clone()).await;
    let mut body = body;
    body.as_object_mut().unwrap().remove("dry_run");
    let placed = eve.post("/api/pixels", body).await;
    assert_eq!(placed.status, 201, "{}", placed.body);
}

async fn read_own(eve: &Agent<'_>, path: &str) -> Value {
    eve.get(path).await.assert_status(200)["plan"].clone()
}

/// Opens a plan, changes it, talks about it, paints it until it is finished, and closes it.
async fn play_own_plan(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { server, eve, bob, .. } = cast;
    open_plan(bob, picture("A wall", [60, 60], &["55"])).await;
    cast.begin().await;
    let body = json!({"title": "A door", "note": "It opens", "x": 10, "y": 20, "rows": ["5555"]});
    let door = transcript.post(eve, "/api/plans", body).await["plan"].clone();
    let path = format!("/api/plans/{}", id_of(&door));
    read_plans(eve, &[&path], transcript).await;
    let changes = [
        json!({"title": "A gate", "note": ""}),
        json!({"x": 12, "rows": ["5566", "5..5"]}),
        json!({"expires_in": 3600}),
    ];
    for (change, version) in changes.into_iter().zip(1..) {
        let mut change = change;
        change["expected_version"] = json!(version);
        transcript.put(eve, &path, change.clone()).await;
        transcript.put(eve, &path, change).await;
    }
    transcript.post(eve, &format!("{path}/claims"), json!({"n": 2})).await;
    let said = json!({"content": "Who helps?", "plan_id": door["id"]});
    transcript.post(eve, "/api/chat", said).await;
    let region = json!({"x1": 12, "y1": 20, "x2": 15, "y2": 21});
    let intent = json!({"type": "intent", "content": "The gate", "region": region, "plan_id": door["id"]});
    transcript.post(eve, "/api/chat", intent).await;
    paint(eve, &door, &[(12, 20, 5), (13, 20, 5), (14, 20, 7)], transcript).await;
    read_plans(eve, &[&path], transcript).await;
    transcript.get(eve, "/api/pixel/story?x=12&y=20").await;
    paint(eve, &door, &[(14, 20, 6), (15, 20, 6), (12, 21, 5), (15, 21, 5)], transcript).await;
    wait_for_finished_plan(async || read_own(eve, &path).await).await;
    transcript.get(eve, "/api/inbox").await;
    read_plans(eve, &[&path], transcript).await;
    assert_eq!(bob.paint(12, 20, 7).await.status, 201);
    transcript.get_all(eve, &["/api/plans", "/api/plans?state=finished", &path]).await;
    transcript.post(eve, &format!("{path}/close"), json!({})).await;
    transcript.post(eve, &format!("{path}/close"), json!({})).await;
    transcript.put(eve, &path, json!({"title": "Too late", "expected_version": 4})).await;
    transcript.get_all(eve, &["/api/plans", "/api/plans?state=closed", &path]).await;
    server.advance_clock(60);
    let mut body = picture("A well", [30, 30], &["33"]);
    body["expires_in"] = json!(600);
    let well = transcript.post(eve, "/api/plans", body).await["plan"].clone();
    let path = format!("/api/plans/{}", id_of(&well));
    server.advance_clock(601);
    wait_for_plan_end(async || read_own(eve, &path).await).await;
    transcript.get_all(eve, &["/api/plans", "/api/plans?state=expired", "/api/inbox", &path]).await;
}

/// Changes a plan that everyone has seen.
async fn play_changed_plan(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { eve, bob, .. } = cast;
    let roof = open_plan(eve, picture("A roof", [40, 40], &["55"])).await;
    open_plan(bob, picture("A wall", [60, 60], &["55"])).await;
    assert_eq!(bob.paint(41, 40, 5).await.status, 201);
    cast.begin().await;
    let path = format!("/api/plans/{}", id_of(&roof));
    read_plans(eve, &[&path], transcript).await;
    let changes = [json!({"title": "Another roof", "note": "It is red"}), json!({"x": 41, "rows": ["77"]})];
    for (change, version) in changes.into_iter().zip(1..) {
        let mut change = change;
        change["expected_version"] = json!(version);
        transcript.put(eve, &path, change.clone()).await;
        transcript.put(eve, &path, change).await;
        read_plans(eve, &[&path], transcript).await;
    }
    transcript.post(eve, &format!("{path}/claims"), json!({"n": 9})).await;
    paint(eve, &roof, &[(41, 40, 7)], transcript).await;
    read_plans(eve, &[&path], transcript).await;
    transcript.get(eve, "/api/inbox").await;
}

/// Finishes an own plan while the server announces such plans.
async fn play_announcement(cast: &Cast<'_>, transcript: &mut Transcript) {
    let eve = &cast.eve;
    cast.begin().await;
    let plan = open_plan(eve, picture("A door", [10, 20], &["55"])).await;
    paint(eve, &plan, &[(10, 20, 5), (11, 20, 5)], transcript).await;
    let path = format!("/api/plans/{}", id_of(&plan));
    wait_for_finished_plan(async || read_own(eve, &path).await).await;
    transcript.get_all(eve, &["/api/chat", "/api/events?from=1", "/api/inbox", &path]).await;
}

#[tokio::test]
async fn own_plans_look_like_public_ones() {
    compare_plays("own plans", &settings(), play_own_plan).await;
}

#[tokio::test]
async fn changes_of_a_public_plan_look_as_if_everyone_saw_them() {
    compare_plays("changed plans", &settings(), play_changed_plan).await;
}

#[tokio::test]
async fn only_announcements_of_own_plans_are_missing() {
    compare_plays("announcements", &FREE_CONSOLE_SETTINGS, play_announcement).await;
}
