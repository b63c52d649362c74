//! How long a pass lasts: granted, renewed, lapsed, taken back; and given by the operator.

use caraplace::gallery::Gallery;
use caraplace::gallery::passes::{self, Grant};
use chrono::TimeDelta;
use rules::names::{AgentName, NameChecker};
use serde_json::json;
use text_filters::profanity::WordList;

use super::{Shop, stripe_settings};
use crate::support::{Reply, Server};

const MONTH: i64 = 30 * 86_400;

#[tokio::test]
async fn pass_renews_expires_and_resumes_with_payments() {
    let shop = Shop::open().await;
    let person = shop.holder("ada@example.com").await;
    let subscription = shop.stripe.books.lock().subscription_of_all();
    shop.server.wait(MONTH - 100);
    assert_eq!(person.say("still here").await.status, 201);
    shop.server.wait(400);
    let lapsed = person.say("and now").await;
    lapsed.assert_refused(402, "gallery_pass_required");
    assert!(lapsed.body["hint"].as_str().unwrap().contains("/gallery"), "{}", lapsed.body);
    shop.tell(&shop.stripe.renew(&subscription, false)).await;
    person.say("and now").await.assert_refused(402, "gallery_pass_required");
    shop.server.wait(3_600);
    shop.tell(&shop.stripe.renew(&subscription, true)).await;
    assert_eq!(person.say("and now").await.status, 201);
    shop.tell(&[shop.stripe.end(&subscription)]).await;
    shop.server.wait(301);
    person.say("the end").await.assert_refused(402, "gallery_pass_required");
}

#[tokio::test]
async fn refund_or_dispute_ends_the_pass() {
    let shop = Shop::open().await;
    let mut ada = shop.person();
    let id = ada.begin_checkout("gallery").await;
    let events = shop.stripe.pay(&id, "ada@example.com");
    shop.tell(&events).await;
    ada.come_back(&id).await;
    let charge = events.iter().find(|event| event["type"] == "charge.succeeded").unwrap();
    assert_eq!(ada.me().await.body["may_speak"], json!(true));
    shop.tell(&[shop.stripe.dispute(charge["data"]["object"]["id"].as_str().unwrap())]).await;
    assert_eq!(ada.me().await.body["may_speak"], json!(false));

    let bob = shop.holder("bob@example.com").await;
    let customers: Vec<String> = sqlx::query_scalar("select customer from gallery_viewer order by viewer")
        .fetch_all(&shop.server.pool)
        .await
        .unwrap();
    shop.tell(&[shop.stripe.refund(&customers[1])]).await;
    let me = bob.me().await.body;
    assert_eq!((&me["may_speak"], &me["viewer"]["pass_until"]), (&json!(false), &json!(null)));
    bob.say("hello").await.assert_refused(402, "gallery_pass_required");
}

#[tokio::test]
async fn inquiry_or_won_dispute_keeps_the_pass_and_refund_ends_it() {
    let shop = Shop::open().await;
    let mut ada = shop.person();
    let id = ada.begin_checkout("gallery").await;
    let events = shop.stripe.pay(&id, "ada@example.com");
    shop.tell(&events).await;
    ada.come_back(&id).await;
    let charge = &events.iter().find(|event| event["type"] == "charge.succeeded").unwrap()["data"]["object"];
    let mut told = Vec::new();
    for (kind, status, may_speak) in [
        ("created", "warning_needs_response", true),
        ("updated", "needs_response", false),
        ("funds_withdrawn", "under_review", false),
        ("closed", "won", true),
        ("created", "needs_response", false),
        ("closed", "lost", false),
        ("closed", "won", true),
    ] {
        shop.server.wait(60);
        let dispute = json!({"id": "dp_1", "charge": charge["id"], "status": status});
        told.push(shop.stripe.event(&format!("charge.dispute.{kind}"), dispute));
        shop.tell(&told[told.len() - 1..]).await;
        assert_eq!(ada.me().await.body["may_speak"], json!(may_speak), "{kind} {status}");
    }
    let mut again = told[5].clone();
    again["id"] = json!("evt_again");
    shop.tell(&[again]).await;
    assert_eq!(ada.me().await.body["may_speak"], json!(true), "the newest word counts");
    let mut refunded = charge.clone();
    refunded["refunded"] = json!(true);
    shop.tell(&[shop.stripe.event("charge.refunded", refunded)]).await;
    shop.server.wait(60);
    let won = json!({"id": "dp_1", "charge": charge["id"], "status": "won"});
    shop.tell(&[shop.stripe.event("charge.dispute.closed", won)]).await;
    assert_eq!(ada.me().await.body["may_speak"], json!(false), "it was given back all the same");
}

#[tokio::test]
async fn better_of_two_passes_counts_until_it_ends() {
    let shop = Shop::open().await;
    let mut person = shop.person();
    let id = person.begin_checkout("patron").await;
    shop.stripe.pay(&id, "ada@example.com");
    person.come_back(&id).await;
    let bought = person.me().await.body;
    assert_eq!(bought["viewer"]["tier"], "patron");
    let viewer = bought["viewer"]["id"].as_str().unwrap().to_owned();
    let until = shop.server.clock.now() + TimeDelta::days(60);
    let given = Grant { viewer: Some(viewer), name: None, email: None, until, tier: "gallery".into() };
    grant(&shop.server, given).await;
    let both = person.me().await.body;
    assert_eq!((&both["viewer"]["tier"], &both["message_seconds"]), (&json!("patron"), &json!(120)));
    assert!(both["viewer"]["pass_until"].as_str() > bought["viewer"]["pass_until"].as_str(), "{both}");
    let desk = Gallery::open(&shop.server.running().state, &config(&shop.server).payments, "").unwrap();
    for (wait, tier, seconds) in [(MONTH - 60, "patron", 120), (60, "gallery", 300)] {
        shop.server.wait(wait);
        desk.turn_passes(&shop.server.running().state).await.unwrap();
        let me = person.me().await.body;
        assert_eq!((&me["viewer"]["tier"], &me["message_seconds"]), (&json!(tier), &json!(seconds)));
        assert_eq!(me["viewer"]["pass_until"], both["viewer"]["pass_until"]);
    }
}

#[tokio::test]
async fn operator_set_email_stays_until_the_next_purchase() {
    let shop = Shop::open().await;
    let mut person = shop.holder("ada@example.com").await;
    let email = async || -> String {
        sqlx::query_scalar("select email from gallery_viewer").fetch_one(&shop.server.pool).await.unwrap()
    };
    assert_eq!(email().await, "ada@example.com");
    let viewer = person.me().await.body["viewer"]["id"].as_str().unwrap().to_owned();
    let until = shop.server.clock.now() + TimeDelta::days(1);
    let given = Grant {
        viewer: Some(viewer),
        name: None,
        email: Some("new@example.com".into()),
        until,
        tier: "gallery".into(),
    };
    grant(&shop.server, given).await;
    let subscription = shop.stripe.books.lock().subscription_of_all();
    shop.server.wait(MONTH);
    shop.tell(&shop.stripe.renew(&subscription, true)).await;
    shop.tell(&[shop.stripe.end(&subscription)]).await;
    assert_eq!(email().await, "new@example.com");
    shop.server.wait(60);
    let id = person.begin_checkout("gallery").await;
    shop.tell(&shop.stripe.pay(&id, "third@example.com")).await;
    assert_eq!(email().await, "third@example.com");
}

async fn grant(server: &Server, grant: Grant) -> passes::Granted {
    let tiers = &caraplace::gallery::tiers::Tiers::new(&config(server).payments);
    let mut transaction = server.pool.begin().await.unwrap();
    let granted = passes::grant(&mut transaction, tiers, grant, server.clock.offset()).await.unwrap();
    transaction.commit().await.unwrap();
    granted
}

async fn revoke(server: &Server, viewer: &str) {
    let tiers = &caraplace::gallery::tiers::Tiers::new(&config(server).payments);
    let mut transaction = server.pool.begin().await.unwrap();
    passes::revoke(&mut transaction, tiers, viewer, server.clock.offset()).await.unwrap();
    transaction.commit().await.unwrap();
}

fn config(_: &Server) -> caraplace::config::Config {
    let settings = stripe_settings("http://127.0.0.1:9");
    let find =
        |asked: &str| settings.iter().find(|(name, _)| *name == asked).map(|(_, value)| (*value).to_owned());
    caraplace::config::Config::read(find).unwrap()
}

fn name(name: &str) -> AgentName {
    AgentName::parse(name, &NameChecker::new(&WordList::default())).unwrap()
}

#[tokio::test]
async fn operator_grants_and_revokes_passes_without_stripe() {
    let server = Server::start().await;
    let until = server.clock.now() + TimeDelta::days(10);
    let new =
        |tier: &str| Grant { viewer: None, name: Some(name("Grace")), email: None, until, tier: tier.into() };
    let given = grant(&server, new("patron")).await;
    let key = given.key.unwrap();
    let say =
        |content: &str| server.post_request("/api/chat").bearer_auth(&key).json(&json!({"content": content}));
    let said = Reply::of(say("hello")).await;
    assert_eq!(said.status, 201, "{}", said.body);
    let message = &said.body["message"];
    assert_eq!((&message["agent_name"], &message["badge"]), (&json!("Grace"), &json!("Patron")));
    assert_eq!((&message["sender_type"], &message["agent_id"]), (&json!("human"), &json!(given.id)));
    revoke(&server, &given.id).await;
    server.wait(121);
    Reply::of(say("hello again")).await.assert_refused(402, "gallery_pass_required");
    let again = Grant { viewer: Some(given.id.clone()), name: None, ..new("gallery") };
    assert!(grant(&server, again).await.key.is_none());
    assert_eq!(Reply::of(say("hello again")).await.status, 201);
    server.wait(11 * 86_400);
    Reply::of(say("too late")).await.assert_refused(402, "gallery_pass_required");
}

#[tokio::test]
async fn operator_issues_a_key_once_to_a_buyer_who_never_returned() {
    let shop = Shop::open().await;
    let mut person = shop.person();
    let id = person.begin_checkout("gallery").await;
    shop.tell(&shop.stripe.pay(&id, "ada@example.com")).await;
    let viewer: String = sqlx::query_scalar("select id from agent where kind = 'viewer'")
        .fetch_one(&shop.server.pool)
        .await
        .unwrap();
    let until = shop.server.clock.now() + TimeDelta::days(10);
    let gift =
        || Grant { viewer: Some(viewer.clone()), name: None, email: None, until, tier: "gallery".into() };
    let key = grant(&shop.server, gift()).await.key.unwrap();
    let me = Reply::of(shop.server.get_request("/api/viewers/me").bearer_auth(&key)).await;
    assert_eq!((me.status, &me.body["viewer"]["id"]), (200, &json!(viewer)));
    assert!(grant(&shop.server, gift()).await.key.is_none());
    assert_eq!(
        (person.come_back(&id).await.status, person.key.take()),
        (303, None),
        "and nobody another one"
    );
}

#[tokio::test]
async fn revoked_pass_stays_revoked_after_payments() {
    let shop = Shop::open().await;
    let person = shop.holder("ada@example.com").await;
    let viewer = person.me().await.body["viewer"]["id"].as_str().unwrap().to_owned();
    revoke(&shop.server, &viewer).await;
    let subscription = shop.stripe.books.lock().subscription_of_all();
    shop.server.wait(MONTH);
    shop.tell(&shop.stripe.renew(&subscription, true)).await;
    person.say("hello").await.assert_refused(402, "gallery_pass_required");
}

#[tokio::test]
async fn expired_pass_is_refused_on_every_instance() {
    let shop = Shop::open().await;
    let second = shop.server.second(&stripe_settings(&shop.stripe.url)).await;
    let person = shop.holder("ada@example.com").await;
    let (key, subscription) = (person.key.clone().unwrap(), shop.stripe.books.lock().subscription_of_all());
    let say = |server: &Server, content: &str| {
        server.post_request("/api/chat").bearer_auth(&key).json(&json!({"content": content}))
    };
    assert_eq!(Reply::of(say(&second, "hello from there")).await.status, 201);
    shop.server.wait(301);
    assert_eq!(Reply::of(say(&shop.server, "hello from here")).await.status, 201);
    shop.server.wait(301);
    let ended = shop.stripe.end(&subscription);
    shop.tell(&[ended]).await;
    for server in [&second, &shop.server] {
        Reply::of(say(server, "and on")).await.assert_refused(402, "gallery_pass_required");
    }
    // Not a word of it, nor of anything else that was refused.
    let messages = shop.server.get("/api/chat").await.body["messages"].as_array().unwrap().len();
    assert_eq!(messages, 2);
}
