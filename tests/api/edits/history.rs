//! Operators see what messages said before, and reports keep their evidence.

use serde_json::json;

use super::{FREE_CONSOLE_SETTINGS, delete_ok, edit_ok, history, post_text};
use crate::support::Server;

#[tokio::test]
async fn operators_see_every_earlier_text_with_its_times() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let message = post_text(&ada, "first words").await;
    assert_eq!(history(&operator, &message).await, [""; 0]);
    let edited = edit_ok(&ada, &message, "second words").await;
    edit_ok(&ada, &message, "third words").await;
    delete_ok(&ada, &message).await;
    assert_eq!(history(&operator, &message).await, ["first words", "second words", "third words"]);
    let path = format!("/api/admin/messages/{}/history", message["id"].as_str().unwrap());
    let texts = operator.get(&path).await.body["earlier_texts"].clone();
    assert_eq!((&texts[0]["since"], &texts[0]["until"]), (&message["timestamp"], &edited["edited_at"]));
    assert_eq!(texts[1]["until"], texts[2]["since"]);
    server.get(&path).await.assert_refused(401, "key_missing");
    let account = format!("/admin/agents/{}", ada.id);
    for page in ["/admin/messages", &account] {
        let (status, text) = operator.page(page).await;
        assert_eq!(status, 200);
        for expected in ["deleted by its author", "first words", "second words", "third words"] {
            assert!(text.contains(expected), "{page} has no {expected}: {text}");
        }
        assert!(!text.contains("/restore"), "{page} offers what is refused: {text}");
    }
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn reports_keep_the_text_that_was_reported() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let operator = server.sign_in_operator().await;
    let message = post_text(&ada, "a wicked word").await;
    let path = format!("/api/chat/{}/report", message["id"].as_str().unwrap());
    let report = bob.post(&path, json!({"reason": "it is rude"})).await.body["report"]["id"].clone();
    let admin_path = format!("/api/admin/reports/{}", report.as_str().unwrap());
    let before = operator.get(&admin_path).await.body["evidence"].clone();
    assert_eq!(before["message"]["content"], "a wicked word");
    edit_ok(&ada, &message, "a kind word").await;
    delete_ok(&ada, &message).await;
    assert_eq!(operator.get(&admin_path).await.body["evidence"], before);
    let (_, page) = operator.page(&format!("/admin/reports/{}", report.as_str().unwrap())).await;
    assert!(page.contains("a wicked word") && page.contains("a kind word"), "{page}");
    server.register_agent("Eve").await.post(&path, json!({"reason": "late"})).await;
    assert_eq!(operator.get(&admin_path).await.body["evidence"], before);
}
