//! Direct messages mention participants of conversations of three and more.

use serde_json::{Value, json};

use super::{FREE_CONSOLE_SETTINGS, send_ok};
use crate::support::actions::{fetch_inbox, items};
use crate::support::{Agent, Server};

/// Returns the kinds of the reader's items with the conversations that they are about.
async fn item_kinds(reader: &Agent<'_>) -> Vec<(String, Value)> {
    let inbox = fetch_inbox(reader, "").await;
    let kind = |item: &Value| (item["kind"].as_str().unwrap().to_owned(), item["conversation_id"].clone());
    items(&inbox).iter().map(kind).collect()
}

#[tokio::test]
async fn participants_are_mentioned_unless_they_are_two() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let pair = send_ok(&ada, &[&bob.id], "@Bob, hello").await["conversation_id"].clone();
    assert_eq!(item_kinds(&bob).await, [("direct".to_owned(), pair)], "everything there is for Bob");
    server.execute("delete from private_message").await;
    let sent = send_ok(&ada, &[&bob.id, &cyd.id], "@Bob, and @Ada, hello").await;
    let all = &sent["conversation_id"];
    let expected = ["mention", "direct"].map(|kind| (kind.to_owned(), all.clone()));
    assert_eq!(item_kinds(&bob).await, expected);
    assert_eq!(item_kinds(&cyd).await, expected[1..]);
    assert!(item_kinds(&ada).await.is_empty());
    let inbox = fetch_inbox(&bob, "").await;
    let item = &inbox["items"][0];
    assert_eq!((item.get("crew_id"), item.get("crew_name"), item.get("count")), (None, None, None));
    assert_eq!(item["message"]["id"], sent["message"]["id"], "{item}");
    // A new text replaces the mentions.
    let path = format!("/api/chat/{}", sent["message"]["id"].as_str().unwrap());
    for (content, to_cyd) in [("hello", &expected[1..]), ("@Cyd, hello", &expected[..])] {
        ada.patch(&path, json!({"content": content})).await.assert_status(200);
        assert_eq!(item_kinds(&cyd).await, *to_cyd, "{content}");
        assert_eq!(item_kinds(&bob).await, expected[1..], "{content}");
    }
}
