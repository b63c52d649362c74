//! The limits of searches: how many run at a time, and for how long.

use tokio::time::timeout;

use super::{find, path, say, texts};
use crate::moderation::FREE_SETTINGS;
use crate::support::{EventStream, Server, WAIT_LIMIT};

/// Waits until this number of searches waits for a lock.
async fn wait_for_blocked_searches(server: &Server, count: i64) {
    let waiting = "select count(*) from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%search_score%'";
    let blocked = async {
        while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&server.pool).await.unwrap() < count {
            tokio::task::yield_now().await;
        }
    };
    timeout(WAIT_LIMIT, blocked).await.expect("the searches do not wait");
}

#[tokio::test]
async fn slow_searches_end_and_block_only_searches() {
    let mut server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let seq = say(&ada, "a slow tower").await["seq"].as_i64().unwrap();
    // Afterwards no event is in memory, so that a stream has to read them from the database.
    server.restart().await;
    let mut lock = server.pool.begin().await.unwrap();
    sqlx::query("lock table shadow_message").execute(&mut *lock).await.unwrap();
    let search = path("tower", "");
    let use_others = async {
        wait_for_blocked_searches(&server, 2).await;
        let refused = server.get(&search).await;
        refused.assert_refused(503, "overloaded");
        assert!(refused.header("retry-after").parse::<u32>().unwrap() >= 1);
        assert_eq!(server.get(&path("!?", "")).await.status, 200, "a search for nothing needs no database");
        let mut stream = EventStream::open(server.get_request("/api/events?since=0")).await;
        assert_eq!(stream.read_seqs_up_to(seq).await.last(), Some(&seq));
    };
    let (first, second, ()) = tokio::join!(server.get(&search), server.get(&search), use_others);
    for slow in [first, second] {
        slow.assert_refused(503, "overloaded");
        assert!(slow.body["hint"].as_str().unwrap().starts_with("Narrow the search"), "{}", slow.body);
    }
    lock.rollback().await.unwrap();
    assert_eq!(texts(&find(&server, "tower", "").await), ["a slow tower"]);
}
