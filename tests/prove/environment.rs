//! The test environment: instances behind proxies with stable addresses, on one PostgreSQL.

use std::fmt::{Display, Formatter};
use std::path::Path;
use std::time::Duration;

use platform::clock;
use private_postgres::PrivatePostgres;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use tokio::time::{sleep, timeout};

use crate::database_check;
use crate::proxy::FaultProxy;
use crate::support::postmaster::{database_url, end_postgres, postmaster_in, send_signal_to_family};
use crate::support::{Process, Reply};
use crate::swarm_process::{AckedWrites, SwarmProcess};

/// Timeout for progress, longer than any recovery.
pub const PROGRESS_TIMEOUT: Duration = Duration::from_mins(5);
/// Minimum number of messages that are checked.
const MIN_MESSAGES: u64 = 10;
/// Polling interval.
pub const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Charges do not come back during a test, so they can be counted. The small canvas is painted over
/// repeatedly.
const SETTINGS: [(&str, &str); 5] = [
    ("CARAPLACE_MAX_CHARGES", "1000000"),
    ("CARAPLACE_CHARGE_SECONDS", "86400"),
    // The canvas is small, so each pixel pays a message: there must be enough of them.
    ("CARAPLACE_PIXELS_PER_MESSAGE", "1"),
    ("CARAPLACE_CANVAS_WIDTH", "24"),
    ("CARAPLACE_CANVAS_HEIGHT", "24"),
];

/// A server with its proxy.
pub struct Instance {
    pub process: Process,
    pub proxy: FaultProxy,
}

/// Instances on one PostgreSQL.
pub struct TestEnvironment {
    pub instances: Vec<Instance>,
    pub rng: StdRng,
    cluster: Option<Cluster>,
}

/// A PostgreSQL that the test runs, and not a server.
pub struct Cluster {
    folder: TempDir,
    postgres: Option<PrivatePostgres>,
    pub url: String,
}

/// Numbers of acknowledged writes that were checked.
pub struct CheckedWrites {
    pixels: usize,
    messages: usize,
    private_messages: usize,
    /// Number of replayed responses.
    pub replayed_count: usize,
}

impl Display for CheckedWrites {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { pixels, messages, private_messages, replayed_count: replayed } = self;
        write!(
            f,
            "{pixels} pixels, {messages} messages, {private_messages} private ones, {replayed} replayed"
        )
    }
}

impl Instance {
    async fn start(data: Option<&Path>, extra_settings: &[(&str, &str)], seed: u64) -> Self {
        let settings = [&SETTINGS, extra_settings].concat();
        let process = match data {
            Some(data) => Process::start_in(data.to_owned(), None, &settings).await,
            None => Process::start_with(&settings).await,
        };
        let proxy = FaultProxy::start(&process.base_url, seed).await;
        Self { process, proxy }
    }

    /// Restarts a server that was killed.
    pub async fn restart(&mut self) {
        self.process.restart().await;
        self.proxy.set_backend(&self.process.base_url);
    }

    pub async fn get(&self, path: &str) -> Reply {
        Reply::fetch(self.process.client.get(self.process.url(path))).await
    }

    /// Repeats a request for as long as the instance is too busy or its database is away.
    pub async fn get_when_ready(&self, path: &str) -> Reply {
        let ready = async {
            loop {
                let reply = self.get(path).await;
                if reply.status != 503 {
                    return reply;
                }
                sleep(POLL_INTERVAL).await;
            }
        };
        timeout(PROGRESS_TIMEOUT, ready).await.unwrap_or_else(|_| panic!("{path} is never answered"))
    }

    /// Returns the canvas version; `None` while the server is down.
    pub async fn version(&self) -> Option<i64> {
        let response = self.process.client.get(self.process.url("/api/canvas.bin")).send().await.ok()?;
        response.headers().get("x-canvas-version")?.to_str().ok()?.parse().ok()
    }

    /// Waits until this many more pixels were painted. Returns the time it took.
    pub async fn wait_for_placements(&self, count: i64) -> Duration {
        let started_at = clock::monotonic_now();
        let wait = async {
            let mut target = None;
            loop {
                let version = self.version().await;
                if version.is_some_and(|version| version >= *target.get_or_insert(version + count)) {
                    return;
                }
                sleep(POLL_INTERVAL).await;
            }
        };
        timeout(PROGRESS_TIMEOUT, wait).await.expect("nothing is painted any more");
        started_at.elapsed()
    }
}

impl TestEnvironment {
    /// Starts one server with its private PostgreSQL.
    pub async fn single() -> Self {
        Self::single_in(None).await
    }

    /// Starts one server with its private PostgreSQL and these additional settings.
    pub async fn single_with(settings: &[(&str, &str)]) -> Self {
        let (rng, seed) = seeded_rng();
        Self { instances: vec![Instance::start(None, settings, seed).await], rng, cluster: None }
    }

    /// Starts one server in an existing folder.
    pub async fn single_in(data: Option<&Path>) -> Self {
        let (rng, seed) = seeded_rng();
        Self { instances: vec![Instance::start(data, &[], seed).await], rng, cluster: None }
    }

    /// Starts servers on a PostgreSQL of the test, each with its database user.
    pub async fn with_shared_postgres(users: &[&str]) -> Self {
        Self::with_settings_and_shared_postgres(users, &[]).await
    }

    /// Starts servers with these additional settings on a PostgreSQL of the test, each with its database
    /// user.
    pub async fn with_settings_and_shared_postgres(users: &[&str], settings: &[(&str, &str)]) -> Self {
        let (rng, seed) = seeded_rng();
        let cluster = Cluster::start().await;
        let mut instances = Vec::new();
        for user in users {
            cluster.create_role(user).await;
            let url = cluster.url.replacen("//caraplace:", &format!("//{user}:"), 1);
            instances
                .push(Instance::start(None, &[settings, &[("DATABASE_URL", &url)]].concat(), seed).await);
        }
        Self { instances, rng, cluster: Some(cluster) }
    }

    /// Starts servers on a PostgreSQL of the test, each with additional settings of its own.
    pub async fn with_instances(settings: &[impl AsRef<[(String, String)]>]) -> Self {
        let (rng, seed) = seeded_rng();
        let cluster = Cluster::start().await;
        let mut instances = Vec::new();
        for settings in settings {
            let own = settings.as_ref().iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let settings: Vec<_> = own.chain([("DATABASE_URL", cluster.url.as_str())]).collect();
            instances.push(Instance::start(None, &settings, seed).await);
        }
        Self { instances, rng, cluster: Some(cluster) }
    }

    pub fn first_instance(&self) -> &Instance {
        &self.instances[0]
    }

    pub fn first_instance_mut(&mut self) -> &mut Instance {
        &mut self.instances[0]
    }

    pub fn cluster(&mut self) -> &mut Cluster {
        self.cluster.as_mut().unwrap()
    }

    /// Starts the load generator on all instances.
    pub fn start_swarm(&self, extra_options: &[&str]) -> SwarmProcess {
        let proxy_urls: Vec<&str> =
            self.instances.iter().map(|instance| instance.proxy.base_url.as_str()).collect();
        SwarmProcess::start(&proxy_urls, extra_options)
    }

    /// Waits for a random number of placements.
    pub async fn wait_random_progress(&mut self) {
        let pixels = self.rng.random_range(1..150);
        self.first_instance().wait_for_placements(pixels).await;
    }

    /// Ends the load and checks everything. Returns the numbers of checked writes. `extra_acks` are
    /// acknowledged writes from outside the load generator.
    pub async fn finish_and_check(&self, swarm: SwarmProcess, extra_acks: AckedWrites) -> CheckedWrites {
        self.finish_and_check_report(swarm, extra_acks).await.1
    }

    /// Does the same, and returns the load generator's report, too.
    pub async fn finish_and_check_report(
        &self,
        swarm: SwarmProcess,
        extra_acks: AckedWrites,
    ) -> (Value, CheckedWrites) {
        self.wait_for_messages().await;
        let (report, mut acks) = swarm.finish().await;
        acks.pixels.extend(extra_acks.pixels);
        assert!(!acks.private_messages.is_empty(), "without private messages nothing is proved about them");
        database_check::check(&self.database_url(), &self.instances, &acks).await;
        let requests = report["requests"].as_array().unwrap().iter();
        let replayed_count: u64 = requests
            .filter(|row| row["answer"].as_str().unwrap().ends_with("replayed"))
            .map(|row| row["count"].as_u64().unwrap())
            .sum();
        let checked = CheckedWrites {
            pixels: acks.pixels.len(),
            messages: acks.messages.len(),
            private_messages: acks.private_messages.len(),
            replayed_count: replayed_count as usize,
        };
        (report, checked)
    }

    /// Waits until there are messages to check. Agents must first earn credits for them.
    pub async fn wait_for_messages(&self) {
        let wait = async {
            while self.first_instance().get_when_ready("/api/stats").await.body["messages"].as_u64().unwrap()
                < MIN_MESSAGES
            {
                sleep(POLL_INTERVAL).await;
            }
        };
        timeout(PROGRESS_TIMEOUT, wait).await.expect("nothing is said any more");
    }

    pub fn database_url(&self) -> String {
        match &self.cluster {
            Some(cluster) => cluster.url.clone(),
            None => database_url(&self.first_instance().process.data),
        }
    }
}

fn seeded_rng() -> (StdRng, u64) {
    let seed = u64::from_le_bytes(clock::random_bytes().unwrap());
    println!("seed {seed}");
    (StdRng::seed_from_u64(seed), seed)
}

impl Cluster {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let postgres = PrivatePostgres::start(&folder.path().join("data")).await.unwrap();
        let url = postgres.url().to_owned();
        Self { folder, postgres: Some(postgres), url }
    }

    async fn create_role(&self, user: &str) {
        if user != "caraplace" {
            let mut connection = database_check::connect(&self.url).await;
            let password = self.url.split([':', '@']).nth(2).unwrap();
            let statement = format!("create role {user} superuser login password '{password}'");
            let statement = sqlx::AssertSqlSafe(statement);
            sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
        }
    }

    /// Sends a signal to all its processes.
    pub fn signal(&self, signal: Signal) {
        send_signal_to_family(postmaster_in(&self.folder.path().join("data")).unwrap(), signal);
    }

    /// Stops it in order.
    pub async fn stop(&mut self) {
        self.postgres.take().unwrap().stop().await.unwrap();
    }

    pub async fn restart(&mut self) {
        self.postgres = Some(PrivatePostgres::start(&self.folder.path().join("data")).await.unwrap());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let data = self.folder.path().join("data");
        // A stopped process (SIGSTOP) would not react to a normal stop.
        if let Some(postmaster) = postmaster_in(&data) {
            send_signal_to_family(postmaster, Signal::CONT);
        }
        // Stopped by its supervisor, which would otherwise restart it.
        if let Some(postgres) = self.postgres.take() {
            let _ = block_in_place(|| Handle::current().block_on(postgres.stop()));
        }
        end_postgres(&data);
    }
}
