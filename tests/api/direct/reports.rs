//! Reports of direct messages: readers alone can report them, and operators see reported conversations only.

use serde_json::{Value, json};

use super::{
    FREE_CONSOLE_SETTINGS, conversations, find_message, read_messages, sanction, send_ok, text,
    viewer_with_pass,
};
use crate::support::values::{fields_of, texts_of};
use crate::support::{Agent, OperatorBrowser, Reply, Server, admin};

const LOOK: &str = "read_reported_conversation";

pub(super) async fn report(reporter: &Agent<'_>, message: &Value) -> Reply {
    let path = format!("/api/chat/{}/report", text(&message["id"]));
    reporter.post(&path, json!({"reason": "It is rude."})).await
}

async fn report_without_key(server: &Server, message: &Value) -> Reply {
    server.post(&format!("/api/chat/{}/report", text(&message["id"])), json!({"reason": "rude"})).await
}

/// Returns the paths of the cases in the list.
pub(super) async fn case_ids(operator: &OperatorBrowser<'_>) -> Vec<String> {
    let cases = operator.get("/api/admin/reports").await.body;
    texts_of(&cases["reports"], "id").into_iter().map(str::to_owned).collect()
}

pub(super) async fn find_case(operator: &OperatorBrowser<'_>, id: &str) -> Value {
    operator.get(&format!("/api/admin/reports/{id}")).await.assert_status(200)
}

/// Returns how many looks at reported conversations the audit log has.
pub(super) async fn count_looks(operator: &OperatorBrowser<'_>) -> usize {
    let acts = operator.get("/api/admin/audit?limit=200").await.body["acts"].clone();
    acts.as_array().unwrap().iter().filter(|act| act["act"] == LOOK).count()
}

/// Returns the newest entry of the audit log about a case.
async fn newest_act(operator: &OperatorBrowser<'_>, case: &str) -> Value {
    operator.get(&format!("/api/admin/audit?subject={case}")).await.body["acts"][0].clone()
}

#[tokio::test]
async fn only_readers_of_a_conversation_report_its_messages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let grace = viewer_with_pass(&server, &operator, "Grace").await;
    let message = send_ok(&bob, &[&ada.id], "something rude").await["message"].clone();
    let browser = server.sign_in_operator().await;
    let mut refusals = Vec::new();
    for is_reported in [false, true] {
        for stranger in [&eve, &grace] {
            let refused = report(stranger, &message).await;
            refused.assert_refused(404, "not_found");
            refusals.push(refused.body);
        }
        report_without_key(&server, &message).await.assert_refused(404, "not_found");
        assert_eq!(case_ids(&browser).await.len(), usize::from(is_reported));
        if !is_reported {
            let filed = report(&ada, &message).await.assert_status(201);
            let path = format!("/api/reports/{}", text(&filed["report"]["id"]));
            assert_eq!(ada.get(&path).await.body["report"]["message_id"], message["id"]);
            eve.get(&path).await.assert_refused(404, "not_found");
            report(&ada, &message).await.assert_refused(409, "already_reported");
        }
    }
    let unknown = json!({"id": format!("msg_{}", "0".repeat(32))});
    assert_eq!(report(&eve, &unknown).await.body, refusals[0], "an unknown message is refused alike");
    assert!(refusals.iter().all(|refusal| refusal == &refusals[0]));
    let by_tool = json!({"message_id": message["id"], "reason": "rude"});
    server.mcp(Some(&eve.key)).call_tool("report", by_tool).await.assert_refused("not_found");
}

#[tokio::test]
async fn evidence_is_frozen_at_the_first_report() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let mut sent = Vec::new();
    for number in 0..9 {
        let sender = if number % 2 == 0 { &bob } else { &ada };
        let other = if number % 2 == 0 { &ada } else { &bob };
        sent.push(send_ok(sender, &[&other.id], &format!("message {number}")).await);
        send_ok(sender, &[&cyd.id], &format!("elsewhere {number}")).await;
    }
    assert_eq!(report(&ada, &sent[4]["message"]).await.status, 201);
    let operator = server.sign_in_operator().await;
    let ids = case_ids(&operator).await;
    let before = find_case(&operator, &ids[0]).await;
    let evidence = &before["evidence"];
    assert_eq!(evidence["message"]["content"], "message 4");
    assert_eq!(texts_of(&evidence["before"], "content"), ["message 1", "message 2", "message 3"]);
    assert_eq!(texts_of(&evidence["after"], "content"), ["message 5", "message 6", "message 7"]);
    assert_eq!(evidence["conversation_id"], sent[4]["conversation_id"]);
    let participant = |agent: &Agent<'_>, name: &str| json!({"agent_id": agent.id, "agent_name": name});
    assert_eq!(evidence["participants"], json!([participant(&ada, "Ada"), participant(&bob, "Bob")]));
    assert_eq!((&before["kind"], &before["target"]), (&json!("message"), &sent[4]["message"]["id"]));
    assert_eq!((&before["author_id"], &before["counts"]), (&json!(bob.id), &json!(true)));
    assert!(!before.to_string().contains("elsewhere"), "{before}");
    bob.delete(&format!("/api/chat/{}", text(&sent[4]["message"]["id"]))).await;
    bob.delete(&format!("/api/chat/{}", text(&sent[6]["message"]["id"]))).await;
    assert_eq!(&find_case(&operator, &ids[0]).await["evidence"], evidence);
}

#[tokio::test]
async fn each_look_at_a_reported_conversation_is_in_the_audit_log() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let message = send_ok(&bob, &[&ada.id], "something rude").await["message"].clone();
    let public = bob.post_message("something public").await.body["message"].clone();
    for message in [&message, &public] {
        assert_eq!(report(&ada, message).await.status, 201);
    }
    let operator = server.sign_in_operator().await;
    let ids = case_ids(&operator).await;
    let (_, list) = operator.page("/admin/reports").await;
    assert!(!list.contains("something rude"), "the list shows no texts");
    assert_eq!(count_looks(&operator).await, 0);
    find_case(&operator, &ids[0]).await;
    assert_eq!(count_looks(&operator).await, 0, "everyone could read the public message");
    assert_eq!(find_case(&operator, &ids[1]).await["evidence"]["message"]["content"], "something rude");
    assert_eq!(count_looks(&operator).await, 1);
    let (status, page) = operator.page(&format!("/admin/reports/{}", ids[1])).await;
    assert_eq!(status, 200);
    assert!(page.contains("something rude") && page.contains("direct message between"), "{page}");
    assert_eq!(count_looks(&operator).await, 2);
    let act = newest_act(&operator, &ids[1]).await;
    assert_eq!((&act["act"], &act["after"]["message_id"]), (&json!(LOOK), &message["id"]));
    assert_eq!(text(&act["operator"]), "owner");
    assert!(!act.to_string().contains("something rude"), "{act}");
    let closing = json!({"outcome": "upheld", "reason": "because"});
    operator.post(&format!("/api/admin/reports/{}/close", ids[1]), closing).await.assert_status(200);
    assert_eq!(count_looks(&operator).await, 2, "a decision shows no texts");
    let robot = server.create_operator_key("robot").await;
    let by_program = server.client_with_key(&robot).get(&format!("/api/admin/reports/{}", ids[1])).await;
    assert_eq!(by_program.status, 200);
    let act = newest_act(&operator, &ids[1]).await;
    assert_eq!(fields_of(&act, ["act", "operator"]), json!([LOOK, "owner (key robot)"]));
    let shown = admin(&server, &["reports", "show", &ids[1]], "").await.unwrap();
    assert!(shown.contains("something rude"), "{shown}");
    let act = newest_act(&operator, &ids[1]).await;
    assert_eq!(fields_of(&act, ["act", "operator"]), json!([LOOK, "command line"]));
}

#[tokio::test]
async fn message_is_taken_down_and_restored_without_an_event() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let sent = send_ok(&bob, &[&ada.id], "something rude").await;
    let (id, message) = (&sent["conversation_id"], &sent["message"]);
    let operator = server.sign_in_operator().await;
    let head = server.head().await;
    let set = async |action: &str| {
        let path = format!("/api/admin/messages/{}/{action}", text(&message["id"]));
        operator.post(&path, json!({"reason": "because"})).await
    };
    for _ in 0..2 {
        let expected = json!({"success": true, "message_id": message["id"], "hidden": true, "seq": null});
        assert_eq!(set("hide").await.body, expected);
        for reader in [&ada, &bob] {
            let all = Value::from(read_messages(reader, id).await).to_string();
            assert!(!all.contains("rude"), "{all}");
            assert!(!Value::from(conversations(reader).await).to_string().contains("rude"));
        }
    }
    report(&ada, message).await.assert_refused(404, "not_found");
    let reply = json!({"to": [bob.id], "content": "hm", "reply_to": message["id"]});
    ada.post("/api/direct", reply).await.assert_refused(422, "reply_target_missing");
    assert_eq!(set("restore").await.body["hidden"], false);
    assert_eq!(find_message(&ada, id, message).await["content"], "something rude");
    let path = format!("/api/admin/audit?subject={}", text(&message["id"]));
    assert_eq!(texts_of(&operator.get(&path).await.body["acts"], "act"), ["restore", "hide"]);
    bob.delete(&format!("/api/chat/{}", text(&message["id"]))).await;
    assert_eq!(set("hide").await.status, 200);
    set("restore").await.assert_refused(409, "closed");
    assert_eq!(server.head().await, head);
}

#[tokio::test]
async fn console_takes_a_reported_direct_message_down() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let sent = send_ok(&bob, &[&ada.id], "<b>rude</b>").await;
    let (conversation, message) = (&sent["conversation_id"], &sent["message"]);
    assert_eq!(report(&ada, message).await.status, 201);
    let operator = server.sign_in_operator().await;
    let id = case_ids(&operator).await.remove(0);
    let (_, page) = operator.page(&format!("/admin/reports/{id}")).await;
    assert!(page.contains("&#60;b&#62;rude") || page.contains("&lt;b&gt;rude"), "{page}");
    let message_id = text(&message["id"]);
    assert!(page.contains(&format!("name=\"hide\" value=\"{message_id}\" checked")), "{page}");
    let fields = [("hide", message_id), ("outcome", "upheld"), ("reason", "because")];
    assert_eq!(operator.submit(&format!("/admin/reports/{id}/decide"), &fields).await.status, 303);
    let all = Value::from(read_messages(&ada, conversation).await).to_string();
    assert!(!all.contains("rude"), "{all}");
    let (_, messages) = operator.page("/admin/messages").await;
    assert!(!messages.contains("rude"), "the list has no texts of private messages: {messages}");
    assert!(messages.contains(&format!("href=\"/admin/reports/{id}\"")), "{messages}");
}

#[tokio::test]
async fn shadow_messages_are_reported_by_their_author_only() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator_key = server.create_operator_key("test").await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let visible = send_ok(&eve, &[&ada.id], "before").await;
    sanction(&server, &operator_key, &eve.id, "shadow").await;
    let hidden = send_ok(&eve, &[&ada.id], "hidden words").await;
    report(&ada, &hidden["message"]).await.assert_refused(404, "not_found");
    assert_eq!(report(&eve, &hidden["message"]).await.status, 201);
    report(&ada, &hidden["message"]).await.assert_refused(404, "not_found");
    assert_eq!(report(&ada, &visible["message"]).await.status, 201);
    let operator = server.sign_in_operator().await;
    let ids = case_ids(&operator).await;
    let by_ada = find_case(&operator, &ids[0]).await;
    assert!(!by_ada.to_string().contains("hidden words"), "evidence is what the reporter can see: {by_ada}");
    assert_eq!(find_case(&operator, &ids[1]).await["counts"], false);
}

#[tokio::test]
async fn muted_and_banned_accounts_send_no_direct_messages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let sent = send_ok(&bob, &[&ada.id], "hello").await;
    for (verb, end, code) in [("mute", "unmute", "muted"), ("ban", "unban", "banned")] {
        sanction(&server, &operator, &bob.id, verb).await;
        super::send(&bob, &[&ada.id], "hello again").await.assert_refused(403, code);
        assert_eq!(read_messages(&ada, &sent["conversation_id"]).await.len(), 1);
        sanction(&server, &operator, &bob.id, end).await;
    }
    send_ok(&bob, &[&ada.id], "hello again").await;
}
