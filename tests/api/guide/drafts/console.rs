//! The page of the console with the operators' queue.

use serde_json::json;

use super::DraftServer;
use crate::support::Server;
use crate::support::values::id_of;

const MARKUP: &str = "<img src=x onerror=alert(1)>";

#[tokio::test]
async fn an_operator_decides_on_the_page() {
    let drafting = DraftServer::open().await;
    let browser = drafting.server.sign_in_operator().await;
    let (_, html) = browser.page("/admin/drafts").await;
    assert!(html.contains("No drafts.") && !html.contains("no guide now"), "{html}");
    let visitor = drafting.browser();
    let plan = json!({"title": MARKUP, "x": 3, "y": 4, "rows": ["8888", "8..8"], "note": "A frame"});
    let first = drafting.propose(&visitor, "plan", plan.clone()).await;
    let second = drafting.propose(&drafting.browser(), "plan", plan).await;
    let (status, html) = browser.page("/admin/drafts").await;
    assert_eq!(status, 200);
    for part in [id_of(&first), id_of(&second), "&lt;img src=x", "8888\n8..8", "A frame", "no Gallery Pass"] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    assert!(!html.contains(MARKUP), "{html}");
    assert!(browser.page("/admin").await.1.contains(">2 drafts</a>."));
    let picture = format!("/admin/drafts/{}/target.png", id_of(&first));
    assert!(html.contains(&picture), "{html}");
    let image = browser.get(&picture).await;
    assert_eq!(image.status, 200);
    assert!(image.bytes.starts_with(b"\x89PNG"));
    assert_eq!(drafting.server.browser("192.0.2.78").get(&picture).await.status, 303, "only for operators");

    for (draft, decision) in [(&first, "approve"), (&second, "reject")] {
        let reply = browser.submit(&format!("/admin/drafts/{}/{decision}", id_of(draft)), &[]).await;
        assert_eq!((reply.status, reply.header("location")), (303, "/admin/drafts"));
    }
    let (_, html) = browser.page("/admin/drafts?state=closed").await;
    assert!(html.contains("approved") && html.contains("rejected"), "{html}");
    let plans = drafting.server.get("/api/plans").await.body["plans"].take();
    assert_eq!(plans.as_array().unwrap().len(), 1);
    assert!(html.contains(&format!("/plans/{}", id_of(&plans[0]))), "{html}");
    let (_, html) = browser.page("/admin/audit").await;
    assert!(html.contains("approve draft") && html.contains(&format!("subject={}", id_of(&first))), "{html}");
    assert_eq!(browser.submit(&format!("/admin/drafts/{}/approve", id_of(&second)), &[]).await.status, 409);
    assert_eq!(browser.submit(&format!("/admin/drafts/{}/forget", id_of(&second)), &[]).await.status, 404);
    let stranger = drafting.server.browser("192.0.2.78");
    assert_eq!(stranger.get("/admin/drafts").await.status, 303, "only for operators");
}

#[tokio::test]
async fn a_picture_is_shown_that_no_longer_fits_the_canvas() {
    let drafting = DraftServer::open().await;
    let plan = json!({"title": "A dot", "x": 30, "y": 30, "rows": ["8"]});
    let draft = drafting.propose(&drafting.browser(), "plan", plan).await;
    let browser = drafting.server.sign_in_operator().await;
    browser.open_season(1, 9, 9).await;
    let image = browser.get(&format!("/admin/drafts/{}/target.png", id_of(&draft))).await;
    assert!(image.status == 200 && image.bytes.starts_with(b"\x89PNG"), "{}", image.body);
}

#[tokio::test]
async fn a_refused_approval_is_shown() {
    let drafting = DraftServer::open().await;
    let browser = drafting.server.sign_in_operator().await;
    let change = json!({"content": "News", "reason": "test"});
    let draft = drafting.propose(&drafting.operator(), "announcement", change).await;
    browser.change_setting("chat_enabled", json!(false)).await;
    assert_eq!(browser.submit(&format!("/admin/drafts/{}/approve", id_of(&draft)), &[]).await.status, 404);
    let (_, html) = browser.page("/admin/drafts").await;
    assert!(html.contains("The last approval was refused: The chat is switched off"), "{html}");
}

#[tokio::test]
async fn without_a_guide_there_is_nothing_to_approve() {
    let server = Server::start_with_console().await;
    let operator = server.sign_in_operator().await;
    assert!(operator.page("/admin/drafts").await.1.contains("no guide now"));
    operator.get("/api/admin/drafts").await.assert_refused(404, "guide_disabled");
    for decision in ["approve", "reject"] {
        let path = format!("/api/admin/drafts/draft_{}/{decision}", "0".repeat(32));
        operator.post(&path, json!({})).await.assert_refused(404, "guide_disabled");
        server.post(&path, json!({})).await.assert_refused(401, "key_missing");
    }
}
