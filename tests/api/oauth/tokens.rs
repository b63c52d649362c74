//! Access tokens: where they work, how they end, and how they are stored.

use caraplace_accounts::oauth::access::is_issued;
use serde_json::json;

use super::flow::{Flow, Tokens, assert_error};

use crate::moderation::apply_sanction;
use crate::support::{Reply, Server, with_form_body};

async fn revoke(server: &Server, fields: &[(&str, &str)]) -> Reply {
    Reply::fetch(with_form_body(server.post_request("/oauth/revoke"), fields)).await
}

#[tokio::test]
async fn a_token_acts_as_its_agent_at_mcp_only() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let tokens = flow.sign_in(&ada.key).await;
    let mcp = server.mcp(Some(&tokens.access));
    let pixels = json!({"pixels": [{"x": 1, "y": 2, "color": 3}], "chat_digest": server.digest().await});
    mcp.call_tool_ok("place_pixels", pixels).await;
    assert_eq!(server.get("/api/pixel?x=1&y=2").await.body["history"][0]["agent_name"], "Ada");
    for token in [&tokens.access, &tokens.refresh] {
        for path in ["/api/agents/me", "/api/canvas", "/api/admin/session"] {
            let reply = Reply::fetch(server.get_request(path).bearer_auth(token)).await;
            assert_eq!(reply.status, 401, "{path}: {}", reply.body);
        }
    }
    assert_eq!(flow.status_with(&tokens.refresh).await, 401, "a refresh token is no access token");
}

#[tokio::test]
async fn a_token_expires_after_a_quarter_of_an_hour() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let (cached, uncached) = (flow.sign_in(&ada.key).await, flow.sign_in(&ada.key).await);
    server.advance_clock(15 * 60 - 1);
    assert_eq!(flow.status_with(&cached.access).await, 200);
    server.advance_clock(1);
    assert_eq!(flow.status_with(&cached.access).await, 401);
    assert_eq!(flow.status_with(&uncached.access).await, 401);
    Tokens::read(&flow.refresh(&cached.refresh).await);
}

#[tokio::test]
async fn revocation_ends_all_tokens_of_a_grant_and_no_others() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let (flow, other) = (Flow::start(&server).await, Flow::start(&server).await);
    let kept = other.sign_in(&ada.key).await;
    for by_refresh_token in [false, true] {
        let first = flow.sign_in(&ada.key).await;
        let second = Tokens::read(&flow.refresh(&first.refresh).await);
        let token = if by_refresh_token { &second.refresh } else { &first.access };
        let mixed_up = revoke(&server, &[("token", token), ("client_id", &other.client)]).await;
        assert_error(&mixed_up, 400, "invalid_grant");
        assert_eq!(flow.status_with(&second.access).await, 200);
        let fields =
            [("token", token.as_str()), ("client_id", &flow.client), ("token_type_hint", "something")];
        assert_eq!(revoke(&server, &fields).await.status, 200);
        assert_eq!(revoke(&server, &fields).await.status, 200, "a second time changes nothing");
        for tokens in [&first, &second] {
            assert_eq!(flow.status_with(&tokens.access).await, 401);
            assert_error(&flow.refresh(&tokens.refresh).await, 400, "invalid_grant");
        }
    }
    assert_eq!(other.status_with(&kept.access).await, 200);
    assert_eq!(revoke(&server, &[("token", "unknown")]).await.status, 200);
    assert_error(&revoke(&server, &[]).await, 400, "invalid_request");
}

#[tokio::test]
async fn a_new_key_of_the_agent_ends_its_tokens() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let flow = Flow::start(&server).await;
    let (code, tokens) = (flow.code(&ada.key).await, flow.sign_in(&ada.key).await);
    let others = flow.sign_in(&bob.key).await;
    assert_eq!(flow.status_with(&tokens.access).await, 200);
    assert_eq!(ada.post("/api/agents/me/key", json!({})).await.status, 200);
    assert_eq!(flow.status_with(&tokens.access).await, 401);
    assert_error(&flow.refresh(&tokens.refresh).await, 400, "invalid_grant");
    assert_error(&flow.redeem_with(&code, &[]).await, 400, "invalid_grant");
    assert_eq!(flow.status_with(&others.access).await, 200);
}

#[tokio::test]
async fn a_ban_holds_for_tokens_as_for_keys() {
    let server = Server::start_with_console().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let tokens = flow.sign_in(&ada.key).await;
    apply_sanction(&server.sign_in_operator().await, &ada.id, "ban", json!({"reason": "spam"})).await;
    let pixels = json!({"pixels": [{"x": 1, "y": 2, "color": 3}], "chat_digest": server.digest().await});
    server.mcp(Some(&tokens.access)).call_tool("place_pixels", pixels).await.assert_refused("banned");
}

#[tokio::test]
async fn tokens_hold_after_a_restart_and_at_every_instance() {
    let settings = [("CARAPLACE_PUBLIC_URL", "https://cara.example")];
    let mut server = Server::start_with(&settings).await;
    let key = server.register_agent("Ada").await.key;
    let client = Flow::start(&server).await.client;
    let other = server.start_instance(&settings).await;
    let there = Flow { server: &other, client: client.clone() };
    let at = |name: &str| ("resource", format!("https://cara.example{name}"));
    let code = {
        let mut browser = super::browser::Browser::new();
        let flow = Flow { server: &server, client: client.clone() };
        let page = browser.open(&flow.url_with("resource", &at("/mcp").1)).await;
        browser.submit(&page, &[("answer", "use"), ("key", &key)]).await.redirect_param("code")
    };
    let tokens = Tokens::read(&there.redeem_with(&code, &[]).await);
    server.restart().await;
    let here = Flow { server: &server, client };
    for flow in [&here, &there] {
        assert_eq!(flow.status_with(&tokens.access).await, 200);
    }
    let newer = Tokens::read(&here.refresh(&tokens.refresh).await);
    assert_eq!(there.status_with(&newer.access).await, 200);
    assert_eq!(Tokens::read(&there.refresh(&tokens.refresh).await).refresh, newer.refresh);
    other.advance_clock(60);
    assert_error(&there.refresh(&tokens.refresh).await, 400, "invalid_grant");
    assert_eq!(there.status_with(&newer.access).await, 401);
    here.wait_for_status(&newer.access, 401).await;
    here.wait_for_status(&tokens.access, 401).await;
}

#[tokio::test]
async fn forged_tokens_are_refused_without_the_database() {
    let server = Server::start().await;
    let flow = Flow::start(&server).await;
    for forged in [format!("cpa_{}", "0".repeat(64)), "cpa_".to_owned(), format!("cpa_{}", "é".repeat(32))] {
        assert_eq!(flow.status_with(&forged).await, 401, "{forged}");
    }
    let tokens = flow.sign_in(&server.register_agent("Ada").await.key).await;
    let state = &server.running().state;
    assert!(is_issued(state, &tokens.access));
    assert!(!is_issued(state, &format!("{}0", tokens.access)), "a variant would be looked up each time");
}

#[tokio::test]
async fn the_database_holds_only_hashes_and_expired_rows_go() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let code = flow.code(&ada.key).await;
    let tokens = Tokens::read(&flow.redeem_with(&code, &[]).await);
    let rows = "select concat((select json_agg(g) from oauth_grant g),
        (select json_agg(a) from oauth_access_token a))";
    let stored: String = server.fetch_scalar(rows).await;
    assert!(stored.contains("code_hash") && stored.contains("token_hash"), "{stored}");
    for secret in [&code, &tokens.access, &tokens.refresh, &ada.key] {
        let random = secret.rsplit('_').next().unwrap();
        assert!(!stored.contains(&random[..32]), "{secret}");
    }
    server.advance_clock(200 * 86_400);
    caraplace_accounts::oauth::sweep(&server.running().state).await.unwrap();
    for table in ["oauth_client", "oauth_grant", "oauth_access_token"] {
        assert_eq!(server.count_rows(table).await, 0, "{table}");
    }
}
