//! Refresh tokens: each works once, and a second use ends the grant.

use futures_util::future::join;

use super::flow::{Flow, Tokens, assert_error};
use crate::support::Server;

const DAY_SECONDS: i64 = 86_400;

#[tokio::test]
async fn refresh_tokens_rotate_and_reuse_ends_the_grant() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let first = flow.sign_in(&ada.key).await;
    let second = Tokens::read(&flow.refresh(&first.refresh).await);
    let third = Tokens::read(&flow.refresh(&second.refresh).await);
    assert!(first.refresh != second.refresh && first.access != second.access);
    for tokens in [&first, &second, &third] {
        assert_eq!(flow.status_with(&tokens.access).await, 200);
    }
    // The oldest one is recognised, too.
    assert_error(&flow.refresh(&first.refresh).await, 400, "invalid_grant");
    for tokens in [&first, &second, &third] {
        assert_eq!(flow.status_with(&tokens.access).await, 401);
        assert_error(&flow.refresh(&tokens.refresh).await, 400, "invalid_grant");
    }
}

#[tokio::test]
async fn of_two_concurrent_refreshes_one_succeeds_and_the_grant_ends() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let tokens = flow.sign_in(&ada.key).await;
    let (one, other) = join(flow.refresh(&tokens.refresh), flow.refresh(&tokens.refresh)).await;
    let (good, bad) = if one.status == 200 { (one, other) } else { (other, one) };
    assert_error(&bad, 400, "invalid_grant");
    let newer = Tokens::read(&good);
    assert_eq!(flow.status_with(&newer.access).await, 401);
    assert_error(&flow.refresh(&newer.refresh).await, 400, "invalid_grant");
}

#[tokio::test]
async fn a_refresh_token_is_only_for_its_client_and_resource() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let (flow, other) = (Flow::start(&server).await, Flow::start(&server).await);
    let tokens = flow.sign_in(&ada.key).await;
    assert_error(&other.refresh(&tokens.refresh).await, 400, "invalid_grant");
    assert_error(&flow.refresh(&tokens.access).await, 400, "invalid_grant");
    assert_error(&flow.refresh(&ada.key).await, 400, "invalid_grant");
    let fields = [
        ("grant_type", "refresh_token"),
        ("refresh_token", tokens.refresh.as_str()),
        ("client_id", flow.client.as_str()),
        ("resource", "https://other.example/mcp"),
    ];
    assert_error(&flow.post_token(&fields).await, 400, "invalid_target");
    Tokens::read(&flow.refresh(&tokens.refresh).await);
}

#[tokio::test]
async fn a_refresh_token_expires_after_thirty_days_without_use() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let mut tokens = flow.sign_in(&ada.key).await;
    for _ in 0..2 {
        server.advance_clock(29 * DAY_SECONDS);
        assert_eq!(flow.status_with(&tokens.access).await, 401);
        tokens = Tokens::read(&flow.refresh(&tokens.refresh).await);
        assert_eq!(flow.status_with(&tokens.access).await, 200);
    }
    server.advance_clock(30 * DAY_SECONDS);
    assert_error(&flow.refresh(&tokens.refresh).await, 400, "invalid_grant");
}
