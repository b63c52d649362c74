//! Waits for states that follow a request a moment later.

use std::fmt::Debug;

use serde_json::Value;

use super::{OperatorBrowser, Server, WAIT_LIMIT};

/// Calls `find` until it returns something.
pub async fn poll<T>(find: impl AsyncFn() -> Option<T>, failure: &str) -> T {
    let found = async {
        loop {
            if let Some(found) = find().await {
                return found;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(WAIT_LIMIT, found).await.unwrap_or_else(|_| panic!("{failure}"))
}

/// Waits until a condition holds.
pub async fn wait_until(holds: impl AsyncFn() -> bool, failure: &str) {
    poll(async || holds().await.then_some(()), failure).await;
}

/// Calls `read` until it returns a value that is accepted. Returns that value.
///
/// # Panics
///
/// Panics with the last value if none is accepted in time.
pub async fn wait_for_value<T: Debug>(
    read: impl AsyncFn() -> T,
    is_accepted: impl Fn(&T) -> bool,
    failure: &str,
) -> T {
    let mut last = None;
    let accepted = async {
        loop {
            let value = read().await;
            if is_accepted(&value) {
                return value;
            }
            last = Some(value);
            tokio::task::yield_now().await;
        }
    };
    let outcome = tokio::time::timeout(WAIT_LIMIT, accepted).await;
    outcome.unwrap_or_else(|_| panic!("{failure}; the last value is {last:?}"))
}

/// Waits until the server has ended a plan whose time has passed. Returns the plan.
pub async fn wait_for_plan_end(read_plan: impl AsyncFn() -> Value) -> Value {
    wait_for_value(read_plan, |plan: &Value| plan["ended_at"].is_string(), "the plan never ends").await
}

/// Waits until a rollback is in this state. Returns it.
pub async fn wait_for_rollback(operator: &OperatorBrowser<'_>, id: &str, state: &str) -> Value {
    let path = format!("/api/admin/rollbacks/{id}");
    let read = async || operator.get(&path).await.body;
    let has_state = |rollback: &Value| rollback["state"] == state;
    wait_for_value(read, has_state, &format!("the rollback is never {state}")).await
}

/// Reads a plan until the server has stored that all its pixels are right, and returns it.
pub async fn wait_for_finished_plan(read_plan: impl AsyncFn() -> Value) -> Value {
    let is_finished = |plan: &Value| plan["finished_at"].is_string();
    wait_for_value(read_plan, is_finished, "the plan is never finished").await
}

/// Returns the numbers of pixels painted over in each step of the season. A busy server leaves them out at
/// first.
pub async fn fetch_overpainted(server: &Server, steps: usize) -> Value {
    let path = format!("/api/timeline?steps={steps}");
    let read = async || server.get(&path).await.body["overpainted"].clone();
    wait_for_value(read, Value::is_array, "the pixels painted over are never counted").await
}
