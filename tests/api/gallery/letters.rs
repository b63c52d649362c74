//! A lost key comes back by mail: once, soon, and without telling anyone who is known here.

use serde_json::json;

use super::mailbox::Mailbox;
use super::person::{find, key_on, text};
use super::{Person, Shop};
use crate::support::Reply;

async fn shop() -> (Shop, Mailbox) {
    let mailbox = Mailbox::open().await;
    let shop = Shop::with(&[("SMTP_URL", &mailbox.url), ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    (shop, mailbox)
}

async fn ask(shop: &Shop, email: &str) -> Reply {
    shop.person().submit("/gallery/lost", &[("email", email)]).await
}

/// Opens a link and presses its button.
async fn follow(person: &mut Person<'_>, link: &str) -> Reply {
    let page = person.get(link).await;
    assert_eq!(page.status, 200, "{}", text(&page));
    let token = find(&text(&page), r#"name="token" value="([0-9a-f]{64})""#).unwrap();
    let secret = link.split_once("token=").unwrap().1.to_owned();
    let reply = Reply::of(person.form("/gallery/link", &[("token", &token), ("link", &secret)])).await;
    person.keep(&reply);
    reply
}

#[tokio::test]
async fn magic_link_issues_a_new_key_and_revokes_the_old_one() {
    let (shop, mut mailbox) = shop().await;
    let holder = shop.holder("Ada@Example.com").await;
    let old_key = holder.key.clone().unwrap();
    assert_eq!(ask(&shop, "ada@example.COM").await.status, 200);
    let mail = mailbox.next().await;
    assert_eq!(mail.to, "Ada@Example.com", "where it was always meant to go");
    let mut finder = shop.person();
    let page = follow(&mut finder, &mail.link()).await;
    let key = key_on(&page).unwrap();
    assert_eq!(page.header("cache-control"), "no-store");
    let me = |key: &str| Reply::of(shop.server.get_request("/api/viewers/me").bearer_auth(key));
    assert_eq!(me(&key).await.status, 200);
    me(&old_key).await.assert_refused(401, "key_invalid");
    assert_eq!(holder.me().await.status, 401, "other browsers are signed out");
    assert_eq!(finder.say("found").await.status, 201);
}

#[tokio::test]
async fn link_works_once_within_fifteen_minutes() {
    let (shop, mut mailbox) = shop().await;
    let _holder = shop.holder("ada@example.com").await;
    ask(&shop, "ada@example.com").await;
    let link = mailbox.next().await.link();
    for _ in 0..3 {
        assert_eq!(shop.person().get(&link).await.status, 200);
    }
    assert!(key_on(&follow(&mut shop.person(), &link).await).is_some());
    let mut second = shop.person();
    let again = follow(&mut second, &link).await;
    assert_eq!((again.status, key_on(&again), second.session()), (403, None, None));
    ask(&shop, "ada@example.com").await;
    let link = mailbox.next().await.link();
    shop.server.wait(15 * 60);
    assert_eq!(follow(&mut shop.person(), &link).await.status, 403);
    for wrong in [
        "/gallery/link?token=",
        "/gallery/link?token=abc",
        &format!("/gallery/link?token={}", "0".repeat(64)),
    ] {
        assert_eq!(follow(&mut shop.person(), wrong).await.status, 403, "{wrong}");
    }
}

#[tokio::test]
async fn response_does_not_reveal_known_addresses() {
    let (shop, mut mailbox) = shop().await;
    let _holder = shop.holder("ada@example.com").await;
    let blank = |reply: &Reply| {
        (reply.status, reply.headers.len(), text(reply).replace(|c: char| c.is_ascii_hexdigit(), ""))
    };
    let (known, unknown) = (ask(&shop, "ada@example.com").await, ask(&shop, "eve@example.com").await);
    assert_eq!(blank(&known), blank(&unknown));
    assert_eq!(mailbox.next().await.to, "ada@example.com");
    // The queue is worked off in turn: what was asked before is done when this has come.
    ask(&shop, "ada@example.com").await;
    mailbox.next().await;
    assert!(!mailbox.has_more());
    for wrong in ["", "ada", "@", "a@", "a b@c", "a@b\r\nBcc: c@d"] {
        let reply = ask(&shop, wrong).await;
        assert_eq!(reply.status, 400, "{wrong}: {}", text(&reply));
    }
}

#[tokio::test]
async fn limits_mails_per_sender_and_recipient() {
    let (shop, mut mailbox) = shop().await;
    let _holder = shop.holder("ada@example.com").await;
    let mut eve = shop.person();
    let token = eve.token().await;
    let ask = async |eve: &Person<'_>, from: &str, email: &str| {
        let form = eve.form("/gallery/lost", &[("token", &token), ("email", email)]);
        Reply::of(form.header("X-Forwarded-For", from)).await.status
    };
    for number in 0..8 {
        assert_eq!(ask(&eve, &format!("192.0.2.{number}"), "ada@example.com").await, 200);
    }
    for _ in 0..3 {
        mailbox.next().await;
    }
    for _ in 0..10 {
        assert_eq!(ask(&eve, "192.0.2.99", "bob@example.com").await, 200);
    }
    assert_eq!(ask(&eve, "192.0.2.99", "bob@example.com").await, 429);
    assert!(!mailbox.has_more());
}

#[tokio::test]
async fn page_offers_no_recovery_without_mail_server() {
    let shop = Shop::open().await;
    let page = text(&shop.person().get("/gallery").await);
    assert!(page.contains("/gallery/sign-in") && !page.contains("/gallery/lost"));
    assert_eq!(shop.server.get("/healthz").await.body, json!({"status": "alive"}));
}
