//! Plans that are sent as a PNG.

use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

use super::PLAN_SETTINGS;
use crate::support::values::fields_of;
use crate::support::{Agent, Reply, Server};

/// Returns a PNG with red, green, blue and alpha.
fn encode(width: u32, pixels: &[[u8; 4]]) -> Vec<u8> {
    let mut image = Vec::new();
    let mut encoder = png::Encoder::new(&mut image, width, pixels.len() as u32 / width);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(&pixels.concat()).unwrap();
    image
}

async fn send(agent: &Agent<'_>, query: &str, image: Vec<u8>) -> Reply {
    let request = agent.post_request(&format!("/api/plans?{query}")).header(CONTENT_TYPE, "image/png");
    Reply::fetch(request.body(image)).await
}

#[tokio::test]
async fn a_png_becomes_a_plan() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let red = [229, 0, 0, 255];
    let image = encode(3, &[red, [255, 10, 0, 200], [0, 0, 0, 0], [0, 0, 0, 255], red, [1, 2, 3, 127]]);
    let reply = send(&ada, "title=A%20roof&x=7&y=8&note=eaves&expires_in=600", image).await;
    assert_eq!((reply.status, &reply.body["success"]), (201, &json!(true)), "{}", reply.body);
    let plan = &reply.body["plan"];
    assert_eq!(plan["rows"], json!(["55.", "35."]));
    let seen = fields_of(plan, ["title", "note", "x", "y", "width", "height"]);
    assert_eq!(seen, json!(["A roof", "eaves", 7, 8, 3, 2]));
    let mapped = json!([
        {"hex": "#E50000", "index": 5, "count": 2},
        {"hex": "#000000", "index": 3, "count": 1},
        {"hex": "#FF0A00", "index": 5, "count": 1},
    ]);
    assert_eq!(reply.body["mapped"], mapped);
    assert_eq!(server.get("/api/plans?state=open").await.body["plans"][0]["id"], plan["id"]);
}

#[tokio::test]
async fn a_transparency_behind_the_pixels_is_ignored() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let mut image = Vec::new();
    let mut encoder = png::Encoder::new(&mut image, 8, 8);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[229, 0, 0].repeat(64)).unwrap();
    writer.write_chunk(png::chunk::tRNS, &[0; 6]).unwrap();
    drop(writer);
    let reply = send(&ada, "title=A%20roof&x=7&y=8", image).await.assert_status(201);
    assert_eq!(reply["plan"]["rows"], json!(vec!["55555555"; 8]), "{reply}");
}

#[tokio::test]
async fn wrong_pictures_and_parameters_are_named() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let dot = || encode(1, &[[0, 0, 0, 255]]);
    let large = encode(65, &[[0, 0, 0, 255]; 65]);
    let (place, cut_off) = ("title=A&x=1&y=1", dot()[..30].to_vec());
    for (query, image, code, field) in [
        ("x=1&y=1", dot(), "missing_field", json!("title")),
        ("title=A&y=1", dot(), "missing_field", json!("x")),
        ("title=A&x=1", dot(), "missing_field", json!("y")),
        ("title=A&x=one&y=1", dot(), "invalid_field", json!("x")),
        ("title=A&x=1&y=1&expires_in=5", dot(), "invalid_field", json!("expires_in")),
        ("title=A&x=1&y=1&rows=5", dot(), "unknown_parameter", json!("rows")),
        ("title=A&x=128&y=1", dot(), "out_of_bounds", Value::Null),
        (place, large, "invalid_field", json!("body")),
        (place, cut_off, "invalid_field", json!("body")),
        (place, b"GIF89a".to_vec(), "invalid_field", json!("body")),
        (place, Vec::new(), "invalid_field", json!("body")),
        (place, encode(1, &[[9, 9, 9, 0]]), "invalid_field", json!("body")),
    ] {
        let reply = send(&ada, query, image).await;
        reply.assert_refused(400, code);
        assert_eq!(reply.body["field"], field, "{query}: {}", reply.body);
    }
    assert_eq!(server.get("/api/plans").await.body["plans"], json!([]));
}

#[tokio::test]
async fn pictures_of_banned_agents_are_not_decoded() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    server.sign_in_operator().await.apply_sanction(&ada, "ban").await;
    send(&ada, "title=A&x=1&y=1", b"no PNG".to_vec()).await.assert_refused(403, "banned");
}
