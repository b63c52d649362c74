//! `/api/canvas`: its representations and entity tags.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::support::actions::{paint_pixel, place};
use crate::support::values::texts_of;
use crate::support::{Reply, Server, WAIT_LIMIT};

fn version(reply: &Reply) -> i64 {
    reply.header("x-canvas-version").parse().unwrap()
}

#[tokio::test]
async fn pixel_shows_in_every_format_and_changes_the_etag() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    let before = server.get("/api/canvas").await;
    let seq = paint_pixel(&agent, (3, 2), 11).await;
    let after = server.get("/api/canvas").await;
    assert_ne!(before.header("etag"), after.header("etag"));
    assert_eq!(after.body["version"], seq);
    assert_eq!(after.body["rows"][2].as_str().unwrap().as_bytes()[3], b'b');
    let bytes = server.get("/api/canvas.bin").await.bytes;
    assert_eq!((bytes.len(), bytes[2 * 128 + 3]), (128 * 128, 11));
}

/// A short history is replayed placement by placement, a long one pixel by pixel. Both must give the same
/// canvas.
#[tokio::test]
async fn restart_restores_canvas_from_short_and_long_logs() {
    let settings = [
        ("CARAPLACE_CANVAS_WIDTH", "8"),
        ("CARAPLACE_CANVAS_HEIGHT", "9"),
        ("CARAPLACE_MAX_CHARGES", "100"),
        ("CARAPLACE_CHARGE_SECONDS", "0"),
    ];
    let mut server = Server::start_with(&settings).await;
    let key = server.register_agent("Ada").await.key;
    for round in 0..5 {
        // All but the last row, in another colour each round.
        let pixels: Vec<_> = (0..64).map(|number| (number % 8, number / 8, (number + round) % 16)).collect();
        place(&server.client_with_key(&key), &pixels).await;
        let before = server.get("/api/canvas.bin").await.bytes;
        server.restart().await;
        assert_eq!(server.get("/api/canvas.bin").await.bytes, before, "round {round}");
        assert!(before.iter().any(|color| *color != 0) && before[64..].iter().all(|color| *color == 0));
    }
}

#[tokio::test]
async fn serves_every_scale_of_a_large_canvas() {
    let settings = [("CARAPLACE_CANVAS_WIDTH", "512"), ("CARAPLACE_CANVAS_HEIGHT", "8")];
    let server = Server::start_with(&settings).await;
    for scale in [1u32, 9, 16] {
        let reply = server.get(&format!("/api/canvas.png?scale={scale}")).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, "image/png"));
        let reader = png::Decoder::new(std::io::Cursor::new(reply.bytes)).read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (512 * scale, 8 * scale));
    }
    server.get("/api/canvas.png?scale=17").await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn visual_shows_the_requested_region() {
    const RED: [u8; 3] = [0xE5, 0, 0];
    let server = Server::start().await;
    assert_eq!(server.register_agent("Ada").await.paint(9, 9, 5).await.status, 201);
    let reds = |reply: &Reply| reply.decode_png().2.iter().filter(|color| **color == RED).count();
    let whole = server.get("/api/canvas/visual").await;
    let (width, height, _) = whole.decode_png();
    assert!((1_000..=1_500).contains(&width.max(height)), "{width} x {height}");
    let scale = (reds(&whole) as f64).sqrt() as usize;
    assert!(scale > 4 && scale * scale == reds(&whole), "a single pixel");
    assert!(reds(&server.get("/api/canvas/visual?x1=9&y1=9&x2=9&y2=9").await) > 800 * 800);
    assert_eq!(reds(&server.get("/api/canvas/visual?x1=0&y1=0&x2=8&y2=9").await), 0);
    for (query, code) in [
        ("x1=0&y1=0&x2=128&y2=9", "out_of_bounds"),
        ("x1=0&y1=0&x2=9", "missing_field"),
        ("x1=9&y1=0&x2=8&y2=9", "invalid_field"),
        ("x1=a&y1=0&x2=8&y2=9", "invalid_field"),
    ] {
        server.get(&format!("/api/canvas/visual?{query}")).await.assert_refused(400, code);
    }
}

#[tokio::test]
async fn etag_depends_on_image_content() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    agent.earn_message_credits().await;
    let paths = [
        "/api/canvas.png",
        "/api/canvas.png?scale=2",
        "/api/canvas/visual",
        "/api/canvas/visual?x1=8&y1=8&x2=15&y2=20",
    ];
    let mut tags = BTreeSet::new();
    for path in paths {
        let first = server.get(path).await;
        let tag = first.header("etag").to_owned();
        assert!(tag.starts_with('"') && version(&first) == server.head().await, "{path}: {tag}");
        assert!(tags.insert(tag.clone()), "{path}: {tag}");
        let ask = || server.get_request(path).header("If-None-Match", tag.clone());
        assert_eq!(Reply::fetch(ask()).await.status, 304);
        assert_eq!(agent.post_message(&format!("about {path}")).await.status, 201);
        assert_eq!(Reply::fetch(ask()).await.status, 304, "messages do not change the image");
        // Outside the region, whose image stays the same while the version changes.
        let seq = paint_pixel(&agent, (100, 100), 5).await;
        let changed = Reply::fetch(ask()).await;
        assert_eq!((changed.status, version(&changed)), (200, seq), "{path}");
        assert_ne!(changed.header("etag"), tag);
        server.advance_clock(600);
        agent.earn_message_credits().await;
    }
}

#[tokio::test]
async fn renders_at_a_limited_rate_with_correct_etag() {
    let server = Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let agent = server.register_agent("Ada").await;
    let digest = server.digest().await;
    let colors = palette_colors(&server).await;
    let started = platform::clock::monotonic_now();
    let mut seen = BTreeSet::new();
    let mut painted = BTreeMap::new();
    for number in 0..80 {
        let pixel = json!({"x": 0, "y": 0, "color": number % 16, "chat_digest": digest});
        let reply = agent.post("/api/pixel", pixel).await;
        painted.insert(reply.body["pixel"]["seq"].as_i64().unwrap(), number % 16);
        let picture = server.get("/api/canvas.png").await;
        assert!(picture.header("etag").contains(&format!("-{}-", version(&picture))));
        assert_eq!(picture.decode_png().2[0], colors[painted[&version(&picture)]], "{number}");
        seen.insert(version(&picture));
    }
    let newest = *painted.last_key_value().unwrap().0;
    let max_renders = 9.0 + 12.0 * started.elapsed().as_secs_f64();
    assert!(seen.len() as f64 <= max_renders, "{} pictures, at most {max_renders}", seen.len());
    while version(&server.get("/api/canvas.png").await) < newest {
        assert!(started.elapsed() < WAIT_LIMIT, "the newest placement is never shown");
    }
}

/// Returns the colours of the palette.
async fn palette_colors(server: &Server) -> Vec<[u8; 3]> {
    let palette = server.get("/api/canvas").await.body["palette"].clone();
    let hex = |text: &str| u32::from_str_radix(&text[1..], 16).unwrap();
    let color = |hex: u32| [(hex >> 16) as u8, (hex >> 8) as u8, hex as u8];
    texts_of(&palette, "hex").into_iter().map(|text| color(hex(text))).collect()
}
