//! Bans, mutes and renames: what they stop, for how long, on which instance, and what the account is shown.

use serde_json::{Value, json};

use super::{FREE_CONSOLE_SETTINGS, apply_sanction, id_of};
use crate::support::actions::post_text;
use crate::support::values::fields_of;
use crate::support::{Agent, OperatorBrowser, Server};

/// Tries everything that needs a key. Returns the codes.
async fn try_all_actions(agent: &Agent<'_>) -> [String; 4] {
    let target = agent.server.get("/api/chat?limit=1").await.body["messages"][0]["id"].clone();
    let reaction = json!({"type": "reaction", "content": "🔥", "reply_to": target});
    let plan = json!({"type": "intent", "content": format!("plan {}", target)});
    let replies = [
        agent.paint(1, 1, 2).await,
        agent.post_message(&format!("words {target}")).await,
        agent.post("/api/chat", plan).await,
        agent.post("/api/chat", reaction).await,
    ];
    replies.map(|reply| if reply.status == 201 { "done".to_owned() } else { reply.code().to_owned() })
}

#[tokio::test]
async fn ban_blocks_everything_and_mute_blocks_posting_until_they_end() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_text(&bob, "hello").await;
    let done = ["done"; 4].map(str::to_owned);
    let until = |seconds: i64| json!(server.clock.now() + chrono::TimeDelta::seconds(seconds));
    for (impose, lift, stopped) in
        [("ban", "unban", ["banned"; 4]), ("mute", "unmute", ["done", "muted", "muted", "muted"])]
    {
        for seconds in [None, Some(3_600)] {
            let end = seconds.map_or(Value::Null, until);
            // A console session ends long before a permanent ban.
            apply_sanction(&server.sign_in_operator().await, &ada.id, impose, json!({"until": end})).await;
            assert_eq!(try_all_actions(&ada).await, stopped, "{impose}");
            if end.is_null() {
                server.advance_clock(100_000_000);
                assert_eq!(try_all_actions(&ada).await, stopped, "{impose} for ever");
                server.sign_in_operator().await.apply_sanction(&ada, lift).await;
            } else {
                server.advance_clock(3_600);
            }
            post_text(&bob, &format!("after {impose} {end}")).await;
            assert_eq!(try_all_actions(&ada).await, done, "{impose} {end}");
        }
    }
    assert_eq!(try_all_actions(&bob).await, done, "no other account");
}

#[tokio::test]
async fn accepts_why_for_reason_and_a_separate_one_for_the_audit_log() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let shown_reason = async |body: Value| {
        assert_eq!(operator.post(&format!("/api/admin/agents/{}/ban", ada.id), body).await.status, 200);
        let audit = operator.get("/api/admin/audit?limit=1").await.body;
        (ada.paint(1, 1, 2).await.body["reason"].clone(), audit["acts"][0]["reason"].clone())
    };
    for (body, shown, audited) in [
        (json!({"reason": "spam"}), "spam", "spam"),
        (json!({"why": "noise"}), "noise", "noise"),
        (json!({"reason": "be kind", "why": "third warning"}), "be kind", "third warning"),
    ] {
        assert_eq!(shown_reason(body).await, (json!(shown), json!(audited)));
    }
    let ban = format!("/api/admin/agents/{}/ban", ada.id);
    operator.post(&ban, json!({})).await.assert_refused(400, "missing_field");
    let unban = format!("/api/admin/agents/{}/unban", ada.id);
    operator.post(&unban, json!({})).await.assert_refused(400, "missing_field");
    assert_eq!(operator.post(&unban, json!({"why": "enough"})).await.status, 200);
}

#[tokio::test]
async fn banned_agents_see_reason_end_and_appeal() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let until = "2999-12-31T00:00:00Z";
    let standing =
        apply_sanction(&operator, &ada.id, "ban", json!({"until": until, "reason": "graffiti"})).await;
    assert_eq!((&standing["banned_until"], &standing["ban_reason"]), (&json!(until), &json!("graffiti")));
    for refusal in [ada.paint(1, 1, 1).await, ada.post_message("hello").await] {
        refusal.assert_refused(403, "banned");
        let body = &refusal.body;
        assert_eq!(body["reason"], "graffiti");
        assert_eq!(body["until"], json!(until));
        assert_eq!(body.get("appeal"), Some(&Value::Null));
        assert!(body["hint"].as_str().unwrap().contains("POST /api/appeals"), "{body}");
    }
    assert_eq!(ada.get("/api/agents/me").await.status, 200, "a banned agent can still read");
}

#[tokio::test]
async fn muted_agents_see_reason_end_and_appeal_under_a_code_of_their_own() {
    let [server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let bodies = [
        json!({"reason": "noise", "why": "third warning"}),
        // These change nothing, so the audit log does not mention them.
        json!({"reason": "noise"}),
        json!({"why": "noise"}),
    ];
    for body in bodies {
        let path = format!("/api/admin/agents/{}/mute", ada.id);
        let standing = operator.post(&path, body.clone()).await.body["standing"].clone();
        let expected = json!(["9999-12-31T23:59:59Z", "noise"]);
        assert_eq!(fields_of(&standing, ["muted_until", "mute_reason"]), expected, "{body}");
    }
    assert_eq!(operator.get("/api/admin/audit?limit=1").await.body["acts"][0]["reason"], "third warning");
    let there = ada.on(&other);
    for refusal in [
        ada.post_message("hello").await,
        there.post_message("hello").await,
        ada.post("/api/chat", json!({"type": "intent", "content": "a roof"})).await,
    ] {
        refusal.assert_refused(403, "muted");
        let body = &refusal.body;
        assert_eq!((&body["reason"], &body["until"]), (&json!("noise"), &json!("9999-12-31T23:59:59Z")));
        assert_eq!(body.get("appeal"), Some(&Value::Null));
        assert_eq!(body["detail"], "You are muted permanently: noise");
    }
    let own = ada.get("/api/agents/me").await.body;
    assert_eq!(own["muted"], json!({"reason": "noise", "until": "9999-12-31T23:59:59Z"}));
    assert_eq!(ada.paint(1, 1, 2).await.status, 201, "the muted may paint");
    let standing = apply_sanction(&operator, &ada.id, "unmute", json!({})).await;
    assert_eq!((&standing["muted_until"], &standing["mute_reason"]), (&Value::Null, &Value::Null));
    assert_eq!(ada.post_message("hello").await.status, 201);
    assert_eq!(ada.get("/api/agents/me").await.body.get("muted"), None);
}

#[tokio::test]
async fn a_mute_from_before_reasons_were_kept_has_none() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    server.sign_in_operator().await.apply_sanction(&ada, "mute").await;
    server.execute("update agent set mute_reason = null").await;
    let refusal = ada.on(&server.start_instance(&FREE_CONSOLE_SETTINGS).await).post_message("hello").await;
    refusal.assert_refused(403, "muted");
    assert_eq!(refusal.body["detail"], "You are muted permanently.");
    assert_eq!(refusal.body.get("reason"), Some(&Value::Null));
}

#[tokio::test]
async fn ban_is_checked_after_digest_and_before_content() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let paint = |body: Value| ada.post("/api/pixel", body);
    assert_eq!(ada.post_idempotent("/api/chat", json!({"content": "hello"}), "one").await.status, 201);
    operator.apply_sanction(&ada, "ban").await;
    paint(json!({"x": 1, "y": 1})).await.assert_refused(400, "missing_field");
    paint(json!({"x": 1, "y": 1, "color": 1})).await.assert_refused(400, "digest_missing");
    let digest = json!({"x": 1, "y": 1, "color": 1, "chat_digest": "000000000000"});
    paint(digest).await.assert_refused(400, "digest_invalid");
    let digest = server.digest().await;
    let expected = json!({"x": 1, "y": 1, "color": 1, "expected_color": 7, "chat_digest": digest});
    paint(expected).await.assert_refused(403, "banned");
    for content in ["", "hello", &"x".repeat(300)] {
        ada.post_message(content).await.assert_refused(403, "banned");
    }
    let say = |body: Value| ada.post("/api/chat", body);
    say(json!({"content": "hi", "type": "none"})).await.assert_refused(400, "invalid_field");
    say(json!({"content": "hi", "reply_to": "nothing"})).await.assert_refused(403, "banned");
    let reaction = |emoji: &str, to: &str| json!({"type": "reaction", "content": emoji, "reply_to": to});
    say(reaction("two words", "nothing")).await.assert_refused(400, "invalid_field");
    say(reaction("🔥", "nothing")).await.assert_refused(403, "banned");
    let again = ada.post_idempotent("/api/chat", json!({"content": "hello"}), "one").await;
    assert_eq!(again.status, 201, "what was done stays done");
    assert_eq!(again.header("idempotent-replayed"), "true", "what was done stays done");
}

#[tokio::test]
async fn sanctions_apply_at_once_on_every_instance() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let ada = one.register_agent("Ada").await;
    let there = ada.on(&other);
    // Known on both instances, with the account in each writer's cache.
    for round in 0..3 {
        assert_eq!((ada.paint(round, 1, 2).await.status, there.paint(round, 2, 2).await.status), (201, 201));
    }
    let operator = other.sign_in_operator().await;
    operator.apply_sanction(&ada, "ban").await;
    // The digest is of the other instance, so only the writer can know of the ban.
    ada.paint(1, 1, 3).await.assert_refused(403, "banned");
    there.paint(1, 1, 3).await.assert_refused(403, "banned");
    operator.apply_sanction(&ada, "unban").await;
    assert_eq!(ada.paint(1, 1, 4).await.status, 201);
}

#[tokio::test]
async fn renamed_agent_shows_the_new_name_everywhere() {
    let [mut one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (ada_id, message) = {
        let (ada, bob) = (one.register_agent("Rude").await, one.register_agent("Bob").await);
        let message = post_text(&ada, "hello").await;
        ada.paint(1, 1, 3).await;
        let operator = one.sign_in_operator().await;
        let path = format!("/api/admin/agents/{}/rename", ada.id);
        let rename = |name: &str| operator.post(&path, json!({"name": name, "reason": "rude"}));
        rename("Bob").await.assert_refused(409, "name_taken");
        rename("B0b").await.assert_refused(409, "name_taken");
        rename("admin").await.assert_refused(422, "name_not_allowed");
        rename("x").await.assert_refused(400, "invalid_field");
        assert_eq!(rename("Ruby").await.body["standing"]["name"], "Ruby");
        assert_eq!(post_text(&ada, "again").await["agent_name"], "Ruby");
        post_text(&bob, "and you?").await;
        assert_eq!(one.try_register_agent("Rude").await.status, 201, "no longer banned");
        (ada.id.clone(), message)
    };
    let seq = message["seq"].as_i64().unwrap();
    other.events(Some(one.head().await - 1)).await.next_with_id().await;
    for restarted in [false, true] {
        if restarted {
            one.restart().await;
        }
        for server in [&one, &other] {
            let chat = server.get("/api/chat").await.body;
            assert_eq!(chat["messages"][0]["agent_name"], "Ruby", "restarted: {restarted}");
            let resumed = server.events(Some(seq - 1)).await.next_with_id().await;
            assert_eq!(id_of(&resumed.data), id_of(&message));
            assert_eq!(resumed.data["agent_name"], "Ruby");
            for path in
                [format!("/api/agents/{ada_id}"), "/api/pixel?x=1&y=1".into(), "/api/leaderboard".into()]
            {
                let text = server.get(&path).await.body.to_string();
                assert!(text.contains("Ruby") && !text.contains("Rude"), "{path}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn refuses_sanctions_against_system_and_unknown_accounts() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let nobody = format!("agent_{}", "0".repeat(32));
    for id in ["agent_caraplace", "none", &nobody] {
        for verb in ["ban", "unban", "mute", "unmute", "shadow", "unshadow"] {
            let path = format!("/api/admin/agents/{id}/{verb}");
            operator.post(&path, json!({"reason": "fun"})).await.assert_refused(404, "not_found");
        }
        operator.get(&format!("/api/admin/agents/{id}")).await.assert_refused(404, "not_found");
    }
}

#[tokio::test]
async fn refuses_end_times_in_the_past() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    for until in [json!("2001-01-01T00:00:00Z"), json!("+10000-01-01T00:00:00Z"), json!("soon"), json!(5)] {
        for verb in ["ban", "mute"] {
            let path = format!("/api/admin/agents/{}/{verb}", ada.id);
            let reply = operator.post(&path, json!({"reason": "fun", "until": until})).await;
            reply.assert_field_refused(400, "invalid_field", "until");
        }
    }
    assert_eq!(ada.paint(1, 1, 1).await.status, 201);
}

#[tokio::test]
async fn ban_is_reported_over_mcp_too() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    apply_sanction(&server.sign_in_operator().await, &ada.id, "ban", json!({"reason": "spam"})).await;
    ada.post("/api/appeals", json!({"text": "Please"})).await;
    let mcp = server.mcp(Some(&ada.key));
    let pixels = json!({"pixels": [{"x": 1, "y": 1, "color": 1}], "chat_digest": server.digest().await});
    let target = format!("msg_{}", "0".repeat(32));
    for (tool, arguments) in [
        ("place_pixels", pixels),
        ("chat_post", json!({"content": ""})),
        ("react", json!({"message_id": target, "emoji": "🔥"})),
    ] {
        let result = mcp.call_tool(tool, arguments).await;
        result.assert_refused("banned");
        let body = &result.structured;
        assert_eq!((&body["reason"], &body["appeal"]["outcome"]), (&json!("spam"), &json!("open")), "{tool}");
    }
    mcp.call_tool_ok("chat_get_new", json!({})).await;
}

async fn fetch_account_report(operator: &OperatorBrowser<'_>, agent: &str) -> Value {
    operator.get(&format!("/api/admin/agents/{agent}")).await.assert_status(200)
}

#[tokio::test]
async fn account_report_includes_hidden_messages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    ada.paint(3, 4, 5).await;
    operator.hide_message(&post_text(&ada, "a wicked word").await).await;
    operator.apply_sanction(&ada, "shadow").await;
    let report = fetch_account_report(&operator, &ada.id).await;
    assert_eq!((&report["agent"]["name"], &report["kind"]), (&json!("Ada"), &json!("agent")));
    assert_eq!(report["standing"]["shadowed"], true);
    let listed = &report["messages"][0];
    assert_eq!((&listed["hidden"], &listed["content"]), (&json!(true), &json!("a wicked word")));
    assert_eq!((&report["pixels"][0]["x"], &report["open_reports"]), (&json!(3), &json!(0)));
    assert_eq!(report["acts"][0]["act"], "shadow");
}

#[tokio::test]
async fn operators_clear_description_and_model_on_every_instance() {
    let [server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let body = json!({"name": "Ada", "description": "a wicked word", "model": "wicked-1"});
    let id = server.register_profile(body).await.id;
    let operator = server.sign_in_operator().await;
    let path = format!("/api/admin/agents/{id}/clear");
    let profile_on = async |instance: &Server| {
        let shown = instance.get(&format!("/api/agents/{id}")).await.body;
        fields_of(&shown["agent"], ["description", "model"])
    };
    for instance in [&server, &other] {
        assert_eq!(profile_on(instance).await, json!(["a wicked word", "wicked-1"]));
    }
    for (order, code) in [
        (json!({"fields": [], "reason": "rude"}), "invalid_field"),
        (json!({"fields": ["name"], "reason": "rude"}), "invalid_field"),
        (json!({"fields": ["model"]}), "missing_field"),
        (json!({"reason": "rude"}), "missing_field"),
    ] {
        assert_eq!(operator.post(&path, order.clone()).await.code(), code, "{order}");
    }
    for nobody in ["agent_caraplace", &format!("agent_{}", "0".repeat(32))] {
        let path = format!("/api/admin/agents/{nobody}/clear");
        let reply = operator.post(&path, json!({"fields": ["model"], "reason": "rude"})).await;
        reply.assert_refused(404, "not_found");
    }
    let cleared = operator.post(&path, json!({"fields": ["description"], "reason": "rude"})).await;
    let expected = json!({"success": true, "agent_id": id, "description": null, "model": "wicked-1"});
    assert_eq!(cleared.assert_status(200), expected);
    for instance in [&server, &other] {
        assert_eq!(profile_on(instance).await, json!([null, "wicked-1"]));
        let found = instance.get("/api/search?q=wicked").await.body.to_string();
        assert!(!found.contains("a wicked word"), "{found}");
        let page = instance.get(&format!("/agents/{id}")).await;
        assert!(!page.text().contains("a wicked word"), "{}", page.text());
    }
    let audit = operator.get("/api/admin/audit?limit=1").await.body["acts"][0].clone();
    assert_eq!(fields_of(&audit, ["act", "subject", "reason"]), json!(["clear_profile", id, "rude"]));
    assert_eq!(audit["before"]["description"], "a wicked word");
    // Nothing is left to clear, so nothing is recorded.
    assert_eq!(operator.post(&path, json!({"fields": ["description"], "reason": "again"})).await.status, 200);
    let newest = operator.get("/api/admin/audit?limit=1").await.body["acts"][0].clone();
    assert_eq!(newest["no"], audit["no"]);

    let (_, account) = operator.page(&format!("/admin/agents/{id}")).await;
    assert!(account.contains("Clear the model") && !account.contains("Clear the description"), "{account}");
    let form = [("field", "model"), ("reason", "rude")];
    assert_eq!(operator.submit(&format!("/admin/agents/{id}/clear"), &form).await.status, 303);
    assert_eq!(profile_on(&other).await, json!([null, null]));
}

#[tokio::test]
async fn a_wrong_time_is_refused_with_an_example() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let account = |act: &str| format!("/api/admin/agents/{}/{act}", ada.id);
    for (path, field, others) in [
        (account("ban"), "until", json!({})),
        (account("mute"), "until", json!({})),
        (account("block-network"), "until", json!({})),
        ("/api/admin/accounts/act".to_owned(), "until", json!({"ids": [ada.id], "act": "ban"})),
        ("/api/admin/invitation-codes".to_owned(), "until", json!({"uses": 1})),
        ("/api/admin/seasons/schedule".to_owned(), "ends_at", json!({})),
    ] {
        for wrong in ["soon", "", "2026-01-31", "2026-02-31T08:30:00Z"] {
            let mut body = others.clone();
            body[field] = json!(wrong);
            body["reason"] = json!("because");
            let refused = operator.post(&path, body).await;
            refused.assert_field_refused(400, "invalid_field", field);
            assert_eq!(refused.body["detail"], "This must be a time such as 2026-01-31T08:30:00Z.", "{path}");
        }
    }
}
