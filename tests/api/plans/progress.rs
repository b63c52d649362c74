//! Progress follows the canvas: at once, on every instance, after a restart, and up to the end of a season.

use serde_json::{Value, json};

use super::{PLAN_SETTINGS, change, list_titles, new_plan, paint, path_of, progress, read_events, read_plan};
use crate::support::actions::{fetch_inbox, open_plan};
use crate::support::waiting::{wait_for_finished_plan, wait_for_plan_end, wait_until};
use crate::support::{Agent, Server};

/// Finishes and damages a plan of a new author, and waits until the author is told: then older changes were
/// told, too.
async fn wait_for_newer_changes(server: &Server) {
    let bob = server.register_agent("Bob").await;
    let plan = open_plan(&bob, json!({"title": "A door", "x": 0, "y": 0, "rows": ["7"]})).await;
    paint(&bob, &[(0, 0, 7)]).await;
    wait_for_finished_plan(async || read_plan(server, &plan).await).await;
    paint(&bob, &[(0, 0, 6)]).await;
    let is_told = async || fetch_inbox(&bob, "limit=1").await["items"][0]["state"] == "damaged";
    wait_until(is_told, "the damage is never told").await;
}

#[tokio::test]
async fn a_read_after_an_acknowledged_placement_includes_it() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, new_plan("A wall", 16, 1)).await;
    for x in 0..16 {
        paint(&ada, &[(10 + x, 20, 5)]).await;
        let done = (x + 1) as usize;
        assert_eq!(read_plan(&server, &plan).await["progress"], progress(16, done, 0));
        assert_eq!(server.get("/api/plans").await.body["plans"][0]["progress"]["done"], done);
        let next = server.get(&format!("{}/next?n=256", path_of(&plan))).await.body;
        assert_eq!(next["pixels"].as_array().unwrap().len(), 16 - done);
    }
}

#[tokio::test]
async fn damage_does_not_open_a_finished_plan_again() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, new_plan("A wall", 2, 1)).await;
    assert_eq!(plan.get("finished_at"), None);
    paint(&ada, &[(10, 20, 5), (11, 20, 5)]).await;
    assert_eq!(read_plan(&server, &plan).await["state"], "finished", "at once");
    let finished = wait_for_finished_plan(async || read_plan(&server, &plan).await).await;
    let head = server.head().await;
    paint(&ada, &[(10, 20, 6)]).await;
    let damaged = read_plan(&server, &plan).await;
    assert_eq!((&damaged["state"], &damaged["progress"]), (&json!("finished"), &progress(2, 1, 1)));
    assert_eq!(damaged["damaged_pixels"], json!([{"x": 10, "y": 20}]));
    assert_eq!(damaged["finished_at"], finished["finished_at"]);
    assert_eq!(list_titles(&server, "state=open").await, [""; 0]);
    assert_eq!(list_titles(&server, "state=finished").await, ["A wall"]);
    let next = server.get(&format!("{}/next?n=256", path_of(&plan))).await.body;
    assert_eq!((&next["pixels"], &next["left"]), (&json!([]), &json!(0)), "it asks for no help");
    let claim = ada.post(&format!("{}/claims", path_of(&plan)), json!({"n": 8})).await;
    assert_eq!(claim.body["pixels"], json!([]), "{}", claim.body);
    assert_eq!(ada.get("/api/home").await.body["plans"], Value::Null);
    paint(&ada, &[(10, 20, 5)]).await;
    let repaired = read_plan(&server, &plan).await;
    assert_eq!((&repaired["state"], &repaired["progress"]), (&json!("finished"), &progress(2, 2, 0)));
    assert_eq!(repaired.get("damaged_pixels"), None);
    assert_eq!(repaired["finished_at"], finished["finished_at"]);
    wait_for_newer_changes(&server).await;
    let events = read_events(&server, head + 1).await.to_string();
    let id = plan["id"].as_str().unwrap();
    assert!(!events.contains(id), "neither damage nor a repair is an event: {events}");
}

#[tokio::test]
async fn only_another_picture_opens_a_finished_plan_again() {
    let mut server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada_id, ada_key, plan, finished) = {
        let ada = server.register_agent("Ada").await;
        let plan = open_plan(&ada, new_plan("A wall", 2, 1)).await;
        paint(&ada, &[(10, 20, 5), (11, 20, 5)]).await;
        let finished = wait_for_finished_plan(async || read_plan(&server, &plan).await).await;
        let finished = finished["finished_at"].clone();
        paint(&ada, &[(10, 20, 6)]).await;
        let renamed = json!({"expected_version": 1, "title": "A tall wall", "note": "Done."});
        let renamed = change(&ada, &plan, renamed).await.assert_status(200)["plan"].clone();
        assert_eq!((&renamed["state"], &renamed["finished_at"]), (&json!("finished"), &finished));
        (ada.id.clone(), ada.key.clone(), plan, finished)
    };
    server.restart().await;
    let ada = Agent { server: &server, id: ada_id, key: ada_key };
    let kept = read_plan(&server, &plan).await;
    assert_eq!((&kept["state"], &kept["finished_at"]), (&json!("finished"), &finished), "after a restart");
    assert_eq!(kept["progress"], progress(2, 1, 1));
    for (version, mut body) in [(2, json!({"x": 11})), (3, json!({"rows": ["55", "55"]}))] {
        body["expected_version"] = json!(version);
        let changed = change(&ada, &plan, body).await.assert_status(200)["plan"].clone();
        assert_eq!((&changed["state"], changed.get("finished_at")), (&json!("open"), None), "{changed}");
    }
    paint(&ada, &[(12, 20, 5), (11, 21, 5), (12, 21, 5)]).await;
    let finished_again = wait_for_finished_plan(async || read_plan(&server, &plan).await).await;
    assert_ne!(finished_again["finished_at"], finished);
}

#[tokio::test]
async fn time_of_another_picture_does_not_count() {
    let mut server = Server::start_with(&PLAN_SETTINGS).await;
    let plan = {
        let ada = server.register_agent("Ada").await;
        let plan = open_plan(&ada, new_plan("A wall", 2, 1)).await;
        paint(&ada, &[(10, 20, 5), (11, 20, 5)]).await;
        wait_for_finished_plan(async || read_plan(&server, &plan).await).await;
        paint(&ada, &[(10, 20, 6)]).await;
        plan
    };
    // A server of an earlier version that sets another picture keeps the time of the one before.
    server.execute("update plan set finished_target = 1").await;
    server.restart().await;
    let plan = read_plan(&server, &plan).await;
    assert_eq!((&plan["state"], plan.get("finished_at")), (&json!("open"), None), "{plan}");
}

#[tokio::test]
async fn another_instance_shows_the_same() {
    let [server, other] = Server::start_two_instances(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, new_plan("A wall", 2, 2)).await;
    assert_eq!(read_plan(&other, &plan).await["title"], "A wall", "at once, from the database if need be");
    let ada_there = ada.on(&other);
    paint(&ada_there, &[(10, 20, 5), (11, 20, 5)]).await;
    paint(&ada, &[(10, 20, 0), (10, 21, 5), (11, 21, 5)]).await;
    paint(&ada_there, &[(10, 20, 5)]).await;
    wait_for_finished_plan(async || read_plan(&server, &plan).await).await;
    let there = wait_for_finished_plan(async || read_plan(&other, &plan).await).await;
    assert_eq!(there, read_plan(&server, &plan).await);
    paint(&ada, &[(11, 21, 0)]).await;
    let there = read_plan(&other, &plan).await;
    assert_eq!((&there, &there["progress"]), (&read_plan(&server, &plan).await, &progress(4, 3, 1)));
}

#[tokio::test]
async fn a_restart_keeps_progress_and_damage() {
    let mut server = Server::start_with(&PLAN_SETTINGS).await;
    let (plan, finished, before): (Value, Value, Vec<Value>) = {
        let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
        paint(&ada, &[(10, 20, 5), (11, 20, 6)]).await;
        let plan = open_plan(&ada, new_plan("A wall", 4, 1)).await;
        let finished = open_plan(&bob, json!({"title": "A door", "x": 0, "y": 0, "rows": ["7"]})).await;
        // Right before the plan, and painted over; right in between; wrong all the time.
        paint(&ada, &[(10, 20, 7), (11, 20, 5), (12, 20, 5), (13, 20, 8), (0, 0, 7)]).await;
        paint(&ada, &[(11, 20, 9)]).await;
        let door = wait_for_finished_plan(async || read_plan(&server, &finished).await).await;
        let before = vec![read_plan(&server, &plan).await, door];
        (plan, finished, before)
    };
    assert_eq!(before[0]["progress"], progress(4, 1, 2));
    server.restart().await;
    assert_eq!(before, [read_plan(&server, &plan).await, read_plan(&server, &finished).await]);
}

#[tokio::test]
async fn a_restart_keeps_the_damage_of_blank_pixels() {
    let mut server = Server::start_with(&PLAN_SETTINGS).await;
    let (plan, before) = {
        let ada = server.register_agent("Ada").await;
        paint(&ada, &[(12, 20, 3), (13, 20, 0), (14, 20, 0)]).await;
        let plan = open_plan(&ada, json!({"title": "A gap", "x": 10, "y": 20, "rows": ["000000"]})).await;
        // Blank and never painted, painted once or twice since; painted before: wrong then, right then, right
        // until now.
        paint(&ada, &[(11, 20, 3), (15, 20, 3), (12, 20, 4), (13, 20, 4)]).await;
        paint(&ada, &[(15, 20, 4)]).await;
        let plan_now = read_plan(&server, &plan).await;
        (plan, plan_now)
    };
    assert_eq!(before["progress"], progress(6, 2, 3));
    server.restart().await;
    assert_eq!(read_plan(&server, &plan).await, before);
}

#[tokio::test]
async fn a_new_season_ends_all_plans() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let open = open_plan(&ada, new_plan("A wall", 2, 1)).await;
    let finished = open_plan(&bob, json!({"title": "A door", "x": 0, "y": 0, "rows": ["7"]})).await;
    paint(&ada, &[(10, 20, 5), (0, 0, 7)]).await;
    server.sign_in_operator().await.open_season(1, 64, 64).await;
    let (open, finished) = (read_plan(&server, &open).await, read_plan(&server, &finished).await);
    assert_eq!((&open["state"], &open["progress"]), (&json!("expired"), &progress(2, 1, 0)), "{open}");
    assert_eq!((&finished["state"], &finished["progress"]), (&json!("finished"), &progress(1, 1, 0)));
    assert!(open["ended_at"].is_string() && open["helpers"][0]["pixels"] == 1, "{open}");
    paint(&ada, &[(11, 20, 5)]).await;
    assert_eq!(read_plan(&server, &open).await, open, "the new canvas is another one");
    assert_eq!(list_titles(&server, "state=open").await, [""; 0]);
    assert_eq!(list_titles(&server, "").await, ["A door", "A wall"]);
    ada.post(&format!("{}/claims", path_of(&open)), json!({"n": 1})).await.assert_refused(409, "closed");
    server.get(&format!("{}/next", path_of(&finished))).await.assert_refused(409, "closed");
    server.advance_clock(60);
    open_plan(&ada, new_plan("A new wall", 2, 1)).await;
}

#[tokio::test]
async fn time_ends_a_plan_with_its_progress() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let mut body = new_plan("A wall", 2, 1);
    body["expires_in"] = json!(600);
    let plan = open_plan(&ada, body).await;
    paint(&ada, &[(10, 20, 5)]).await;
    server.advance_clock(601);
    assert_eq!(read_plan(&server, &plan).await["state"], "expired", "at once");
    let ended = wait_for_plan_end(async || read_plan(&server, &plan).await).await;
    assert_eq!((&ended["state"], &ended["progress"]), (&json!("expired"), &progress(2, 1, 0)));
    paint(&ada, &[(11, 20, 5)]).await;
    assert_eq!(read_plan(&server, &plan).await, ended);
}

#[tokio::test]
async fn at_most_500_damaged_pixels_are_listed() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, new_plan("A wall", 26, 20)).await;
    for color in [5, 6] {
        for y in 20..40 {
            paint(&ada, &(10..36).map(|x| (x, y, color)).collect::<Vec<_>>()).await;
        }
    }
    let damaged = read_plan(&server, &plan).await;
    assert_eq!(damaged["progress"], progress(520, 0, 520));
    let listed = damaged["damaged_pixels"].as_array().unwrap();
    assert_eq!(listed.len(), 500);
    assert_eq!(listed[0], json!({"x": 10, "y": 20}));
    assert_eq!(listed[499], json!({"x": 15, "y": 39}));
}
