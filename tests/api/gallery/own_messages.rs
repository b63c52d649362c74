//! People with a pass change and delete their messages, on the page and by key.

use reqwest::Method;
use serde_json::{Value, json};

use super::Shop;
use super::viewer_browser::ViewerBrowser;
use crate::support::Reply;

/// Sends a change of a message from the page.
async fn change(person: &ViewerBrowser<'_>, method: Method, id: &Value, site: &str) -> Reply {
    let url = person.server.url(&format!("/api/chat/{}", id.as_str().unwrap()));
    let request = person.with_browser_headers(person.server.client.request(method.clone(), url));
    let request = request.header("Sec-Fetch-Site", site);
    let request =
        if method == Method::PATCH { request.json(&json!({"content": "a red roof"})) } else { request };
    Reply::fetch(request).await
}

#[tokio::test]
async fn a_viewer_changes_its_message_with_a_pass_and_deletes_it_without() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let posted = person.post_message("a roof").await;
    assert_eq!(posted.status, 201, "{}", posted.body);
    let id = posted.body["message"]["id"].clone();
    change(&person, Method::PATCH, &id, "cross-site").await.assert_refused(403, "forbidden");
    let edited = change(&person, Method::PATCH, &id, "same-origin").await;
    assert_eq!(
        (edited.status, &edited.body["message"]["content"]),
        (200, &json!("a red roof")),
        "{}",
        edited.body
    );
    let key = person.key.clone().unwrap();
    let url = shop.server.url(&format!("/api/chat/{}", id.as_str().unwrap()));
    let by_key = shop.server.client.patch(url).bearer_auth(key).json(&json!({"content": "a blue roof"}));
    assert_eq!(Reply::fetch(by_key).await.status, 200);
    let stranger = shop.viewer_with_pass("bob@example.com").await;
    change(&stranger, Method::PATCH, &id, "same-origin").await.assert_refused(403, "forbidden");
    change(&stranger, Method::DELETE, &id, "same-origin").await.assert_refused(403, "forbidden");
    // A month, and the days of grace for a late renewal.
    shop.server.advance_clock(34 * 86_400);
    change(&person, Method::PATCH, &id, "same-origin").await.assert_refused(402, "gallery_pass_required");
    change(&person, Method::DELETE, &id, "cross-site").await.assert_refused(403, "forbidden");
    let deleted = change(&person, Method::DELETE, &id, "same-origin").await;
    assert_eq!(
        (deleted.status, &deleted.body["message"]["redacted"]),
        (200, &json!(true)),
        "{}",
        deleted.body
    );
}
