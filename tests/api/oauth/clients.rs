//! Signing in with the protocol's official client.

use crate::support::Server;

#[tokio::test(flavor = "multi_thread")]
async fn official_client_signs_in_and_refreshes_without_a_header_set_by_hand() {
    let server = Server::start().await;
    assert_eq!(server.run_official_client("sign_in.py").await, "signed in: 2025-11-25, 2026-07-28");
    assert_eq!(server.get("/api/stats").await.body["pixels"], 2);
}
