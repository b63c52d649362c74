//! The order in which a batch is written: events, the parts of nouns as the server names them, then stored
//! responses and the head.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use caraplace::server::nouns::NOUNS;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::nouns::Nouns;
use caraplace_log::part::{HeadState, Part};
use caraplace_log::sql_future::SqlFuture;
use caraplace_log::state::AppState;
use caraplace_moderation::announce;
use chrono::{DateTime, Utc};
use platform::config::Config;
use platform::refusal::Refusal;
use sqlx::{PgConnection, PgPool};

use crate::support::Server;

/// The calls of all recorders, in their order.
static CALLS: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// True while the writes of the second recorder fail.
static FAILS: AtomicBool = AtomicBool::new(false);

/// The nouns of the server between two recorders.
static RECORDED: Nouns = Nouns {
    parts: || {
        let mut parts: Vec<Box<dyn Part>> = vec![Box::new(Recorder(1))];
        parts.extend((NOUNS.parts)());
        parts.push(Box::new(Recorder(2)));
        parts
    },
    ..NOUNS
};

/// A part that records its calls, with what the transaction has written before.
struct Recorder(i64);

impl Recorder {
    async fn record(&self, act: &str, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let written: (i64, i64, i64) = sqlx::query_as(
            "select (select count(*) from event where event.seq > log_head.seq),
                    (select count(*) from chat_message where chat_message.seq > log_head.seq),
                    (select count(*) from idempotency)
             from log_head",
        )
        .fetch_one(connection)
        .await?;
        CALLS.lock().unwrap().push(format!("{act} {}: {written:?}", self.0));
        Ok(())
    }
}

impl Part for Recorder {
    fn has_needs(&self) -> bool {
        true
    }

    fn read<'a>(&'a mut self, connection: &'a mut PgConnection, _: HeadState<'a>) -> SqlFuture<'a, ()> {
        Box::pin(self.record("read", connection))
    }

    fn has_changes(&self) -> bool {
        true
    }

    fn write<'a>(&'a self, connection: &'a mut PgConnection, _: DateTime<Utc>) -> SqlFuture<'a, ()> {
        Box::pin(async {
            self.record("write", connection).await?;
            let fails = self.0 == 2 && FAILS.load(Ordering::Relaxed);
            if fails { Err(sqlx::Error::Protocol("refused by the test".to_owned())) } else { Ok(()) }
        })
    }
}

#[tokio::test]
async fn events_come_before_parts_in_order_and_answers_and_the_head_after_them() {
    let server = Server::start().await;
    let config = Config::read(|_| None).unwrap();
    let pool = PgPool::connect(server.database_url()).await.unwrap();
    let (state, tasks) = AppState::open(pool, server.clock.clone(), &config, &RECORDED).await.unwrap();
    let announce = async |draft: &str| {
        CALLS.lock().unwrap().clear();
        let reason = AuditReason::by("console", "to see the order").with_draft(draft);
        let announced = announce::announce(&state, reason, "We begin.").await.map(|_| ());
        (announced, CALLS.lock().unwrap().join(", "))
    };

    // Counted are events, texts of messages and stored responses of the batch.
    let in_order = "read 1: (0, 0, 0), read 2: (0, 0, 0), write 1: (1, 0, 0), write 2: (1, 1, 0)";
    FAILS.store(true, Ordering::Relaxed);
    let before = server.fetch_number("select count(*) from event").await;
    let (refused, calls) = announce("draft_1").await;
    assert!(matches!(refused, Err(Refusal::Unavailable)), "{refused:?}");
    assert_eq!(calls, in_order);
    assert_eq!(server.fetch_number("select count(*) from event").await, before, "nothing is written");

    FAILS.store(false, Ordering::Relaxed);
    let (announced, calls) = announce("draft_1").await;
    announced.unwrap();
    assert_eq!(calls, in_order);
    assert_eq!(server.fetch_number("select count(*) from event").await, before + 1);
    assert_eq!(server.fetch_number("select count(*) from idempotency").await, 1);
    state.close(&tasks).await;
}
