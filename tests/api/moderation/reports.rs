//! Reports: their weights, the snapshots that they store, and the automatic sanctions.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{FREE_CONSOLE_SETTINGS, id_of, post_admin};
use crate::support::actions::{post_text, register_painter};
use crate::support::values::{fields_of, texts_of};
use crate::support::{Agent, OperatorBrowser, Reply, Server};

/// Registers agents in separate networks that have full weight six hours later.
async fn register_painters<'a>(server: &'a Server, name: &str, count: usize) -> Vec<Agent<'a>> {
    let mut crowd = Vec::new();
    for number in 0..count {
        let address = format!("198.18.{number}.1");
        crowd.push(register_painter(server, &format!("{name} {number}"), &address).await);
    }
    crowd
}

pub(super) fn report_path(message: &Value) -> String {
    format!("/api/chat/{}/report", id_of(message))
}

pub(super) async fn report_anonymously(server: &Server, path: &str, address: &str) -> Reply {
    let request = server.post_request(path).header("X-Forwarded-For", address);
    Reply::fetch(request.json(&json!({"reason": "rude"}))).await
}

pub(super) async fn report_as(agent: &Agent<'_>, path: &str) -> Reply {
    agent.post(path, json!({"reason": "rude"})).await
}

pub(super) async fn is_shadowed(operator: &OperatorBrowser<'_>, agent: &str) -> bool {
    operator.get(&format!("/api/admin/agents/{agent}")).await.body["standing"]["shadowed"] == true
}

pub(super) async fn first_case(operator: &OperatorBrowser<'_>, state: &str) -> Value {
    let cases = operator.get(&format!("/api/admin/reports?state={state}")).await.body;
    let id = cases["reports"][0]["id"].as_str().unwrap().to_owned();
    operator.get(&format!("/api/admin/reports/{id}")).await.body
}

#[tokio::test]
async fn independent_reports_shadow_ban_until_reviewed() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = register_painters(&server, "Bob", 5).await;
    server.advance_clock(6 * 3_600);
    let operator = server.sign_in_operator().await;
    let path = report_path(&post_text(&ada, "a wicked word").await);
    for reporter in &crowd[..3] {
        assert_eq!(report_as(reporter, &path).await.status, 201);
    }
    assert!(!is_shadowed(&operator, &ada.id).await, "three reports at once are one burst");
    server.advance_clock(600);
    assert_eq!(report_as(&crowd[3], &path).await.status, 201);
    assert!(!is_shadowed(&operator, &ada.id).await);
    server.advance_clock(600);
    assert_eq!(report_as(&crowd[4], &path).await.status, 201);
    assert!(is_shadowed(&operator, &ada.id).await);
    let act = &operator.get(&format!("/api/admin/audit?subject={}", ada.id)).await.body["acts"][0];
    assert_eq!((&act["operator"], &act["act"]), (&json!("reports"), &json!("shadow")));
    let case = first_case(&operator, "open").await;
    assert_eq!((&case["reports"], &case["weight"]), (&json!(5), &json!(3.0)));
    assert_eq!((&case["author_id"], &case["told"][0]["agent_name"]), (&json!(ada.id), &json!("Bob 0")));
    close_case(&operator, &case, "rejected").await;
    assert!(!is_shadowed(&operator, &ada.id).await, "a shadow-ban by reports ends with them");
    report_as(&crowd[0], &path).await.assert_refused(409, "already_reported");
    assert_eq!(operator.get("/api/admin/reports").await.body["reports"], json!([]));
    assert_eq!(first_case(&operator, "closed").await["outcome"], "rejected");
}

/// Registers five agents with full weight, who report a message of Ada's until she is shadow-banned.
async fn shadow_ban_by_reports<'a>(server: &'a Server, ada: &Agent<'_>) -> Vec<Agent<'a>> {
    let crowd = register_painters(server, "Bob", 5).await;
    server.advance_clock(6 * 3_600);
    let path = report_path(&post_text(ada, "a wicked word").await);
    for reporter in &crowd {
        assert_eq!(report_as(reporter, &path).await.status, 201);
        server.advance_clock(600);
    }
    crowd
}

pub(super) async fn close_case(operator: &OperatorBrowser<'_>, case: &Value, outcome: &str) {
    let path = format!("/api/admin/reports/{}/close", case["id"].as_str().unwrap());
    post_admin(operator, &path, json!({"outcome": outcome})).await;
}

#[tokio::test]
async fn rejected_report_keeps_shadow_ban_of_other_reports() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = shadow_ban_by_reports(&server, &ada).await;
    let operator = server.sign_in_operator().await;
    assert!(is_shadowed(&operator, &ada.id).await);
    let wicked = first_case(&operator, "open").await;
    let name = format!("/api/agents/{}/report", ada.id);
    let harmless = async |operator: &OperatorBrowser<'_>| {
        assert_eq!(report_as(&crowd[0], &name).await.status, 201);
        close_case(operator, &first_case(operator, "open").await, "rejected").await;
        is_shadowed(operator, &ada.id).await
    };
    assert!(harmless(&operator).await, "no operator has decided on the message");
    server.advance_clock(2 * 86_400);
    let operator = server.sign_in_operator().await;
    assert!(harmless(&operator).await, "still undecided after more than a day");
    close_case(&operator, &wicked, "upheld").await;
    assert!(harmless(&operator).await, "the reports of the message were right");
    operator.apply_sanction(&ada, "unshadow").await;
    assert!(!is_shadowed(&operator, &ada.id).await);
}

#[tokio::test]
async fn operator_shadow_ban_outlives_rejected_reports() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    shadow_ban_by_reports(&server, &ada).await;
    let operator = server.sign_in_operator().await;
    for _ in 0..2 {
        operator.apply_sanction(&ada, "shadow").await;
    }
    let acts = operator.get(&format!("/api/admin/audit?subject={}", ada.id)).await.body["acts"].clone();
    assert_eq!(acts.as_array().unwrap().len(), 2, "{acts}");
    assert_eq!((&acts[0]["act"], &acts[1]["operator"]), (&json!("shadow"), &json!("reports")));
    close_case(&operator, &first_case(&operator, "open").await, "rejected").await;
    assert!(is_shadowed(&operator, &ada.id).await);
}

#[tokio::test]
async fn related_new_or_anonymous_reporters_cannot_shadow_ban() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let path = report_path(&post_text(&ada, "hello").await);
    // Ten agents of one owner, each with full weight.
    let mut family = Vec::new();
    for number in 0..10 {
        family.push(register_painter(&server, &format!("Bob {number}"), "198.51.100.1").await);
    }
    server.advance_clock(6 * 3_600);
    for bob in &family {
        assert_eq!(report_as(bob, &path).await.status, 201);
        server.advance_clock(600);
    }
    let weight = |case: Value| case["weight"].as_f64().unwrap();
    assert_eq!(weight(first_case(&server.sign_in_operator().await, "open").await), 1.0);
    // Thirty unknown reporters from as many networks.
    for number in 0..30 {
        assert_eq!(report_anonymously(&server, &path, &format!("203.0.{number}.9")).await.status, 201);
        server.advance_clock(600);
    }
    assert_eq!(weight(first_case(&server.sign_in_operator().await, "open").await), 2.0);
    // Some new agents.
    for number in 0..4 {
        let address = format!("198.18.{}.1", 100 + number);
        let new = server.register_agent_from(&format!("New {number}"), &address).await;
        assert_eq!(report_as(&new, &path).await.status, 201);
        server.advance_clock(600);
    }
    assert!(weight(first_case(&server.sign_in_operator().await, "open").await) < 3.0);
    assert!(!is_shadowed(&server.sign_in_operator().await, &ada.id).await);
}

#[tokio::test]
async fn reports_are_unique_and_rate_limited() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let path = report_path(&post_text(&ada, "hello").await);
    assert_eq!(report_as(&bob, &path).await.status, 201);
    report_as(&bob, &path).await.assert_refused(409, "already_reported");
    let address = "203.0.113.9";
    assert_eq!(report_anonymously(&server, &path, address).await.status, 201);
    report_anonymously(&server, &path, address).await.assert_refused(409, "already_reported");
    let name = format!("/api/agents/{}/report", ada.id);
    assert_eq!(report_anonymously(&server, &name, address).await.status, 201);
    report_anonymously(&server, &name, address).await.assert_refused(429, "too_many_requests");
    assert_eq!(report_anonymously(&server, &name, "203.0.113.10").await.status, 201, "others may report");
    for _ in 0..18 {
        report_as(&bob, &path).await.assert_refused(409, "already_reported");
    }
    report_as(&bob, &path).await.assert_refused(429, "too_many_requests");
}

#[tokio::test]
async fn concurrent_reports_share_one_case() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (one.register_agent("Ada").await, one.register_agent("Bob").await);
    let path = report_path(&post_text(&ada, "hello").await);
    one.events(None).await;
    let bobs = [bob.on(&one), bob.on(&other)];
    let tries = (0..8).map(|number| report_as(&bobs[number % 2], &path));
    let replies = join_all(tries).await;
    let (accepted, again): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!(accepted.len(), 1);
    again.iter().for_each(|reply| reply.assert_refused(409, "already_reported"));
    let name = format!("/api/agents/{}/report", ada.id);
    let addresses: Vec<String> = (0..8).map(|number| format!("203.0.113.{number}")).collect();
    let tries = addresses.iter().enumerate();
    let tries = tries.map(|(number, address)| report_anonymously([&one, &other][number % 2], &name, address));
    assert!(join_all(tries).await.iter().all(|reply| reply.status == 201));
    let cases = one.sign_in_operator().await.get("/api/admin/reports").await.body;
    let counts: Vec<_> = cases["reports"].as_array().unwrap().iter().map(|case| &case["reports"]).collect();
    assert_eq!(counts, [8, 1]);
}

#[tokio::test]
async fn refuses_reports_of_missing_targets_or_without_reason() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let message = post_text(&ada, "hello").await;
    operator.hide_message(&message).await;
    for path in [
        report_path(&message),
        format!("/api/chat/msg_{}/report", "0".repeat(32)),
        "/api/chat/nothing/report".into(),
        format!("/api/agents/agent_{}/report", "0".repeat(32)),
        "/api/agents/agent_caraplace/report".into(),
    ] {
        report_as(&ada, &path).await.assert_refused(404, "not_found");
    }
    let name = format!("/api/agents/{}/report", ada.id);
    for (body, code) in [
        (json!({}), "missing_field"),
        (json!({"reason": "  "}), "invalid_field"),
        (json!({"reason": "x".repeat(501)}), "invalid_field"),
        (json!({"reason": "rude", "who": "me"}), "unknown_field"),
    ] {
        ada.post(&name, body).await.assert_refused(400, code);
    }
    let canvas = |x1: i64, y1: i64, x2: i64, y2: i64| {
        ada.post("/api/canvas/report", json!({"x1": x1, "y1": y1, "x2": x2, "y2": y2, "reason": "rude"}))
    };
    canvas(0, 0, 128, 0).await.assert_refused(400, "out_of_bounds");
    canvas(5, 0, 4, 0).await.assert_refused(400, "invalid_field");
    canvas(0, 0, 64, 63).await.assert_refused(400, "invalid_field");
    assert_eq!(canvas(0, 0, 63, 63).await.status, 201);
    report_as(&server.client_with_key("cp_wrong"), &name).await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn evidence_is_taken_at_the_first_report() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    for x in 0..8 {
        assert_eq!(ada.paint(x, 0, 3).await.status, 201);
    }
    assert_eq!(bob.paint(8, 0, 4).await.status, 201);
    let report = json!({"x1": 0, "y1": 0, "x2": 9, "y2": 1, "reason": "a rude word"});
    assert_eq!(bob.post("/api/canvas/report", report.clone()).await.status, 201);
    // Vandals paint over it, and report it as the painter's.
    for x in 0..10 {
        assert_eq!(eve.paint(x, 0, 9).await.status, 201);
    }
    assert_eq!(eve.post("/api/canvas/report", report).await.status, 201);
    let case = first_case(&operator, "open").await;
    assert_eq!(fields_of(&case, ["kind", "target", "reports"]), json!(["canvas", "0,0,9,1", 2]));
    assert_eq!((&case["author_id"], &case["counts"]), (&json!(ada.id), &json!(true)), "eight of nine");
    let painters = case["evidence"]["painters"].as_array().unwrap();
    let shares: Value = painters.iter().map(|one| fields_of(one, ["agent_name", "pixels"])).collect();
    assert_eq!(shares, json!([["Ada", 8], ["Bob", 1]]));
    let pixel = &case["evidence"]["pixels"][8];
    assert_eq!((&pixel["x"], &pixel["color"], &pixel["agent_id"]), (&json!(8), &json!(4), &json!(bob.id)));
    assert!(pixel["placed_at"].as_str().unwrap().ends_with('Z'));
}

#[tokio::test]
async fn shared_region_does_not_count_without_review() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crowd = register_painters(&server, "Cy", 4).await;
    for x in 0..10 {
        let painter = if x < 7 { &ada } else { &bob };
        assert_eq!(painter.paint(x, 0, 3).await.status, 201);
    }
    server.advance_clock(6 * 3_600);
    let operator = server.sign_in_operator().await;
    for reporter in &crowd {
        let report = json!({"x1": 0, "y1": 0, "x2": 9, "y2": 0, "reason": "rude"});
        assert_eq!(reporter.post("/api/canvas/report", report).await.status, 201);
        server.advance_clock(600);
    }
    let case = first_case(&operator, "open").await;
    assert_eq!(fields_of(&case, ["author_id", "counts", "weight"]), json!([ada.id, false, 0.0]));
    assert!(!is_shadowed(&operator, &ada.id).await);
}

#[tokio::test]
async fn evidence_keeps_the_message_and_its_context() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let operator = server.sign_in_operator().await;
    let mut messages = Vec::new();
    for number in 0..9 {
        messages.push(post_text(&ada, &format!("message {number}")).await);
    }
    assert_eq!(report_as(&bob, &report_path(&messages[4])).await.status, 201);
    server.execute("delete from chat_message").await;
    let evidence = first_case(&operator, "open").await["evidence"].clone();
    assert_eq!(evidence["message"]["content"], "message 4");
    assert_eq!(texts_of(&evidence["before"], "content"), ["message 1", "message 2", "message 3"]);
    assert_eq!(texts_of(&evidence["after"], "content"), ["message 5", "message 6", "message 7"]);
    // A message without text cannot be reported in either way: it stays a posted message.
    assert_eq!(report_as(&bob, &report_path(&messages[5])).await.status, 201);
}

#[tokio::test]
async fn report_pages_have_no_gaps() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let operator = server.sign_in_operator().await;
    for number in 0..5 {
        let message = post_text(&ada, &format!("message {number}")).await;
        assert_eq!(report_as(&bob, &report_path(&message)).await.status, 201);
    }
    let (mut before, mut seen) = (String::new(), Vec::new());
    loop {
        let page = operator.get(&format!("/api/admin/reports?limit=2{before}")).await.body;
        seen.extend(page["reports"].as_array().unwrap().iter().map(|case| case["target"].clone()));
        let Some(next) = page["next_before"].as_str() else { break };
        before = format!("&before={next}");
    }
    let count = seen.len();
    seen.dedup();
    assert_eq!((count, seen.len()), (5, 5));
    operator.get("/api/admin/reports?state=some").await.assert_refused(400, "invalid_field");
    operator.get("/api/admin/reports/none").await.assert_refused(404, "not_found");
}
