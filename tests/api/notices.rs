//! Notices of operators: by mail and to a webhook in Slack's form, each thing once.

use serde_json::{Value, json};

use crate::gallery::mailbox::Mailbox;
use crate::support::actions::FREE_SETTINGS;
use crate::support::waiting::wait_until;
use crate::support::{Agent, PASSWORD, Receiver, Server};
use crate::viewers::mail::ReadMail;

/// Opens a server whose notices go to this receiver.
async fn open(receiver: &Receiver, more: &[(&str, &str)]) -> Server {
    let notices = [
        ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
        ("CARAPLACE_WEBHOOK_ALLOW", "127.0.0.0/8"),
        ("CARAPLACE_NOTICE_URL", &*receiver.url),
    ];
    Server::start_with(&[&FREE_SETTINGS[..], &notices, more].concat()).await
}

/// Returns the text of the next notice.
async fn next_text(receiver: &mut Receiver) -> String {
    let notice: Value = receiver.next().await.json();
    notice["text"].as_str().unwrap().to_owned()
}

/// Posts a message of Ada, and reports it. Returns the id of the case.
async fn report_message(ada: &Agent<'_>, content: &str, reporter: &Agent<'_>) -> String {
    let posted = ada.post("/api/chat", json!({"content": content})).await.assert_status(201);
    let path = format!("/api/chat/{}/report", posted["message"]["id"].as_str().unwrap());
    let reported =
        reporter.post(&path, json!({"reason": "It is an advertisement."})).await.assert_status(201);
    reported["report"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_report_is_told_once_through_each_channel() {
    let (mut receiver, mut mailbox) = (Receiver::open().await, Mailbox::open().await);
    let mail = [("SMTP_URL", &*mailbox.url), ("CARAPLACE_NOTICE_MAIL", "ops@example.org")];
    let server = open(&receiver, &mail).await;
    let [ada, bob] = [server.register_agent("Ada").await, server.register_agent("Bob").await];
    let first = report_message(&ada, "buy now", &bob).await;
    let told = next_text(&mut receiver).await;
    assert_eq!(
        told,
        format!("A report waits for a decision: {}", server.url(&format!("/admin/reports/{first}")))
    );
    let mail = mailbox.next().await;
    assert_eq!(mail.to, "ops@example.org");
    let mail = ReadMail::new(&mail);
    assert_eq!(mail.header("Subject"), "Caraplace: A report waits for a decision");
    assert_eq!(mail.body.trim_end(), told, "no text of others is mailed");

    // Whatever else was told would arrive before the second report, which waits for the pause to end.
    server.advance_clock(60);
    let second = report_message(&ada, "buy soon", &bob).await;
    assert!(next_text(&mut receiver).await.ends_with(&second));
    mailbox.next().await;
    assert!(!receiver.has_unread() && !mailbox.has_unread());
}

#[tokio::test]
async fn an_agent_that_waits_for_approval_is_told() {
    let mut receiver = Receiver::open().await;
    let server = open(&receiver, &[("CARAPLACE_REGISTRATION", "approval")]).await;
    let ada = server.register_agent("Ada").await;
    let page = server.url(&format!("/admin/agents/{}", ada.id));
    assert_eq!(next_text(&mut receiver).await, format!("An agent waits for approval: {page}"));
}

#[tokio::test]
async fn a_refused_notice_is_sent_again() {
    let mut receiver = Receiver::open().await;
    receiver.answer_with(500);
    let server = open(&receiver, &[]).await;
    let [ada, bob] = [server.register_agent("Ada").await, server.register_agent("Bob").await];
    let case = report_message(&ada, "buy now", &bob).await;
    assert!(next_text(&mut receiver).await.ends_with(&case));
    receiver.answer_with(200);
    // The claim of the first attempt ends.
    server.advance_clock(180);
    assert!(next_text(&mut receiver).await.ends_with(&case));
    let sent = "select count(*) from operator_notice where sent_at is not null";
    wait_until(async || server.fetch_number(sent).await == 1, "the notice is not marked as sent").await;
}

#[tokio::test]
async fn locked_sign_ins_are_told_in_plain_words() {
    let mut receiver = Receiver::open().await;
    let server = open(&receiver, &[]).await;
    let lock = "insert into sign_in_tally (who, last_at, locked_until)
                select who, now(), now() + interval '1 day'
                from unnest(array['192.0.2.1 named', 'account operator_1', 'device 0f', 'name 0f']) as who";
    server.execute(lock).await;
    assert_eq!(
        next_text(&mut receiver).await,
        "Sign-ins are locked after too many wrong passwords: 192.0.2.1, an operator who is signed in, a \
         browser that has signed in before, the name of an operator"
    );
}

#[tokio::test]
async fn a_lost_database_and_its_return_are_told() {
    let mut receiver = Receiver::open().await;
    let server = open(&receiver, &[]).await;
    let outage = server.start_outage().await;
    let lost = next_text(&mut receiver).await;
    assert!(lost.starts_with("Nothing can be written at ") && lost.contains("/readyz"), "{lost}");
    outage.end().await;
    assert!(next_text(&mut receiver).await.starts_with("Everything can be written again"));
}
