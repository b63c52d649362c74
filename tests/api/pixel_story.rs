//! `/api/pixel/story`: the messages nearest to a placement, the plans that cover a pixel, and nothing hidden.

use serde_json::{Value, json};

use crate::support::actions::{
    FREE_CONSOLE_SETTINGS, end_intent, open_plan, paint, post_intent, post_message, post_text,
};
use crate::support::values::{id_of, texts_of};
use crate::support::{Agent, Server};

/// Starts a server on which the system says nothing, with the console.
async fn start() -> Server {
    let silent = [("CARAPLACE_SYSTEM_MESSAGES", "false")];
    Server::start_with(&[&FREE_CONSOLE_SETTINGS[..], &silent[..]].concat()).await
}

async fn fetch_story(server: &Server, x: i64, y: i64) -> Value {
    let reply = server.get(&format!("/api/pixel/story?x={x}&y={y}")).await;
    assert_eq!((reply.status, &reply.body["x"], &reply.body["y"]), (200, &json!(x), &json!(y)));
    reply.body
}

/// Returns the story of the pixel at (3, 4) of which nothing is known.
fn empty_story() -> Value {
    json!({"x": 3, "y": 4, "said": null, "intents": [], "why": null})
}

fn intent_texts(story: &Value) -> Vec<&str> {
    texts_of(&story["intents"], "content")
}

/// Moves a message to this number of seconds before (or after) the newest placement on a pixel.
async fn shift_message_time(server: &Server, message: &Value, seconds: i64) {
    let moved = sqlx::query(
        "update chat_message set sent_at = (select max(placed_at) from placement) + $2 * interval '1 second'
         where id = $1",
    );
    let moved = moved.bind(id_of(message)).bind(seconds).execute(&server.pool).await.unwrap();
    assert_eq!(moved.rows_affected(), 1);
}

#[tokio::test]
async fn story_has_the_painters_message_nearest_to_the_placement() {
    let server = start().await;
    assert_eq!(fetch_story(&server, 3, 4).await, empty_story());
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_text(&ada, "long before").await;
    let before = post_text(&ada, "just before").await;
    post_text(&bob, "nearer still, but somebody else").await;
    paint(&ada, [(3, 4)]).await;
    let pixel_story = fetch_story(&server, 3, 4).await;
    assert_eq!(pixel_story["said"]["content"], "just before");
    assert_eq!(pixel_story["said"], server.get("/api/chat").await.body["messages"][1], "as in the chat");
    let after = post_text(&ada, "just after").await;
    post_text(&ada, "long after").await;
    for (earlier, later, nearest) in [(-9, 3, "just after"), (-3, 9, "just before"), (-5, 5, "just before")] {
        shift_message_time(&server, &before, earlier).await;
        shift_message_time(&server, &after, later).await;
        assert_eq!(fetch_story(&server, 3, 4).await["said"]["content"], nearest, "{earlier} {later}");
    }
    paint(&bob, [(3, 4)]).await;
    assert_eq!(fetch_story(&server, 3, 4).await["said"]["agent_name"], "Bob");
}

#[tokio::test]
async fn story_has_covering_intents_newest_first() {
    let server = start().await;
    let ada = server.register_agent("Ada").await;
    post_intent(&ada, "the whole", [0, 0, 127, 127]).await;
    post_intent(&ada, "one pixel", [9, 8, 9, 8]).await;
    post_intent(&ada, "left of it", [0, 0, 8, 127]).await;
    post_intent(&ada, "below it", [0, 9, 127, 127]).await;
    post_intent(&ada, "its corner", [9, 8, 20, 20]).await;
    post_intent(&ada, "its other corner", [2, 2, 9, 8]).await;
    post_message(&ada, json!({"type": "intent", "content": "somewhere"})).await;
    let expected = ["its other corner", "its corner", "one pixel", "the whole"];
    assert_eq!(intent_texts(&fetch_story(&server, 9, 8).await), expected);
    for number in 0..7 {
        post_intent(&ada, &format!("row {number}"), [0, 8, 127, 8 + number]).await;
    }
    let expected = ["row 6", "row 5", "row 4", "row 3", "row 2"];
    assert_eq!(intent_texts(&fetch_story(&server, 9, 8).await), expected);
}

/// The plan that covers the pixel comes before more plans than are searched one by one.
#[tokio::test]
async fn finds_an_old_intent_behind_thousands_of_newer_ones() {
    let server = start().await;
    post_intent(&server.register_agent("Ada").await, "the very first", [40, 40, 50, 50]).await;
    let newer = "insert into chat_message
             (id, seq, sender_type, agent, type, content, regions, intent_state, intent_expires_at, sent_at)
         select 'msg_' || n, 1000 + n, 'agent', 1, 'intent', 'elsewhere', array[n % 30, 0, n % 30, 9], 'open',
                now(), now()
         from generate_series(1, 2500) n";
    server.execute(newer).await;
    assert_eq!(intent_texts(&fetch_story(&server, 45, 45).await), ["the very first"]);
    assert_eq!(intent_texts(&fetch_story(&server, 3, 3).await).len(), 5);
}

#[tokio::test]
async fn story_omits_deleted_texts() {
    let server = start().await;
    let ada = server.register_agent("Ada").await;
    let gone = post_text(&ada, "soon gone").await;
    post_intent(&ada, "soon gone too", [0, 0, 9, 9]).await;
    paint(&ada, [(3, 4)]).await;
    sqlx::query("delete from chat_message where type = 'intent'").execute(&server.pool).await.unwrap();
    let pixel_story = fetch_story(&server, 3, 4).await;
    assert_eq!((&pixel_story["said"]["id"], &pixel_story["intents"]), (&gone["id"], &json!([])));
    sqlx::query("delete from chat_message").execute(&server.pool).await.unwrap();
    assert_eq!(fetch_story(&server, 3, 4).await, empty_story());
}

#[tokio::test]
async fn story_is_empty_without_chat() {
    let mut server = start().await;
    {
        let ada = server.register_agent("Ada").await;
        post_text(&ada, "unheard").await;
        post_intent(&ada, "unseen", [0, 0, 9, 9]).await;
        paint(&ada, [(3, 4)]).await;
    }
    let silent = server.start_instance(&[("CARAPLACE_CHAT_ENABLED", "false")]).await;
    assert_eq!(fetch_story(&silent, 3, 4).await, empty_story());
    server.restart().await;
    assert_eq!(fetch_story(&server, 3, 4).await["said"]["content"], "unseen");
}

#[tokio::test]
async fn refuses_story_outside_the_canvas() {
    let server = Server::start().await;
    server.get("/api/pixel/story?x=128&y=0").await.assert_refused(400, "out_of_bounds");
    server.get("/api/pixel/story?x=1").await.assert_refused(400, "missing_field");
    server.get("/api/pixel/story?x=1&y=a").await.assert_refused(400, "invalid_field");
}

/// Paints a pixel, for a plan if one is given.
async fn paint_for(agent: &Agent<'_>, (x, y): (i64, i64), plan: Option<&str>) {
    let digest = agent.server.digest().await;
    let body = json!({"x": x, "y": y, "color": 5, "chat_digest": digest, "plan_id": plan});
    agent.post("/api/pixel", body).await.assert_status(201);
}

/// Opens a plan at (3, 4), two pixels wide. Returns its id.
async fn open_small_plan(agent: &Agent<'_>, title: &str) -> String {
    id_of(&open_plan(agent, json!({"title": title, "x": 3, "y": 4, "rows": ["55"]})).await).to_owned()
}

/// Returns the reason that a story gives: whether it is exact, the title of the plan, and the texts of the
/// intent and of the message.
fn reason(story: &Value) -> (bool, Option<&str>, Option<&str>, Option<&str>) {
    let why = &story["why"];
    let text = |message: &'static str| why[message]["content"].as_str();
    (why["exact"].as_bool().unwrap(), why["plan"]["title"].as_str(), text("intent"), text("said"))
}

#[tokio::test]
async fn the_reason_is_what_the_painter_has_named() {
    let server = start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_small_plan(&bob, "A roof").await;
    post_intent(&bob, "not the painter's", [0, 0, 9, 9]).await;
    post_text(&ada, "nearest in time").await;
    paint_for(&ada, (3, 4), None).await;
    assert_eq!(reason(&fetch_story(&server, 3, 4).await), (false, None, None, Some("nearest in time")));
    post_intent(&ada, "posted too late", [0, 0, 9, 9]).await;
    assert!(!reason(&fetch_story(&server, 3, 4).await).0);
    paint_for(&ada, (3, 4), None).await;
    assert_eq!(reason(&fetch_story(&server, 3, 4).await), (true, None, Some("posted too late"), None));
    paint_for(&ada, (3, 4), Some(&plan)).await;
    let story = fetch_story(&server, 3, 4).await;
    assert_eq!(reason(&story), (true, Some("A roof"), Some("posted too late"), None));
    assert_eq!(story["why"]["plan"], json!({"id": plan, "title": "A roof", "state": "open"}));
    post_message(&ada, json!({"type": "intent", "content": "names the plan", "plan_id": plan})).await;
    post_message(&ada, json!({"content": "about the plan", "plan_id": plan})).await;
    post_message(&bob, json!({"content": "also about the plan", "plan_id": plan})).await;
    let expected = (true, Some("A roof"), Some("names the plan"), Some("about the plan"));
    assert_eq!(reason(&fetch_story(&server, 3, 4).await), expected);
    paint_for(&ada, (4, 4), Some(&plan)).await;
    assert_eq!(fetch_story(&server, 3, 4).await["why"]["plan"]["state"], "finished");
    server.sign_in_operator().await.post_with_reason(&format!("/api/admin/plans/{plan}/hide")).await;
    assert_eq!(reason(&fetch_story(&server, 3, 4).await), (true, None, Some("posted too late"), None));
}

#[tokio::test]
async fn a_plan_is_no_reason_for_pixels_beside_its_picture() {
    let server = start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_small_plan(&bob, "A roof").await;
    for point in [(2, 4), (5, 4), (3, 5)] {
        paint_for(&ada, point, Some(&plan)).await;
        assert_eq!(fetch_story(&server, point.0, point.1).await["why"], Value::Null);
    }
    paint_for(&ada, (4, 4), Some(&plan)).await;
    assert_eq!(fetch_story(&server, 4, 4).await["why"]["plan"]["id"], json!(plan));
}

#[tokio::test]
async fn an_intent_is_the_reason_only_while_it_is_open() {
    let server = start().await;
    let ada = server.register_agent("Ada").await;
    let intent = post_intent(&ada, "A door", [0, 0, 9, 9]).await;
    paint(&ada, [(1, 1)]).await;
    end_intent(&ada, &intent).await;
    paint(&ada, [(2, 2)]).await;
    post_intent(&ada, "A window", [0, 0, 9, 9]).await;
    paint(&ada, [(3, 3)]).await;
    server.advance_clock(7_300);
    paint(&ada, [(4, 4)]).await;
    let intents = [Some("A door"), None, Some("A window"), None];
    for (at, intent) in (1..).zip(intents) {
        let story = fetch_story(&server, at, at).await;
        assert_eq!((reason(&story).0, reason(&story).2), (intent.is_some(), intent), "{story}");
    }
}

#[tokio::test]
async fn archived_seasons_keep_the_reasons() {
    let server = start().await;
    let ada = server.register_agent("Ada").await;
    let plan = open_small_plan(&ada, "A roof").await;
    post_intent(&ada, "the left half", [0, 0, 3, 9]).await;
    paint_for(&ada, (3, 4), Some(&plan)).await;
    server.sign_in_operator().await.open_season(1, 32, 32).await;
    assert_eq!(fetch_story(&server, 3, 4).await["why"], Value::Null);
    let archived = server.get("/api/pixel/story?x=3&y=4&season=1").await.body;
    assert_eq!(reason(&archived), (true, Some("A roof"), Some("the left half"), None), "{archived}");
    assert_eq!(archived["why"]["plan"]["state"], "expired");
    assert_eq!(server.get("/api/pixel?x=3&y=4&season=1").await.body["plan_id"], json!(plan));
}

#[tokio::test]
async fn shadow_banned_painters_see_their_own_reasons() {
    let server = start().await;
    let (bob, eve) = (server.register_agent("Bob").await, server.register_agent("Eve").await);
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let plan = open_small_plan(&eve, "Mine").await;
    post_intent(&eve, "my corner", [0, 0, 9, 9]).await;
    paint_for(&eve, (3, 4), Some(&plan)).await;
    post_message(&eve, json!({"content": "about my plan", "plan_id": plan})).await;
    let own = eve.get("/api/pixel/story?x=3&y=4").await.body;
    assert_eq!(reason(&own), (true, Some("Mine"), Some("my corner"), Some("about my plan")), "{own}");
    assert_eq!(bob.get("/api/pixel/story?x=3&y=4").await.body["why"], Value::Null);
    assert_eq!(fetch_story(&server, 3, 4).await["why"], Value::Null);
}
