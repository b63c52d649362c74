//! `/api/canvas`: its forms, its tags.

use serde_json::json;

use crate::support::{Agent, Server};

#[tokio::test]
async fn a_pixel_shows_in_every_form_and_changes_every_tag() {
    let server = Server::start().await;
    let agent = server.agent("Ada").await;
    let before = server.get("/api/canvas").await;
    let painted = agent.paint(3, 2, 11).await;
    assert_eq!(painted.status, 201, "{}", painted.body);
    let after = server.get("/api/canvas").await;
    assert_ne!(before.header("etag"), after.header("etag"));
    assert_eq!(after.body["version"], painted.body["pixel"]["seq"]);
    assert_eq!(after.body["rows"][2].as_str().unwrap().as_bytes()[3], b'b');
    let bytes = server.get("/api/canvas.bin").await.bytes;
    assert_eq!((bytes.len(), bytes[2 * 128 + 3]), (128 * 128, 11));
}

/// A short history is folded from its placements, a long one spot by spot: both must give what was there.
#[tokio::test]
async fn a_restart_folds_short_and_long_histories_into_the_same_canvas() {
    let settings = [
        ("CARAPLACE_CANVAS_WIDTH", "8"),
        ("CARAPLACE_CANVAS_HEIGHT", "9"),
        ("CARAPLACE_MAX_CHARGES", "100"),
        ("CARAPLACE_CHARGE_SECONDS", "0"),
    ];
    let mut server = Server::with(&settings).await;
    let key = server.agent("Ada").await.key;
    for round in 0..5 {
        let agent = Agent { server: &server, id: String::new(), key: key.clone() };
        // All but the last row, each spot several times over, in another colour each round.
        let pixels: Vec<_> = (0..100)
            .map(|number| json!({"x": number % 8, "y": number / 8 % 8, "color": (number + round) % 16}))
            .collect();
        let body = json!({"pixels": pixels, "chat_digest": server.digest().await});
        assert_eq!(agent.post("/api/pixels", body).await.status, 201);
        let before = server.get("/api/canvas.bin").await.bytes;
        server.restart().await;
        assert_eq!(server.get("/api/canvas.bin").await.bytes, before, "round {round}");
        assert!(before.iter().any(|color| *color != 0) && before[64..].iter().all(|color| *color == 0));
    }
}

#[tokio::test]
async fn every_scale_of_the_contract_is_served_on_a_large_canvas() {
    let settings = [("CARAPLACE_CANVAS_WIDTH", "512"), ("CARAPLACE_CANVAS_HEIGHT", "8")];
    let server = Server::with(&settings).await;
    for scale in [1u32, 9, 16] {
        let reply = server.get(&format!("/api/canvas.png?scale={scale}")).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, "image/png"));
        let reader = png::Decoder::new(std::io::Cursor::new(reply.bytes)).read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (512 * scale, 8 * scale));
    }
    server.get("/api/canvas.png?scale=17").await.assert_refused(400, "invalid_field");
}
