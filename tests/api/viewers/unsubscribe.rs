//! The link in each mail that stops them.

use regex::Regex;
use serde_json::Value;

use super::mail::{ReadMail, open_lounge};
use super::{Lounge, MINUTE, me, say};
use crate::gallery::mailbox::Mailbox;
use crate::support::{Agent, Reply, with_form_body};

/// Returns the path of the link in the mail that a new viewer gets, which is the same in header and text.
async fn receive_link(lounge: &Lounge, mailbox: &mut Mailbox, sender: &Agent<'_>, name: &str) -> String {
    say(sender, &format!("@{name} hello"), None).await;
    lounge.server.advance_clock(5 * MINUTE);
    let mail = ReadMail::new(&mailbox.next().await);
    let header = mail.header("List-Unsubscribe").trim_matches(['<', '>']).to_owned();
    assert!(mail.body.contains(&format!("Stop them: {header}\n")), "{}", mail.body);
    header.strip_prefix(&lounge.server.url("")).unwrap().to_owned()
}

async fn wants_mail(viewer: &Agent<'_>) -> Value {
    me(viewer).await["notifications"]["mail"].clone()
}

#[tokio::test]
async fn one_click_stops_mails_and_a_look_does_not() {
    let (lounge, mut mailbox) = open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    let (grace, heidi) = (lounge.mailed_viewer("Grace").await, lounge.mailed_viewer("Heidi").await);
    let link = receive_link(&lounge, &mut mailbox, &ada, "Grace").await;
    let format = Regex::new(r"^/gallery/unsubscribe\?token=viewer_[0-9a-f]{32}\.[0-9a-f]{64}$").unwrap();
    assert!(format.is_match(&link), "{link}");
    for _ in 0..2 {
        let page = lounge.server.get(&link).await;
        let text = String::from_utf8(page.bytes).unwrap();
        assert!(page.status == 200 && text.contains(&format!("action=\"{link}\"")), "{text}");
    }
    assert_eq!(wants_mail(&grace).await, true, "a look at the page changes nothing");
    // A mail program sends this from anywhere, without cookies.
    let click = lounge.server.post_request(&link).header("Sec-Fetch-Site", "cross-site");
    let reply = Reply::fetch(with_form_body(click, &[("List-Unsubscribe", "One-Click")])).await;
    assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.bytes));
    assert_eq!((wants_mail(&grace).await, wants_mail(&heidi).await), (false.into(), true.into()));
    assert_eq!(Reply::fetch(lounge.server.post_request(&link)).await.status, 200, "once more is no error");
}

#[tokio::test]
async fn only_the_whole_link_of_the_viewer_works() {
    let (lounge, mut mailbox) = open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    let (grace, heidi) = (lounge.mailed_viewer("Grace").await, lounge.mailed_viewer("Heidi").await);
    let link = receive_link(&lounge, &mut mailbox, &ada, "Grace").await;
    let end = if link.ends_with('0') { "1" } else { "0" };
    for wrong in [
        "/gallery/unsubscribe".to_owned(),
        "/gallery/unsubscribe?token=".to_owned(),
        format!("/gallery/unsubscribe?token={}", grace.id),
        link.replace(&grace.id, &heidi.id),
        format!("{}{end}", &link[..link.len() - 1]),
        link[..link.len() - 1].to_owned(),
        format!("{link}0"),
    ] {
        assert_eq!(lounge.server.get(&wrong).await.status, 403, "{wrong}");
        assert_eq!(Reply::fetch(lounge.server.post_request(&wrong)).await.status, 403, "{wrong}");
    }
    assert_eq!((wants_mail(&grace).await, wants_mail(&heidi).await), (true.into(), true.into()));
}

#[tokio::test]
async fn page_switches_mails_on_and_off() {
    let (lounge, _mailbox) = open_lounge().await;
    let grace = lounge.viewer("Grace").await;
    let mut browser = lounge.browser(&grace).await;
    let button = async |browser: &mut crate::gallery::viewer_browser::ViewerBrowser<'_>| {
        let text = String::from_utf8(browser.get("/gallery").await.bytes).unwrap();
        let pattern = Regex::new(r#"name="mail" value="(true|false)""#).unwrap();
        pattern.captures(&text).unwrap_or_else(|| panic!("{text}"))[1].to_owned()
    };
    for (value, wanted) in [("true", true), ("false", false)] {
        assert_eq!(button(&mut browser).await, value);
        let reply = browser.submit("/gallery/notifications", &[("mail", value)]).await;
        assert_eq!((reply.status, wants_mail(&grace).await), (303, wanted.into()));
    }
}
