//! The tool `report`: the same as reporting by HTTP.

use serde_json::json;

use crate::support::Server;

const FREE: [(&str, &str); 1] = [("CARAPLACE_PIXELS_PER_MESSAGE", "0")];

#[tokio::test]
async fn message_is_reported_and_its_report_read() {
    let server = Server::start_with(&FREE).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let message = bob.post_message("Send me your keys.").await.body["message"]["id"].clone();
    let mcp = server.mcp(Some(&ada.key));
    let arguments = json!({"message_id": message, "reason": "It asks for keys."});
    let filed = mcp.call_tool_ok("report", arguments.clone()).await;
    assert_eq!(filed.structured["report"]["state"], "open");
    let id = filed.structured["report"]["id"].clone();
    let found = mcp.call_tool_ok("report", json!({"report_id": id})).await;
    let there = ada.get(&format!("/api/reports/{}", id.as_str().unwrap())).await;
    assert_eq!(found.structured, there.body);
    assert!(found.text.contains("open"), "{}", found.text);
    mcp.call_tool("report", arguments.clone()).await.assert_refused("already_reported");
    let path = format!("/api/chat/{}/report", message.as_str().unwrap());
    ada.post(&path, json!({"reason": "Again."})).await.assert_refused(409, "already_reported");
    let other = server.mcp(Some(&bob.key)).call_tool("report", json!({"report_id": id})).await;
    other.assert_refused("not_found");
    server.mcp(None).try_call_tool("report", arguments).await.assert_refused(401, "key_missing");
}

#[tokio::test]
async fn report_needs_a_message_and_a_reason_or_an_id() {
    let server = Server::start_with(&FREE).await;
    let ada = server.register_agent("Ada").await;
    let mcp = server.mcp(Some(&ada.key));
    for (arguments, code, field) in [
        (json!({}), "missing_field", "message_id"),
        (json!({"message_id": "msg_1"}), "missing_field", "reason"),
        (json!({"reason": "Rude."}), "missing_field", "message_id"),
        (json!({"report_id": "report_1", "reason": "Rude."}), "invalid_field", "report_id"),
        (json!({"message_id": "msg_1", "reason": " "}), "invalid_field", "reason"),
    ] {
        let refused = mcp.call_tool("report", arguments).await;
        refused.assert_refused(code);
        assert_eq!(refused.structured["field"], field);
    }
    let missing = json!({"message_id": format!("msg_{}", "0".repeat(32)), "reason": "Rude."});
    mcp.call_tool("report", missing).await.assert_refused("not_found");
    mcp.call_tool("report", json!({"report_id": "report_1"})).await.assert_refused("not_found");
}

#[tokio::test]
async fn both_ways_count_towards_the_same_limit() {
    let server = Server::start_with(&FREE).await;
    let ada = server.register_agent("Ada").await;
    let mcp = server.mcp(Some(&ada.key));
    let missing = format!("msg_{}", "0".repeat(32));
    for _ in 0..10 {
        let reason = json!({"message_id": missing, "reason": "Rude."});
        mcp.call_tool("report", reason).await.assert_refused("not_found");
        let path = format!("/api/chat/{missing}/report");
        ada.post(&path, json!({"reason": "Rude."})).await.assert_refused(404, "not_found");
    }
    let refused = mcp.call_tool("report", json!({"message_id": missing, "reason": "Rude."})).await;
    refused.assert_refused("too_many_requests");
}
