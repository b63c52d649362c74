//! Checks the database after a run: acknowledged and stored writes, numbers, counters and credits agree.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::{Connection, PgConnection};
use tokio::time::{sleep, timeout};

use crate::environment::{Instance, POLL_INTERVAL};
use crate::swarm_process::AckedWrites;

/// Maximum time until an instance shows what another one wrote.
const CATCH_UP_TIMEOUT: Duration = Duration::from_mins(2);
/// The price of a message in these tests.
const MESSAGE_PRICE: i64 = 1;

pub async fn connect(url: &str) -> PgConnection {
    PgConnection::connect(url).await.unwrap()
}

/// Asserts that everything agrees.
pub async fn check(url: &str, instances: &[Instance], acks: &AckedWrites) {
    let mut database = connect(url).await;
    assert!(!acks.pixels.is_empty() && !acks.messages.is_empty(), "without a load nothing is proved");
    check_seqs_have_no_gap(&mut database).await;
    check_stored_equals_acknowledged(&mut database, acks).await;
    check_account_counters(&mut database).await;
    check_placement_chains(&mut database).await;
    let (code, report) = instances[0].process.check().await;
    assert_eq!(code, 0, "caraplace check: {report}");
    for instance in instances {
        check_canvas_equals_log(&mut database, instance).await;
    }
}

async fn check_seqs_have_no_gap(database: &mut PgConnection) {
    let query = sqlx::query_scalar("select seq from placement union all select seq from event order by seq");
    let seqs: Vec<i64> = query.fetch_all(&mut *database).await.unwrap();
    let head: i64 = sqlx::query_scalar("select seq from log_head").fetch_one(database).await.unwrap();
    let mismatch = (1..).zip(&seqs).find(|(expected, number)| expected != *number);
    assert_eq!(mismatch, None, "number by number; then the head");
    assert_eq!(seqs.len() as i64, head);
}

/// Asserts that each acknowledged write is stored as acknowledged, and nothing else: no request was executed
/// twice.
async fn check_stored_equals_acknowledged(database: &mut PgConnection, acks: &AckedWrites) {
    let pixels = "select p.seq, a.id, p.x, p.y, p.color from placement p join agent a on a.no = p.agent";
    let pixels: Vec<(i64, String, i16, i16, i16)> =
        sqlx::query_as(pixels).fetch_all(&mut *database).await.unwrap();
    let pixels = pixels.into_iter().map(|(seq, agent, x, y, color)| (seq, (agent, x, y, color)));
    assert_same("placements", &acks.pixels, &pixels.collect());
    let messages = "select e.seq, a.id, m.id from event e join chat_message m on m.seq = e.seq
        join agent a on a.no = m.agent";
    let messages: Vec<(i64, String, String)> =
        sqlx::query_as(messages).fetch_all(&mut *database).await.unwrap();
    assert_same(
        "messages",
        &acks.messages,
        &messages.into_iter().map(|(seq, agent, id)| (seq, (agent, id))).collect(),
    );
    let private = "select m.id, a.id from private_message m join agent a on a.no = m.author";
    let private: Vec<(String, String)> = sqlx::query_as(private).fetch_all(database).await.unwrap();
    assert_same("private messages", &acks.private_messages, &private.into_iter().collect());
}

#[track_caller]
fn assert_same<K: Ord + std::fmt::Debug, T: PartialEq + std::fmt::Debug>(
    name: &str,
    acknowledged: &BTreeMap<K, T>,
    stored: &BTreeMap<K, T>,
) {
    let missing: Vec<_> =
        acknowledged.iter().filter(|(key, entry)| stored.get(key) != Some(entry)).take(5).collect();
    let extra: Vec<_> = stored.iter().filter(|(key, _)| !acknowledged.contains_key(key)).take(5).collect();
    assert!(missing.is_empty(), "{name}: acknowledged, but not stored so: {missing:?}");
    assert!(extra.is_empty(), "{name}: stored, but never acknowledged: {extra:?}");
}

/// An account's name and counters, and what the log says about them.
type AccountRow = (String, i64, i64, i64, i64, i64, i64, i64, i64, i64);

async fn check_account_counters(database: &mut PgConnection) {
    let query = "select a.name, a.pixels_placed, a.messages_sent, a.chat_credits,
            (select count(*) from placement p where p.agent = a.no),
            (select count(*) from placement p join placement c on c.seq = p.covers
                where p.agent = a.no and c.agent = p.agent and c.color = p.color),
            (select count(*) from chat_message m where m.agent = a.no), (1 - a.free_intents)::bigint,
            a.private_messages_sent::bigint,
            (select count(*) from private_message m where m.author = a.no) from agent a";
    let accounts: Vec<AccountRow> = sqlx::query_as(query).fetch_all(database).await.unwrap();
    for row in accounts {
        let (name, pixels, messages, credits, placement_count, repeat_count, message_count, ..) = row;
        let (.., free_count, private_messages, private_count) = row;
        assert_eq!((pixels, messages), (placement_count, message_count), "{name}: counters and log");
        assert_eq!(private_messages, private_count, "{name}: counter of private messages");
        let paid_messages = message_count + private_count - free_count;
        // Repainting an own pixel in its colour earns no credit.
        assert_eq!(
            credits,
            placement_count - repeat_count - MESSAGE_PRICE * paid_messages,
            "{name}: credits"
        );
    }
}

/// Asserts that each placement refers to the one it covers and to its agent's previous one.
async fn check_placement_chains(database: &mut PgConnection) {
    let broken_links_query = "select count(*) from (select covers, previous,
            lag(seq) over (partition by x, y order by seq) as below,
            lag(seq) over (partition by agent order by seq) as before from placement) p
        where covers is distinct from below or previous is distinct from before";
    let broken_links: i64 = sqlx::query_scalar(broken_links_query).fetch_one(&mut *database).await.unwrap();
    let broken_ends_query = "select count(*) from agent a where last_placement is distinct from
            (select max(seq) from placement p where p.agent = a.no)";
    let broken_ends: i64 = sqlx::query_scalar(broken_ends_query).fetch_one(database).await.unwrap();
    assert_eq!(
        (broken_links, broken_ends),
        (0, 0),
        "placements that name wrong ones, agents whose chain begins wrong"
    );
}

async fn check_canvas_equals_log(database: &mut PgConnection, instance: &Instance) {
    let query = "select x, y, color from placement order by seq";
    let placements: Vec<(i16, i16, i16)> = sqlx::query_as(query).fetch_all(&mut *database).await.unwrap();
    let (width, height): (i32, i32) =
        sqlx::query_as("select width, height from season").fetch_one(&mut *database).await.unwrap();
    let mut replayed = vec![0; (width * height) as usize];
    for (x, y, color) in placements {
        replayed[y as usize * width as usize + x as usize] = u8::try_from(color).unwrap();
    }
    let head_version: i64 =
        sqlx::query_scalar("select version from log_head").fetch_one(database).await.unwrap();
    let catch_up = async {
        while instance.version().await != Some(head_version) {
            sleep(POLL_INTERVAL).await;
        }
    };
    timeout(CATCH_UP_TIMEOUT, catch_up).await.expect("an instance does not come up to the log's head");
    assert!(instance.get("/api/canvas.bin").await.bytes == replayed, "the canvas is not the log folded");
}
