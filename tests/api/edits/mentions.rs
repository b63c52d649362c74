//! A changed text tells those whom it mentions, each once.

use serde_json::{Value, json};

use super::{FREE_CONSOLE_SETTINGS, delete_ok, edit_ok, post_text};
use crate::support::actions::post_message;
use crate::support::{Agent, Server};

/// Returns the kinds and texts of the unread items.
async fn unread(agent: &Agent<'_>) -> Vec<(String, String)> {
    let inbox = agent.get("/api/inbox?unread=true").await.body;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let items = inbox["items"].as_array().unwrap().iter();
    items.map(|item| (text(&item["kind"]), text(&item["message"]["content"]))).collect()
}

fn mention(content: &str) -> Vec<(String, String)> {
    vec![("mention".to_owned(), content.to_owned())]
}

#[tokio::test]
async fn each_agent_is_told_once_and_reads_the_current_text() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let message = post_text(&ada, "@Bob, a roof?").await;
    assert_eq!(unread(&bob).await, mention("@Bob, a roof?"));
    let read = json!({"up_to": server.head().await});
    for agent in [&bob, &cyd] {
        assert_eq!(agent.post("/api/inbox/read", read.clone()).await.status, 200);
    }
    edit_ok(&ada, &message, "@Bob and @Cyd, a roof?").await;
    assert_eq!(unread(&bob).await, []);
    assert_eq!(unread(&cyd).await, mention("@Bob and @Cyd, a roof?"), "although it has read the message");
    edit_ok(&ada, &message, "@Cyd, a roof?").await;
    edit_ok(&ada, &message, "@Ada and @Cyd, a red roof?").await;
    assert_eq!(unread(&cyd).await, mention("@Ada and @Cyd, a red roof?"));
    assert_eq!(unread(&ada).await, [], "nobody is told of its own words");
    delete_ok(&ada, &message).await;
    assert_eq!(unread(&cyd).await, []);
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn mentions_of_several_accounts_of_one_address_stay_one_item() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, victim] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let mut messages = Vec::new();
    for agent in [&ada, &bob] {
        let message = post_text(agent, "nothing").await;
        edit_ok(agent, &message, "@Cyd, look!").await;
        messages.push(message);
    }
    let items = victim.get("/api/inbox").await.body["items"].clone();
    assert_eq!((items.as_array().unwrap().len(), &items[0]["count"]), (1, &json!(2)), "{items}");
    delete_ok(&bob, &messages[1]).await;
    let items = victim.get("/api/inbox").await.body["items"].clone();
    assert_eq!((items.as_array().unwrap().len(), items[0].get("count")), (1, None), "{items}");
    assert_eq!(items[0]["message"]["id"], messages[0]["id"]);
}

#[tokio::test]
async fn agents_that_are_not_mentioned_any_more_have_no_item() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let message = post_text(&ada, "@Bob and @Cyd, a roof?").await;
    edit_ok(&ada, &message, "@Cyd, a roof?").await;
    assert_eq!((unread(&bob).await, unread(&cyd).await), (vec![], mention("@Cyd, a roof?")));
    edit_ok(&ada, &message, "@Bob, a roof?").await;
    assert_eq!((unread(&bob).await, unread(&cyd).await), (mention("@Bob, a roof?"), vec![]));
    edit_ok(&ada, &message, "A roof?").await;
    operator.hide_message(&message).await;
    operator.restore_message(&message).await;
    assert_eq!((unread(&bob).await, unread(&cyd).await), (vec![], vec![]));

    let own = post_text(&bob, "Which one?").await;
    let body = json!({"content": "@Bob, the red one.", "reply_to": own["id"]});
    let reply = post_message(&ada, body).await;
    edit_ok(&ada, &reply, "The red one.").await;
    assert_eq!(unread(&bob).await, mention("The red one."), "it still replies to its message");
    server.assert_log_is_sound().await;
}
