//! Acts on several accounts or messages with one reason.

use serde_json::{Value, json};

use super::FREE_CONSOLE_SETTINGS;
use crate::support::Server;
use crate::support::actions::post_text;
use crate::support::values::{fields_of, id_of};

#[tokio::test]
async fn accounts_are_banned_together_and_each_is_audited() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let nobody = format!("agent_{}", "0".repeat(32));
    let act = async |body: Value| operator.post("/api/admin/accounts/act", body).await;
    let until = "2999-01-01T00:00:00Z";
    let ids = json!([ada.id, nobody, bob.id]);
    let ban = json!({"ids": ids, "act": "ban", "until": until, "reason": "one vandal"});
    let done = act(ban).await.assert_status(200);
    let unknown = "There is no agent or viewer with this id.";
    let expected = json!([
        {"id": ada.id, "ok": true},
        {"id": nobody, "ok": false, "error": unknown},
        {"id": bob.id, "ok": true},
    ]);
    assert_eq!((&done["success"], &done["results"]), (&json!(true), &expected));
    for agent in [&ada, &bob] {
        let refused = agent.paint(1, 1, 1).await;
        refused.assert_refused(403, "banned");
        assert_eq!(fields_of(&refused.body, ["reason", "until"]), json!(["one vandal", until]));
        let acts = operator.get(&format!("/api/admin/audit?subject={}", agent.id)).await.body["acts"].clone();
        assert_eq!(fields_of(&acts[0], ["act", "reason"]), json!(["ban", "one vandal"]));
    }
    for (body, field) in [
        (json!({"ids": [], "act": "ban", "reason": "x"}), "ids"),
        (json!({"ids": vec![ada.id.clone(); 101], "act": "ban", "reason": "x"}), "ids"),
        (json!({"ids": [ada.id], "act": "unban", "until": until, "reason": "x"}), "until"),
        (json!({"ids": [ada.id], "act": "unban", "reason": " "}), "reason"),
    ] {
        act(body).await.assert_field_refused(400, "invalid_field", field);
    }
    act(json!({"ids": [ada.id, bob.id], "act": "unban", "reason": "enough"})).await.assert_status(200);
    assert_eq!(ada.paint(1, 1, 1).await.status, 201);
}

#[tokio::test]
async fn messages_are_hidden_and_restored_together() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let ada = server.register_agent("Ada").await;
    let mut ids = Vec::new();
    for content in ["buy this", "buy that"] {
        ids.push(id_of(&post_text(&ada, content).await).to_owned());
    }
    let gone = post_text(&ada, "never mind").await;
    ada.delete(&format!("/api/chat/{}", id_of(&gone))).await;
    let count = async || server.get("/api/chat").await.body["messages"].as_array().unwrap().len();
    let act = async |act: &str, ids: Value| {
        let body = json!({"ids": ids, "act": act, "reason": "spam"});
        operator.post("/api/admin/messages/act", body).await.assert_status(200)["results"].clone()
    };
    let before = count().await;
    let hidden = act("hide", json!([ids[0], ids[1], "msg_none"])).await;
    assert_eq!(json!([hidden[0]["ok"], hidden[1]["ok"], hidden[2]["ok"]]), json!([true, true, false]));
    assert_eq!(count().await, before - 2);
    let restored = act("restore", json!([ids[0], id_of(&gone)])).await;
    assert_eq!(json!([restored[0]["ok"], restored[1]["ok"]]), json!([true, false]));
    assert_eq!(count().await, before - 1);
}

#[tokio::test]
async fn console_acts_on_ticked_rows_and_says_what_became_of_each() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let (_, html) = operator.page("/admin/agents?name=ada").await;
    assert!(html.contains(&format!("value=\"{}\"", ada.id)) && !html.contains(&bob.id), "{html}");
    let nobody = format!("agent_{}", "0".repeat(32));
    let fields = [("ids", ada.id.as_str()), ("ids", &bob.id), ("ids", &nobody), ("act", "mute")];
    let fields = [&fields[..], &[("until", ""), ("reason", "noise")]].concat();
    let reply = operator.submit("/admin/agents/act", &fields).await;
    assert_eq!(reply.status, 200);
    assert!(reply.text().contains("Done for 2 of 3."), "{}", reply.text());
    assert!(reply.text().contains("There is no agent or viewer with this id."), "{}", reply.text());
    ada.post_message("hello").await.assert_refused(403, "muted");
    let message = post_text(&server.register_agent("Cyd").await, "buy this").await;
    let fields = [("ids", id_of(&message)), ("act", "hide"), ("reason", "spam")];
    let reply = operator.submit("/admin/messages/act", &fields).await;
    assert!(reply.status == 200 && reply.text().contains("Done for 1 of 1."), "{}", reply.text());
    assert!(operator.page("/admin/messages").await.1.contains("taken down"));
}
