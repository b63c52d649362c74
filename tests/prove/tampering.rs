//! Changes that the checks must detect. Without them, checks that always pass would go unnoticed.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use crate::database_check;
use crate::environment::TestEnvironment;
use crate::proxy::Tampering;
use crate::swarm_process::AckedWrites;

/// Changes in the database, each with its undo and the failure that the check must report.
const DATABASE_CHANGES: [(&str, &str, &str); 7] = [
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
        "update agent set private_messages_sent = private_messages_sent + 1",
        "update agent set private_messages_sent = private_messages_sent - 1",
        ": counter of private messages",
    ),
    (
        "update chat_message set id = 'x' || id",
        "update chat_message set id = substr(id, 2)",
        "messages: acknowledged, but not stored so",
    ),
];

/// Changes of responses, each with the fault that `swarm` must report.
const RESPONSE_CHANGES: [(Tampering, &str); 4] = [
    (Tampering::DroppedFrame, "are missing"),
    (Tampering::ChangedColor, "should be"),
    (Tampering::ChangedCanvas, "stream and canvas differ"),
    (Tampering::ChangedCharges, "charges are left of"),
];

pub async fn changes_are_detected(_rounds: u32) -> String {
    let environment = TestEnvironment::single().await;
    check_database_changes_are_detected(&environment).await;
    for (tampering, expected_fault) in RESPONSE_CHANGES {
        check_response_change_is_detected(&environment, tampering, expected_fault).await;
    }
    format!("{} in the database, {} in responses", DATABASE_CHANGES.len(), RESPONSE_CHANGES.len())
}

async fn check_database_changes_are_detected(environment: &TestEnvironment) {
    let swarm = environment.start_swarm(&[]);
    environment.wait_for_messages().await;
    let (_, acks) = swarm.finish().await;
    let url = environment.database_url();
    database_check::check(&url, &environment.instances, &acks).await;
    println!("the next {} failures are expected", DATABASE_CHANGES.len());
    for (change_sql, undo_sql, expected_fault) in DATABASE_CHANGES {
        execute_sql(environment, &with_newest_seq(change_sql, &acks)).await;
        let result =
            AssertUnwindSafe(database_check::check(&url, &environment.instances, &acks)).catch_unwind().await;
        let message = panic_message(&*result.expect_err(change_sql));
        assert!(message.contains(expected_fault), "{change_sql}: {message}");
        execute_sql(environment, &with_newest_seq(undo_sql, &acks)).await;
    }
    database_check::check(&url, &environment.instances, &acks).await;
}

async fn check_response_change_is_detected(
    environment: &TestEnvironment,
    tampering: Tampering,
    expected_fault: &str,
) {
    let swarm = environment.start_swarm(&[]);
    environment.first_instance().wait_for_placements(100).await;
    let proxy = &environment.first_instance().proxy;
    proxy.set_tampering(Some(tampering));
    environment.first_instance().wait_for_placements(100).await;
    if tampering.is_streamed() {
        // The last responses are unchanged, or swarm would wait. The final checks request everything else.
        proxy.set_tampering(None);
        environment.first_instance().wait_for_placements(20).await;
    }
    let faults = swarm.finish_with_faults().await;
    proxy.set_tampering(None);
    assert_contains_fault(&faults, expected_fault);
}

#[track_caller]
fn assert_contains_fault(faults: &[String], expected_fault: &str) {
    let first_faults = &faults[..faults.len().min(5)];
    assert!(
        faults.iter().any(|fault| fault.contains(expected_fault)),
        "{expected_fault:?} is not in {first_faults:?} …"
    );
}

fn with_newest_seq(sql: &str, acks: &AckedWrites) -> String {
    sql.replace('$', &acks.pixels.keys().next_back().unwrap().to_string())
}

async fn execute_sql(environment: &TestEnvironment, sql: &str) {
    let mut connection = database_check::connect(&environment.database_url()).await;
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.unwrap();
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
