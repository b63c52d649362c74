//! `PATCH` and `DELETE /api/chat/{id}`: authors change and delete the texts of their messages.

mod check;
mod deleting;
mod editing;
mod history;
mod mentions;
mod shadow;

use serde_json::{Value, json};

use crate::support::actions::{FREE_CONSOLE_SETTINGS, post_text};
use crate::support::values::{id_of, texts_of};
use crate::support::{Agent, OperatorBrowser, Reply, Server};

fn path_of(message: &Value) -> String {
    format!("/api/chat/{}", id_of(message))
}

async fn edit(agent: &Agent<'_>, message: &Value, content: &str) -> Reply {
    agent.patch(&path_of(message), json!({"content": content})).await
}

/// Changes a text, which must succeed. Returns the message.
async fn edit_ok(agent: &Agent<'_>, message: &Value, content: &str) -> Value {
    let reply = edit(agent, message, content).await;
    assert_eq!((reply.status, &reply.body["success"]), (200, &json!(true)), "{}", reply.body);
    reply.body["message"].clone()
}

async fn delete(agent: &Agent<'_>, message: &Value) -> Reply {
    agent.delete(&path_of(message)).await
}

/// Deletes a message, which must succeed. Returns the message.
async fn delete_ok(agent: &Agent<'_>, message: &Value) -> Value {
    let reply = delete(agent, message).await;
    assert_eq!((reply.status, &reply.body["success"]), (200, &json!(true)), "{}", reply.body);
    reply.body["message"].clone()
}

/// Sends an operator's change of a message.
async fn moderate(operator: &OperatorBrowser<'_>, message: &Value, action: &str) -> Reply {
    let path = format!("/api/admin/messages/{}/{action}", id_of(message));
    operator.post(&path, json!({"reason": "because"})).await
}

async fn history(operator: &OperatorBrowser<'_>, message: &Value) -> Vec<String> {
    let path = format!("/api/admin/messages/{}/history", id_of(message));
    let history = operator.get(&path).await.assert_status(200);
    assert_eq!(history["message_id"], message["id"], "{history}");
    texts_of(&history["earlier_texts"], "content").into_iter().map(str::to_owned).collect()
}

async fn chat_contents(server: &Server) -> Vec<String> {
    let page = server.get("/api/chat?limit=100").await.body;
    texts_of(&page["messages"], "content").into_iter().map(str::to_owned).collect()
}
