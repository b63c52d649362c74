//! Authorization codes: for one client, once, within a minute.

use super::flow::{Flow, Tokens, VERIFIER, assert_error};
use crate::support::{Reply, Server};

#[tokio::test]
async fn a_code_is_only_for_its_client_and_verifier() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let (flow, other) = (Flow::start(&server).await, Flow::start(&server).await);
    let code = flow.code(&ada.key).await;
    assert_error(&other.redeem_with(&code, &[]).await, 400, "invalid_grant");
    let wrong_verifier = "x".repeat(43);
    let elsewhere = server.url("/api");
    for (error, change) in [
        ("invalid_grant", ("code_verifier", wrong_verifier.as_str())),
        ("invalid_grant", ("code_verifier", &VERIFIER[1..])),
        ("invalid_grant", ("redirect_uri", "https://app.example/other")),
        ("invalid_grant", ("code", &code[1..])),
        ("invalid_target", ("resource", "https://other.example/mcp")),
        ("invalid_target", ("resource", &elsewhere)),
        ("invalid_request", ("code_verifier", "")),
        ("invalid_request", ("code", "")),
        ("invalid_request", ("client_id", "")),
        ("invalid_request", ("grant_type", "")),
        ("unsupported_grant_type", ("grant_type", "password")),
    ] {
        assert_error(&flow.redeem_with(&code, &[change]).await, 400, error);
    }
    assert_error(&flow.redeem_with(&code, &[("client_id", "client_0")]).await, 401, "invalid_client");
    let twice = flow.redeem_with(&code, &[("code", &code), ("code", &code)]).await;
    assert_error(&twice, 400, "invalid_request");
    let json = Reply::fetch(server.post_request("/oauth/token").body("{}")).await;
    assert_error(&json, 400, "invalid_request");
    Tokens::read(&flow.redeem_with(&code, &[("something_new", "1")]).await);
}

#[tokio::test]
async fn a_replayed_code_revokes_what_it_gave() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let (flow, thief) = (Flow::start(&server).await, Flow::start(&server).await);
    for replaying in [&flow, &thief] {
        let code = flow.code(&ada.key).await;
        let tokens = Tokens::read(&flow.redeem_with(&code, &[]).await);
        assert_eq!(flow.status_with(&tokens.access).await, 200);
        let wrong = replaying.redeem_with(&code, &[("code_verifier", &"y".repeat(43))]).await;
        assert_error(&wrong, 400, "invalid_grant");
        assert_eq!(flow.status_with(&tokens.access).await, 401);
        assert_error(&flow.refresh(&tokens.refresh).await, 400, "invalid_grant");
    }
    assert_eq!(ada.me().await["agent"]["name"], "Ada", "the agent's own key still works");
}

#[tokio::test]
async fn a_code_expires_after_a_minute() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let (early, late) = (flow.code(&ada.key).await, flow.code(&ada.key).await);
    server.advance_clock(59);
    Tokens::read(&flow.redeem_with(&early, &[]).await);
    server.advance_clock(2);
    assert_error(&flow.redeem_with(&late, &[]).await, 400, "invalid_grant");
}

#[tokio::test]
async fn of_two_concurrent_redemptions_none_leaves_tokens_behind() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let code = flow.code(&ada.key).await;
    let (one, other) =
        futures_util::future::join(flow.redeem_with(&code, &[]), flow.redeem_with(&code, &[])).await;
    let good: Vec<_> = [&one, &other].into_iter().filter(|reply| reply.status == 200).collect();
    assert_eq!(good.len(), 1, "{} {}", one.body, other.body);
    assert_eq!(flow.status_with(&Tokens::read(good[0]).access).await, 401, "the second one was a replay");
}
