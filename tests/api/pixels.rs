//! `/api/pixel`, `/api/pixels` and recent placements: placing, costs, and concurrent placements.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::values::fields_of;
use crate::support::{Agent, Reply, Server};

const PLACED_FIELDS: [&str; 5] = ["color", "placed_at", "seq", "x", "y"];
const PLACEMENT_FIELDS: [&str; 7] = ["agent_id", "agent_name", "color", "placed_at", "seq", "x", "y"];

/// Returns the names in an object, sorted.
fn field_names(object: &Value) -> Vec<&str> {
    let mut names: Vec<_> = object.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

fn body_number(reply: &Reply, name: &str) -> i64 {
    reply.body[name].as_i64().unwrap()
}

/// Returns the numbers of a list of placements.
fn seqs(placements: &Value) -> Vec<i64> {
    placements.as_array().unwrap().iter().map(|one| one["seq"].as_i64().unwrap()).collect()
}

async fn paint_many(agent: &Agent<'_>, pixels: Value) -> Reply {
    let digest = agent.server.digest().await;
    agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await
}

/// Returns this number of pixels in a row, as in a request.
fn pixel_row(y: i64, count: i64) -> Value {
    (0..count).map(|x| json!({"x": x % 128, "y": y + x / 128, "color": x % 16})).collect()
}

#[track_caller]
fn assert_is_time(value: &Value) {
    let text = value.as_str().unwrap();
    assert!(text.ends_with('Z') && chrono::DateTime::parse_from_rfc3339(text).is_ok(), "{text}");
}

#[tokio::test]
async fn placing_one_pixel_returns_documented_fields() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let head = server.head().await;
    let reply = ada.paint(127, 0, 15).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    let left = ["charges", "chat_credits", "max_charges", "next_charge_at"];
    let others = ["notes", "pixel", "pixels_until_next_message", "success", "unread", "waiting"];
    assert_eq!(field_names(&reply.body), [&left[..], &others[..]].concat());
    let pixel = &reply.body["pixel"];
    assert_eq!(field_names(pixel), PLACEMENT_FIELDS);
    assert_is_time(&pixel["placed_at"]);
    assert_eq!(pixel["placed_at"].as_str().unwrap().len(), "2026-01-31T08:30:00.123456Z".len());
    assert_is_time(&reply.body["next_charge_at"]);
    let placed_at = pixel["placed_at"].clone();
    let expected = json!({
        "x": 127, "y": 0, "color": 15, "agent_id": ada.id, "agent_name": "Ada", "placed_at": placed_at, "seq": head + 1,
    });
    assert_eq!(*pixel, expected);
    assert_eq!(reply.body["success"], true);
    let numbers = ["charges", "max_charges", "chat_credits", "pixels_until_next_message"];
    assert_eq!(fields_of(&reply.body, numbers), json!([9, 10, 1, 4]));
}

#[tokio::test]
async fn batch_returns_placements_in_order_with_consecutive_seqs() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let head = server.head().await;
    let requested = json!([
        {"x": 9, "y": 3, "color": 1}, {"x": 0, "y": 127, "color": 2}, {"x": 9, "y": 4, "color": 4, "expected_color": 0},
    ]);
    let reply = paint_many(&ada, requested).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    let pixels = &reply.body["pixels"];
    assert_eq!(seqs(pixels), [head + 1, head + 2, head + 3]);
    pixels.as_array().unwrap().iter().for_each(|pixel| assert_eq!(field_names(pixel), PLACED_FIELDS));
    assert_eq!((&reply.body["agent_id"], &reply.body["agent_name"]), (&json!(ada.id), &json!("Ada")));
    assert_eq!(pixels[1]["y"], 127);
    assert_eq!(fields_of(&reply.body, ["charges", "chat_credits"]), json!([7, 3]));
    let info = server.get("/api/pixel?x=9&y=4").await.body;
    let placed = ["color", "placed_at", "seq"];
    assert_eq!(fields_of(&info, placed), fields_of(&pixels[2], placed));
}

#[tokio::test]
async fn concurrent_batches_have_consecutive_seqs() {
    let server = Server::start().await;
    let head = server.head().await;
    let agents =
        join_all(["Ada", "Bob", "Cyd", "Dan", "Eve", "Fay"].map(|name| server.register_agent(name))).await;
    let replies = join_all(agents.iter().map(|agent| paint_many(agent, pixel_row(5, 10)))).await;
    let mut all = Vec::new();
    for reply in &replies {
        let numbers = seqs(&reply.body["pixels"]);
        assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "{numbers:?}");
        all.extend(numbers);
    }
    all.sort_unstable();
    assert_eq!(all, (head + 1..=head + 60).collect::<Vec<_>>());
}

#[tokio::test]
async fn one_invalid_pixel_refuses_the_whole_batch() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let (head, before) = (server.head().await, ada.me().await);
    for (bad, status, code) in [
        (json!({"x": 128, "y": 0, "color": 1}), 400, "out_of_bounds"),
        (json!({"x": 0, "y": -1, "color": 1}), 400, "out_of_bounds"),
        (json!({"x": 0, "y": 0, "color": 16}), 400, "invalid_color"),
        (json!({"x": 0, "y": 0, "color": 1, "expected_color": -1}), 400, "invalid_color"),
        (json!({"x": 0, "y": 0, "color": 1, "expected_color": 3}), 409, "pixel_changed"),
        (json!({"x": 0, "y": 0, "color": 1, "colour": 1}), 400, "unknown_field"),
        (json!({"x": 0, "y": 0}), 400, "missing_field"),
        (json!({"x": 0.5, "y": 0, "color": 1}), 400, "invalid_field"),
        (json!({"x": 1, "y": 1, "color": 1}), 400, "invalid_field"),
    ] {
        let (good, other) = (json!({"x": 1, "y": 1, "color": 5}), json!({"x": 2, "y": 1, "color": 5}));
        paint_many(&ada, json!([good, bad, other])).await.assert_refused(status, code);
    }
    assert_eq!((server.head().await, ada.me().await), (head, before));
    assert_eq!(server.get("/api/pixel?x=1&y=1").await.body["seq"], Value::Null);
}

#[tokio::test]
async fn batch_size_is_limited_by_max_charges_and_256() {
    for (max_charges, sizes) in
        [("10", [(0, 400), (11, 400), (10, 201)]), ("300", [(0, 400), (257, 400), (256, 201)])]
    {
        let server = Server::start_with(&[("CARAPLACE_MAX_CHARGES", max_charges)]).await;
        let ada = server.register_agent("Ada").await;
        for (size, status) in sizes {
            let reply = paint_many(&ada, pixel_row(0, size)).await;
            assert_eq!(reply.status, status, "{size} of {max_charges}: {}", reply.body);
            assert!(status == 201 || reply.code() == "invalid_field");
        }
    }
}

#[tokio::test]
async fn batch_beyond_charges_is_refused_with_the_wait() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(paint_many(&ada, pixel_row(0, 7)).await.status, 201);
    let reply = paint_many(&ada, pixel_row(1, 5)).await;
    reply.assert_refused(429, "no_charges");
    let wait: i64 = reply.header("retry-after").parse().unwrap();
    assert!((90..=120).contains(&wait), "two charges are missing: {wait}");
    server.advance_clock(wait);
    assert_eq!(paint_many(&ada, pixel_row(1, 5)).await.status, 201);
}

#[tokio::test]
async fn concurrent_requests_with_one_expected_color_succeed_once() {
    let server = Server::start().await;
    let names: Vec<String> = (0..20).map(|number| format!("Painter {number}")).collect();
    let agents = join_all(names.iter().map(|name| server.register_agent(name))).await;
    let (head, digest) = (server.head().await, server.digest().await);
    let paint = |(number, agent): (usize, &'_ Agent<'_>)| {
        let color = 1 + number % 15;
        let body = json!({"x": 4, "y": 4, "color": color, "expected_color": 0, "chat_digest": digest});
        Reply::fetch(agent.post_request("/api/pixel").json(&body))
    };
    let replies = join_all(agents.iter().enumerate().map(paint)).await;
    let (won, lost): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!((won.len(), lost.len()), (1, 19));
    // There are fifteen other colours: one agent may want the winner's, too, and find it.
    let (same, lost): (Vec<_>, Vec<_>) = lost.into_iter().partition(|reply| reply.status == 200);
    assert!(same.len() <= 1, "each colour is wanted once or twice");
    same.iter().for_each(|reply| assert_eq!(reply.body["already"], json!([0])));
    lost.iter().for_each(|reply| reply.assert_refused(409, "pixel_changed"));
    assert_eq!(server.head().await, head + 1);
    assert_eq!(server.get("/api/pixel?x=4&y=4").await.body["color"], won[0].body["pixel"]["color"]);
    for (agent, reply) in agents.iter().zip(&replies) {
        assert_eq!(agent.me().await["charges"], if reply.status == 201 { 9 } else { 10 });
    }
}

#[tokio::test]
async fn concurrent_requests_spend_the_last_charge_once() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(paint_many(&ada, pixel_row(0, 9)).await.status, 201);
    let head = server.head().await;
    let replies = join_all((0..20).map(|x| ada.paint(x, 9, 3))).await;
    let (won, lost): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!((won.len(), lost.len()), (1, 19));
    for reply in lost {
        reply.assert_refused(429, "no_charges");
        let wait: i64 = reply.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
    }
    let me = ada.me().await;
    assert_eq!((server.head().await, &me["charges"], &me["chat_credits"]), (head + 1, &json!(0), &json!(10)));
}

#[tokio::test]
async fn charges_refill_one_by_one_without_losing_fractions() {
    let server = Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "600")]).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(paint_many(&ada, pixel_row(0, 10)).await.status, 201);
    server.advance_clock(900);
    let reply = ada.paint(0, 1, 2).await;
    assert_eq!((reply.status, body_number(&reply, "charges")), (201, 0), "one and a half had come back");
    server.advance_clock(240);
    ada.paint(0, 1, 3).await.assert_refused(429, "no_charges");
    server.advance_clock(60);
    assert_eq!(ada.paint(0, 1, 3).await.status, 201, "the half of before counts");
    server.advance_clock(600 * 50);
    let found = fields_of(&ada.me().await, ["charges", "next_charge_at"]);
    assert_eq!(found, json!([10, null]), "never more than there can be");
}

#[tokio::test]
async fn next_charge_arrives_at_the_reported_time() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    for _ in 0..3 {
        let next = ada.paint(0, 0, 1).await.body["next_charge_at"].clone();
        let me = ada.me().await;
        assert_eq!(me["next_charge_at"], next);
        let promised: chrono::DateTime<chrono::Utc> = next.as_str().unwrap().parse().unwrap();
        server.clock.advance(promised - server.clock.now());
        assert_eq!(ada.me().await["charges"], me["charges"].as_i64().unwrap() + 1);
    }
}

#[tokio::test]
async fn repainting_the_same_color_is_a_placement() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let white = ada.paint(6, 6, 0).await;
    let again = ada.paint(6, 6, 0).await;
    assert_eq!((white.status, again.status), (201, 201));
    assert_eq!(fields_of(&again.body, ["charges", "chat_credits"]), json!([8, 1]), "but for the credit");
    assert_eq!(server.get("/api/canvas").await.body["version"], again.body["pixel"]["seq"]);
    assert_eq!(server.get("/api/pixel?x=6&y=6").await.body["history"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn each_pixel_earns_a_credit_and_five_pay_for_a_message() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let replies = join_all((0..4).map(|x| ada.paint(x, 0, 1))).await;
    let until = replies.iter().map(|reply| body_number(reply, "pixels_until_next_message"));
    assert_eq!(until.sum::<i64>(), 4 + 3 + 2 + 1);
    let left = ["chat_credits", "pixels_until_next_message"];
    assert_eq!(fields_of(&paint_many(&ada, pixel_row(1, 3)).await.body, left), json!([7, 0]));
    assert_eq!(fields_of(&ada.post_message("seven pixels").await.assert_status(201), left), json!([2, 3]));
    let me = ada.me().await;
    assert_eq!((&me["pixels_placed"], &me["messages_available"]), (&json!(7), &json!(0)));
}

#[tokio::test]
async fn accepts_one_max_charge_and_zero_charge_seconds() {
    let server =
        Server::start_with(&[("CARAPLACE_MAX_CHARGES", "1"), ("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let ada = server.register_agent("Ada").await;
    for x in 0..12 {
        let reply = ada.paint(x, 0, 3).await;
        assert_eq!((reply.status, body_number(&reply, "charges")), (201, 1), "{}", reply.body);
        assert_eq!(reply.body["next_charge_at"], Value::Null);
    }
    paint_many(&ada, pixel_row(0, 2)).await.assert_refused(400, "invalid_field");
    let server = Server::start_with(&[("CARAPLACE_MAX_CHARGES", "1")]).await;
    let bob = server.register_agent("Bob").await;
    assert_eq!(bob.paint(0, 0, 1).await.status, 201);
    bob.paint(0, 0, 1).await.assert_refused(429, "no_charges");
    server.advance_clock(60);
    assert_eq!(bob.paint(0, 0, 1).await.status, 201);
}

#[tokio::test]
async fn digest_is_ignored_without_chat() {
    let server = Server::start_with(&[("CARAPLACE_CHAT_ENABLED", "false")]).await;
    let ada = server.register_agent("Ada").await;
    for digest in [json!(null), json!(""), json!("000000000000"), json!("not a digest")] {
        let one = json!({"x": 0, "y": 0, "color": 1, "chat_digest": digest});
        assert_eq!(ada.post("/api/pixel", one).await.status, 201);
        let many = json!({"pixels": [{"x": 1, "y": 0, "color": 1}], "chat_digest": digest});
        assert_eq!(ada.post("/api/pixels", many).await.status, 201);
    }
    assert_eq!(ada.post("/api/pixel", json!({"x": 0, "y": 0, "color": 2})).await.status, 201);
}

#[tokio::test]
async fn pixel_info_has_up_to_twenty_placements() {
    let server = Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let nobody = json!({
        "x": 2, "y": 7, "color": 0, "agent_id": null, "agent_name": null, "placed_at": null, "seq": null, "history": [],
    });
    assert_eq!(server.get("/api/pixel?x=2&y=7").await.body, nobody);
    let mut painted = Vec::new();
    for number in 0..23 {
        let agent = if number % 2 == 0 { &ada } else { &bob };
        painted.push(agent.paint(2, 7, number % 16).await.body["pixel"].clone());
    }
    painted.reverse();
    let mut pixel_info = server.get("/api/pixel?x=2&y=7").await.body;
    let history = pixel_info.as_object_mut().unwrap().remove("history").unwrap();
    assert_eq!((pixel_info, history), (painted[0].clone(), json!(painted[..20])));
}

#[tokio::test]
async fn recent_pixels_are_newest_first_and_limited() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(server.get("/api/pixels/recent").await.body, json!({"pixels": []}));
    let mut painted = seqs(&paint_many(&ada, pixel_row(3, 10)).await.body["pixels"]);
    painted.reverse();
    let all = server.get("/api/pixels/recent").await.body;
    assert_eq!(seqs(&all["pixels"]), painted);
    assert_eq!(field_names(&all["pixels"][0]), PLACEMENT_FIELDS);
    assert_eq!(seqs(&server.get("/api/pixels/recent?limit=3").await.body["pixels"]), painted[..3]);
    for limit in ["0", "-1", "501", "1.5", "many", ""] {
        server.get(&format!("/api/pixels/recent?limit={limit}")).await.assert_refused(400, "invalid_field");
    }
}

#[tokio::test]
async fn canvas_matches_the_placements() {
    let server =
        Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0"), ("CARAPLACE_CANVAS_WIDTH", "8")]).await;
    let ada = server.register_agent("Ada").await;
    let mut model = vec![vec![0_u8; 8]; 128];
    let mut random = 7_u64;
    for _ in 0..12 {
        let mut pixels = Vec::new();
        for _ in 0..10 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (x, y, color) = ((random >> 33) % 8, (random >> 40) % 128, (random >> 50) % 16);
            if pixels.iter().all(|pixel: &Value| (&pixel["x"], &pixel["y"]) != (&json!(x), &json!(y))) {
                model[y as usize][x as usize] = color as u8;
                pixels.push(json!({"x": x, "y": y, "color": color}));
            }
        }
        assert_eq!(paint_many(&ada, json!(pixels)).await.status, 201);
    }
    let rows: Vec<String> =
        model.iter().map(|row| row.iter().map(|color| format!("{color:x}")).collect()).collect();
    assert_eq!(server.get("/api/canvas").await.body["rows"], json!(rows));
    assert_eq!(server.get("/api/canvas.bin").await.bytes, model.concat());
}
