//! Answers to whispers, and ends of plans: how viewers learn of them.

use serde_json::{Value, json};

use super::mail::{self, ReadMail};
use super::push::{self, subscribe};
use super::{HOUR, Lounge, MINUTE, me, say, set_mail};
use crate::gallery::viewer_browser::text;
use crate::support::Agent;

/// Sends a direct message, which must succeed. Returns the answer.
async fn whisper(sender: &Agent<'_>, to: &Agent<'_>, content: &str, reply_to: Option<&Value>) -> Value {
    let mut body = json!({"to": [to.id], "content": content});
    if let Some(message) = reply_to {
        body["reply_to"] = message["id"].clone();
    }
    let reply = sender.post("/api/direct", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body
}

async fn wait_until_a_plan_is_finished(lounge: &Lounge) {
    let finished = "select exists (select from plan_event where state = 'finished')";
    while !sqlx::query_scalar::<_, bool>(finished).fetch_one(&lounge.server.pool).await.unwrap() {
        tokio::task::yield_now().await;
    }
}

fn conversation_path(sent: &Value) -> String {
    format!("/messages/{}", sent["conversation_id"].as_str().unwrap())
}

#[tokio::test]
async fn an_answer_is_counted_mailed_and_read_with_its_conversation() {
    let (lounge, mut mailbox) = mail::open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    let grace = lounge.mailed_viewer("Grace").await;
    let mut browser = lounge.browser(&grace).await;
    let sent = whisper(&grace, &ada, "A roof?", None).await;
    assert_eq!((&me(&grace).await["unread"], &me(&grace).await["unread_direct"]), (&json!(0), &json!(0)));
    whisper(&ada, &grace, "In red?", Some(&sent["message"])).await;
    let account = me(&grace).await;
    assert_eq!((&account["unread"], &account["unread_direct"]), (&json!(1), &json!(1)));
    let gallery = text(&browser.get("/gallery").await);
    assert!(gallery.contains("<span class=\"unread\">1 unread</span>"), "{gallery}");

    lounge.server.advance_clock(5 * MINUTE);
    let read = ReadMail::new(&mailbox.next().await);
    assert_eq!(read.header("Subject"), "Something new for you on the canvas");
    let expected = format!(
        "Ada wrote to you privately\n> In red?\n{}\n\n--\n",
        lounge.server.url(&conversation_path(&sent))
    );
    assert!(read.body.starts_with(&expected), "{}", read.body);

    // It is told once, together with what is new, and not at all if it was read before.
    whisper(&ada, &grace, "Or in blue?", None).await;
    say(&ada, "@Grace look", None).await;
    lounge.server.advance_clock(HOUR);
    let second = ReadMail::new(&mailbox.next().await);
    assert_eq!(second.header("Subject"), "2 new things for you on the canvas");
    let first_lines = "Ada wrote to you privately (2 messages)\n> Or in blue?\n";
    assert!(second.body.starts_with(first_lines) && second.body.contains("> @Grace look"), "{}", second.body);
    whisper(&ada, &grace, "Never mind.", None).await;
    let page = text(&browser.get(&conversation_path(&sent)).await);
    assert!(page.contains("Never mind."), "{page}");
    let account = me(&grace).await;
    assert_eq!(account["unread_direct"], 0);
    lounge.server.advance_clock(HOUR);
    let heidi = lounge.mailed_viewer("Heidi").await;
    say(&ada, "@Heidi hello", None).await;
    lounge.server.advance_clock(5 * MINUTE);
    let third = mailbox.next().await;
    assert_eq!(third.to, "heidi@example.com");
    drop(heidi);
}

#[tokio::test]
async fn what_came_while_mail_was_off_is_not_mailed_even_if_an_older_server_switches_it_on() {
    let (lounge, mut mailbox) = mail::open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    let grace = lounge.mailed_viewer("Grace").await;
    set_mail(&grace, false).await;
    let sent = whisper(&grace, &ada, "A roof?", None).await;
    whisper(&ada, &grace, "In red?", Some(&sent["message"])).await;
    let opened = grace.post("/api/plans", json!({"title": "A roof", "x": 1, "y": 2, "rows": ["5"]})).await;
    assert_eq!(opened.status, 201, "{}", opened.body);
    assert_eq!(ada.paint(1, 2, 5).await.status, 201);
    wait_until_a_plan_is_finished(&lounge).await;
    // The statement of the version before those columns.
    let switch_on = "insert into notification (viewer, channel, wanted, told_seq, next_at)
        select viewer, channel, true, 0, next_at from notification
        on conflict (viewer, channel) do update set wanted = excluded.wanted";
    sqlx::raw_sql(switch_on).execute(&lounge.server.pool).await.unwrap();
    lounge.server.advance_clock(HOUR);
    lounge.mailed_viewer("Heidi").await;
    say(&ada, "@Heidi hello", None).await;
    lounge.server.advance_clock(5 * MINUTE);
    assert_eq!(mailbox.next().await.to, "heidi@example.com");
    assert!(!mailbox.has_unread());
}

#[tokio::test]
async fn an_answer_and_the_end_of_a_plan_are_pushed() {
    let (lounge, mut service) = push::open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    let grace = lounge.viewer("Grace").await;
    let old = whisper(&grace, &ada, "A roof?", None).await;
    whisper(&ada, &grace, "from before", Some(&old["message"])).await;
    let browser = service.browser("grace");
    subscribe(&grace, &browser).await;
    whisper(&ada, &grace, "red of course", None).await;
    let pushed = browser.read(&service.next().await);
    assert_eq!(
        pushed,
        json!({
            "title": "Ada wrote to you privately (2 messages)", "body": "red of course",
            "url": conversation_path(&old),
        })
    );
    let body = json!({"title": "A roof", "x": 1, "y": 2, "rows": ["55"]});
    let opened = grace.post("/api/plans", body).await;
    assert_eq!(opened.status, 201, "{}", opened.body);
    for x in [1, 2] {
        assert_eq!(ada.paint(x, 2, 5).await.status, 201);
    }
    let plan = opened.body["plan"]["id"].as_str().unwrap();
    wait_until_a_plan_is_finished(&lounge).await;
    lounge.server.advance_clock(MINUTE);
    let pushed = browser.read(&service.next().await);
    assert_eq!(
        (&pushed["title"], &pushed["body"], &pushed["url"]),
        (&json!("Your plan is finished"), &json!("A roof"), &json!(format!("/plans/{plan}")))
    );
}

#[tokio::test]
async fn whispers_are_explained_where_passes_are_and_linked_on_every_page() {
    let lounge = Lounge::open(&[]).await;
    let page_of = async |path: &str| String::from_utf8(lounge.server.get(path).await.bytes).unwrap();
    let gallery = page_of("/gallery").await;
    assert!(gallery.contains("a whisper</a>, one every 10 minutes"), "{gallery}");
    for path in ["/", "/how", "/gallery"] {
        assert!(page_of(path).await.contains("<a href=\"/messages\">Messages</a>"), "{path}");
    }
}
