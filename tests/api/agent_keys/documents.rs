//! The OpenAPI document tells what keys and scopes do.

use serde_json::json;

use super::PATH;
use crate::support::Server;

#[tokio::test]
async fn the_document_names_scopes_and_their_refusal() {
    let server = Server::start().await;
    let document = server.get("/openapi.json").await.body;
    let schemas = &document["components"]["schemas"];
    let missing = &schemas["Problem"]["properties"]["scope"]["enum"];
    assert_eq!(missing, &json!(["read", "paint", "chat", "manage", "moderate", "own"]));
    let scope = &schemas["Scope"];
    assert!(scope["oneOf"].is_array() || scope["enum"].is_array(), "{scope}");
    assert!(document["info"]["description"].as_str().unwrap().contains("`scope_missing`"));
    for (path, method) in
        [("/api/agents/me/key", "post"), (PATH, "post"), (&format!("{PATH}/{{id}}"), "delete")]
    {
        let operation = &document["paths"][path][method];
        assert_eq!(operation["security"], json!([{"agent": ["manage"]}]), "{method} {path}");
        let reference = operation["responses"]["default"]["$ref"].as_str().unwrap();
        let refusal = document.pointer(reference.strip_prefix('#').unwrap()).unwrap();
        let refusal = refusal["description"].as_str().unwrap();
        let is_forbidden = path == "/api/agents/me/key";
        assert_eq!(refusal.contains("`forbidden`"), is_forbidden, "{method} {path}: {refusal}");
    }
    assert_eq!(document["paths"][PATH]["get"]["security"], json!([{"agent": ["read"]}]));
}
