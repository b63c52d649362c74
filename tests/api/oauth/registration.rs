//! Dynamic registration of clients.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::flow::{assert_error, register};
use crate::support::{Reply, Server};

#[tokio::test]
async fn a_client_is_registered_as_public_and_unknown_metadata_is_ignored() {
    let server = Server::start().await;
    let metadata = json!({
        "client_name": "Pain\u{202e}ter",
        "redirect_uris": ["http://127.0.0.1/callback", "cursor://anysphere.cursor-mcp/oauth/callback"],
        "token_endpoint_auth_method": "client_secret_post",
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "logo_uri": "https://app.example/logo.png",
        "something_new": {"x": 1},
    });
    let reply = register(&server, metadata.clone()).await;
    assert_eq!((reply.status, reply.header("cache-control")), (201, "no-store"), "{}", reply.body);
    assert!(reply.body["client_id"].as_str().unwrap().starts_with("client_"));
    assert!(reply.body["client_id_issued_at"].is_i64() && reply.body.get("client_secret").is_none());
    assert_eq!(reply.body["token_endpoint_auth_method"], "none");
    assert_eq!(reply.body["client_name"], "Painter");
    assert_eq!(reply.body["redirect_uris"], metadata["redirect_uris"]);
    let minimal = json!({"redirect_uris": ["https://app.example"], "client_name": null});
    assert_eq!(register(&server, minimal).await.status, 201);
}

#[tokio::test]
async fn wrong_metadata_is_refused_by_name() {
    let server = Server::start().await;
    for uri in ["http://app.example/", "https://app.example/#x", "javascript:alert(1)", "app", ""] {
        let reply = register(&server, json!({"redirect_uris": ["https://app.example", uri]})).await;
        assert_error(&reply, 400, "invalid_redirect_uri");
    }
    let many = vec!["https://app.example"; 11];
    let uri = ["https://app.example"];
    for wrong in [
        json!({}),
        json!({"redirect_uris": []}),
        json!({"redirect_uris": many}),
        json!({"redirect_uris": "https://app.example"}),
        json!({"redirect_uris": uri, "grant_types": ["client_credentials"]}),
        json!({"redirect_uris": uri, "response_types": ["token"]}),
        json!([]),
    ] {
        assert_error(&register(&server, wrong.clone()).await, 400, "invalid_client_metadata");
    }
    let text = server.post_request("/oauth/register").body("{}");
    assert_error(&Reply::fetch(text).await, 400, "invalid_request");
}

#[tokio::test]
async fn registrations_are_limited_per_address() {
    let server = Server::start().await;
    let metadata = json!({"redirect_uris": ["https://app.example"]});
    for _ in 0..30 {
        assert_eq!(register(&server, metadata.clone()).await.status, 201);
    }
    let refused = register(&server, metadata).await;
    refused.assert_refused(StatusCode::TOO_MANY_REQUESTS.as_u16(), "too_many_requests");
    assert_eq!(refused.body["error"], Value::from("temporarily_unavailable"));
    assert!(refused.body["error_description"].is_string());
}
