//! Waits for states that follow a request a moment later.

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
pub async fn wait_for_value<T>(
    read: impl AsyncFn() -> T,
    is_accepted: impl Fn(&T) -> bool,
    failure: &str,
) -> T {
    poll(async || Some(read().await).filter(|value| is_accepted(value)), failure).await
}

/// Waits until the server has ended a plan whose time has passed. Returns the plan.
pub async fn wait_for_end(read_plan: impl AsyncFn() -> Value) -> Value {
    wait_for_value(read_plan, |plan: &Value| plan["ended_at"].is_string(), "the plan never ends").await
}

/// Waits until a rollback is in this state. Returns it.
pub async fn wait_for_rollback(operator: &OperatorBrowser<'_>, id: &str, state: &str) -> Value {
    let path = format!("/api/admin/rollbacks/{id}");
    let read = async || operator.get(&path).await.body;
    wait_for_value(read, |rollback: &Value| rollback["state"] == state, "the rollback is stuck").await
}

/// Reads a plan until the server has stored that all its pixels are right, and returns it.
pub async fn wait_until_finished(read_plan: impl AsyncFn() -> Value) -> Value {
    wait_for_value(read_plan, |plan: &Value| plan["finished_at"].is_string(), "the plan is never done").await
}

/// Returns the numbers of pixels painted over in each step of the season. A busy server leaves them out at
/// first.
pub async fn fetch_overpainted(server: &Server, steps: usize) -> Value {
    let path = format!("/api/timeline?steps={steps}");
    let read = async || server.get(&path).await.body["overpainted"].clone();
    wait_for_value(read, Value::is_array, "the pixels painted over are never counted").await
}
