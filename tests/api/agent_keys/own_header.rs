//! `X-API-Key` in place of `Authorization`.

use serde_json::json;

use crate::support::{Reply, Server, tool_call};

#[tokio::test]
async fn a_key_may_stand_in_a_header_of_its_own() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let me = |keys: Vec<(&'static str, String)>| {
        let request = server.get_request("/api/agents/me");
        let request = keys.into_iter().fold(request, |request, (name, key)| request.header(name, key));
        Reply::fetch(request)
    };
    let bearer = ("Authorization", format!("Bearer {}", ada.key));
    for keys in [vec![("X-API-Key", ada.key.clone())], vec![("X-API-Key", ada.key.clone()), bearer.clone()]] {
        let known = me(keys).await;
        assert_eq!((known.status, &known.body["agent"]["name"]), (200, &json!("Ada")), "{}", known.body);
        assert_eq!(known.header("cache-control"), "no-store");
    }
    me(vec![("X-API-Key", "cp_1".to_owned())]).await.assert_refused(401, "key_invalid");
    let two = me(vec![("X-API-Key", bob.key.clone()), bearer]).await;
    two.assert_field_refused(400, "invalid_field", "X-API-Key");
    let pixel = json!({"x": 1, "y": 1, "color": 5});
    let paint = server.post_request("/api/pixel").header("X-API-Key", &bob.key).json(&pixel);
    let painted = Reply::fetch(paint).await;
    assert_eq!(painted.code(), "digest_missing", "{}", painted.body);
    let call = tool_call("my_status", &json!({}));
    let status = Reply::fetch(server.post_request("/mcp").header("X-API-Key", &bob.key).json(&call)).await;
    assert_eq!(status.body["result"]["isError"], false, "{}", status.body);
}
