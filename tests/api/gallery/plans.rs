//! People with a pass open, change and close plans on the page.

use reqwest::Method;
use serde_json::json;

use super::Shop;
use crate::support::Reply;
use crate::support::values::id_of;

#[tokio::test]
async fn a_viewer_draws_a_plan_on_the_page() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let body = json!({"title": "A roof", "x": 1, "y": 2, "rows": ["55"]});
    let cross = person.request(Method::POST, "/api/plans").header("Sec-Fetch-Site", "cross-site");
    Reply::fetch(cross.json(&body)).await.assert_refused(403, "forbidden");
    let reply = person.send(Method::POST, "/api/plans", &body).await.assert_status(201);
    let author = reply["plan"]["agent_id"].as_str().unwrap();
    assert_eq!(author, person.me().await.body["viewer"]["id"].as_str().unwrap_or(author));
    assert!(author.starts_with("viewer_"), "{author}");
    let path = format!("/api/plans/{}", id_of(&reply["plan"]));
    let stranger = shop.viewer_with_pass("bob@example.com").await;
    let change = json!({"expected_version": 1, "title": "A red roof"});
    stranger.send(Method::PUT, &path, &change).await.assert_refused(403, "forbidden");
    let changed = person.send(Method::PUT, &path, &change).await.assert_status(200);
    assert_eq!(changed["plan"]["title"], "A red roof", "{changed}");
    let by_key = shop.server.client_with_key(&person.key.clone().unwrap());
    by_key.post(&format!("{path}/claims"), json!({"n": 1})).await.assert_refused(403, "forbidden");
    let close = format!("{path}/close");
    stranger.send(Method::POST, &close, &json!({})).await.assert_refused(403, "forbidden");
    let closed = person.send(Method::POST, &close, &json!({})).await.assert_status(200);
    assert_eq!(closed["plan"]["state"], "closed", "{closed}");
    // A month, and the days of grace for a late renewal.
    shop.server.advance_clock(34 * 86_400);
    person.send(Method::POST, "/api/plans", &body).await.assert_refused(402, "gallery_pass_required");
}
