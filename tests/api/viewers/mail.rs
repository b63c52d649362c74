//! Mails about unread items: when they are sent, and what stands in them.

use serde_json::{Value, json};

use super::{HOUR, Lounge, MINUTE, free_settings_with, me, react, say, set_mail};
use crate::gallery::mailbox::{Mail, Mailbox};
use crate::support::Agent;
use crate::support::values::id_of;

pub(super) async fn open_lounge() -> (Lounge, Mailbox) {
    let mailbox = Mailbox::open().await;
    let lounge = Lounge::open(&[("SMTP_URL", &mailbox.url)]).await;
    (lounge, mailbox)
}

/// The headers of a mail with unfolded lines, and its decoded body.
pub struct ReadMail {
    pub headers: String,
    pub body: String,
}

impl ReadMail {
    pub fn new(mail: &Mail) -> Self {
        let (headers, body) = mail.text.split_once("\r\n\r\n").unwrap();
        let body = match headers {
            _ if headers.contains("Content-Transfer-Encoding: base64") => decode_base64(body),
            _ if headers.contains("quoted-printable") => decode_quoted(body),
            _ => body.to_owned(),
        };
        Self { headers: headers.replace("\r\n ", " "), body: body.replace("\r\n", "\n") }
    }

    pub fn header(&self, name: &str) -> &str {
        let line = self.headers.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("{name} in {}", self.headers))
    }
}

fn decode_base64(text: &str) -> String {
    use base64::Engine as _;
    let joined: String = text.split_whitespace().collect();
    String::from_utf8(base64::prelude::BASE64_STANDARD.decode(joined).unwrap()).unwrap()
}

fn decode_quoted(text: &str) -> String {
    let joined = text.replace("=\r\n", "");
    let mut parts = joined.split('=');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

impl Lounge {
    /// Lets a new viewer get a mail, and asserts that it is the next one: nobody who was due before got one.
    pub async fn assert_next_is_for_new_viewer(&self, mailbox: &mut Mailbox, sender: &Agent<'_>, name: &str) {
        self.mailed_viewer(name).await;
        say(sender, &format!("@{name} hello"), None).await;
        self.server.advance_clock(5 * MINUTE);
        assert_eq!(mailbox.next().await.to, format!("{}@example.com", name.to_lowercase()));
    }
}

#[tokio::test]
async fn mail_tells_what_is_unread_at_most_once_an_hour() {
    let (lounge, mut mailbox) = open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    let question = say(&lounge.mailed_viewer("Grace").await, "A roof?", None).await;
    let reply = say(&ada, "red of course", Some(&question)).await;
    react(&ada, &question, "🔥").await;
    lounge.server.advance_clock(5 * MINUTE);
    let mail = mailbox.next().await;
    let read = ReadMail::new(&mail);
    assert_eq!(mail.to, "grace@example.com");
    assert_eq!(read.header("Subject"), "2 new things for you on the canvas");
    assert_eq!(read.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    assert_eq!(read.header("Auto-Submitted"), "auto-generated");
    assert!(read.header("Content-Type").starts_with("text/plain"), "{}", read.headers);
    let expected = format!(
        "Reactions to your message: 🔥 1\n> A roof?\n{}\n\nAda replied to you\n> red of course\n{}\n\n--\n",
        lounge.server.url(&format!("/?message={}", question["id"].as_str().unwrap())),
        lounge.server.url(&format!("/?message={}", reply["id"].as_str().unwrap())),
    );
    assert!(read.body.starts_with(&expected), "{}", read.body);
    let mention = say(&ada, "@Grace and a door?", None).await;
    lounge.assert_next_is_for_new_viewer(&mut mailbox, &ada, "Heidi").await;
    lounge.server.advance_clock(HOUR);
    let second = ReadMail::new(&mailbox.next().await);
    assert_eq!(second.header("Subject"), "Something new for you on the canvas");
    let second = second.body;
    assert!(second.contains("> @Grace and a door?") && second.contains(mention["id"].as_str().unwrap()));
    assert!(!second.contains("> red of course"), "{second}");
    lounge.assert_next_is_for_new_viewer(&mut mailbox, &ada, "Ivan").await;
    let metrics = String::from_utf8(lounge.server.get("/metrics").await.bytes).unwrap();
    assert!(!metrics.contains("caraplace_notification_mails_total{outcome=\"sent\"} 0"), "{metrics}");
}

#[tokio::test]
async fn nothing_is_mailed_that_was_read_hidden_or_unwanted() {
    let (lounge, mut mailbox) = open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    for name in ["Reader", "Banned", "Stopped", "Silent", "Hidden"] {
        let viewer =
            if name == "Silent" { lounge.viewer(name).await } else { lounge.mailed_viewer(name).await };
        let message = say(&ada, &format!("@{name} hello"), None).await;
        match name {
            "Reader" => {
                viewer.post("/api/inbox/read", json!({"up_to": message["seq"]})).await;
            }
            "Banned" => {
                let ban = json!({"reason": "r", "why": "w"});
                lounge.operate(&format!("/api/admin/agents/{}/ban", viewer.id), ban).await;
            }
            "Stopped" => {
                set_mail(&viewer, false).await;
            }
            "Hidden" => {
                let path = format!("/api/admin/messages/{}/hide", id_of(&message));
                lounge.operate(&path, json!({"reason": "r"})).await;
            }
            _ => assert_eq!(me(&viewer).await["notifications"]["mail"], false, "mails are off by default"),
        }
    }
    let eve = lounge.server.register_agent("Eve").await;
    lounge.mailed_viewer("Shadowed").await;
    lounge.operate(&format!("/api/admin/agents/{}/shadow", eve.id), json!({"reason": "r"})).await;
    say(&eve, "@Shadowed hello", None).await;
    for name in ["Heidi", "Ivan"] {
        lounge.assert_next_is_for_new_viewer(&mut mailbox, &ada, name).await;
    }
    assert!(!mailbox.has_unread());
}

#[tokio::test]
async fn nothing_is_mailed_before_five_minutes_or_while_the_chat_is_off() {
    let (lounge, mut mailbox) = open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    lounge.mailed_viewer("Grace").await;
    say(&ada, "@Grace old", None).await;
    let set_chat = async |is_enabled: bool| {
        let body = json!({"name": "chat_enabled", "value": is_enabled, "reason": "r"});
        lounge.operate("/api/admin/settings", body).await;
    };
    set_chat(false).await;
    lounge.server.advance_clock(HOUR);
    set_chat(true).await;
    let text = ReadMail::new(&mailbox.next().await).body;
    assert!(text.contains("> @Grace old"), "it is told when the chat is on again: {text}");
    assert!(!mailbox.has_unread());
}

#[tokio::test]
async fn two_instances_and_a_restart_send_one_mail() {
    let (mut lounge, mut mailbox) = open_lounge().await;
    let url = mailbox.url.clone();
    let second = lounge.server.start_instance(&free_settings_with(&[("SMTP_URL", &url)])).await;
    {
        let ada = lounge.server.register_agent("Ada").await;
        for name in ["Grace", "Heidi", "Ivan", "Judy", "Mallory"] {
            lounge.mailed_viewer(name).await;
            say(&ada, &format!("@{name} hello"), None).await;
        }
    }
    lounge.server.advance_clock(5 * MINUTE);
    let mut recipients = Vec::new();
    for _ in 0..5 {
        recipients.push(mailbox.next().await.to);
    }
    recipients.sort();
    let expected = ["grace", "heidi", "ivan", "judy", "mallory"].map(|name| format!("{name}@example.com"));
    assert_eq!(recipients, expected);
    lounge.server.restart().await;
    let bob = lounge.server.register_agent("Bob").await;
    for name in ["Niaj", "Olivia"] {
        lounge.assert_next_is_for_new_viewer(&mut mailbox, &bob, name).await;
    }
    assert!(!mailbox.has_unread());
    drop(second);
}

#[tokio::test]
async fn texts_of_others_change_no_header_and_stay_quoted() {
    let (lounge, mut mailbox) = open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    lounge.mailed_viewer("Grace").await;
    say(&ada, "@Grace hi\r\nBcc: eve@example.com\r\n\r\n.\r\nMAIL FROM:<x@y.example>\r\n<b>bold</b>", None)
        .await;
    lounge.server.advance_clock(5 * MINUTE);
    let mail = mailbox.next().await;
    let read = ReadMail::new(&mail);
    assert_eq!(mail.to, "grace@example.com");
    assert!(!read.headers.contains("eve@") && !read.headers.contains("Ada"), "{}", read.headers);
    let (told, _) = read.body.split_once("\n\n--\n").unwrap();
    let mut lines = told.lines();
    assert_eq!(lines.next(), Some("Ada mentioned you"));
    for line in lines {
        assert!(line.starts_with("> ") || line.starts_with(&lounge.server.url("/?message=msg_")), "{line}");
    }
    assert!(told.contains("<b>bold</b>"), "plain text is not interpreted: {told}");
}

#[tokio::test]
async fn mail_needs_a_mail_server_and_an_address() {
    let lounge = Lounge::open(&[]).await;
    let grace = lounge.viewer("Grace").await;
    let status = me(&grace).await["notifications"].clone();
    let off = json!({"mail": false, "mail_available": false, "push_key": Value::Null, "push_devices": 0});
    assert_eq!(status, off);
    let (path, wanted) = ("/api/viewers/me/notifications", json!({"mail": true}));
    grace.post(path, wanted.clone()).await.assert_refused(400, "invalid_field");
    assert_eq!(set_mail(&grace, false).await["notifications"], off);
    let (lounge, _mailbox) = open_lounge().await;
    let nobody = lounge.grant_pass(json!({"reason": "no address"})).await;
    assert_eq!(me(&nobody).await["notifications"]["mail_available"], false);
    nobody.post(path, wanted.clone()).await.assert_refused(400, "invalid_field");
    lounge.server.register_agent("Ada").await.post(path, wanted).await.assert_refused(403, "forbidden");
}
