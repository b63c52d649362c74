//! A lost key is recovered by mail: once, in time, and without revealing which addresses are known.

use serde_json::json;

use super::mailbox::Mailbox;
use super::viewer_browser::{find_match, find_shown_key};
use super::{Shop, ViewerBrowser};
use crate::support::Reply;

async fn start_shop() -> (Shop, Mailbox) {
    let mailbox = Mailbox::open().await;
    let settings = [("SMTP_URL", mailbox.url.as_str()), ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")];
    (Shop::start_with(&settings).await, mailbox)
}

async fn request_link(shop: &Shop, email: &str) -> Reply {
    shop.new_browser().submit("/gallery/lost", &[("email", email)]).await
}

/// Opens a link and presses its button.
async fn follow_link(person: &mut ViewerBrowser<'_>, link: &str) -> Reply {
    let page = person.get(link).await;
    assert_eq!(page.status, 200, "{}", page.text());
    let token = find_match(page.text(), r#"name="token" value="([0-9a-f]{64})""#).unwrap();
    let secret = link.split_once("token=").unwrap().1.to_owned();
    let form = person.form_request("/gallery/link", &[("token", &token), ("link", &secret)]);
    let reply = Reply::fetch(form).await;
    person.store_cookies(&reply);
    reply
}

#[tokio::test]
async fn magic_link_issues_a_new_key_and_revokes_the_old_one() {
    let (shop, mut mailbox) = start_shop().await;
    let holder = shop.viewer_with_pass("Ada@Example.com").await;
    let old_key = holder.key.clone().unwrap();
    assert_eq!(request_link(&shop, "ada@example.COM").await.status, 200);
    let mail = mailbox.next().await;
    assert_eq!(mail.to, "Ada@Example.com", "the mail goes to the stored address");
    let mut finder = shop.new_browser();
    let page = follow_link(&mut finder, &mail.link()).await;
    let key = find_shown_key(&page).unwrap();
    assert_eq!(page.header("cache-control"), "no-store");
    let me = async |key: &str| shop.server.client_with_key(key).get("/api/viewers/me").await;
    assert_eq!(me(&key).await.status, 200);
    me(&old_key).await.assert_refused(401, "key_invalid");
    assert_eq!(holder.me().await.status, 401, "other browsers are signed out");
    assert_eq!(finder.post_message("found").await.status, 201);
}

#[tokio::test]
async fn link_works_once_within_fifteen_minutes() {
    let (shop, mut mailbox) = start_shop().await;
    let _holder = shop.viewer_with_pass("ada@example.com").await;
    request_link(&shop, "ada@example.com").await;
    let link = mailbox.next().await.link();
    for _ in 0..3 {
        assert_eq!(shop.new_browser().get(&link).await.status, 200);
    }
    assert!(find_shown_key(&follow_link(&mut shop.new_browser(), &link).await).is_some());
    let mut second = shop.new_browser();
    let again = follow_link(&mut second, &link).await;
    assert_eq!((again.status, find_shown_key(&again), second.session()), (403, None, None));
    request_link(&shop, "ada@example.com").await;
    let link = mailbox.next().await.link();
    shop.server.advance_clock(15 * 60);
    assert_eq!(follow_link(&mut shop.new_browser(), &link).await.status, 403);
    for wrong in ["", "abc", &"0".repeat(64)] {
        let link = format!("/gallery/link?token={wrong}");
        assert_eq!(follow_link(&mut shop.new_browser(), &link).await.status, 403, "{wrong}");
    }
}

#[tokio::test]
async fn response_does_not_reveal_known_addresses() {
    let (shop, mut mailbox) = start_shop().await;
    let _holder = shop.viewer_with_pass("ada@example.com").await;
    let comparable = |reply: &Reply| {
        (reply.status, reply.headers.len(), reply.text().replace(|c: char| c.is_ascii_hexdigit(), ""))
    };
    let known = request_link(&shop, "ada@example.com").await;
    assert_eq!(comparable(&known), comparable(&request_link(&shop, "eve@example.com").await));
    assert_eq!(mailbox.next().await.to, "ada@example.com");
    // The queue is processed in order: after this mail, the earlier requests are done.
    request_link(&shop, "ada@example.com").await;
    mailbox.next().await;
    assert!(!mailbox.has_unread());
    for wrong in ["", "ada", "@", "a@", "a b@c", "a@b\r\nBcc: c@d"] {
        let reply = request_link(&shop, wrong).await;
        assert_eq!(reply.status, 400, "{wrong}: {}", reply.text());
    }
}

#[tokio::test]
async fn limits_mails_per_sender_and_recipient() {
    let (shop, mut mailbox) = start_shop().await;
    let _holder = shop.viewer_with_pass("ada@example.com").await;
    let mut eve = shop.new_browser();
    let token = eve.fetch_form_token().await;
    let ask = async |eve: &ViewerBrowser<'_>, from: &str, email: &str| {
        let form = eve.form_request("/gallery/lost", &[("token", &token), ("email", email)]);
        Reply::fetch(form.header("X-Forwarded-For", from)).await.status
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
    assert!(!mailbox.has_unread());
}

#[tokio::test]
async fn page_offers_no_recovery_without_mail_server() {
    let shop = Shop::start().await;
    let page = shop.new_browser().get("/gallery").await.text().to_owned();
    assert!(page.contains("/gallery/sign-in") && !page.contains("/gallery/lost"));
    assert_eq!(shop.server.get("/healthz").await.body, json!({"status": "alive"}));
}
