//! Blocked networks: no agent registers from one, and those that it has go on.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::FREE_CONSOLE_SETTINGS;
use crate::support::values::{fields_of, id_of};
use crate::support::{Agent, OperatorBrowser, Reply, Server, admin, tool_call};

const DAY_SECONDS: i64 = 86_400;

/// Returns the time in this many days, in whole seconds.
fn days_ahead(server: &Server, days: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(server.clock.now().timestamp() + days * DAY_SECONDS, 0).unwrap()
}

/// Tries to register an agent from an address.
async fn register_from(server: &Server, name: &str, address: &str) -> Reply {
    let request = server.post_request("/api/agents/register").header("X-Forwarded-For", address);
    Reply::fetch(request.json(&json!({"name": name}))).await
}

/// Blocks the network of an account. Returns the response.
async fn block_network(operator: &OperatorBrowser<'_>, account: &Agent<'_>, until: Value) -> Value {
    let body = json!({"until": until, "reason": "the vandals again"});
    operator.post(&format!("/api/admin/agents/{}/block-network", account.id), body).await.assert_status(200)
}

async fn list_blocks(operator: &OperatorBrowser<'_>) -> Value {
    operator.get("/api/admin/networks").await.assert_status(200)["blocks"].clone()
}

#[tokio::test]
async fn a_blocked_network_registers_no_agent_until_the_end_of_the_block() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let ada = one.register_agent_from("Ada", "203.0.113.5").await;
    let operator = one.sign_in_operator().await;
    let blocked = block_network(&operator, &ada, json!(days_ahead(&one, 1))).await;
    for server in [&one, &other] {
        let refused = register_from(server, "Bob", "203.0.113.77").await;
        refused.assert_refused(403, "forbidden");
        assert_eq!(refused.body["until"], blocked["until"]);
        let told = fields_of(&refused.body, ["detail", "hint"]).to_string();
        assert!(told.contains("is blocked until 2") && told.contains("write to the operator"), "{told}");
        register_from(server, "?", "203.0.113.77").await.assert_refused(403, "forbidden");
    }
    let tool = one.mcp(None).request(&tool_call("register", &json!({"name": "Bob"})));
    let by_tool = Reply::fetch(tool.header("X-Forwarded-For", "203.0.113.78")).await;
    assert_eq!(by_tool.body["result"]["isError"], true, "{}", by_tool.body);
    assert!(by_tool.text().contains("from your network is blocked"), "{}", by_tool.body);
    assert_eq!(ada.paint(1, 1, 5).await.status, 201, "its accounts go on");
    assert_eq!(register_from(&other, "Cyd", "203.0.114.5").await.status, 201, "another network");
    let stored: String = one.fetch_scalar("select network_block::text from network_block").await;
    assert!(!stored.contains("203.0.113"), "{stored}");
    one.advance_clock(DAY_SECONDS + 1);
    assert_eq!(register_from(&other, "Bob", "203.0.113.77").await.status, 201, "the block has ended");
    assert_eq!(list_blocks(&one.sign_in_operator().await).await, json!([]));
}

#[tokio::test]
async fn blocks_are_seen_with_their_accounts_changed_and_ended() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let ada = server.register_agent_from("Ada", "2001:db8:1:100::1").await;
    let bob = server.register_agent_from("Bob", "2001:db8:1:200::1").await;
    operator.apply_sanction(&bob, "ban").await;
    let account = format!("/api/admin/agents/{}", ada.id);
    let network = operator.get(&account).await.body["network"].clone();
    assert_eq!(fields_of(&network, ["accounts", "banned", "block_id"]), json!([2, 1, null]));
    let blocked = block_network(&operator, &ada, Value::Null).await;
    register_from(&server, "Cyd", "2001:db8:1:300::1").await.assert_refused(403, "forbidden");
    let changed = block_network(&operator, &bob, json!(days_ahead(&server, 30))).await;
    assert_eq!(changed["block_id"], blocked["block_id"], "the network has one block");
    let listed = list_blocks(&operator).await;
    let expected = json!([blocked["block_id"], network["label"], 2, 1, changed["until"]]);
    assert_eq!(fields_of(&listed[0], ["id", "network", "accounts", "banned", "until"]), expected);
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(operator.get(&account).await.body["network"]["block_id"], blocked["block_id"]);
    let (_, page) = operator.page(&format!("/admin/agents/{}", ada.id)).await;
    assert!(page.contains("as 2 accounts in all; 1 banned") && page.contains(">blocked</a>"), "{page}");
    let unblock = format!("/admin/networks/{}/unblock", id_of(&listed[0]));
    let (_, page) = operator.page("/admin/networks").await;
    assert!(page.contains(&unblock) && page.contains("the vandals again"), "{page}");
    assert_eq!(operator.submit(&unblock, &[("reason", "they are gone")]).await.status, 303);
    let again = operator.post(&format!("/api{unblock}"), json!({"reason": "twice"})).await;
    again.assert_refused(404, "not_found");
    assert_eq!(register_from(&server, "Cyd", "2001:db8:1:300::1").await.status, 201);
    let acts = "select act from audit where subject like 'block\\_%' order by no";
    let acts: Vec<String> = server.fetch_scalars(acts).await;
    assert_eq!(acts, ["block network", "block network", "unblock network"]);
}

#[tokio::test]
async fn a_block_with_an_end_does_not_become_one_for_good() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let ada = server.register_agent_from("Ada", "203.0.113.5").await;
    let blocked = block_network(&operator, &ada, json!(days_ahead(&server, 1))).await;
    let path = format!("/api/admin/agents/{}/block-network", ada.id);
    for body in [json!({"reason": "again"}), json!({"until": null, "reason": "again"})] {
        let refused = operator.post(&path, body).await;
        refused.assert_refused(409, "block_has_end");
        assert_eq!(refused.body["until"], blocked["until"]);
        let told = fields_of(&refused.body, ["detail", "hint"]).to_string();
        assert!(told.contains("is blocked until 2") && told.contains("unblock the network"), "{told}");
    }
    assert_eq!(list_blocks(&operator).await[0]["until"], blocked["until"]);
    let longer = block_network(&operator, &ada, json!(days_ahead(&server, 2))).await;
    assert_eq!(list_blocks(&operator).await[0]["until"], longer["until"]);
    let unblock = format!("/api/admin/networks/{}/unblock", blocked["block_id"].as_str().unwrap());
    operator.post_with_reason(&unblock).await;
    assert_eq!(block_network(&operator, &ada, Value::Null).await["until"], Value::Null);
    // A block without an end stays one, and takes a new reason.
    assert_eq!(block_network(&operator, &ada, Value::Null).await["until"], Value::Null);
    let ended = server.register_agent_from("Bob", "198.51.100.5").await;
    block_network(&operator, &ended, json!(days_ahead(&server, 1))).await;
    server.advance_clock(DAY_SECONDS + 1);
    let operator = server.sign_in_operator().await;
    assert_eq!(block_network(&operator, &ended, Value::Null).await["until"], Value::Null);
}

#[tokio::test]
async fn an_unknown_network_cannot_be_blocked() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let local = server.register_agent("Ada").await;
    let path = format!("/api/admin/agents/{}/block-network", local.id);
    let refused = operator.post(&path, json!({"reason": "spam"})).await;
    refused.assert_refused(404, "not_found");
    assert!(refused.body["detail"].as_str().unwrap().contains("is not known"), "{}", refused.body);
    let nobody = format!("/api/admin/agents/agent_{}/block-network", "0".repeat(32));
    operator.post(&nobody, json!({"reason": "spam"})).await.assert_refused(404, "not_found");
    let ada = server.register_agent_from("Eve", "203.0.113.5").await;
    let past = json!({"until": "2001-01-01T00:00:00Z", "reason": "spam"});
    let path = format!("/api/admin/agents/{}/block-network", ada.id);
    operator.post(&path, past).await.assert_field_refused(400, "invalid_field", "until");
    assert_eq!(list_blocks(&operator).await, json!([]));
}

#[tokio::test]
async fn the_command_line_blocks_networks_and_approves_agents() {
    let settings = [&FREE_CONSOLE_SETTINGS[..], &[("CARAPLACE_REGISTRATION", "approval")]].concat();
    let server = Server::start_with(&settings).await;
    let ada = server.register_agent_from("Ada", "203.0.113.5").await;
    let run = async |words: &[&str]| admin(&server, words, "").await.unwrap();
    assert_eq!(run(&["approve", "Ada", "--reason", "known"]).await, format!("{} is approved.\n", ada.id));
    assert_eq!(ada.paint(1, 1, 5).await.status, 201);
    let blocked = run(&["network", "block", "Ada", "--reason", "spam"]).await;
    assert!(blocked.contains("blocks the network for good"), "{blocked}");
    let id = blocked.split(' ').next().unwrap();
    assert!(run(&["network", "list"]).await.contains(id));
    register_from(&server, "Bob", "203.0.113.6").await.assert_refused(403, "forbidden");
    assert_eq!(run(&["network", "unblock", id, "--reason", "over"]).await, format!("{id} has ended.\n"));
    assert_eq!(register_from(&server, "Bob", "203.0.113.6").await.status, 201);
    let made = run(&["invitation-code", "create", "--uses", "2", "--reason", "friends"]).await;
    assert!(made.starts_with("cpn_") && made.contains("lets 2 agents register"), "{made}");
    let listed = run(&["invitation-code", "list"]).await;
    let id = listed.lines().nth(1).unwrap().split(' ').next().unwrap();
    assert!(id.starts_with("invitecode_") && listed.contains("0 of 2"), "{listed}");
    let revoked = run(&["invitation-code", "revoke", id, "--reason", "over"]).await;
    assert_eq!(revoked, format!("{id} is revoked.\n"));
    let (code, refused) =
        admin(&server, &["invitation-code", "create", "--uses", "0", "--reason", "friends"], "")
            .await
            .unwrap_err();
    assert!(code == 1 && refused.contains("--uses must be"), "{refused}");
}
