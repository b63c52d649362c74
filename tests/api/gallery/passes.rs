//! The duration of a pass: granted, renewed, lapsed, refunded; and granted by an operator.

use caraplace_accounts::gallery::Gallery;
use caraplace_accounts::gallery::passes::{self, PassGrant};
use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::{AccountRefusal, Refusal};
use reqwest::Method;
use rules::names::{AgentName, NameChecker};
use rules::rights::PERMANENT;
use serde_json::{Value, json};
use text_filters::profanity::WordList;

use super::{Shop, stripe_settings};
use crate::support::actions::post_text;
use crate::support::values::id_of;
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
    let (mut ada, checkout, events) = shop.pay_in_new_browser("gallery").await;
    shop.send_events(&events).await;
    ada.return_from_checkout(&checkout).await;
    assert!(ada.may_speak().await);
    shop.send_events(&[shop.stripe.dispute(id_of(find_charge(&events)))]).await;
    assert!(!ada.may_speak().await);

    let bob = shop.viewer_with_reported_pass("bob@example.com").await;
    let customers = "select customer from gallery_viewer order by viewer";
    let customers: Vec<String> = shop.server.fetch_scalars(customers).await;
    shop.send_events(&[shop.stripe.refund(&customers[1])]).await;
    let me = bob.me().await.body;
    assert_eq!((&me["may_speak"], &me["viewer"]["pass_until"]), (&json!(false), &json!(null)));
    bob.post_message("hello").await.assert_refused(402, "gallery_pass_required");
}

/// Returns the charge that a purchase has made.
fn find_charge(events: &[Value]) -> &Value {
    &events.iter().find(|event| event["type"] == "charge.succeeded").unwrap()["data"]["object"]
}

#[tokio::test]
async fn inquiry_or_won_dispute_keeps_the_pass_and_refund_ends_it() {
    let shop = Shop::start().await;
    let (mut ada, checkout, events) = shop.pay_in_new_browser("gallery").await;
    shop.send_events(&events).await;
    ada.return_from_checkout(&checkout).await;
    let charge = find_charge(&events);
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
        assert_eq!(ada.may_speak().await, may_speak, "{kind} {status}");
    }
    let mut again = sent[5].clone();
    again["id"] = json!("evt_again");
    shop.send_events(&[again]).await;
    assert!(ada.may_speak().await, "the newest event counts");
    let mut refunded = charge.clone();
    refunded["refunded"] = json!(true);
    shop.send_events(&[shop.stripe.event("charge.refunded", refunded)]).await;
    shop.server.advance_clock(60);
    let won = json!({"id": "dp_1", "charge": charge["id"], "status": "won"});
    shop.send_events(&[shop.stripe.event("charge.dispute.closed", won)]).await;
    assert!(!ada.may_speak().await, "the payment was still refunded");
}

#[tokio::test]
async fn better_of_two_passes_counts_until_it_ends() {
    let shop = Shop::start().await;
    let (mut person, checkout, _) = shop.pay_in_new_browser("patron").await;
    person.return_from_checkout(&checkout).await;
    let bought = person.me().await.body;
    assert_eq!(bought["viewer"]["tier"], "patron");
    let until = shop.server.clock.now() + TimeDelta::days(60);
    grant_until(&shop.server, id_of(&bought["viewer"]), until).await;
    let both = person.me().await.body;
    assert_eq!((&both["viewer"]["tier"], &both["message_seconds"]), (&json!("patron"), &json!(120)));
    assert!(both["viewer"]["pass_until"].as_str() > bought["viewer"]["pass_until"].as_str(), "{both}");
    let state = &shop.server.running().state;
    let payments = Gallery::open(state, &stripe_config(&shop.server).payments, "").unwrap();
    for (wait, tier, seconds) in [(MONTH_SECONDS + GRACE_SECONDS - 60, "patron", 120), (60, "gallery", 300)] {
        shop.server.advance_clock(wait);
        payments.apply_tier_changes(state).await.unwrap();
        let me = person.me().await.body;
        assert_eq!((&me["viewer"]["tier"], &me["message_seconds"]), (&json!(tier), &json!(seconds)));
        assert_eq!(me["viewer"]["pass_until"], both["viewer"]["pass_until"]);
    }
}

#[tokio::test]
async fn pass_without_an_end_says_so() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    grant_until(&shop.server, &person.viewer_id().await, PERMANENT).await;
    let page = person.get("/gallery").await.text().to_owned();
    assert!(page.contains("Your pass has no end date.") && !page.contains("9999"), "{page}");
}

#[tokio::test]
async fn operator_set_email_stays_until_the_next_purchase() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    let email = async || shop.server.fetch_scalar::<String>("select email from gallery_viewer").await;
    assert_eq!(email().await, "ada@example.com");
    grant_with_email(&shop.server, &person.viewer_id().await, "new@example.com").await;
    let subscription = shop.stripe.state.lock().only_subscription();
    shop.server.advance_clock(MONTH_SECONDS);
    shop.send_events(&shop.stripe.renew(&subscription, true)).await;
    shop.send_events(&[shop.stripe.end_subscription(&subscription)]).await;
    assert_eq!(email().await, "new@example.com");
    shop.server.advance_clock(60);
    shop.send_events(&shop.stripe.pay(&person.begin_checkout("gallery").await, "third@example.com")).await;
    assert_eq!(email().await, "third@example.com");
}

async fn grant(server: &Server, grant: PassGrant) -> passes::GrantedPass {
    let tiers = &caraplace_accounts::gallery::tiers::Tiers::new(&stripe_config(server).payments);
    let mut transaction = server.pool.begin().await.unwrap();
    let granted = passes::grant(&server.running().state, &mut transaction, tiers, grant).await.unwrap();
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
    let tiers = &caraplace_accounts::gallery::tiers::Tiers::new(&stripe_config(server).payments);
    let mut transaction = server.pool.begin().await.unwrap();
    passes::revoke(&server.running().state, &mut transaction, tiers, viewer).await.unwrap();
    transaction.commit().await.unwrap();
}

fn stripe_config(_: &Server) -> platform::config::Config {
    let settings = stripe_settings("http://127.0.0.1:9");
    let find =
        |asked: &str| settings.iter().find(|(name, _)| *name == asked).map(|(_, value)| (*value).to_owned());
    platform::config::Config::read(find).unwrap()
}

#[tokio::test]
async fn operator_grants_and_revokes_passes_without_stripe() {
    let server = Server::start().await;
    let until = server.clock.now() + TimeDelta::days(10);
    let name = AgentName::parse("Grace", &NameChecker::new(&WordList::default())).unwrap();
    let new = |tier: &str| {
        let (name, tier) = (Some(name.clone()), tier.into());
        PassGrant { viewer: None, name, email: None, until, tier }
    };
    let granted = grant(&server, new("patron")).await;
    let key = granted.key.unwrap();
    let viewer = server.client_with_key(&key);
    let message = &post_text(&viewer, "hello").await;
    assert_eq!((&message["agent_name"], &message["badge"]), (&json!("Grace"), &json!("Patron")));
    assert_eq!((&message["sender_type"], &message["agent_id"]), (&json!("human"), &json!(granted.id)));
    revoke(&server, &granted.id).await;
    server.advance_clock(121);
    viewer.post_message("hello again").await.assert_refused(402, "gallery_pass_required");
    let again = PassGrant { viewer: Some(granted.id.clone()), name: None, ..new("gallery") };
    assert!(grant(&server, again).await.key.is_none());
    assert_eq!(viewer.post_message("hello again").await.status, 201);
    server.advance_clock(11 * 86_400);
    viewer.post_message("too late").await.assert_refused(402, "gallery_pass_required");
}

#[tokio::test]
async fn a_new_viewer_does_not_get_the_name_of_an_erased_one() {
    let server = Server::start().await;
    let until = server.clock.now() + TimeDelta::days(10);
    let new = |name: &str| {
        let name = AgentName::parse(name, &NameChecker::new(&WordList::default())).unwrap();
        PassGrant { viewer: None, name: Some(name), email: None, until, tier: "gallery".into() }
    };
    let viewer = server.client_with_key(&grant(&server, new("Grace")).await.key.unwrap());
    let erased = viewer.request(Method::DELETE, "/api/viewers/me").json(&json!({"confirm": "Grace"}));
    Reply::fetch(erased).await.assert_status(200);
    let tiers = &caraplace_accounts::gallery::tiers::Tiers::new(&stripe_config(&server).payments);
    let mut transaction = server.pool.begin().await.unwrap();
    let refused = passes::grant(&server.running().state, &mut transaction, tiers, new("G-race")).await;
    assert!(matches!(refused, Err(Refusal::Account(AccountRefusal::NameTaken))), "{refused:?}");
}

#[tokio::test]
async fn operator_issues_a_key_once_to_a_buyer_who_never_returned() {
    let shop = Shop::start().await;
    let (mut person, checkout, events) = shop.pay_in_new_browser("gallery").await;
    shop.send_events(&events).await;
    let viewer: String = shop.server.fetch_scalar("select id from agent where kind = 'viewer'").await;
    let until = shop.server.clock.now() + TimeDelta::days(10);
    let gift =
        || PassGrant { viewer: Some(viewer.clone()), name: None, email: None, until, tier: "gallery".into() };
    let key = grant(&shop.server, gift()).await.key.unwrap();
    let me = shop.server.client_with_key(&key).get("/api/viewers/me").await;
    assert_eq!((me.status, &me.body["viewer"]["id"]), (200, &json!(viewer)));
    assert!(grant(&shop.server, gift()).await.key.is_none());
    assert_eq!(person.return_from_checkout(&checkout).await.status, 303, "and nobody another one");
    assert_eq!(person.key.take(), None, "and nobody another one");
}

#[tokio::test]
async fn revoked_pass_stays_revoked_after_payments() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    revoke(&shop.server, &person.viewer_id().await).await;
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
    let (here, there) = (shop.server.client_with_key(&key), second.client_with_key(&key));
    assert_eq!(there.post_message("hello from there").await.status, 201);
    shop.server.advance_clock(301);
    assert_eq!(here.post_message("hello from here").await.status, 201);
    shop.server.advance_clock(301);
    shop.send_events(&[shop.stripe.end_subscription(&subscription)]).await;
    for viewer in [&there, &here] {
        viewer.post_message("and on").await.assert_refused(402, "gallery_pass_required");
    }
    // Neither this nor any other refused message was posted.
    assert_eq!(shop.server.get("/api/chat").await.body["messages"].as_array().unwrap().len(), 2);
}
