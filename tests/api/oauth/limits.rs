//! How many consents and grants an agent may have.

use super::browser::Browser;
use super::flow::{Flow, Tokens, assert_error};
use crate::support::Server;

#[tokio::test]
async fn the_oldest_grant_ends_with_the_twenty_first() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let flow = Flow::start(&server).await;
    let of_bob = flow.sign_in(&bob.key).await;
    let mut grants = Vec::new();
    for _ in 0..20 {
        grants.push(flow.sign_in(&ada.key).await);
    }
    // More consents than that in an hour are refused.
    let mut browser = Browser::new();
    let page = browser.open(&flow.url()).await;
    let refused = browser.submit(&page, &[("answer", "use"), ("key", &ada.key)]).await;
    assert_eq!(refused.reply.status, 429, "{}", refused.html);
    assert_eq!(flow.status_with(&grants[0].access).await, 200);
    server.advance_clock(180);
    let newest = flow.sign_in(&ada.key).await;
    assert_eq!(flow.status_with(&grants[0].access).await, 401);
    assert_error(&flow.refresh(&grants[0].refresh).await, 400, "invalid_grant");
    for tokens in [&grants[1], &grants[19], &newest, &of_bob] {
        assert_eq!(flow.status_with(&tokens.access).await, 200);
        Tokens::read(&flow.refresh(&tokens.refresh).await);
    }
}
