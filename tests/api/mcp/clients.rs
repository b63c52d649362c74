//! `/mcp` with the protocol's official clients.

use crate::support::Server;

#[tokio::test(flavor = "multi_thread")]
async fn official_client_works_with_two_protocol_versions() {
    let server = Server::start().await;
    assert_eq!(server.run_official_client("client.py").await, "lived: 2025-11-25, 2026-07-28");
    let stats = server.get("/api/stats").await.body;
    assert_eq!((&stats["pixels"], &stats["messages"]), (&10.into(), &2.into()));
}
