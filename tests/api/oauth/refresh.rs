//! Refresh tokens: each is replaced by its use, gives the same successor for a minute, and ends the grant
//! later.

use futures_util::future::{join, join_all};

use super::flow::{Flow, Tokens, assert_error};
use crate::support::Server;

const DAY_SECONDS: i64 = 86_400;
/// The time for which a replaced token still gives its successor.
const GRACE_SECONDS: i64 = 60;

#[tokio::test]
async fn refresh_tokens_rotate_and_reuse_ends_the_grant() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let first = flow.sign_in(&ada.key).await;
    let second = Tokens::read(&flow.refresh(&first.refresh).await);
    let third = Tokens::read(&flow.refresh(&second.refresh).await);
    assert!(first.refresh != second.refresh && second.refresh != third.refresh);
    assert!(first.access != second.access);
    for tokens in [&first, &second, &third] {
        assert_eq!(flow.status_with(&tokens.access).await, 200);
    }
    server.advance_clock(GRACE_SECONDS);
    // The oldest one is recognised, too.
    assert_error(&flow.refresh(&first.refresh).await, 400, "invalid_grant");
    for tokens in [&first, &second, &third] {
        assert_eq!(flow.status_with(&tokens.access).await, 401);
        assert_error(&flow.refresh(&tokens.refresh).await, 400, "invalid_grant");
    }
}

#[tokio::test]
async fn a_token_whose_response_was_lost_gives_the_same_successor_for_a_minute() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let first = flow.sign_in(&ada.key).await;
    let lost = Tokens::read(&flow.refresh(&first.refresh).await);
    server.advance_clock(GRACE_SECONDS - 5);
    let again = Tokens::read(&flow.refresh(&first.refresh).await);
    assert_eq!(again.refresh, lost.refresh);
    for tokens in [&first, &lost, &again] {
        assert_eq!(flow.status_with(&tokens.access).await, 200);
    }
    // The repetition does not prolong the grace, and the successor is as good as any token.
    let next = Tokens::read(&flow.refresh(&again.refresh).await);
    server.advance_clock(5);
    assert_error(&flow.refresh(&first.refresh).await, 400, "invalid_grant");
    assert_error(&flow.refresh(&next.refresh).await, 400, "invalid_grant");
}

#[tokio::test]
async fn a_replaced_token_gives_its_successor_even_if_that_was_replaced_meanwhile() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let first = flow.sign_in(&ada.key).await;
    let second = Tokens::read(&flow.refresh(&first.refresh).await);
    server.advance_clock(30);
    let third = Tokens::read(&flow.refresh(&second.refresh).await);
    let late = Tokens::read(&flow.refresh(&first.refresh).await);
    assert_eq!(late.refresh, second.refresh);
    // Who received the successor late finds the newest token through it.
    assert_eq!(Tokens::read(&flow.refresh(&late.refresh).await).refresh, third.refresh);
    server.advance_clock(GRACE_SECONDS - 1);
    assert_eq!(Tokens::read(&flow.refresh(&second.refresh).await).refresh, third.refresh);
    assert_eq!(flow.status_with(&late.access).await, 200);
}

#[tokio::test]
async fn concurrent_refreshes_get_the_same_successor() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let tokens = flow.sign_in(&ada.key).await;
    let replies = join_all((0..8).map(|_| flow.refresh(&tokens.refresh))).await;
    let newer: Vec<_> = replies.iter().map(Tokens::read).collect();
    for tokens in &newer {
        assert_eq!(tokens.refresh, newer[0].refresh);
        assert_eq!(flow.status_with(&tokens.access).await, 200);
    }
    Tokens::read(&flow.refresh(&newer[0].refresh).await);
}

#[tokio::test]
async fn only_its_own_client_gets_the_successor() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let (flow, other) = (Flow::start(&server).await, Flow::start(&server).await);
    let tokens = flow.sign_in(&ada.key).await;
    let (newer, stolen) = join(flow.refresh(&tokens.refresh), other.refresh(&tokens.refresh)).await;
    assert_error(&stolen, 400, "invalid_grant");
    assert_error(&other.refresh(&tokens.refresh).await, 400, "invalid_grant");
    Tokens::read(&flow.refresh(&Tokens::read(&newer).refresh).await);
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
