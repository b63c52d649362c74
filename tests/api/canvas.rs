//! `/api/canvas`: its forms, its tags.

use crate::support::Server;

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
