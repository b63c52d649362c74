//! Waits for states that follow a request a moment later.

use serde_json::Value;

use super::{Server, WAIT_LIMIT};

/// Calls `find` until it returns something.
async fn poll<T>(find: impl AsyncFn() -> Option<T>, failure: &str) -> T {
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

/// Reads a plan until the server has stored that all its pixels are right, and returns it.
pub async fn wait_until_finished(read_plan: impl AsyncFn() -> Value) -> Value {
    let find = async || {
        let plan = read_plan().await;
        plan["finished_at"].is_string().then_some(plan)
    };
    poll(find, "the plan is never finished").await
}

/// Returns the numbers of pixels painted over in each step of the season. A busy server leaves them out at
/// first.
pub async fn fetch_overpainted(server: &Server, steps: usize) -> Value {
    let path = format!("/api/timeline?steps={steps}");
    let find = async || {
        let counts = server.get(&path).await.body["overpainted"].clone();
        counts.is_array().then_some(counts)
    };
    poll(find, "the pixels painted over are never counted").await
}
