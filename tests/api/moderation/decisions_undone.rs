//! Undoing a decision restores what was before it, without false answers, and leaves what others have changed
//! since.

use chrono::TimeDelta;
use futures_util::future::join;
use serde_json::{Value, json};

use super::decisions::{decide, post_undo, report_corner, report_message, texts, undo};
use super::{FREE_CONSOLE_SETTINGS, apply_sanction, chat_message_ids};
use crate::support::actions::{place, post_text};
use crate::support::values::{fields_of, id_of};
use crate::support::{Agent, OperatorBrowser, Server};

async fn file_appeal(agent: &Agent<'_>) {
    agent.post("/api/appeals", json!({"text": "I am sorry"})).await.assert_status(201);
}

/// Returns the newest appeal of an account.
async fn newest_appeal(agent: &Agent<'_>) -> Value {
    agent.get("/api/appeals").await.body["appeals"][0].clone()
}

#[tokio::test]
async fn undoing_a_ban_over_an_expired_one_grants_the_appeal() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    place(&eve, &[(0, 0, 5)]).await;
    let until = server.clock.now() + TimeDelta::seconds(600);
    apply_sanction(&operator, &eve.id, "ban", json!({"until": until})).await;
    server.advance_clock(700);
    let case = report_corner(&bob).await;
    let decision =
        decide(&operator, &case, json!({"sanction": {"kind": "ban"}, "reason": "vandalism"})).await;
    assert!(decision["sanctions"]["before"]["banned_until"].is_string(), "{decision}");
    file_appeal(&eve).await;
    undo(&operator, &decision).await;
    let answered = fields_of(&newest_appeal(&eve).await, ["outcome", "answer"]);
    assert_eq!(answered, json!(["granted", "The ban or mute has been lifted."]));
    assert_eq!(eve.paint(1, 1, 1).await.status, 201);
}

#[tokio::test]
async fn messages_that_somebody_has_hidden_again_stay_hidden() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    let messages = [post_text(&eve, "buy this").await, post_text(&eve, "buy that").await];
    let case = report_message(&bob, &messages[0]).await;
    let ids = messages.each_ref().map(id_of);
    let decision = decide(&operator, &case, json!({"hide": ids, "reason": "spam"})).await;
    operator.restore_message(&messages[1]).await;
    operator.hide_message(&messages[1]).await;
    let undone = undo(&operator, &decision).await;
    assert_eq!(texts(&undone["kept"]), [format!("{} was hidden or restored since.", ids[1])]);
    assert_eq!(chat_message_ids(&server, "").await, [ids[0]]);
}

#[tokio::test]
async fn undoing_a_shadow_ban_reopens_no_appeal_that_another_ban_has_closed() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "mute").await;
    file_appeal(&eve).await;
    place(&eve, &[(0, 0, 5)]).await;
    let case = report_corner(&bob).await;
    let decision =
        decide(&operator, &case, json!({"sanction": {"kind": "shadow"}, "reason": "vandalism"})).await;
    operator.apply_sanction(&eve, "ban").await;
    assert_eq!(newest_appeal(&eve).await["outcome"], "denied", "the ban is newer");
    let undone = undo(&operator, &decision).await;
    assert_eq!(undone["kept"], json!([]), "the shadow-ban has ended");
    assert_eq!(newest_appeal(&eve).await["outcome"], "denied", "the ban stays");
}

#[tokio::test]
async fn a_case_that_is_opened_at_the_same_moment_stays_open() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    place(&eve, &[(0, 0, 5)]).await;
    let case = report_corner(&bob).await;
    let decision = decide(&operator, &case, json!({"reason": "harmless"})).await;
    let mut newer = server.pool.begin().await.unwrap();
    let insert = "insert into report_case (id, kind, target, counts, evidence, opened_at)
                  select 'report_new', kind, target, counts, evidence, now() from report_case";
    sqlx::query(insert).execute(&mut *newer).await.unwrap();
    let commit = async {
        server.wait_for_lock_waits(1).await;
        newer.commit().await.unwrap();
    };
    let (refused, ()) = join(post_undo(&operator, &decision), commit).await;
    refused.assert_refused(503, "overloaded");
    let undone = undo(&operator, &decision).await;
    assert!(texts(&undone["kept"])[0].starts_with(&case), "{undone}");
}

/// Returns true if the first report of a case counts.
async fn counts(operator: &OperatorBrowser<'_>, case: &str) -> bool {
    operator.get(&format!("/api/admin/reports/{case}")).await.body["told"][0]["counts"] == true
}

#[tokio::test]
async fn reports_count_again_unless_another_rejection_covers_them() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    let mut cases = Vec::new();
    for text in ["one", "two", "three"] {
        cases.push(report_message(&bob, &post_text(&eve, text).await).await);
    }
    let rejection = json!({"reason": "harmless"});
    let first = decide(&operator, &cases[0], rejection.clone()).await;
    cases.push(report_message(&bob, &post_text(&eve, "four").await).await);
    for case in &cases[1..] {
        assert!(!counts(&operator, case).await, "{case}");
    }
    undo(&operator, &first).await;
    for case in &cases {
        assert!(counts(&operator, case).await, "{case}");
    }
    let first = decide(&operator, &cases[0], rejection.clone()).await;
    decide(&operator, &cases[1], rejection).await;
    undo(&operator, &first).await;
    assert!(!counts(&operator, &cases[2]).await, "the second rejection covers it, too");
}
