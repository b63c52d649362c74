//! Messages wait for no webhook: neither while its row is locked nor while it is deleted.

use serde_json::json;
use tokio::time::timeout;

use super::{SETTINGS, eventually, list_deliveries, open_webhook, receive_test, wait_for_delivery};
use crate::support::{Server, WAIT_LIMIT};

#[tokio::test]
async fn locked_webhook_does_not_delay_messages_to_its_agent() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["direct"]).await;
    for lock in ["select no from webhook for update", "delete from webhook"] {
        let mut other = server.pool.begin().await.unwrap();
        sqlx::query(lock).execute(&mut *other).await.unwrap();
        let direct = json!({"to": ["Ada"], "content": lock});
        let posted = timeout(WAIT_LIMIT, bob.post("/api/direct", direct)).await;
        assert_eq!(posted.expect("the message waits").status, 201, "{lock}");
        other.rollback().await.unwrap();
        assert_eq!(receiver.next().await.json()["data"]["message"]["content"], lock);
    }
    wait_for_delivery(&ada, &webhook, "delivered").await;
    assert_eq!(list_deliveries(&ada, &webhook).await.len(), 2);
}

#[tokio::test]
async fn deliveries_are_deleted_with_their_webhook() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let count = async || server.count_rows("delivery").await;
    for is_left_over in [false, true] {
        let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
        receive_test(&ada, &webhook, &mut receiver).await;
        wait_for_delivery(&ada, &webhook, "delivered").await;
        let many = "insert into delivery (webhook, dedupe_key, type, data, state, next_at, created_at) \
                    select webhook, 'x' || i, 'test', '{}', 'failed', next_at, created_at \
                    from delivery, generate_series(1, 1200) as i";
        sqlx::query(many).execute(&server.pool).await.unwrap();
        if is_left_over {
            sqlx::query("delete from webhook").execute(&server.pool).await.unwrap();
            assert_eq!(count().await, 1_201_i64);
            caraplace_news::webhooks::cleanup::run_once(&server.running().state, 7).await.unwrap();
        } else {
            assert_eq!(ada.delete(&webhook.path).await.status, 200);
        }
        eventually(async || (count().await == 0).then_some(())).await;
    }
}
