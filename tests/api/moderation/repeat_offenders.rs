//! Reports about accounts against which a case was upheld lately count double toward a shadow-ban.

use serde_json::{Value, json};

use super::FREE_CONSOLE_SETTINGS;
use super::decisions::{decide, report_corner, undo};
use super::report_bombing::{register_reporters, report_in_turn, separate_networks};
use super::reports::{close_case, first_case, is_shadowed, report_path};
use crate::support::actions::{place, post_text};
use crate::support::values::{fields_of, id_of};
use crate::support::waiting::wait_for_rollback;
use crate::support::{Agent, OperatorBrowser, Server};

const DAY_SECONDS: i64 = 86_400;

#[tokio::test]
async fn two_reporters_are_enough_about_a_repeat_offender_for_ninety_days() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crowd = register_reporters(&server, "Cy", &separate_networks(18, 3)).await;
    let operator = server.sign_in_operator().await;
    report_in_turn(&server, &crowd[..1], &report_path(&post_text(&ada, "a wicked word").await)).await;
    close_case(&operator, &first_case(&operator, "open").await, "upheld").await;
    for (author, weight, explanation) in [(&bob, 2.0, "Starts at 1"), (&ada, 4.0, "Counts double")] {
        let path = report_path(&post_text(author, "another wicked word").await);
        report_in_turn(&server, &crowd[1..], &path).await;
        let case = first_case(&operator, "open").await;
        assert_eq!((&case["author_id"], &case["weight"]), (&json!(author.id), &json!(weight)));
        assert!(case["told"][0]["explanation"].as_str().unwrap().contains(explanation), "{case}");
        assert_eq!(is_shadowed(&operator, &author.id).await, weight > 3.0, "{case}");
    }
    operator.apply_sanction(&ada, "unshadow").await;
    server.advance_clock(91 * DAY_SECONDS);
    report_in_turn(&server, &crowd[1..], &report_path(&post_text(&ada, "a third one").await)).await;
    let operator = server.sign_in_operator().await;
    assert_eq!(first_case(&operator, "open").await["weight"], 2.0);
    assert!(!is_shadowed(&operator, &ada.id).await, "it counts like everyone else again");
}

/// Paints a corner of which the victim keeps three pixels of four, and reports it. Returns the id of the
/// case, whose author is the victim.
async fn report_vandal(
    operator: &OperatorBrowser<'_>,
    victim: &Agent<'_>,
    vandal: &Agent<'_>,
    reporter: &Agent<'_>,
) -> String {
    place(victim, &[(0, 0, 3), (1, 0, 3), (2, 0, 3), (3, 0, 3)]).await;
    place(vandal, &[(3, 0, 5)]).await;
    let case = report_corner(reporter).await;
    assert_eq!(first_case(operator, "open").await["author_id"], victim.id);
    case
}

/// Returns the number of upheld reports that the list of accounts shows for a name.
async fn upheld_reports(operator: &OperatorBrowser<'_>, name: &str) -> Value {
    let page = operator.get(&format!("/api/admin/accounts?name={name}")).await.assert_status(200);
    page["accounts"][0]["upheld_reports"].clone()
}

#[tokio::test]
async fn the_sanctioned_vandal_is_a_repeat_offender_and_its_victim_is_not() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, eve] = server.register_agents(["Ada", "Eve"]).await;
    let crowd = register_reporters(&server, "Cy", &separate_networks(18, 2)).await;
    let operator = server.sign_in_operator().await;
    let messages = [post_text(&ada, "a word").await, post_text(&eve, "another word").await];
    let case = report_vandal(&operator, &ada, &eve, &crowd[0].0).await;
    let body = json!({"sanction": {"kind": "mute", "agent_id": eve.id}, "reason": "It painted over others."});
    decide(&operator, &case, body).await;
    for (author, message, upheld) in [(&ada, &messages[0], 0), (&eve, &messages[1], 1)] {
        report_in_turn(&server, &crowd, &report_path(message)).await;
        let open = first_case(&operator, "open").await;
        let weight = if upheld == 1 { 4.0 } else { 2.0 };
        let expected = json!([author.id, upheld, weight]);
        assert_eq!(fields_of(&open, ["author_id", "author_upheld", "weight"]), expected, "{open}");
        let earlier: Vec<&str> = open["earlier_upheld"].as_array().unwrap().iter().map(id_of).collect();
        assert_eq!(earlier, vec![case.as_str(); upheld], "{open}");
        let queue = operator.get("/api/admin/reports").await.body;
        assert_eq!(queue["reports"][0]["author_upheld"], upheld, "{queue}");
        assert_eq!(is_shadowed(&operator, &author.id).await, upheld == 1, "{open}");
    }
    assert_eq!(upheld_reports(&operator, "Ada").await, 0);
    assert_eq!(upheld_reports(&operator, "Eve").await, 1);
}

#[tokio::test]
async fn an_upheld_rectangle_counts_once_against_whom_its_decision_is_about() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    let case = report_vandal(&operator, &ada, &eve, &bob).await;
    let counts =
        async || json!([upheld_reports(&operator, "Ada").await, upheld_reports(&operator, "Eve").await]);
    let rollback = json!({"agent_id": eve.id});
    let decision = decide(&operator, &case, json!({"rollback": rollback, "reason": "vandalism"})).await;
    assert_eq!(counts().await, json!([0, 1]), "rolled back");
    wait_for_rollback(&operator, decision["rollback"].as_str().unwrap(), "done").await;
    undo(&operator, &decision).await;
    assert_eq!(counts().await, json!([0, 0]), "undone");
    wait_for_rollback(&operator, decision["rollback"].as_str().unwrap(), "undone").await;
    close_case(&operator, &json!({"id": case}), "upheld").await;
    assert_eq!(counts().await, json!([0, 0]), "nobody is sanctioned, and no painter has nearly all of it");
    let next = report_corner(&bob).await;
    let mute = json!({"kind": "mute", "agent_id": eve.id});
    decide(&operator, &next, json!({"rollback": rollback, "sanction": mute, "reason": "vandalism"})).await;
    assert_eq!(counts().await, json!([0, 1]), "rolled back and muted");
}
