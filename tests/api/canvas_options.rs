//! `/api/canvas/region` and `/api/canvas/visual`: labels, the palette, the grid, and points in time.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::actions::paint_pixel;
use crate::support::{Reply, Server};

const CORNERS: &str = "x1=6&y1=8&x2=11&y2=11";
const IMMUTABLE_CACHE_CONTROL: &str = "public, max-age=31536000, immutable";

async fn fetch(server: &Server, path: &str) -> Reply {
    let reply = server.get(path).await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.body);
    reply
}

/// Returns the number of colours of a PNG's image pixels, and the image pixels of one of them.
fn image_colors(reply: &Reply, color: [u8; 3]) -> (usize, usize) {
    let (_, _, pixels) = reply.decode_png();
    let colors: BTreeSet<_> = pixels.iter().collect();
    (colors.len(), pixels.iter().filter(|pixel| **pixel == color).count())
}

#[tokio::test]
async fn labelled_rows_have_a_ruler_and_their_y() {
    let server = Server::start().await;
    paint_pixel(&server.register_agent("Ada").await, (10, 9), 11).await;
    let plain = fetch(&server, &format!("/api/canvas/region?{CORNERS}")).await;
    assert_eq!(plain.body["rows"], json!(["000000", "0000b0", "000000", "000000"]));
    let labelled = fetch(&server, &format!("/api/canvas/region?{CORNERS}&labels=true")).await;
    let expected = ["       11", "   678901", " 8 000000", " 9 0000b0", "10 000000", "11 000000"];
    assert_eq!(labelled.body["rows"], json!(expected));
    assert_ne!(labelled.header("etag"), plain.header("etag"));
    let off = fetch(&server, &format!("/api/canvas/region?{CORNERS}&labels=false")).await;
    assert_eq!((off.body, off.headers["etag"].clone()), (plain.body, plain.headers["etag"].clone()));
    let fitted = fetch(&server, &format!("/api/canvas/region?{CORNERS}&labels=true&max_tokens=500")).await;
    assert_eq!((&fitted.body["form"], &fitted.body["rows"]), (&json!("rows"), &json!(expected)));
    assert!(fitted.bytes.len() <= 1_500);
    let wrong = server.get(&format!("/api/canvas/region?{CORNERS}&labels=yes")).await;
    wrong.assert_field_refused(400, "invalid_field", "labels");
}

#[tokio::test]
async fn labels_count_against_the_token_budget() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    for x in [0, 3, 5] {
        paint_pixel(&agent, (x, x), 7).await;
    }
    for tokens in [64, 100, 150, 200, 300, 400] {
        for labels in [true, false] {
            let query = format!("x1=0&y1=0&x2=15&y2=15&max_tokens={tokens}&labels={labels}");
            let reply = fetch(&server, &format!("/api/canvas/region?{query}")).await;
            assert!(reply.bytes.len() <= tokens * 3, "{query}: {} bytes", reply.bytes.len());
        }
    }
}

#[tokio::test]
async fn palette_can_be_left_out() {
    let server = Server::start().await;
    let seq = paint_pixel(&server.register_agent("Ada").await, (10, 9), 11).await;
    let region = format!("/api/canvas/region?{CORNERS}");
    for path in [
        "/api/canvas?".to_owned(),
        format!("/api/canvas?at={seq}"),
        region.clone(),
        format!("{region}&at={seq}"),
        format!("{region}&max_tokens=4000"),
        format!("{region}&labels=true"),
    ] {
        let full = fetch(&server, &path).await;
        let bare = fetch(&server, &format!("{path}&palette=false")).await;
        let explicit = fetch(&server, &format!("{path}&palette=true")).await;
        assert_eq!(full.body["palette"].as_array().unwrap().len(), 16, "{path}");
        assert_eq!((&explicit.body, explicit.header("etag")), (&full.body, full.header("etag")), "{path}");
        assert_eq!(bare.body.get("palette"), None, "{path}");
        assert_ne!(bare.header("etag"), full.header("etag"), "{path}");
        let mut expected = full.body.clone();
        expected.as_object_mut().unwrap().remove("palette");
        assert_eq!(bare.body, expected, "{path}");
    }
    server.get("/api/canvas?palette=no").await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn body_without_palette_changes_with_the_canvas() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    let path = "/api/canvas?palette=false";
    let before = fetch(&server, path).await;
    let known = [("If-None-Match", before.header("etag"))];
    assert_eq!(server.get_with_headers(path, &known).await.status, 304);
    assert_eq!(server.get_with_headers("/api/canvas", &known).await.status, 200);
    paint_pixel(&agent, (0, 0), 15).await;
    let after = server.get_with_headers(path, &known).await;
    assert_eq!((after.status, &after.body["rows"][0].as_str().unwrap()[..2]), (200, "f0"));
    let packed = server.get_with_headers(path, &[("accept-encoding", "gzip")]).await;
    assert_eq!(packed.header("content-encoding"), "gzip");
}

#[tokio::test]
async fn every_grid_shows_all_pixels() {
    const RED: [u8; 3] = [0xE5, 0, 0];
    let server = Server::start().await;
    paint_pixel(&server.register_agent("Ada").await, (9, 9), 5).await;
    let picture =
        async |grid: &str| fetch(&server, &format!("/api/canvas/visual?x1=0&y1=0&x2=15&y2=15{grid}")).await;
    let (default, off) = (picture("").await, picture("&grid=off").await);
    let (light, on) = (picture("&grid=light").await, picture("&grid=on").await);
    assert_eq!((&default.bytes, default.header("etag")), (&light.bytes, light.header("etag")));
    let tags: BTreeSet<_> = [&off, &light, &on].map(|reply| reply.header("etag").to_owned()).into();
    assert_eq!(tags.len(), 3, "{tags:?}");
    for reply in [&off, &light, &on] {
        let scale = (image_colors(reply, RED).1 as f64).sqrt() as usize;
        assert!(scale > 50 && scale * scale == image_colors(reply, RED).1, "a whole square");
    }
    let colors = [&off, &light, &on].map(|reply| image_colors(reply, RED).0);
    // Background, white and red; light lines add the shades of white and red, the others black.
    assert_eq!(colors, [3, 4, 4]);
    server.get("/api/canvas/visual?grid=dark").await.assert_field_refused(400, "invalid_field", "grid");
}

#[tokio::test]
async fn region_and_picture_show_any_point_in_time() {
    const CYAN: [u8; 3] = [0x00, 0xD3, 0xDD];
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    let first = paint_pixel(&agent, (10, 9), 11).await;
    agent.earn_message_credits().await;
    let message = agent.post_message("between").await.body["message"].clone();
    server.advance_clock(60);
    paint_pixel(&agent, (10, 9), 5).await;
    let then = [message["seq"].to_string(), message["timestamp"].as_str().unwrap().to_owned()];
    for at in &then {
        let region = fetch(&server, &format!("/api/canvas/region?{CORNERS}&at={at}")).await;
        assert_eq!(region.body["at"], json!({"seq": message["seq"], "time": message["timestamp"]}), "{at}");
        assert_eq!(region.body["rows"][1], "0000b0");
        let labelled = fetch(&server, &format!("/api/canvas/region?{CORNERS}&labels=true&at={at}")).await;
        assert_eq!(labelled.body["rows"][3], " 9 0000b0");
        let fitted = fetch(&server, &format!("/api/canvas/region?{CORNERS}&max_tokens=500&at={at}")).await;
        assert_eq!((&fitted.body["at"], &fitted.body["rows"][1]), (&region.body["at"], &json!("0000b0")));
    }
    assert_eq!(fetch(&server, &format!("/api/canvas/region?{CORNERS}")).await.body.get("at"), None);
    for query in ["x1=8&y1=8&x2=15&y2=15", "x1=8&y1=8&x2=15&y2=15&grid=off"] {
        let now = fetch(&server, &format!("/api/canvas/visual?{query}")).await;
        assert_eq!(image_colors(&now, CYAN).1, 0);
        let past = fetch(&server, &format!("/api/canvas/visual?{query}&at={}", then[0])).await;
        assert!(image_colors(&past, CYAN).1 > 50 * 50, "{query}");
        assert_ne!(past.header("etag"), now.header("etag"));
    }
    let blank: Value = fetch(&server, &format!("/api/canvas/region?{CORNERS}&at=0")).await.body;
    assert_eq!((&blank["version"], &blank["rows"][1]), (&json!(0), &json!("000000")));
    assert!(first > 0);
}

#[tokio::test]
async fn past_regions_and_pictures_are_immutable_at_a_seq() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    let seq = paint_pixel(&agent, (10, 9), 11).await;
    let mut tags = BTreeSet::new();
    for path in [
        format!("/api/canvas/region?{CORNERS}"),
        format!("/api/canvas/region?{CORNERS}&labels=true"),
        format!("/api/canvas/region?{CORNERS}&palette=false"),
        format!("/api/canvas/region?{CORNERS}&max_tokens=100"),
        "/api/canvas/region?x1=0&y1=0&x2=1&y2=1".to_owned(),
        "/api/canvas/visual?".to_owned(),
        format!("/api/canvas/visual?{CORNERS}"),
        format!("/api/canvas/visual?{CORNERS}&grid=on"),
        format!("/api/canvas/visual?{CORNERS}&grid=off"),
    ] {
        let path = format!("{path}&at={seq}");
        let reply = fetch(&server, &path).await;
        assert_eq!(reply.header("cache-control"), IMMUTABLE_CACHE_CONTROL, "{path}");
        assert_eq!(reply.header("x-canvas-version"), seq.to_string(), "{path}");
        let tag = reply.header("etag").to_owned();
        assert!(tags.insert(tag.clone()), "{path}: {tag}");
        paint_pixel(&agent, (10, 9), 5).await;
        server.advance_clock(60);
        let again = Reply::fetch(server.get_request(&path).header("If-None-Match", tag)).await;
        assert_eq!((again.status, again.header("cache-control")), (304, IMMUTABLE_CACHE_CONTROL), "{path}");
        assert_eq!(fetch(&server, &path).await.bytes, reply.bytes, "{path}");
    }
    let at_time = fetch(&server, &format!("/api/canvas/region?{CORNERS}&at=2001-01-01T00:00:00Z")).await;
    assert_eq!(at_time.header("cache-control"), "public, max-age=10");
    let beyond = server.head().await + 1;
    for at in [beyond.to_string(), "2999-01-01T00:00:00Z".into(), "now".into(), "-1".into()] {
        for path in [format!("region?{CORNERS}"), format!("visual?{CORNERS}")] {
            let reply = server.get(&format!("/api/canvas/{path}&at={at}")).await;
            reply.assert_field_refused(400, "invalid_field", "at");
        }
    }
    server.get(&format!("/api/canvas/region?at={seq}")).await.assert_refused(400, "missing_field");
    let outside = format!("/api/canvas/visual?x1=0&y1=0&x2=128&y2=0&at={seq}");
    server.get(&outside).await.assert_refused(400, "out_of_bounds");
}
