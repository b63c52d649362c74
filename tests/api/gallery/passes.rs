//! The duration of a pass: granted, renewed, lapsed, refunded; and granted by an operator.

use caraplace::accounts::gallery::Gallery;
use caraplace::accounts::gallery::passes::{self, PassGrant};
use chrono::{DateTime, TimeDelta, Utc};
use rules::names::{AgentName, NameChecker};
use rules::rights::PERMANENT;
use serde_json::json;
use text_filters::profanity::WordList;

use super::viewer_browser::text;
use super::{Shop, stripe_settings};
use crate::support::{Reply, Server};

pub const MONTH_SECONDS: i64 = 30 * 86_400;
/// The time for which a pass goes on if a renewal is late.
const GRACE_SECONDS: i64 = 3 * 86_400;

#[tokio::test]
async fn pass_renews_expires_and_resumes_with_payments() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let subscription = shop.stripe.state.lock().only_subscription();
    shop.server.advance_clock(MONTH_SECONDS - 100);
    assert_eq!(person.post_message("still here").await.status, 201);
    shop.server.advance_clock(400 + GRACE_SECONDS);
    let lapsed = person.post_message("and now").await;
    lapsed.assert_refused(402, "gallery_pass_required");
    assert!(lapsed.body["hint"].as_str().unwrap().contains("/gallery"), "{}", lapsed.body);
    shop.send_events(&shop.stripe.renew(&subscription, false)).await;
    person.post_message("and now").await.assert_refused(402, "gallery_pass_required");
    shop.server.advance_clock(3_600);
    shop.send_events(&shop.stripe.renew(&subscription, true)).await;
    assert_eq!(person.post_message("and now").await.status, 201);
    shop.send_events(&[shop.stripe.end_subscription(&subscription)]).await;
    shop.server.advance_clock(301);
    person.post_message("the end").await.assert_refused(402, "gallery_pass_required");
}

#[tokio::test]
async fn refund_or_dispute_ends_the_pass() {
    let shop = Shop::start().await;
    let mut ada = shop.new_browser();
    let id = ada.begin_checkout("gallery").await;
    let events = shop.stripe.pay(&id, "ada@example.com");
    shop.send_events(&events).await;
    ada.return_from_checkout(&id).await;
    let charge = events.iter().find(|event| event["type"] == "charge.succeeded").unwrap();
    assert_eq!(ada.me().await.body["may_speak"], json!(true));
    shop.send_events(&[shop.stripe.dispute(charge["data"]["object"]["id"].as_str().unwrap())]).await;
    assert_eq!(ada.me().await.body["may_speak"], json!(false));

    let bob = shop.viewer_with_reported_pass("bob@example.com").await;
    let customers: Vec<String> = sqlx::query_scalar("select customer from gallery_viewer order by viewer")
        .fetch_all(&shop.server.pool)
        .await
        .unwrap();
    shop.send_events(&[shop.stripe.refund(&customers[1])]).await;
    let me = bob.me().await.body;
    assert_eq!((&me["may_speak"], &me["viewer"]["pass_until"]), (&json!(false), &json!(null)));
    bob.post_message("hello").await.assert_refused(402, "gallery_pass_required");
}

#[tokio::test]
async fn inquiry_or_won_dispute_keeps_the_pass_and_refund_ends_it() {
    let shop = Shop::start().await;
    let mut ada = shop.new_browser();
    let id = ada.begin_checkout("gallery").await;
    let events = shop.stripe.pay(&id, "ada@example.com");
    shop.send_events(&events).await;
    ada.return_from_checkout(&id).await;
    let charge = &events.iter().find(|event| event["type"] == "charge.succeeded").unwrap()["data"]["object"];
    let mut sent = Vec::new();
    for (kind, status, may_speak) in [
        ("created", "warning_needs_response", true),
        ("updated", "needs_response", false),
        ("funds_withdrawn", "under_review", false),
        ("closed", "won", true),
        ("created", "needs_response", false),
        ("closed", "lost", false),
        ("closed", "won", true),
    ] {
        shop.server.advance_clock(60);
        let dispute = json!({"id": "dp_1", "charge": charge["id"], "status": status});
        sent.push(shop.stripe.event(&format!("charge.dispute.{kind}"), dispute));
        shop.send_events(&sent[sent.len() - 1..]).await;
        assert_eq!(ada.me().await.body["may_speak"], json!(may_speak), "{kind} {status}");
    }
    let mut again = sent[5].clone();
    again["id"] = json!("evt_again");
    shop.send_events(&[again]).await;
    assert_eq!(ada.me().await.body["may_speak"], json!(true), "the newest event counts");
    let mut refunded = charge.clone();
    refunded["refunded"] = json!(true);
    shop.send_events(&[shop.stripe.event("charge.refunded", refunded)]).await;
    shop.server.advance_clock(60);
    let won = json!({"id": "dp_1", "charge": charge["id"], "status": "won"});
    shop.send_events(&[shop.stripe.event("charge.dispute.closed", won)]).await;
    assert_eq!(ada.me().await.body["may_speak"], json!(false), "the payment was still refunded");
}

#[tokio::test]
async fn better_of_two_passes_counts_until_it_ends() {
    let shop = Shop::start().await;
    let mut person = shop.new_browser();
    let id = person.begin_checkout("patron").await;
    shop.stripe.pay(&id, "ada@example.com");
    person.return_from_checkout(&id).await;
    let bought = person.me().await.body;
    assert_eq!(bought["viewer"]["tier"], "patron");
    let viewer = bought["viewer"]["id"].as_str().unwrap().to_owned();
    let until = shop.server.clock.now() + TimeDelta::days(60);
    let input = PassGrant { viewer: Some(viewer), name: None, email: None, until, tier: "gallery".into() };
    grant(&shop.server, input).await;
    let both = person.me().await.body;
    assert_eq!((&both["viewer"]["tier"], &both["message_seconds"]), (&json!("patron"), &json!(120)));
    assert!(both["viewer"]["pass_until"].as_str() > bought["viewer"]["pass_until"].as_str(), "{both}");
    let payments =
        Gallery::open(&shop.server.running().state, &stripe_config(&shop.server).payments, "").unwrap();
    for (wait, tier, seconds) in [(MONTH_SECONDS + GRACE_SECONDS - 60, "patron", 120), (60, "gallery", 300)] {
        shop.server.advance_clock(wait);
        payments.apply_tier_changes(&shop.server.running().state).await.unwrap();
        let me = person.me().await.body;
        assert_eq!((&me["viewer"]["tier"], &me["message_seconds"]), (&json!(tier), &json!(seconds)));
        assert_eq!(me["viewer"]["pass_until"], both["viewer"]["pass_until"]);
    }
}

#[tokio::test]
async fn pass_without_an_end_says_so() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    let viewer = person.me().await.body["viewer"]["id"].as_str().unwrap().to_owned();
    grant_until(&shop.server, &viewer, PERMANENT).await;
    let page = text(&person.get("/gallery").await);
    assert!(page.contains("Your pass has no end date.") && !page.contains("9999"), "{page}");
}

#[tokio::test]
async fn operator_set_email_stays_until_the_next_purchase() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    let email = async || -> String {
        sqlx::query_scalar("select email from gallery_viewer").fetch_one(&shop.server.pool).await.unwrap()
    };
    assert_eq!(email().await, "ada@example.com");
    let viewer = person.me().await.body["viewer"]["id"].as_str().unwrap().to_owned();
    let until = shop.server.clock.now() + TimeDelta::days(1);
    let input = PassGrant {
        viewer: Some(viewer),
        name: None,
        email: Some("new@example.com".into()),
        until,
        tier: "gallery".into(),
    };
    grant(&shop.server, input).await;
    let subscription = shop.stripe.state.lock().only_subscription();
    shop.server.advance_clock(MONTH_SECONDS);
    shop.send_events(&shop.stripe.renew(&subscription, true)).await;
    shop.send_events(&[shop.stripe.end_subscription(&subscription)]).await;
    assert_eq!(email().await, "new@example.com");
    shop.server.advance_clock(60);
    let id = person.begin_checkout("gallery").await;
    shop.send_events(&shop.stripe.pay(&id, "third@example.com")).await;
    assert_eq!(email().await, "third@example.com");
}

async fn grant(server: &Server, grant: PassGrant) -> passes::GrantedPass {
    let tiers = &caraplace::accounts::gallery::tiers::Tiers::new(&stripe_config(server).payments);
    let mut transaction = server.pool.begin().await.unwrap();
    let granted = passes::grant(&mut transaction, tiers, grant, server.clock.offset()).await.unwrap();
    transaction.commit().await.unwrap();
    granted
}

/// Grants a Gallery Pass to an existing viewer.
pub async fn grant_until(server: &Server, viewer: &str, until: DateTime<Utc>) {
    let viewer = Some(viewer.to_owned());
    grant(server, PassGrant { viewer, name: None, email: None, until, tier: "gallery".into() }).await;
}

/// Grants a pass for a day to an existing viewer, with a mail address.
pub async fn grant_with_email(server: &Server, viewer: &str, email: &str) {
    let (viewer, email) = (Some(viewer.to_owned()), Some(email.to_owned()));
    let until = server.clock.now() + TimeDelta::days(1);
    grant(server, PassGrant { viewer, name: None, email, until, tier: "gallery".into() }).await;
}

async fn revoke(server: &Server, viewer: &str) {
    let tiers = &caraplace::accounts::gallery::tiers::Tiers::new(&stripe_config(server).payments);
    let mut transaction = server.pool.begin().await.unwrap();
    passes::revoke(&mut transaction, tiers, viewer, server.clock.offset()).await.unwrap();
    transaction.commit().await.unwrap();
}

fn stripe_config(_: &Server) -> platform::config::Config {
    let settings = stripe_settings("http://127.0.0.1:9");
    let find =
        |asked: &str| settings.iter().find(|(name, _)| *name == asked).map(|(_, value)| (*value).to_owned());
    platform::config::Config::read(find).unwrap()
}

fn parse_name(name: &str) -> AgentName {
    AgentName::parse(name, &NameChecker::new(&WordList::default())).unwrap()
}

#[tokio::test]
async fn operator_grants_and_revokes_passes_without_stripe() {
    let server = Server::start().await;
    let until = server.clock.now() + TimeDelta::days(10);
    let new = |tier: &str| PassGrant {
        viewer: None,
        name: Some(parse_name("Grace")),
        email: None,
        until,
        tier: tier.into(),
    };
    let granted = grant(&server, new("patron")).await;
    let key = granted.key.unwrap();
    let say =
        |content: &str| server.post_request("/api/chat").bearer_auth(&key).json(&json!({"content": content}));
    let posted = Reply::fetch(say("hello")).await;
    assert_eq!(posted.status, 201, "{}", posted.body);
    let message = &posted.body["message"];
    assert_eq!((&message["agent_name"], &message["badge"]), (&json!("Grace"), &json!("Patron")));
    assert_eq!((&message["sender_type"], &message["agent_id"]), (&json!("human"), &json!(granted.id)));
    revoke(&server, &granted.id).await;
    server.advance_clock(121);
    Reply::fetch(say("hello again")).await.assert_refused(402, "gallery_pass_required");
    let again = PassGrant { viewer: Some(granted.id.clone()), name: None, ..new("gallery") };
    assert!(grant(&server, again).await.key.is_none());
    assert_eq!(Reply::fetch(say("hello again")).await.status, 201);
    server.advance_clock(11 * 86_400);
    Reply::fetch(say("too late")).await.assert_refused(402, "gallery_pass_required");
}

#[tokio::test]
async fn operator_issues_a_key_once_to_a_buyer_who_never_returned() {
    let shop = Shop::start().await;
    let mut person = shop.new_browser();
    let id = person.begin_checkout("gallery").await;
    shop.send_events(&shop.stripe.pay(&id, "ada@example.com")).await;
    let viewer: String = sqlx::query_scalar("select id from agent where kind = 'viewer'")
        .fetch_one(&shop.server.pool)
        .await
        .unwrap();
    let until = shop.server.clock.now() + TimeDelta::days(10);
    let gift =
        || PassGrant { viewer: Some(viewer.clone()), name: None, email: None, until, tier: "gallery".into() };
    let key = grant(&shop.server, gift()).await.key.unwrap();
    let me = Reply::fetch(shop.server.get_request("/api/viewers/me").bearer_auth(&key)).await;
    assert_eq!((me.status, &me.body["viewer"]["id"]), (200, &json!(viewer)));
    assert!(grant(&shop.server, gift()).await.key.is_none());
    assert_eq!(
        (person.return_from_checkout(&id).await.status, person.key.take()),
        (303, None),
        "and nobody another one"
    );
}

#[tokio::test]
async fn revoked_pass_stays_revoked_after_payments() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let viewer = person.me().await.body["viewer"]["id"].as_str().unwrap().to_owned();
    revoke(&shop.server, &viewer).await;
    let subscription = shop.stripe.state.lock().only_subscription();
    shop.server.advance_clock(MONTH_SECONDS);
    shop.send_events(&shop.stripe.renew(&subscription, true)).await;
    person.post_message("hello").await.assert_refused(402, "gallery_pass_required");
}

#[tokio::test]
async fn expired_pass_is_refused_on_every_instance() {
    let shop = Shop::start().await;
    let second = shop.server.start_instance(&stripe_settings(&shop.stripe.url)).await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let (key, subscription) = (person.key.clone().unwrap(), shop.stripe.state.lock().only_subscription());
    let say = |server: &Server, content: &str| {
        server.post_request("/api/chat").bearer_auth(&key).json(&json!({"content": content}))
    };
    assert_eq!(Reply::fetch(say(&second, "hello from there")).await.status, 201);
    shop.server.advance_clock(301);
    assert_eq!(Reply::fetch(say(&shop.server, "hello from here")).await.status, 201);
    shop.server.advance_clock(301);
    let ended = shop.stripe.end_subscription(&subscription);
    shop.send_events(&[ended]).await;
    for server in [&second, &shop.server] {
        Reply::fetch(say(server, "and on")).await.assert_refused(402, "gallery_pass_required");
    }
    // Neither this nor any other refused message was posted.
    let messages = shop.server.get("/api/chat").await.body["messages"].as_array().unwrap().len();
    assert_eq!(messages, 2);
}
