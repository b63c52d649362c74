//! Web Push: what is sent, to which services, and what their answers do.

use std::time::Duration;

use platform::vapid::VapidKey;
use serde_json::{Value, json};

use super::push_service::{PushBrowser, PushService};
use super::{Lounge, MINUTE, me, react, say};
use crate::support::Agent;
use crate::support::values::{fields_of, id_of};

/// Timeout, so that a failing test ends.
const REFUSALS_TIMEOUT: Duration = Duration::from_mins(3);
/// A contact that push services accept.
pub const SUBJECT: &str = "mailto:operator@caraplace.dev";

pub async fn open_lounge() -> (Lounge, PushService) {
    let service = PushService::open().await;
    (open_lounge_with("127.0.0.1/32").await, service)
}

/// Opens a lounge with push, whose server may connect to this network.
async fn open_lounge_with(network: &str) -> Lounge {
    let key = VapidKey::generate().unwrap().private_key();
    Lounge::open(&[
        ("CARAPLACE_VAPID_PRIVATE_KEY", &key),
        ("CARAPLACE_VAPID_SUBJECT", SUBJECT),
        ("CARAPLACE_WEBHOOK_ALLOW", network),
    ])
    .await
}

/// Subscribes a browser of a viewer, which must succeed. Returns the account.
pub async fn subscribe(viewer: &Agent<'_>, browser: &PushBrowser) -> Value {
    viewer.post("/api/viewers/me/push", browser.subscription()).await.assert_status(200)
}

async fn devices(viewer: &Agent<'_>) -> Value {
    me(viewer).await["notifications"]["push_devices"].clone()
}

#[tokio::test]
async fn message_is_encrypted_signed_and_sent_once_a_minute() {
    let (lounge, mut service) = open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    let grace = lounge.viewer("Grace").await;
    let question = say(&grace, "A roof?", None).await;
    say(&ada, "from before", Some(&question)).await;
    let browser = service.browser("grace");
    let account = subscribe(&grace, &browser).await;
    assert_eq!(account["notifications"]["push_devices"], 1);
    let reply = say(&ada, "red of course", Some(&question)).await;
    let request = service.next().await;
    let url = format!("/?message={}", id_of(&reply));
    let expected = json!({"title": "Ada replied to you", "body": "red of course", "url": url});
    assert_eq!(browser.read(&request), expected);
    assert_eq!((&*request.path, request.header("content-encoding")), ("/push/grace", "aes128gcm"));
    assert_eq!(request.header("ttl"), "43200");
    let claims = request.verify_token(account["notifications"]["push_key"].as_str().unwrap());
    assert_eq!((&claims["aud"], &claims["sub"]), (&json!(service.origin), &json!(SUBJECT)));
    let lifetime = claims["exp"].as_i64().unwrap() - lounge.server.clock.now().timestamp();
    assert!((11 * 3600..=24 * 3600).contains(&lifetime), "{lifetime}");
    say(&ada, "@Grace and a door?", None).await;
    react(&ada, &question, "🔥").await;
    // Another viewer's message comes first: a minute has not passed.
    let heidi = lounge.viewer("Heidi").await;
    subscribe(&heidi, &service.browser("heidi")).await;
    say(&ada, "@Heidi hello", None).await;
    assert_eq!(service.next().await.path, "/push/heidi");
    lounge.server.advance_clock(MINUTE);
    let joined = browser.read(&service.next().await);
    let expected = json!(["Reactions to your message: 🔥 1 (+1)", "A roof?"]);
    assert_eq!(fields_of(&joined, ["title", "body"]), expected);
    assert!(!service.has_unread());
}

#[tokio::test]
async fn answers_of_the_service_end_or_repeat_a_delivery() {
    let (lounge, mut service) = open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    let grace = lounge.viewer("Grace").await;
    let browser = service.browser("grace");
    subscribe(&grace, &browser).await;
    for status in [500, 302, 429] {
        service.answer_with(status);
        say(&ada, &format!("@Grace {status}"), None).await;
        assert_eq!(service.next().await.path, "/push/grace", "no redirect is followed");
        lounge.server.advance_clock(MINUTE);
    }
    assert_eq!(devices(&grace).await, 1);
    service.answer_with(201);
    let retried = browser.read(&service.next().await);
    assert_eq!(retried["title"], "Ada mentioned you (+2)", "what was not accepted is sent again");
    lounge.server.advance_clock(MINUTE);
    service.answer_with(410);
    say(&ada, "@Grace gone", None).await;
    service.next().await;
    subscribe(&lounge.viewer("Heidi").await, &service.browser("heidi")).await;
    say(&ada, "@Heidi hello", None).await;
    assert_eq!(service.next().await.path, "/push/heidi");
    assert_eq!(devices(&grace).await, 0);
    let metrics = lounge.server.get("/metrics").await.text().to_owned();
    let has = |end: &str| metrics.contains(&format!("caraplace_push_messages_total{{outcome=\"{end}"));
    assert!(has("failed\"} 3") && has("accepted\"} 1") && !has("gone\"} 0"), "{metrics}");
}

/// Waits until the refusals in a row of the only device are this number; `None` if it is deleted.
async fn wait_for_refusals(lounge: &Lounge, expected: Option<i32>) {
    let refusals = || {
        sqlx::query_scalar::<_, i32>("select refusals from push_device").fetch_optional(&lounge.server.pool)
    };
    let reached = async { while refusals().await.unwrap() != expected {} };
    tokio::time::timeout(REFUSALS_TIMEOUT, reached).await.expect("the number stays");
}

#[tokio::test]
async fn only_404_and_410_delete_a_device_at_once() {
    let (lounge, mut service) = open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    let grace = lounge.viewer("Grace").await;
    for status in [404, 410] {
        service.answer_with(status);
        subscribe(&grace, &service.browser("grace")).await;
        say(&ada, &format!("@Grace {status}"), None).await;
        service.next().await;
        wait_for_refusals(&lounge, None).await;
        lounge.server.advance_clock(MINUTE);
    }
    subscribe(&grace, &service.browser("grace")).await;
    // Four refusals in a row, an acceptance, and then five of them.
    let rounds = [
        (400, Some(1)),
        (401, Some(2)),
        (403, Some(3)),
        (413, Some(4)),
        (201, Some(0)),
        (403, Some(1)),
        (403, Some(2)),
        (403, Some(3)),
        (403, Some(4)),
        (403, None),
    ];
    service.answer_with(400);
    say(&ada, "@Grace one", None).await;
    for (round, (status, refusals)) in rounds.into_iter().enumerate() {
        service.answer_with(status);
        if round > 0 {
            // What was refused is sent again after a minute.
            lounge.server.advance_clock(MINUTE);
        }
        assert_eq!(service.next().await.path, "/push/grace");
        wait_for_refusals(&lounge, refusals).await;
        if status == 201 {
            say(&ada, "@Grace two", None).await;
        }
    }
    assert_eq!(devices(&grace).await, 0);
    let metrics = lounge.server.get("/metrics").await.text().to_owned();
    let start = "caraplace_push_messages_total{outcome=\"refused\"} ";
    let refused: u32 = metrics.lines().find_map(|line| line.strip_prefix(start)).unwrap().parse().unwrap();
    assert!(refused >= 9, "{refused}");
}

#[tokio::test]
async fn push_is_not_offered_with_a_contact_that_push_services_refuse() {
    let key = VapidKey::generate().unwrap().private_key();
    for subject in ["mailto:operator@localhost", "mailto:operator@example.com", "https://127.0.0.1"] {
        let settings = [("CARAPLACE_VAPID_PRIVATE_KEY", key.as_str()), ("CARAPLACE_VAPID_SUBJECT", subject)];
        let lounge = Lounge::open(&settings).await;
        let grace = lounge.viewer("Grace").await;
        assert_eq!(me(&grace).await["notifications"]["push_key"], Value::Null, "{subject}");
        let subscription = PushBrowser::new("https://push.example.com/a".to_owned()).subscription();
        grace.post("/api/viewers/me/push", subscription).await.assert_refused(400, "invalid_field");
    }
    // Without a contact, the public address counts; this one is local.
    let lounge = Lounge::open(&[("CARAPLACE_VAPID_PRIVATE_KEY", key.as_str())]).await;
    assert_eq!(me(&lounge.viewer("Grace").await).await["notifications"]["push_key"], Value::Null);
}

#[tokio::test]
async fn name_that_resolves_to_this_machine_is_not_connected_to() {
    let mut service = PushService::open_at("127.0.0.2").await;
    let forbidden = PushService::open().await;
    let lounge = open_lounge_with("127.0.0.2/32").await;
    let ada = lounge.server.register_agent("Ada").await;
    let grace = lounge.viewer("Grace").await;
    let port = forbidden.origin.rsplit(':').next().unwrap();
    subscribe(&grace, &PushBrowser::new(format!("https://localhost:{port}/push"))).await;
    subscribe(&grace, &service.browser("grace")).await;
    for text in ["@Grace one", "@Grace two"] {
        say(&ada, text, None).await;
        assert_eq!(service.next().await.path, "/push/grace");
        lounge.server.advance_clock(MINUTE);
    }
    assert_eq!(forbidden.connections(), 0);
    assert!(!forbidden.has_unread());
}
