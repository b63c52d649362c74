//! Floods of expensive requests do not delay other clients.

use caraplace_accounts::operators::sessions;
use futures_util::stream::{self, StreamExt as _};
use platform::clock::Clock;
use reqwest::RequestBuilder;
use serde_json::json;

use crate::support::{HealthProbe, PASSWORD, Process, Reply};

/// Number of requests of each kind, and of concurrent ones.
const REQUEST_COUNT: usize = 200;
const CONCURRENT_REQUESTS: usize = 16;

/// Sends a request repeatedly. Returns the statuses.
async fn flood(make: impl Fn(usize) -> RequestBuilder) -> Vec<u16> {
    let answers =
        stream::iter((0..REQUEST_COUNT).map(make)).map(Reply::fetch).buffer_unordered(CONCURRENT_REQUESTS);
    answers.map(|reply| reply.status).collect().await
}

#[tokio::test]
async fn webhooks_with_many_signatures_delay_nobody() {
    let process = Process::start_with(&[("STRIPE_WEBHOOK_SECRET", "whsec_hostile")]).await;
    let probe = HealthProbe::start(process.address()).await;
    let now = Clock::default().now().timestamp();
    let header = format!("t={now}{}", ",v1=00".repeat(1_200));
    let body = "x".repeat(250_000);
    let statuses = flood(|_| {
        let post = process.client.post(process.url("/api/stripe/webhook"));
        post.header("Stripe-Signature", &header).body(body.clone())
    })
    .await;
    assert!(statuses.iter().all(|status| *status == 400), "{statuses:?}");
    probe.assert_fast();
}

#[tokio::test]
async fn many_wrong_passwords_delay_nobody() {
    let process = Process::start_with(&[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]).await;
    let probe = HealthProbe::start(process.address()).await;
    let token = "a".repeat(64);
    let csrf = sessions::csrf_token(&token);
    let statuses = flood(|number| {
        let password = format!("wrong number {number}");
        let post = process.client.post(process.url("/admin/sign-in"));
        let post = post.header("Cookie", format!("caraplace-sign-in={token}"));
        post.form(&[("csrf", csrf.as_str()), ("password", password.as_str())])
    })
    .await;
    assert!(statuses.iter().all(|status| [401, 403, 429, 503].contains(status)), "{statuses:?}");
    probe.assert_fast();
}

#[tokio::test]
async fn many_documents_images_and_reports_delay_nobody() {
    let process = Process::start_with(&[("CARAPLACE_REQUESTS_PER_MINUTE", "60")]).await;
    // Not `/docs`, because a debug build renders it for each request and a release build only once.
    let documents = ["/openapi.json", "/og.png"];
    for path in documents {
        // The first request renders and compresses the document.
        assert_eq!(Reply::fetch(process.client.get(process.url(path))).await.status, 200);
    }
    let probe = HealthProbe::start(process.address()).await;
    for path in documents {
        let statuses = flood(|_| process.client.get(process.url(path))).await;
        assert!(statuses.contains(&429), "{path} is not limited: {statuses:?}");
        assert!(statuses.iter().all(|status| [200, 429].contains(status)), "{path}: {statuses:?}");
    }
    let report = json!({"x1": 0, "y1": 0, "x2": 63, "y2": 63, "reason": "rude"});
    let statuses = flood(|_| process.client.post(process.url("/api/canvas/report")).json(&report)).await;
    assert!(statuses.iter().all(|status| *status < 500), "{statuses:?}");
    probe.assert_fast();
}
