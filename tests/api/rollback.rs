//! Rollback: the selected placements disappear from the canvas, others stay, and undoing restores everything.

use serde_json::{Value, json};

use crate::support::actions::{CONSOLE_SETTINGS, place};
use crate::support::values::id_of;
use crate::support::waiting::{wait_for_rollback, wait_for_value, wait_until};
use crate::support::{Agent, OperatorBrowser, Server, admin};

const TEST_SETTINGS: &[(&str, &str)] = &[
    CONSOLE_SETTINGS[0],
    CONSOLE_SETTINGS[1],
    ("CARAPLACE_CANVAS_WIDTH", "8"),
    ("CARAPLACE_CANVAS_HEIGHT", "8"),
    ("CARAPLACE_MAX_CHARGES", "1000"),
];

async fn fetch_rows(server: &Server) -> Vec<String> {
    serde_json::from_value(server.get("/api/canvas").await.body["rows"].clone()).unwrap()
}

/// Places pixels as x, y and colour, and returns the number of the first placement.
async fn paint(agent: &Agent<'_>, pixels: &[(i64, i64, i64)]) -> i64 {
    place(agent, pixels).await["pixels"][0]["seq"].as_i64().unwrap()
}

/// Returns the request to roll back the placements of an agent from this one on.
fn rollback_request(agent: &Agent<'_>, from: i64) -> Value {
    json!({"agent_id": agent.id, "from": from.to_string(), "reason": "graffiti"})
}

async fn roll_back(operator: &OperatorBrowser<'_>, order: Value) -> Value {
    let started = operator.post("/api/admin/rollbacks", order).await;
    assert_eq!((started.status, &started.body["state"]), (201, &json!("running")), "{}", started.body);
    wait_for_rollback(operator, started.body["id"].as_str().unwrap(), "done").await
}

#[tokio::test]
async fn rollback_restores_earlier_pixels_and_can_be_undone() {
    let server = Server::start_with(TEST_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    paint(&ada, &[(0, 0, 3), (1, 0, 3)]).await;
    let from = paint(&eve, &[(0, 0, 5), (1, 0, 5), (2, 0, 5)]).await;
    paint(&ada, &[(1, 0, 7)]).await;
    let before = fetch_rows(&server).await;
    let operator = server.sign_in_operator().await;
    let query = format!("agent_id={}&from={from}", eve.id);
    let preview = operator.get(&format!("/api/admin/rollbacks/preview?{query}")).await;
    assert_eq!((&preview.body["placements"], &preview.body["pixels"]), (&json!(3), &json!(2)));
    let painters = json!([{"agent_id": eve.id, "agent_name": "Eve", "placements": 3, "pixels": 2}]);
    assert_eq!(preview.body["painters"], painters);
    let picture = operator.get(&format!("/api/admin/rollbacks/preview.png?{query}")).await;
    assert_eq!(picture.header("content-type"), "image/png");
    assert_eq!(fetch_rows(&server).await, before, "the preview changes nothing");

    let done = roll_back(&operator, rollback_request(&eve, from)).await;
    assert_eq!((&done["placements"], &done["pixels_done"]), (&json!(3), &json!(2)));
    assert_eq!(fetch_rows(&server).await[0], "37000000");
    assert_eq!(server.get("/api/canvas.png").await.bytes, picture.bytes, "as in the preview");
    let pixel_info = server.get("/api/pixel?x=0&y=0").await.body;
    assert_eq!((&pixel_info["agent_name"], &pixel_info["color"]), (&json!("Ada"), &json!(3)));
    assert_eq!(pixel_info["agent_id"], json!(ada.id));
    assert_eq!(pixel_info["history"][0]["restored"], true);
    let cleared = server.get("/api/pixel?x=2&y=0").await.body;
    assert_eq!((&cleared["agent_id"], &cleared["color"]), (&Value::Null, &json!(0)), "as if never painted");

    let path = format!("/api/admin/rollbacks/{}/undo", done["id"].as_str().unwrap());
    assert_eq!(operator.post(&path, json!({"reason": "it was a tribute"})).await.status, 200);
    wait_for_rollback(&operator, done["id"].as_str().unwrap(), "undone").await;
    assert_eq!(fetch_rows(&server).await, before);
    for (x, name) in [(0, "Eve"), (1, "Ada"), (2, "Eve")] {
        assert_eq!(server.get(&format!("/api/pixel?x={x}&y=0")).await.body["agent_name"], name, "({x}, 0)");
    }
    assert_eq!(operator.post(&path, json!({"reason": "again"})).await.status, 404);
    let acts = sqlx::query_as("select act, why from audit where subject = $1 order by no").bind(id_of(&done));
    let acts: Vec<(String, String)> = acts.fetch_all(&server.pool).await.unwrap();
    let named = |act: &str, why: &str| (act.to_owned(), why.to_owned());
    assert_eq!(acts, [named("roll_back", "graffiti"), named("undo_roll_back", "it was a tribute")]);
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn rollback_keeps_later_placements() {
    let server = Server::start_with(TEST_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let all: Vec<_> = (0..64).map(|place| (place % 8, place / 8, 5)).collect();
    let from = paint(&eve, &all).await;
    let operator = server.sign_in_operator().await;
    let region = json!({"x1": 0, "y1": 0, "x2": 3, "y2": 7});
    let order = json!({"region": region, "from": from.to_string(), "reason": "too red"});
    let started = operator.post("/api/admin/rollbacks", order).await.body;
    paint(&ada, &[(0, 0, 9), (7, 7, 9)]).await;
    wait_for_rollback(&operator, started["id"].as_str().unwrap(), "done").await;
    let rows = fetch_rows(&server).await;
    assert_eq!((rows[0].as_str(), rows[7].as_str()), ("90005555", "00005559"));
}

#[tokio::test]
async fn rollback_continues_after_a_restart_and_on_two_instances() {
    let mut server = Server::start_with(TEST_SETTINGS).await;
    let from = paint(&server.register_agent("Eve").await, &[(0, 0, 5), (1, 0, 5)]).await;
    let id = {
        let operator = server.sign_in_operator().await;
        let region = json!({"x1": 0, "y1": 0, "x2": 0, "y2": 0});
        let order = json!({"region": region, "from": from.to_string(), "reason": "one spot"});
        operator.post("/api/admin/rollbacks", order).await.body["id"].as_str().unwrap().to_owned()
    };
    server.restart().await;
    let other = server.start_instance(TEST_SETTINGS).await;
    let operator = other.sign_in_operator().await;
    wait_for_rollback(&operator, &id, "done").await;
    for instance in [&server, &other] {
        let is_there = async || fetch_rows(instance).await[0] == "05000000";
        wait_until(is_there, "the rollback never arrives").await;
    }
    assert_eq!(server.head().await, from + 3, "corrected and told once");
}

#[tokio::test]
async fn invalid_rollbacks_are_refused() {
    let server = Server::start_with(TEST_SETTINGS).await;
    let eve = server.register_agent("Eve").await;
    paint(&eve, &[(0, 0, 5)]).await;
    let operator = server.sign_in_operator().await;
    for (order, code) in [
        (json!({"from": "1", "reason": "all"}), "missing_field"),
        (json!({"agent_id": "agent_nobody", "from": "1", "reason": "who"}), "not_found"),
        (json!({"agent_id": eve.id, "from": "99", "reason": "later"}), "invalid_field"),
        (json!({"agent_id": eve.id, "from": "yesterday", "reason": "when"}), "invalid_field"),
        (json!({"agent_id": eve.id, "from": "1", "reason": " "}), "invalid_field"),
        (
            json!({"region": {"x1": 0, "y1": 0, "x2": 8, "y2": 0}, "from": "1", "reason": "w"}),
            "out_of_bounds",
        ),
    ] {
        let reply = operator.post("/api/admin/rollbacks", order.clone()).await;
        assert_eq!(reply.body["code"], code, "{order}");
    }
    assert_eq!(server.count_rows("rollback").await, 0);
}

#[tokio::test]
async fn new_season_ends_an_unfinished_rollback() {
    let server = Server::start_with(TEST_SETTINGS).await;
    let from = paint(&server.register_agent("Eve").await, &[(0, 0, 5), (1, 0, 5)]).await;
    let operator = server.sign_in_operator().await;
    let region = json!({"x1": 0, "y1": 0, "x2": 7, "y2": 7});
    let order = json!({"region": region, "from": from.to_string(), "reason": "too late"});
    let started = operator.post("/api/admin/rollbacks", order).await.body;
    let opened =
        operator.post("/api/admin/seasons", json!({"after": 1, "reason": "next"})).await.assert_status(201);
    let path = format!("/api/admin/rollbacks/{}", started["id"].as_str().unwrap());
    let read_state = async || operator.get(&path).await.body["state"].as_str().unwrap().to_owned();
    let has_ended = |state: &String| state != "running";
    let state = wait_for_value(read_state, has_ended, "the rollback never ends").await;
    let last = opened["first"].as_i64().unwrap() - 1;
    let row = server.get(&format!("/api/canvas?at={last}")).await.body["rows"][0].clone();
    assert_eq!(state, if row == json!("00000000") { "done" } else { "overtaken" }, "{row}");
}

#[tokio::test]
async fn corrections_are_not_ranked_and_invalid_ids_are_refused() {
    let server = Server::start_with(TEST_SETTINGS).await;
    let eve = server.register_agent("Eve").await;
    let from = paint(&eve, &[(0, 0, 5), (1, 0, 5)]).await;
    let operator = server.sign_in_operator().await;
    roll_back(&operator, rollback_request(&eve, from)).await;
    let ranks = server.get("/api/leaderboard").await.body["leaderboard"].clone();
    assert_eq!((ranks.as_array().unwrap().len(), &ranks[0]["name"]), (1, &json!("Eve")), "{ranks}");
    assert_eq!(server.get("/api/agents/agent_caraplace").await.body["agent"]["name"], "Caraplace");
    let backwards =
        json!({"agent_id": eve.id, "from": (from + 1).to_string(), "to": from.to_string(), "reason": "x"});
    assert_eq!(operator.post("/api/admin/rollbacks", backwards).await.code(), "invalid_field");
    for path in ["/api/admin/rollbacks/%00", "/api/admin/reports/%00", "/api/admin/audit?subject=%00"] {
        assert!([400, 404].contains(&operator.get(path).await.status), "{path}");
    }
    let order = json!({"agent_id": "\u{0}", "from": "1", "reason": "nobody"});
    assert_eq!(operator.post("/api/admin/rollbacks", order).await.status, 400);
}

/// Returns the counts that a correction must not change.
async fn fetch_counts(agents: &[&Agent<'_>]) -> Value {
    let mut counts = Vec::new();
    for agent in agents {
        let me = agent.me().await;
        counts.push(json!([me["pixels_placed"], me["chat_credits"]]));
    }
    let ranks = agents[0].server.get("/api/leaderboard").await.body["leaderboard"].clone();
    json!({"agents": counts, "leaderboard": ranks})
}

#[tokio::test]
async fn restored_pixels_are_their_painters_without_counting_for_them() {
    let mut server = Server::start_with(TEST_SETTINGS).await;
    let other = server.start_instance(TEST_SETTINGS).await;
    let seq = {
        let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
        paint(&ada, &[(0, 0, 3), (1, 0, 3)]).await;
        let from = paint(&eve, &[(0, 0, 5), (1, 0, 3)]).await;
        let operator = server.sign_in_operator().await;
        let counts = fetch_counts(&[&ada, &eve]).await;
        let seq = server.head().await;
        let mut stream = other.events(Some(seq)).await;
        roll_back(&operator, rollback_request(&eve, from)).await;
        assert_eq!(fetch_counts(&[&ada, &eve]).await, counts);
        let event = stream.next_with_id().await;
        // The second one changes its painter only.
        let expected = json!([[seq + 1, 0, 0, 3, ada.id], [seq + 2, 1, 0, 3, ada.id]]);
        assert_eq!((event.name.as_str(), &event.data), ("pixels", &expected));
        let items = eve.get("/api/inbox").await.body["items"].clone();
        assert_eq!(items, json!([]), "a rollback is no painter");
        // Repainting the restored pixel in its colour earns nothing, as it is its own.
        let before = ada.me().await["chat_credits"].clone();
        paint(&ada, &[(0, 0, 3)]).await;
        assert_eq!(ada.me().await["chat_credits"], before);
        seq
    };
    let past = server.get(&format!("/api/events?from={}&to={}", seq + 1, seq + 2)).await.body;
    server.restart().await;
    for instance in [&server, &other] {
        assert_eq!(instance.get("/api/pixel?x=1&y=0").await.body["agent_name"], "Ada");
        assert_eq!(instance.get(&format!("/api/events?from={}&to={}", seq + 1, seq + 2)).await.body, past);
    }
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn painting_over_a_restored_pixel_tells_its_painter() {
    let server = Server::start_with(TEST_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    paint(&ada, &[(0, 0, 3), (5, 0, 3)]).await;
    let from = paint(&eve, &[(0, 0, 5), (5, 0, 5)]).await;
    let operator = server.sign_in_operator().await;
    let mut one_pixel = rollback_request(&eve, from);
    one_pixel["to"] = json!(from.to_string());
    roll_back(&operator, one_pixel).await;
    let overwritten = async || ada.get("/api/inbox").await.body["items"][0].clone();
    let item = overwritten().await;
    assert_eq!(item["seq"], from + 1);
    assert_eq!(item["pixels"]["count"], 1, "the other pixel only");
    let bob = server.register_agent("Bob").await;
    let seq = paint(&bob, &[(0, 0, 7)]).await;
    paint(&eve, &[(0, 0, 8)]).await;
    let item = overwritten().await;
    let mut by = item["pixels"]["by"].as_array().unwrap().clone();
    by.sort_by_key(|painter| painter["name"].to_string());
    let [bob, eve] = [&bob, &eve].map(|agent| agent.id.clone());
    let expected = json!([{"id": bob, "name": "Bob", "count": 1}, {"id": eve, "name": "Eve", "count": 1}]);
    assert_eq!((&item["seq"], json!(by)), (&json!(seq), expected), "who covers what was shown again");
}

#[tokio::test]
async fn a_restored_pixel_tells_the_reason_of_its_first_placement() {
    let free = [TEST_SETTINGS, &[("CARAPLACE_PIXELS_PER_MESSAGE", "0")]].concat();
    let server = Server::start_with(&free).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    paint(&ada, &[(5, 5, 2), (6, 5, 2)]).await;
    ada.post_message("a little house").await.assert_status(201);
    paint(&ada, &[(0, 0, 3)]).await;
    let from = paint(&eve, &[(0, 0, 5)]).await;
    let story = async || server.get("/api/pixel/story?x=0&y=0").await.body["said"]["content"].clone();
    assert_eq!(story().await, Value::Null);
    roll_back(&server.sign_in_operator().await, rollback_request(&eve, from)).await;
    assert_eq!(story().await, "a little house");
}

#[tokio::test]
async fn a_report_selects_the_pixels_of_the_reported_painter_only() {
    let server = Server::start_with(TEST_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    paint(&ada, &[(0, 0, 3), (1, 0, 3), (2, 0, 3), (3, 1, 3)]).await;
    paint(&eve, &[(0, 0, 9)]).await;
    paint(&eve, &[(0, 0, 5), (1, 0, 5), (2, 0, 5), (0, 1, 5), (7, 7, 5)]).await;
    let report = json!({"x1": 0, "y1": 0, "x2": 3, "y2": 1, "reason": "graffiti"});
    ada.post("/api/canvas/report", report).await.assert_status(201);
    let operator = server.sign_in_operator().await;
    let case = operator.get("/api/admin/reports").await.body["reports"][0]["id"].as_str().unwrap().to_owned();
    let preview = operator.get(&format!("/api/admin/rollbacks/preview?report_id={case}")).await.body;
    let painters = json!([{"agent_id": eve.id, "agent_name": "Eve", "placements": 5, "pixels": 4}]);
    assert_eq!((&preview["painters"], &preview["pixels"]), (&painters, &json!(4)), "{preview}");

    let (_, page) = operator.page(&format!("/admin/reports/{case}")).await;
    assert!(page.contains(&format!("/admin/rollbacks?report_id={case}&amp;agent_id={}", eve.id)), "{page}");
    let (_, form) = operator.page(&format!("/admin/rollbacks?report_id={case}")).await;
    for value in [format!("name=\"agent_id\" value=\"{}\"", eve.id), "name=\"x2\" value=\"3\"".to_owned()] {
        assert!(form.contains(&value), "{value}: {form}");
    }
    let by_ada = format!("/api/admin/rollbacks/preview?report_id={case}&agent_id={}", ada.id);
    assert_eq!(operator.get(&by_ada).await.body["painters"][0]["agent_name"], "Ada");

    for (order, code) in [
        (json!({"report_id": "report_0", "reason": "x"}), "not_found"),
        (json!({"agent_id": eve.id, "reason": "x"}), "missing_field"),
        (json!({"report_id": case, "agent_id": "agent_0", "reason": "x"}), "invalid_field"),
    ] {
        assert_eq!(operator.post("/api/admin/rollbacks", order.clone()).await.code(), code, "{order}");
    }
    let done = roll_back(&operator, json!({"report_id": case, "reason": "graffiti"})).await;
    assert_eq!(done["agent_id"], json!(eve.id));
    let rows = fetch_rows(&server).await;
    assert_eq!((rows[0].as_str(), rows[1].as_str(), rows[7].as_str()), ("33300000", "00030000", "00000005"));
}

#[tokio::test]
async fn the_preview_names_every_painter_in_the_console_and_on_the_command_line() {
    let server = Server::start_with(TEST_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let from = paint(&ada, &[(0, 0, 3), (1, 0, 3)]).await;
    paint(&eve, &[(2, 0, 5)]).await;
    let operator = server.sign_in_operator().await;
    let (_, page) = operator.page(&format!("/admin/rollbacks/preview?x1=0&y1=0&x2=7&y2=0&from={from}")).await;
    assert!(page.contains("This takes pixels of 2 painters") && page.contains(&eve.id), "{page}");
    let from = from.to_string();
    let words = ["--json", "rollback", "preview", "--region", "0,0,7,0", "--from", &from];
    let preview: Value = serde_json::from_str(&admin(&server, &words, "").await.unwrap()).unwrap();
    let painters = json!([
        {"agent_id": ada.id, "agent_name": "Ada", "placements": 2, "pixels": 2},
        {"agent_id": eve.id, "agent_name": "Eve", "placements": 1, "pixels": 1},
    ]);
    assert_eq!((&preview["painters"], &preview["pixels"]), (&painters, &json!(3)));
}
