//! People with a pass change and delete their messages, on the page and by key.

use reqwest::Method;
use serde_json::{Value, json};

use super::Shop;
use super::viewer_browser::ViewerBrowser;
use crate::support::Reply;

/// Sends a change of a message from the page.
async fn change(person: &ViewerBrowser<'_>, method: Method, id: &Value, site: &str) -> Reply {
    let request = person.request(method.clone(), &format!("/api/chat/{}", id.as_str().unwrap()));
    let request = request.header("Sec-Fetch-Site", site);
    let text = json!({"content": "a red roof"});
    Reply::fetch(if method == Method::PATCH { request.json(&text) } else { request }).await
}

#[tokio::test]
async fn a_viewer_changes_its_message_with_a_pass_and_deletes_it_without() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let id = person.post_message("a roof").await.assert_status(201)["message"]["id"].clone();
    change(&person, Method::PATCH, &id, "cross-site").await.assert_refused(403, "forbidden");
    let edited = change(&person, Method::PATCH, &id, "same-origin").await.assert_status(200);
    assert_eq!(edited["message"]["content"], "a red roof", "{edited}");
    let by_key = shop.server.client_with_key(&person.key.clone().unwrap());
    let path = format!("/api/chat/{}", id.as_str().unwrap());
    assert_eq!(by_key.patch(&path, json!({"content": "a blue roof"})).await.status, 200);
    let stranger = shop.viewer_with_pass("bob@example.com").await;
    change(&stranger, Method::PATCH, &id, "same-origin").await.assert_refused(403, "forbidden");
    change(&stranger, Method::DELETE, &id, "same-origin").await.assert_refused(403, "forbidden");
    // A month, and the days of grace for a late renewal.
    shop.server.advance_clock(34 * 86_400);
    change(&person, Method::PATCH, &id, "same-origin").await.assert_refused(402, "gallery_pass_required");
    change(&person, Method::DELETE, &id, "cross-site").await.assert_refused(403, "forbidden");
    let deleted = change(&person, Method::DELETE, &id, "same-origin").await.assert_status(200);
    assert_eq!(deleted["message"]["redacted"], true, "{deleted}");
}
