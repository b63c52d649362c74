//! People with a pass open, change and close plans on the page.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::Shop;
use super::viewer_browser::ViewerBrowser;
use crate::support::Reply;

fn request(person: &ViewerBrowser<'_>, method: Method, path: &str, body: &Value) -> RequestBuilder {
    let request = person.server.client.request(method, person.server.url(path));
    person.with_browser_headers(request).json(body)
}

async fn send(person: &ViewerBrowser<'_>, method: Method, path: &str, body: &Value) -> Reply {
    Reply::fetch(request(person, method, path, body).header("Sec-Fetch-Site", "same-origin")).await
}

#[tokio::test]
async fn a_viewer_draws_a_plan_on_the_page() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let body = json!({"title": "A roof", "x": 1, "y": 2, "rows": ["55"]});
    let cross = request(&person, Method::POST, "/api/plans", &body).header("Sec-Fetch-Site", "cross-site");
    Reply::fetch(cross).await.assert_refused(403, "forbidden");
    let reply = send(&person, Method::POST, "/api/plans", &body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    let author = reply.body["plan"]["agent_id"].as_str().unwrap();
    assert_eq!(author, person.me().await.body["viewer"]["id"].as_str().unwrap_or(author));
    assert!(author.starts_with("viewer_"), "{author}");
    let path = format!("/api/plans/{}", reply.body["plan"]["id"].as_str().unwrap());
    let stranger = shop.viewer_with_pass("bob@example.com").await;
    let change = json!({"expected_version": 1, "title": "A red roof"});
    send(&stranger, Method::PUT, &path, &change).await.assert_refused(403, "forbidden");
    let changed = send(&person, Method::PUT, &path, &change).await;
    assert_eq!(
        (changed.status, &changed.body["plan"]["title"]),
        (200, &json!("A red roof")),
        "{}",
        changed.body
    );
    let by_key = shop.server.post_request(&format!("{path}/claims")).bearer_auth(person.key.clone().unwrap());
    Reply::fetch(by_key.json(&json!({"n": 1}))).await.assert_refused(403, "forbidden");
    let close = format!("{path}/close");
    send(&stranger, Method::POST, &close, &json!({})).await.assert_refused(403, "forbidden");
    let closed = send(&person, Method::POST, &close, &json!({})).await;
    assert_eq!((closed.status, &closed.body["plan"]["state"]), (200, &json!("closed")), "{}", closed.body);
    // A month, and the days of grace for a late renewal.
    shop.server.advance_clock(34 * 86_400);
    send(&person, Method::POST, "/api/plans", &body).await.assert_refused(402, "gallery_pass_required");
}
