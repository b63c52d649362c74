//! Reports about accounts against which a case was upheld lately count double toward a shadow-ban.

use serde_json::json;

use super::FREE_CONSOLE_SETTINGS;
use super::report_bombing::{register_reporters, report_in_turn, separate_networks};
use super::reports::{close_case, first_case, is_shadowed, report_path};
use crate::support::Server;
use crate::support::actions::post_text;

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
