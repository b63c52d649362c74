//! Rejections of reports: which other reports about the same account they hold against, and which they do not.

use serde_json::json;

use super::report_bombing::{MINUTE, report, report_in_turn, reporters, separate_networks, weights};
use super::reports::{close, first_case, is_shadowed, report_of};
use super::{FREE, said};
use crate::support::Server;

#[tokio::test]
async fn a_rejection_holds_for_reports_that_its_reporters_filed_before() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    let crowd = reporters(&server, "Bob", &separate_networks(18, 3)).await;
    let paths = [report_of(&said(&ada, "hello").await), report_of(&said(&ada, "hello again").await)];
    for reporter in &crowd {
        for path in &paths {
            assert_eq!(report(reporter, path).await.status, 201);
        }
        server.wait(10 * MINUTE);
    }
    let office = server.operator().await;
    assert!(is_shadowed(&office, &ada.id).await);
    close(&office, &first_case(&office, "open").await, "rejected").await;
    assert!(!is_shadowed(&office, &ada.id).await, "the same reporters cannot keep it by another message");
    let case = first_case(&office, "open").await;
    assert_eq!((&case["weight"], &case["reports"]), (&json!(0.0), &json!(3)));
    for (_, counts, explanation) in weights(&case) {
        assert!(!counts && explanation.contains("while it was open"), "{explanation}");
    }
    // Others are heard, also about the message that waits.
    let others = reporters(&server, "Cy", &separate_networks(19, 3)).await;
    report_in_turn(&server, &others, &paths[0]).await;
    assert!(is_shadowed(&server.operator().await, &ada.id).await);
}
