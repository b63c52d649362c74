//! Authors who open, change and close plans while servers are killed. Each acknowledged plan must be stored.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::database_check;
use crate::environment::{Instance, POLL_INTERVAL};

/// Number of authors at the same time.
const WRITERS: usize = 6;
/// Number of changes of each plan.
const CHANGES: i64 = 3;
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The authors.
pub struct PlanWriters {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
    acks: Arc<Mutex<BTreeMap<String, AckedPlan>>>,
}

/// The newest acknowledged state of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AckedPlan {
    version: i64,
    title: String,
    state: String,
    /// True if a later request got no response.
    is_unsettled: bool,
}

/// The response to a request, or `None` if its outcome is unknown.
type Outcome = Option<Value>;

struct Writer {
    client: Client,
    base_url: String,
    name: String,
    acks: Arc<Mutex<BTreeMap<String, AckedPlan>>>,
}

impl PlanWriters {
    pub fn start(instance: &Instance) -> Self {
        let (stop, _) = watch::channel(false);
        let acks = Arc::<Mutex<_>>::default();
        let mut tasks = JoinSet::new();
        for number in 0..WRITERS {
            let writer = Writer {
                client: instance.process.client.clone(),
                base_url: instance.proxy.base_url.clone(),
                name: format!("Planner {number}"),
                acks: acks.clone(),
            };
            tasks.spawn(writer.write_until(stop.subscribe()));
        }
        Self { stop, tasks, acks }
    }

    /// Returns the number of acknowledged plans so far.
    pub fn acked_count(&self) -> usize {
        self.acks.lock().len()
    }

    /// Ends the authors, and asserts that each acknowledged plan is stored and served. Returns a summary.
    pub async fn finish_and_check(mut self, database_url: &str, instance: &Instance) -> String {
        self.stop.send_replace(true);
        while let Some(result) = self.tasks.join_next().await {
            result.unwrap();
        }
        let acks = self.acks.lock().clone();
        let stored = stored_plans(database_url).await;
        for (id, acked) in &acks {
            let stored = stored
                .get(id)
                .unwrap_or_else(|| panic!("{id} was acknowledged and is not stored: {acked:?}"));
            assert!(acked.is_stored_as(stored), "{id}: acknowledged as {acked:?}, stored as {stored:?}");
            let served = &instance.get(&format!("/api/plans/{id}")).await.body["plan"];
            assert_eq!(served["version"], stored.version, "{served}");
            assert_eq!((&served["title"], &served["state"]), (&json!(stored.title), &json!(stored.state)));
        }
        let closed = acks.values().filter(|plan| plan.state == "closed").count();
        let unsettled = acks.values().filter(|plan| plan.is_unsettled).count();
        format!("{} plans, {closed} closed, {unsettled} with a request without a response", acks.len())
    }
}

impl AckedPlan {
    fn from_response(body: &Value) -> Self {
        let plan = &body["plan"];
        let text = |name: &str| plan[name].as_str().unwrap().to_owned();
        let version = plan["version"].as_i64().unwrap();
        Self { version, title: text("title"), state: text("state"), is_unsettled: false }
    }

    /// Returns true if a stored plan is this one, or may be a later state of an unsettled one.
    fn is_stored_as(&self, stored: &Self) -> bool {
        let is_same =
            (self.version, &self.title, &self.state) == (stored.version, &stored.title, &stored.state);
        let is_next = stored.version == self.version + 1 || stored.state == "closed";
        is_same || self.is_unsettled && is_next
    }
}

impl Writer {
    /// Opens, changes and closes plans. Each is by a new agent, because an agent may open one per minute.
    async fn write_until(self, stop: watch::Receiver<bool>) {
        let mut number = 0;
        while !*stop.borrow() {
            number += 1;
            match self.register(number).await {
                Some(key) => self.write_plan(&key, number).await,
                None => sleep(POLL_INTERVAL).await,
            }
        }
    }

    async fn register(&self, number: usize) -> Option<String> {
        let body = json!({"name": format!("{} {number}", self.name)});
        let request = self.client.post(format!("{}/api/agents/register", self.base_url)).json(&body);
        Some(send(request).await?["agent"]["api_key"].as_str().unwrap().to_owned())
    }

    async fn write_plan(&self, key: &str, number: usize) {
        let plans_url = format!("{}/api/plans", self.base_url);
        let title = |version| format!("Plan {number} of {}, version {version}", self.name);
        let body = json!({"title": title(1), "x": 0, "y": 0, "rows": ["5a", ".5"]});
        let Some(opened) = send(self.client.post(&plans_url).bearer_auth(key).json(&body)).await else {
            return;
        };
        let id = opened["plan"]["id"].as_str().unwrap().to_owned();
        let plan_url = format!("{plans_url}/{id}");
        self.record(&id, Some(opened));
        for version in 1..=CHANGES {
            let body = json!({"expected_version": version, "title": title(version + 1), "x": version});
            let outcome = send(self.client.put(&plan_url).bearer_auth(key).json(&body)).await;
            if !self.record(&id, outcome) {
                return;
            }
        }
        if number.is_multiple_of(2) {
            let request = self.client.post(format!("{plan_url}/close")).bearer_auth(key).json(&json!({}));
            self.record(&id, send(request).await);
        }
    }

    /// Records an outcome. Returns false if it is unknown.
    fn record(&self, id: &str, outcome: Outcome) -> bool {
        let mut acks = self.acks.lock();
        match outcome {
            Some(body) => {
                acks.insert(id.to_owned(), AckedPlan::from_response(&body));
                true
            }
            None => {
                acks.get_mut(id).unwrap().is_unsettled = true;
                false
            }
        }
    }
}

/// Sends a request. Returns `None` if there was no response or the server had a failure.
///
/// # Panics
/// If the server refused the request.
async fn send(request: RequestBuilder) -> Outcome {
    let response = request.timeout(REQUEST_TIMEOUT).send().await.ok()?;
    let status = response.status();
    let body: Value = response.json().await.ok()?;
    assert!(!status.is_client_error(), "{status}: {body}");
    status.is_success().then_some(body)
}

async fn stored_plans(database_url: &str) -> BTreeMap<String, AckedPlan> {
    let mut database = database_check::connect(database_url).await;
    let query = sqlx::query_as("select id, version::bigint, title, state from plan");
    let rows: Vec<(String, i64, String, String)> = query.fetch_all(&mut database).await.unwrap();
    let plan = |(id, version, title, state)| (id, AckedPlan { version, title, state, is_unsettled: false });
    rows.into_iter().map(plan).collect()
}
