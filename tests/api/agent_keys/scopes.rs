//! A key may do what its scopes say, and nothing else: over HTTP and MCP.

use caraplace::server::routes::ROUTES;
use caraplace_companion::tools::registry::available_tools;
use caraplace_http::route::endpoint::{Route, RouteScope, Verb};
use reqwest::Method;
use rules::scope::Scope;
use serde_json::{Value, json};

use crate::support::actions::{found_crew, open_plan};
use crate::support::{Agent, McpClient, Reply, Server};

/// An agent with a key for each scope, and one that has every other scope.
struct KeysByScope<'a>(Vec<(Scope, Agent<'a>, Agent<'a>)>);

impl<'a> KeysByScope<'a> {
    async fn make(agent: &Agent<'a>) -> Self {
        let mut keys = Vec::new();
        for scope in Scope::ALL {
            let others: Vec<_> =
                Scope::ALL.iter().filter(|other| **other != scope).map(|it| it.name()).collect();
            let only = agent.with_extra_key(&[scope.name()]).await;
            keys.push((scope, only, agent.with_extra_key(&others).await));
        }
        Self(keys)
    }

    /// Returns the key that has only this scope, and the one that has all others.
    fn get(&self, scope: Scope) -> (&Agent<'a>, &Agent<'a>) {
        let (_, only, others) = self.0.iter().find(|(known, ..)| *known == scope).unwrap();
        (only, others)
    }
}

/// Calls a route with an empty body.
async fn call(agent: &Agent<'_>, route: &Route) -> Reply {
    let path = route.path.replace("{id}", "agent_nobody").replace("{n}", "1");
    // Past events, because the stream does not end.
    let query = if route.path == "/api/events" { "?from=0" } else { "" };
    let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
    let request = agent.request(method, &format!("{path}{query}"));
    Reply::fetch(if route.verb == Verb::Get { request } else { request.json(&json!({})) }).await
}

/// Calls a tool, which must be refused without a scope. Returns the client that has only this scope.
async fn refuse_others<'a>(
    server: &'a Server,
    keys: &'a KeysByScope<'_>,
    scope: Scope,
    (tool, arguments): (&str, &Value),
) -> McpClient<'a> {
    let (only, others) = keys.get(scope);
    let refused = server.mcp(Some(&others.key)).call_tool(tool, arguments.clone()).await;
    refused.assert_refused("scope_missing");
    assert_eq!(refused.structured["scope"], scope.name(), "{tool} {arguments}");
    assert!(refused.text.contains(scope.name()), "{}", refused.text);
    server.mcp(Some(&only.key))
}

#[tokio::test]
async fn every_route_needs_its_scope_and_no_other() {
    let server = Server::start().await;
    let keys = KeysByScope::make(&server.register_agent("Ada").await).await;
    let mut checked = 0;
    for route in ROUTES.iter().filter(|route| route.is_for_agents()) {
        let RouteScope::Needs(scope) = route.scope else {
            assert_eq!(route.scope, RouteScope::AnyKey, "{}", route.path);
            continue;
        };
        let place = format!("{} {}", route.verb.name(), route.path);
        let (only, others) = keys.get(scope);
        let refused = call(others, route).await;
        assert_eq!((refused.status, refused.code()), (403, "scope_missing"), "{place}: {}", refused.body);
        assert_eq!(refused.body["scope"], scope.name(), "{place}");
        assert!(refused.body["hint"].as_str().unwrap().contains(scope.name()), "{place}");
        let reply = call(only, route).await;
        assert!(reply.code() != "scope_missing" && reply.status != 401, "{place}: {}", reply.body);
        checked += 1;
    }
    assert!(checked > 40, "{checked}");
}

#[tokio::test]
async fn every_tool_needs_its_scope_and_no_other() {
    let server = Server::start().await;
    let keys = KeysByScope::make(&server.register_agent("Ada").await).await;
    for tool in available_tools(true) {
        let Some(scope) = tool.scope else {
            // The others decide by their arguments, which other tests cover.
            assert!(["register", "plan_next", "crews", "report"].contains(&tool.name), "{}", tool.name);
            continue;
        };
        let (only, others) = keys.get(scope);
        for is_argument in [false, true] {
            let call = async |agent: &Agent<'_>| {
                let header = (!is_argument).then_some(agent.key.as_str());
                let arguments = if is_argument { json!({"api_key": agent.key}) } else { json!({}) };
                server.mcp(header).call_tool(tool.name, arguments).await
            };
            let refused = call(others).await;
            refused.assert_refused("scope_missing");
            assert_eq!(refused.structured["scope"], scope.name(), "{}", tool.name);
            assert!(refused.text.contains(scope.name()), "{}", refused.text);
            let reply = call(only).await;
            assert_ne!(reply.structured["code"], "scope_missing", "{}: {}", tool.name, reply.text);
        }
    }
}

#[tokio::test]
async fn pixels_of_plans_are_read_and_claimed_with_different_scopes() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let keys = KeysByScope::make(&ada).await;
    let plan = open_plan(&ada, json!({"title": "A wall", "x": 1, "y": 1, "rows": ["55"]})).await;
    let id = &plan["id"];
    for (arguments, scope) in [
        (json!({"id": id}), Scope::Read),
        (json!({"id": id, "claim": false}), Scope::Read),
        (json!({"id": id, "claim": true}), Scope::Paint),
    ] {
        let allowed = refuse_others(&server, &keys, scope, ("plan_next", &arguments)).await;
        allowed.call_tool_ok("plan_next", arguments).await;
    }
}

#[tokio::test]
async fn reports_are_read_and_filed_with_different_scopes() {
    let server = Server::start().await;
    let keys = KeysByScope::make(&server.register_agent("Ada").await).await;
    for (arguments, scope) in [
        (json!({"report_id": "report_1"}), Scope::Read),
        (json!({"message_id": "msg_1", "reason": "rude"}), Scope::Chat),
    ] {
        let allowed = refuse_others(&server, &keys, scope, ("report", &arguments)).await;
        allowed.call_tool("report", arguments).await.assert_refused("not_found");
    }
}

#[tokio::test]
async fn crews_are_listed_and_joined_with_different_scopes() {
    let server = Server::start().await;
    let keys = KeysByScope::make(&server.register_agent("Ada").await).await;
    let crew = found_crew(&server.register_agent("Bob").await, "Masons", "open").await;
    let id = &crew["id"];
    for (arguments, scope) in [
        (json!({}), Scope::Read),
        (json!({"id": id}), Scope::Read),
        (json!({"id": id, "action": "join"}), Scope::Chat),
    ] {
        let allowed = refuse_others(&server, &keys, scope, ("crews", &arguments)).await;
        allowed.call_tool_ok("crews", arguments).await;
    }
}

#[tokio::test]
async fn resources_need_the_scope_of_reads() {
    let server = Server::start().await;
    let keys = KeysByScope::make(&server.register_agent("Ada").await).await;
    let (only, others) = keys.get(Scope::Read);
    for (uri, is_document) in
        [("caraplace://skill", true), ("caraplace://canvas.png", false), ("caraplace://chat", false)]
    {
        let read =
            async |key| server.mcp(Some(key)).send_request("resources/read", json!({"uri": uri})).await;
        assert!(read(&only.key).await["result"].is_object(), "{uri}");
        let answer = read(&others.key).await;
        assert_eq!(answer["result"].is_object(), is_document, "{uri}: {answer}");
        let code = &answer["error"]["data"]["code"];
        assert!(is_document || code == "scope_missing", "{uri}: {answer}");
    }
}

#[tokio::test]
async fn pages_need_the_scope_of_reads() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let (reader, painter) = (ada.with_extra_key(&["read"]).await, ada.with_extra_key(&["paint"]).await);
    for path in ["/leaderboard", "/seasons"] {
        assert_eq!(reader.get(path).await.status, 200, "{path}");
        painter.get(path).await.assert_refused(403, "scope_missing");
    }
}

#[tokio::test]
async fn keys_do_what_their_scopes_say() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let painter = ada.with_extra_key(&["paint"]).await;
    let (talker, reader) = (ada.with_extra_key(&["chat"]).await, ada.with_extra_key(&["read"]).await);
    painter.earn_message_credits().await;
    let posted = talker.post_message("painted by another key").await;
    assert_eq!((posted.status, &posted.body["message"]["agent_id"]), (201, &json!(ada.id)));
    let me = reader.me().await;
    assert_eq!((&me["pixels_placed"], &me["messages_sent"]), (&json!(5), &json!(1)), "it is one agent");
    assert_eq!(ada.paint(1, 1, 1).await.status, 201, "the key from the registration has every scope");
}

#[tokio::test]
async fn the_scope_comes_after_the_key_and_before_the_request_rate() {
    let server = Server::start_with(&[("CARAPLACE_REQUESTS_PER_MINUTE", "8")]).await;
    let ada = server.register_agent("Ada").await;
    let painter = ada.with_extra_key(&["paint"]).await;
    for _ in 0..20 {
        painter.get("/api/agents/me").await.assert_refused(403, "scope_missing");
        painter.post("/api/chat", json!({"nonsense": 1})).await.assert_refused(403, "scope_missing");
    }
    let unread = painter.post_request("/api/chat").header("Content-Type", "text/plain").body("x");
    Reply::fetch(unread).await.assert_refused(415, "unsupported_media_type");
    painter.with_key(&format!("cp_{}", "0".repeat(64))).me().await;
    assert_eq!(ada.get("/api/agents/me").await.status, 200, "refusals for a scope are not counted");
}
