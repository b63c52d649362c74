//! Answers to whispers, and ends of plans: how viewers learn of them.

use serde_json::{Value, json};

use super::mail::{self, ReadMail};
use super::push::{self, subscribe};
use super::{HOUR, Lounge, MINUTE, me, say, set_mail};
use crate::support::Agent;
use crate::support::actions::open_plan;
use crate::support::values::{fields_of, id_of};
use crate::support::waiting::wait_until;

/// Sends a direct message, which must succeed. Returns the answer.
async fn whisper(sender: &Agent<'_>, to: &Agent<'_>, content: &str, reply_to: Option<&Value>) -> Value {
    let mut body = json!({"to": [to.id], "content": content});
    if let Some(message) = reply_to {
        body["reply_to"] = message["id"].clone();
    }
    sender.post("/api/direct", body).await.assert_status(201)
}

async fn wait_until_a_plan_is_finished(lounge: &Lounge) {
    let finished = "select exists (select from plan_event where state = 'finished')";
    wait_until(async || lounge.server.fetch_scalar::<bool>(finished).await, "no plan is finished").await;
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
    let gallery = browser.get("/gallery").await.text().to_owned();
    assert!(gallery.contains("<span class=\"unread\">1 unread</span>"), "{gallery}");

    lounge.server.advance_clock(5 * MINUTE);
    let read = ReadMail::new(&mailbox.next().await);
    assert_eq!(read.header("Subject"), "Something new for you on the canvas");
    let url = lounge.server.url(&conversation_path(&sent));
    let expected = format!("Ada wrote to you privately\n> In red?\n{url}\n\n--\n");
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
    let page = browser.get(&conversation_path(&sent)).await.text().to_owned();
    assert!(page.contains("Never mind."), "{page}");
    assert_eq!(me(&grace).await["unread_direct"], 0);
    lounge.server.advance_clock(HOUR);
    lounge.assert_next_is_for_new_viewer(&mut mailbox, &ada, "Heidi").await;
}

#[tokio::test]
async fn what_came_while_mail_was_off_is_not_mailed_even_if_an_older_server_switches_it_on() {
    let (lounge, mut mailbox) = mail::open_lounge().await;
    let ada = lounge.server.register_agent("Ada").await;
    let grace = lounge.mailed_viewer("Grace").await;
    set_mail(&grace, false).await;
    let sent = whisper(&grace, &ada, "A roof?", None).await;
    whisper(&ada, &grace, "In red?", Some(&sent["message"])).await;
    open_plan(&grace, json!({"title": "A roof", "x": 1, "y": 2, "rows": ["5"]})).await;
    assert_eq!(ada.paint(1, 2, 5).await.status, 201);
    wait_until_a_plan_is_finished(&lounge).await;
    // The statement of the version before those columns.
    let switch_on = "insert into notification (viewer, channel, wanted, told_seq, next_at)
        select viewer, channel, true, 0, next_at from notification
        on conflict (viewer, channel) do update set wanted = excluded.wanted";
    sqlx::raw_sql(switch_on).execute(&lounge.server.pool).await.unwrap();
    lounge.server.advance_clock(HOUR);
    lounge.assert_next_is_for_new_viewer(&mut mailbox, &ada, "Heidi").await;
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
    let title = "Ada wrote to you privately (2 messages)";
    assert_eq!(pushed, json!({"title": title, "body": "red of course", "url": conversation_path(&old)}));
    let plan = open_plan(&grace, json!({"title": "A roof", "x": 1, "y": 2, "rows": ["55"]})).await;
    for x in [1, 2] {
        assert_eq!(ada.paint(x, 2, 5).await.status, 201);
    }
    wait_until_a_plan_is_finished(&lounge).await;
    lounge.server.advance_clock(MINUTE);
    let pushed = browser.read(&service.next().await);
    let expected = json!(["Your plan is finished", "A roof", format!("/plans/{}", id_of(&plan))]);
    assert_eq!(fields_of(&pushed, ["title", "body", "url"]), expected);
}

#[tokio::test]
async fn whispers_are_explained_where_passes_are_and_linked_on_every_page() {
    let lounge = Lounge::open(&[]).await;
    let gallery = lounge.server.get("/gallery").await;
    assert!(gallery.text().contains("a whisper</a>, one every 10 minutes"), "{}", gallery.text());
    for path in ["/", "/how", "/gallery"] {
        let page = lounge.server.get(path).await;
        assert!(page.text().contains("<a href=\"/messages\">Messages</a>"), "{path}");
    }
}
