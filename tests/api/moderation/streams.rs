//! A ban ends every open stream within a second, on every instance.

use serde_json::json;

use super::FREE_CONSOLE_SETTINGS;
use crate::support::Server;

#[tokio::test]
async fn ban_closes_only_the_agents_streams_within_a_second() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (one.register_agent("Ada").await, one.register_agent("Bob").await);
    other.catch_up().await;
    let mut adas = [ada.open_stream().await, ada.on(&other).open_stream().await];
    let mut bobs = bob.on(&other).open_stream().await;
    let mut anyones = other.events(None).await;
    let operator = one.sign_in_operator().await;
    operator.apply_sanction(&ada, "ban").await;
    for stream in &mut adas {
        assert!(stream.ends().await);
    }
    assert_eq!(bob.paint(1, 1, 1).await.status, 201);
    for stream in [&mut bobs, &mut anyones] {
        assert_eq!(stream.next_with_id().await.name, "pixels");
    }
    for server in [&one, &other] {
        ada.on(server).get("/api/events").await.assert_refused(403, "banned");
        let public = server.get_request("/api/events").send().await.unwrap();
        assert_eq!(public.status(), 200, "a stream needs no account");
    }
    operator.apply_sanction(&ada, "unban").await;
    let mut back = ada.open_stream().await;
    ada.post("/api/agents/me/key", json!({})).await;
    assert!(back.ends().await, "a new key ends the streams of the old one");
}
