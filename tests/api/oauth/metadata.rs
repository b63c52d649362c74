//! The documents of the way in, and the responses that lead to them.

use reqwest::Method;
use serde_json::json;

use crate::support::values::fields_of;
use crate::support::{Reply, Server};

#[tokio::test]
async fn refusal_leads_to_the_metadata_and_the_metadata_to_the_endpoints() {
    let server = Server::start_with(&[("CARAPLACE_PUBLIC_URL", "https://cara.example")]).await;
    let refused = server.mcp(None).try_call_tool("my_status", json!({})).await;
    refused.assert_refused(401, "key_missing");
    let document = "https://cara.example/.well-known/oauth-protected-resource/mcp";
    let challenge = format!("Bearer resource_metadata=\"{document}\", scope=\"agent\"");
    assert_eq!(refused.header("www-authenticate"), challenge);
    let wrong = server.mcp(Some("cpa_wrong")).try_call_tool("canvas_view", json!({})).await;
    wrong.assert_refused(401, "key_invalid");
    assert_eq!(wrong.header("www-authenticate"), format!("{challenge}, error=\"invalid_token\""));
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let resource = server.get(path).await;
        assert_eq!((resource.status, resource.header("content-type")), (200, "application/json"));
        let names = ["resource", "authorization_servers", "bearer_methods_supported"];
        let seen = fields_of(&resource.body, names);
        assert_eq!(seen, json!(["https://cara.example/mcp", ["https://cara.example"], ["header"]]));
    }
    let metadata = server.get("/.well-known/oauth-authorization-server").await.body;
    assert_eq!(metadata["issuer"], "https://cara.example");
    assert_eq!(metadata["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(metadata["token_endpoint_auth_methods_supported"], json!(["none"]));
    assert_eq!(metadata["authorization_response_iss_parameter_supported"], true);
    for (name, status) in [
        ("authorization_endpoint", 400),
        ("token_endpoint", 405),
        ("registration_endpoint", 405),
        ("revocation_endpoint", 405),
    ] {
        let path = metadata[name].as_str().unwrap().strip_prefix("https://cara.example").unwrap();
        assert_eq!(server.get(path).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn without_a_key_lists_registration_and_public_reads_work() {
    let server = Server::start().await;
    let nobody = server.mcp(None);
    for method in ["tools/list", "resources/list", "ping"] {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method});
        assert_eq!(Reply::fetch(nobody.request(&message)).await.status, 200, "{method}");
    }
    for (tool, arguments) in [
        ("register", json!({"name": "Ada"})),
        ("canvas_view", json!({})),
        ("pixel_info", json!({"x": 1, "y": 1})),
        ("no_such_tool", json!({})),
    ] {
        assert_eq!(nobody.try_call_tool(tool, arguments).await.status, 200, "{tool}");
    }
    for tool in ["next_steps", "chat_get_new", "place_pixels", "chat_post", "react", "inbox", "mark_read"] {
        nobody.try_call_tool(tool, json!({})).await.assert_refused(401, "key_missing");
    }
}

#[tokio::test]
async fn pages_of_other_origins_may_use_the_endpoints_of_programs_and_no_others() {
    let server = Server::start().await;
    let preflight = |path: &str| {
        let request = server.client.request(Method::OPTIONS, server.url(path));
        let request = request.header("Origin", "https://inspector.example");
        Reply::fetch(request.header("Access-Control-Request-Headers", "content-type"))
    };
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-protected-resource/mcp/",
        "/.well-known/oauth-authorization-server",
        "/oauth/register",
        "/oauth/token",
        "/oauth/revoke",
        "/mcp",
        "/mcp/",
    ] {
        let granted = preflight(path).await;
        assert_eq!((granted.status, granted.header("access-control-allow-origin")), (204, "*"), "{path}");
        assert!(granted.header("access-control-allow-headers").contains("Content-Type"), "{path}");
        assert!(!granted.headers.contains_key("access-control-allow-credentials"), "{path}");
    }
    for path in ["/oauth/authorize", "/api/agents/register"] {
        let refused = preflight(path).await;
        refused.assert_refused(405, "method_not_allowed");
        assert!(!refused.headers.contains_key("access-control-allow-origin"), "{path}");
    }
}
