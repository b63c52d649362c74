//! Lies that must be noticed: a verdict that is always the same would prove nothing.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use crate::audit;
use crate::crowd::Acks;
use crate::front::Lie;
use crate::stage::Stage;

/// What is changed in the database, how it is made good again, and what the audit must say.
const STORED: [(&str, &str, &str); 6] = [
    (
        "update placement set previous = -1 - previous",
        "update placement set previous = -1 - previous",
        "placements that name wrong ones",
    ),
    (
        "update placement set color = 15 - color where seq = $",
        "update placement set color = 15 - color where seq = $",
        "placements: acknowledged, but not stored so",
    ),
    (
        "update placement set seq = -1 where seq = $",
        "update placement set seq = $ where seq = -1",
        "number by number; then the head",
    ),
    (
        "update agent set chat_credits = chat_credits + 1",
        "update agent set chat_credits = chat_credits - 1",
        ": credits",
    ),
    (
        "update agent set pixels_placed = pixels_placed + 1",
        "update agent set pixels_placed = pixels_placed - 1",
        ": counters and log",
    ),
    (
        "update chat_message set id = 'x' || id",
        "update chat_message set id = substr(id, 2)",
        "messages: acknowledged, but not stored so",
    ),
];

/// What swarm is told on the way, and what it must say.
const TOLD: [(Lie, &str); 4] = [
    (Lie::FrameLost, "were left out"),
    (Lie::OtherColour, "should be"),
    (Lie::OtherCanvas, "stream and canvas differ"),
    (Lie::OtherCharges, "charges are left of"),
];

pub async fn noticed(_rounds: u32) -> String {
    let stage = Stage::alone().await;
    the_audit_notices(&stage).await;
    for (lie, complaint) in TOLD {
        swarm_is_told(&stage, lie, complaint).await;
    }
    format!("{} in the database, {} on the way", STORED.len(), TOLD.len())
}

async fn the_audit_notices(stage: &Stage) {
    let crowd = stage.crowd(&[]);
    stage.enough_is_said().await;
    let (_, acks) = crowd.finish().await;
    let url = stage.database_url();
    audit::check(&url, &stage.instances, &acks).await;
    println!("{} complaints are wanted now", STORED.len());
    for (lie, truth, complaint) in STORED {
        change(stage, &about(lie, &acks)).await;
        let noticed = AssertUnwindSafe(audit::check(&url, &stage.instances, &acks)).catch_unwind().await;
        let said = words(&*noticed.expect_err(lie));
        assert!(said.contains(complaint), "{lie}: {said}");
        change(stage, &about(truth, &acks)).await;
    }
    audit::check(&url, &stage.instances, &acks).await;
}

async fn swarm_is_told(stage: &Stage, lie: Lie, complaint: &str) {
    let crowd = stage.crowd(&[]);
    stage.first().grown_by(100).await;
    let front = &stage.first().front;
    front.tell(Some(lie));
    stage.first().grown_by(100).await;
    if lie.is_streamed() {
        // What comes last is true, or swarm would wait for it. Everything else it asks for in the end.
        front.tell(None);
        stage.first().grown_by(20).await;
    }
    let complaints = crowd.complaints().await;
    front.tell(None);
    assert_complains(&complaints, complaint);
}

#[track_caller]
fn assert_complains(complaints: &[String], wanted: &str) {
    let some = &complaints[..complaints.len().min(5)];
    assert!(complaints.iter().any(|one| one.contains(wanted)), "{wanted:?} is not among {some:?} …");
}

fn about(sql: &str, acks: &Acks) -> String {
    sql.replace('$', &acks.pixels.keys().next_back().unwrap().to_string())
}

async fn change(stage: &Stage, sql: &str) {
    let mut connection = audit::connect(&stage.database_url()).await;
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.unwrap();
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
