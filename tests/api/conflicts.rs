//! `POST /api/pixel` and `/api/pixels` where the canvas is not as expected: conflicts, pixels that already
//! have the wanted colour, skipped pixels, and runs.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::values::fields_of;
use crate::support::{Agent, Reply, Server};

async fn place(agent: &Agent<'_>, mut body: Value) -> Reply {
    body["chat_digest"] = json!(agent.server.digest().await);
    agent.post("/api/pixels", body).await
}

/// Returns a pixel of the top row with an expected colour, as in a request.
pub fn expecting(x: i64, color: i64, expected_color: i64) -> Value {
    json!({"x": x, "y": 0, "color": color, "expected_color": expected_color})
}

fn conflict(index: i64, x: i64, color: i64) -> Value {
    json!({"index": index, "x": x, "y": 0, "color": color})
}

/// Returns the charges, credits and pixels of an agent, and the head of the log.
async fn spent(agent: &Agent<'_>) -> [i64; 4] {
    let me = agent.me().await;
    let number = |field: &str| me[field].as_i64().unwrap();
    [number("charges"), number("chat_credits"), number("pixels_placed"), agent.server.head().await]
}

/// Starts a server on which the first three pixels of the top row have the colours 1, 2 and 3.
async fn start_with_row(settings: &[(&str, &str)]) -> Server {
    let server = Server::start_with(settings).await;
    let row: Value = (0..3).map(|x| json!({"x": x, "y": 0, "color": x + 1})).collect();
    place(&server.register_agent("Bob").await, json!({"pixels": row})).await.assert_status(201);
    server
}

#[tokio::test]
async fn a_refusal_lists_every_conflict_and_spends_nothing() {
    let server = start_with_row(&[]).await;
    let ada = server.register_agent("Ada").await;
    let before = spent(&ada).await;
    let pixels = json!([
        {"x": 9, "y": 0, "color": 4}, expecting(0, 5, 0), expecting(1, 5, 2), expecting(2, 5, 0), expecting(3, 5, 0),
    ]);
    let reply = place(&ada, json!({"pixels": pixels})).await;
    reply.assert_refused(409, "pixel_changed");
    assert_eq!(reply.body["conflicts"], json!([conflict(1, 0, 1), conflict(3, 2, 3)]));
    assert_eq!(["x", "y", "color"].map(|field| reply.body[field].as_i64().unwrap()), [0, 0, 1], "the first");
    assert_eq!(reply.body["detail"], "2 pixels have other colours now: (0, 0) 1, (2, 0) 3.");
    let refuse = json!({"pixels": pixels, "on_conflict": "refuse"});
    place(&ada, refuse).await.assert_refused(409, "pixel_changed");
    let digest = server.digest().await;
    let one = json!({"x": 1, "y": 0, "color": 5, "expected_color": 0, "chat_digest": digest});
    let reply = ada.post("/api/pixel", one).await;
    reply.assert_refused(409, "pixel_changed");
    assert_eq!(reply.body["conflicts"], json!([conflict(0, 1, 2)]));
    assert_eq!(spent(&ada).await, before);
}

#[tokio::test]
async fn pixels_with_the_wanted_color_are_left_as_they_are() {
    let server = start_with_row(&[]).await;
    let ada = server.register_agent("Ada").await;
    let [charges, credits, placed, head] = spent(&ada).await;
    let pixels =
        json!([expecting(0, 1, 0), expecting(1, 7, 2), expecting(2, 3, 3), {"x": 9, "y": 0, "color": 0}]);
    let response = place(&ada, json!({"pixels": pixels})).await.assert_status(201);
    assert_eq!(response["already"], json!([0, 2]));
    let list = response["pixels"].as_array().unwrap().iter();
    let seqs: Value = list.map(|pixel| fields_of(pixel, ["x", "seq"])).collect();
    assert_eq!(seqs, json!([[1, head + 1], [9, head + 2]]));
    assert_eq!(response.get("skipped"), None);
    assert_eq!(spent(&ada).await, [charges - 2, credits + 2, placed + 2, head + 2]);
    let reply = place(&ada, json!({"pixels": [{"x": 1, "y": 0, "color": 7}]})).await;
    assert_eq!((reply.status, reply.body.get("already")), (201, None), "nothing was expected");
}

#[tokio::test]
async fn a_request_with_nothing_to_place_answers_200() {
    let server = start_with_row(&[]).await;
    let ada = server.register_agent("Ada").await;
    let before = spent(&ada).await;
    let reply = place(&ada, json!({"pixels": [expecting(0, 1, 0), expecting(50, 0, 0)]})).await;
    let found = fields_of(&reply.assert_status(200), ["pixels", "already", "success", "charges"]);
    assert_eq!(found, json!([[], [0, 1], true, 10]));
    let digest = server.digest().await;
    for (x, color, seq) in
        [(1, 2, server.get("/api/pixel?x=1&y=0").await.body["seq"].clone()), (50, 0, Value::Null)]
    {
        let one = json!({"x": x, "y": 0, "color": color, "expected_color": 9, "chat_digest": digest});
        let reply = ada.post("/api/pixel", one).await;
        assert_eq!((reply.status, &reply.body["already"]), (200, &json!([0])), "{}", reply.body);
        assert_eq!(reply.body["pixel"], json!({"x": x, "y": 0, "color": color, "seq": seq}));
    }
    assert_eq!(spent(&ada).await, before);
}

#[tokio::test]
async fn skip_places_what_does_not_conflict() {
    let server = start_with_row(&[]).await;
    let ada = server.register_agent("Ada").await;
    let [charges, credits, placed, head] = spent(&ada).await;
    let pixels = [(0, 5, 0), (1, 2, 0), (2, 5, 3), (3, 5, 4), (4, 5, 0)];
    let pixels = pixels.map(|(x, color, expected_color)| expecting(x, color, expected_color));
    let reply = place(&ada, json!({"pixels": pixels, "on_conflict": "skip"})).await.assert_status(201);
    assert_eq!(reply["skipped"], json!([conflict(0, 0, 1), conflict(3, 3, 0)]));
    assert_eq!(reply["already"], json!([1]));
    let columns: Vec<_> = reply["pixels"].as_array().unwrap().iter().map(|pixel| &pixel["x"]).collect();
    assert_eq!(columns, [2, 4]);
    assert_eq!(spent(&ada).await, [charges - 2, credits + 2, placed + 2, head + 2]);
    let before = spent(&ada).await;
    let reply = place(&ada, json!({"pixels": [expecting(0, 5, 0)], "on_conflict": "skip"})).await;
    let found = fields_of(&reply.assert_status(200), ["pixels", "skipped"]);
    assert_eq!(found, json!([[], [conflict(0, 0, 1)]]));
    let reply = place(&ada, json!({"pixels": [expecting(4, 5, 0)], "on_conflict": "skip"})).await;
    assert_eq!((reply.status, &reply.body["skipped"]), (200, &json!([])));
    assert_eq!(spent(&ada).await, before);
    for wrong in [json!("ignore"), json!(""), json!(1), json!(null)] {
        let body = json!({"pixels": pixels, "on_conflict": wrong});
        place(&ada, body).await.assert_refused(400, "invalid_field");
    }
}

#[tokio::test]
async fn skip_needs_charges_only_for_what_it_places() {
    let server = start_with_row(&[]).await;
    let ada = server.register_agent("Ada").await;
    let nine: Value = (0..9).map(|x| json!({"x": x, "y": 5, "color": 1})).collect();
    assert_eq!(place(&ada, json!({"pixels": nine})).await.status, 201);
    let two = json!([expecting(0, 5, 0), expecting(1, 5, 2), expecting(2, 3, 0)]);
    let reply = place(&ada, json!({"pixels": two, "on_conflict": "skip"})).await;
    assert_eq!(reply.assert_status(201)["charges"], 0);
    let nothing = json!({"pixels": [expecting(0, 5, 0), expecting(1, 5, 2)], "on_conflict": "skip"});
    assert_eq!(place(&ada, nothing).await.status, 200, "an agent without charges may find nothing to place");
    let one = json!({"pixels": [expecting(0, 5, 0), expecting(1, 6, 5)], "on_conflict": "skip"});
    let reply = place(&ada, one).await;
    reply.assert_refused(429, "no_charges");
    assert_eq!(reply.body["detail"], "The request needs 1 charge, but you have 0.");
}

#[tokio::test]
async fn a_repeated_pixel_is_refused_with_both_positions() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let before = spent(&ada).await;
    let pixels = json!([expecting(3, 1, 0), expecting(4, 1, 0), expecting(3, 2, 0)]);
    for body in [json!({"pixels": pixels}), json!({"pixels": pixels, "on_conflict": "skip"})] {
        let reply = place(&ada, body).await;
        reply.assert_field_refused(400, "invalid_field", "pixels");
        assert_eq!(reply.body["index"], 2);
        assert_eq!(reply.body["detail"], "(3, 0) stands at the positions 0 and 2. Name each pixel once.");
    }
    let reply = place(&ada, json!({"runs": [[3, 0, 2, 1], [0, 0, 4, 1]]})).await;
    reply.assert_field_refused(400, "invalid_field", "runs");
    assert_eq!(reply.body["index"], 5);
    assert_eq!(spent(&ada).await, before);
}

#[tokio::test]
async fn runs_stand_in_place_of_pixels() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let head = server.head().await;
    let runs = json!({"runs": [[125, 7, 3, 5], [0, 0, 1, 15], [2, 127, 2, 9]]});
    let reply = place(&ada, runs).await.assert_status(201);
    let pixels = reply["pixels"].as_array().unwrap().iter();
    let placed: Value = pixels.map(|pixel| fields_of(pixel, ["x", "y", "color", "seq"])).collect();
    let points = [[125, 7, 5], [126, 7, 5], [127, 7, 5], [0, 0, 15], [2, 127, 9], [3, 127, 9]];
    let expected: Vec<_> =
        points.iter().zip(1..).map(|([x, y, color], step)| [*x, *y, *color, head + step]).collect();
    assert_eq!(placed, json!(expected));
    assert_eq!(reply["charges"], 4);
}

#[tokio::test]
async fn wrong_runs_are_refused() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let before = spent(&ada).await;
    let pixel = json!([{"x": 1, "y": 1, "color": 1}]);
    for (body, code, field, index) in [
        (json!({"runs": [[126, 0, 3, 1]]}), "out_of_bounds", Value::Null, json!(2)),
        (json!({"runs": [[0, 0, 2, 1], [5, 128, 1, 1]]}), "out_of_bounds", Value::Null, json!(2)),
        (json!({"runs": [[-1, 0, 2, 1]]}), "out_of_bounds", Value::Null, json!(0)),
        (json!({"runs": [[0, 0, 2, 16]]}), "invalid_color", json!("color"), json!(0)),
        (json!({"runs": [[0, 0, 6, 1], [0, 1, 5, 1]]}), "invalid_field", json!("runs"), Value::Null),
        (json!({"runs": [[0, 0, 1, 1], [0, 1, 0, 1]]}), "invalid_field", json!("runs[1]"), Value::Null),
        (json!({"runs": []}), "invalid_field", json!("runs"), Value::Null),
        (json!({"runs": [[0, 0, 1]]}), "invalid_field", json!("runs[0]"), Value::Null),
        (json!({"runs": [[0, 0, 1, 1, 1]]}), "invalid_field", json!("runs[0]"), Value::Null),
        (json!({"runs": [[0, 0, 1.5, 1]]}), "invalid_field", json!("runs[0][2]"), Value::Null),
        (json!({"runs": null}), "invalid_field", json!("runs"), Value::Null),
        (json!({"runs": [[0, 0, 1, 1]], "pixels": pixel}), "invalid_field", json!("runs"), Value::Null),
        (json!({"pixels": null}), "invalid_field", json!("pixels"), Value::Null),
        (json!({}), "missing_field", json!("pixels"), Value::Null),
    ] {
        let reply = place(&ada, body.clone()).await;
        reply.assert_refused(400, code);
        assert_eq!((&reply.body["field"], &reply.body["index"]), (&field, &index), "{body}: {}", reply.body);
    }
    assert_eq!(spent(&ada).await, before);
}

#[tokio::test]
async fn of_twenty_batches_that_expect_the_same_pixels_one_wins() {
    let server = Server::start().await;
    let names: Vec<String> = (0..20).map(|number| format!("Painter {number}")).collect();
    let agents = join_all(names.iter().map(|name| server.register_agent(name))).await;
    for on_conflict in ["refuse", "skip"] {
        let before = server.get("/api/pixel?x=0&y=0").await.body["color"].as_i64().unwrap();
        let (head, digest) = (server.head().await, server.digest().await);
        // Each batch differs from the others in at least one pixel, so that none finds all as it wants them.
        let pixels = |number: i64| {
            let others = [number % 15, number / 15].map(|step| (before + 1 + step) % 16);
            json!([expecting(0, others[0], before), expecting(1, others[1], before)])
        };
        let post = |(number, agent): (usize, &'_ Agent<'_>)| {
            let body =
                json!({"pixels": pixels(number as i64), "chat_digest": digest, "on_conflict": on_conflict});
            Reply::fetch(agent.post_request("/api/pixels").json(&body))
        };
        let replies = join_all(agents.iter().enumerate().map(post)).await;
        let won: Vec<_> = replies.iter().filter(|reply| reply.status == 201).collect();
        assert_eq!((won.len(), server.head().await), (1, head + 2), "{on_conflict}");
        for reply in replies.iter().filter(|reply| reply.status != 201) {
            if on_conflict == "refuse" {
                reply.assert_refused(409, "pixel_changed");
            } else {
                assert_eq!((reply.status, &reply.body["pixels"]), (200, &json!([])), "{}", reply.body);
                let left = [&reply.body["skipped"], &reply.body["already"]]
                    .map(|it| it.as_array().map_or(0, Vec::len));
                assert_eq!(left[0] + left[1], 2);
            }
        }
        // The next round expects the same colour of both pixels.
        let expected = server.get("/api/pixel?x=0&y=0").await.body["color"].as_i64().unwrap();
        assert_eq!(agents[0].paint(1, 0, expected).await.status, 201);
    }
}

#[tokio::test]
async fn answers_with_skipped_pixels_are_repeated_exactly() {
    let server = start_with_row(&[]).await;
    let ada = server.register_agent("Ada").await;
    let digest = server.digest().await;
    let some = json!([expecting(0, 5, 0), expecting(1, 2, 0), expecting(9, 5, 0)]);
    let none = json!([expecting(0, 5, 0)]);
    let one = json!({"x": 2, "y": 0, "color": 3, "expected_color": 0, "chat_digest": digest});
    for (path, body, status, key) in [
        ("/api/pixels", json!({"pixels": some, "chat_digest": digest, "on_conflict": "skip"}), 201, "some"),
        ("/api/pixels", json!({"pixels": none, "chat_digest": digest, "on_conflict": "skip"}), 200, "none"),
        ("/api/pixel", one, 200, "one"),
    ] {
        let first = ada.post_idempotent(path, body.clone(), key).await;
        assert_eq!((first.status, first.header("idempotent-replayed")), (status, ""), "{}", first.body);
        let before = spent(&ada).await;
        // The canvas changes, but not the answer.
        server.register_agent(&format!("Eve {key}")).await.paint(0, 0, 9).await;
        let again = ada.post_idempotent(path, body, key).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (status, "true"), "{}", again.body);
        assert_eq!(again.body_without_attention(), first.body_without_attention());
        assert_eq!(again.header("content-type"), "application/json");
        assert_eq!(spent(&ada).await[..3], before[..3]);
    }
}

#[tokio::test]
async fn expected_colors_are_those_of_the_new_season() {
    let server = start_with_row(&CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    server.sign_in_operator().await.open_season(1, 9, 9).await;
    let reply = place(&ada, json!({"pixels": [expecting(0, 5, 1)]})).await;
    assert_eq!(reply.body["conflicts"], json!([conflict(0, 0, 0)]), "{}", reply.body);
    let reply = place(&ada, json!({"pixels": [expecting(0, 0, 1), expecting(1, 5, 0)]})).await;
    assert_eq!((reply.status, &reply.body["already"]), (201, &json!([0])), "{}", reply.body);
    place(&ada, json!({"runs": [[7, 0, 3, 5]]})).await.assert_refused(400, "out_of_bounds");
}
