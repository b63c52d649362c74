//! The books, read in the database itself: acknowledged, stored, numbered, paid for and drawn are one.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::{Connection, PgConnection};
use tokio::time::{sleep, timeout};

use crate::crowd::Acks;
use crate::stage::{Instance, MOMENT};

/// How long an instance may take to show what another one wrote.
const PATIENCE: Duration = Duration::from_secs(10);
/// What a message costs on this stage.
const PRICE: i64 = 5;

pub async fn connect(url: &str) -> PgConnection {
    PgConnection::connect(url).await.unwrap()
}

/// Insists that everything agrees.
pub async fn check(url: &str, instances: &[Instance], acks: &Acks) {
    let mut database = connect(url).await;
    assert!(!acks.pixels.is_empty() && !acks.messages.is_empty(), "without a load nothing is proved");
    numbers_have_no_hole(&mut database).await;
    stored_is_acknowledged(&mut database, acks).await;
    accounts_add_up(&mut database).await;
    chains_are_whole(&mut database).await;
    let (code, report) = instances[0].process.check().await;
    assert_eq!(code, 0, "caraplace check: {report}");
    for instance in instances {
        canvas_is_the_log(&mut database, instance).await;
    }
}

async fn numbers_have_no_hole(database: &mut PgConnection) {
    let numbers =
        sqlx::query_scalar("select seq from placement union all select seq from event order by seq");
    let numbers: Vec<i64> = numbers.fetch_all(&mut *database).await.unwrap();
    let head: i64 = sqlx::query_scalar("select seq from log_head").fetch_one(database).await.unwrap();
    let odd = (1..).zip(&numbers).find(|(expected, number)| expected != *number);
    assert_eq!(odd, None, "number by number; then the head");
    assert_eq!(numbers.len() as i64, head);
}

/// Each acknowledged one is stored as it was acknowledged, and nothing else is: no request was done twice.
async fn stored_is_acknowledged(database: &mut PgConnection, acks: &Acks) {
    let pixels = "select p.seq, a.id, p.x, p.y, p.color from placement p join agent a on a.no = p.agent";
    let pixels: Vec<(i64, String, i16, i16, i16)> =
        sqlx::query_as(pixels).fetch_all(&mut *database).await.unwrap();
    let pixels = pixels.into_iter().map(|(seq, agent, x, y, color)| (seq, (agent, x, y, color)));
    assert_same("placements", &acks.pixels, &pixels.collect());
    let messages = "select e.seq, a.id, m.id from event e join chat_message m on m.seq = e.seq
        join agent a on a.no = m.agent";
    let messages: Vec<(i64, String, String)> = sqlx::query_as(messages).fetch_all(database).await.unwrap();
    assert_same(
        "messages",
        &acks.messages,
        &messages.into_iter().map(|(seq, agent, id)| (seq, (agent, id))).collect(),
    );
}

#[track_caller]
fn assert_same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    acked: &BTreeMap<i64, T>,
    stored: &BTreeMap<i64, T>,
) {
    let lost: Vec<_> = acked.iter().filter(|(seq, one)| stored.get(seq) != Some(one)).take(5).collect();
    let extra: Vec<_> = stored.iter().filter(|(seq, _)| !acked.contains_key(seq)).take(5).collect();
    assert!(lost.is_empty(), "{what}: acknowledged, but not stored so: {lost:?}");
    assert!(extra.is_empty(), "{what}: stored, but never acknowledged: {extra:?}");
}

async fn accounts_add_up(database: &mut PgConnection) {
    let wrong = "select a.name, a.pixels_placed, a.messages_sent, a.chat_credits,
            (select count(*) from placement p where p.agent = a.no),
            (select count(*) from placement p join placement c on c.seq = p.covers
                where p.agent = a.no and c.agent = p.agent and c.color = p.color),
            (select count(*) from chat_message m where m.agent = a.no) from agent a";
    let accounts: Vec<(String, i64, i64, i64, i64, i64, i64)> =
        sqlx::query_as(wrong).fetch_all(database).await.unwrap();
    for (name, pixels, messages, credits, placed, unearned, said) in accounts {
        assert_eq!((pixels, messages), (placed, said), "{name}: counters and log");
        // Repainting an own pixel in its colour earns nothing.
        assert_eq!(credits, placed - unearned - PRICE * said, "{name}: credits");
    }
}

/// Each placement names the one that it covers and its agent's one before, whichever instance wrote them.
async fn chains_are_whole(database: &mut PgConnection) {
    let broken = "select count(*) from (select covers, previous,
            lag(seq) over (partition by x, y order by seq) as below,
            lag(seq) over (partition by agent order by seq) as before from placement) p
        where covers is distinct from below or previous is distinct from before";
    let broken: i64 = sqlx::query_scalar(broken).fetch_one(&mut *database).await.unwrap();
    let ends = "select count(*) from agent a where last_placement is distinct from
            (select max(seq) from placement p where p.agent = a.no)";
    let ends: i64 = sqlx::query_scalar(ends).fetch_one(database).await.unwrap();
    assert_eq!((broken, ends), (0, 0), "placements that name wrong ones, agents whose chain begins wrong");
}

async fn canvas_is_the_log(database: &mut PgConnection, instance: &Instance) {
    let strokes = "select x, y, color from placement order by seq";
    let strokes: Vec<(i16, i16, i16)> = sqlx::query_as(strokes).fetch_all(&mut *database).await.unwrap();
    let (width, height): (i32, i32) =
        sqlx::query_as("select width, height from season").fetch_one(&mut *database).await.unwrap();
    let mut folded = vec![0; (width * height) as usize];
    for (x, y, color) in strokes {
        folded[y as usize * width as usize + x as usize] = u8::try_from(color).unwrap();
    }
    let newest: i64 = sqlx::query_scalar("select version from log_head").fetch_one(database).await.unwrap();
    let caught_up = async {
        while instance.version().await != Some(newest) {
            sleep(MOMENT).await;
        }
    };
    timeout(PATIENCE, caught_up).await.expect("an instance does not come up to the log's head");
    assert!(instance.get("/api/canvas.bin").await.bytes == folded, "the canvas is not the log folded");
}
