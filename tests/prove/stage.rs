//! What a proof is played on: instances behind doors that keep their address, on one PostgreSQL.

use std::fmt::{Display, Formatter};
use std::path::Path;
use std::time::Duration;

use caraplace::clock;
use private_postgres::PrivatePostgres;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rustix::process::Signal;
use tempfile::TempDir;
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use tokio::time::{sleep, timeout};

use crate::audit;
use crate::crowd::{Acks, Crowd};
use crate::front::Front;
use crate::support::postmaster::{database_url, end_postgres, postmaster_in, signal_family};
use crate::support::{Process, Reply};

/// Longer than any recovery, so that a proof that fails also ends.
const PATIENCE: Duration = Duration::from_secs(90);
/// So many at least are judged.
const MESSAGES: u64 = 10;
/// Between two looks.
pub const MOMENT: Duration = Duration::from_millis(5);

/// Charges do not come back within a proof, so they can be counted; the canvas is painted over again and again.
const SETTINGS: [(&str, &str); 5] = [
    ("CARAPLACE_MAX_CHARGES", "1000000"),
    ("CARAPLACE_CHARGE_SECONDS", "86400"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "5"),
    ("CARAPLACE_CANVAS_WIDTH", "24"),
    ("CARAPLACE_CANVAS_HEIGHT", "24"),
];

/// A server and its door.
pub struct Instance {
    pub process: Process,
    pub front: Front,
}

/// Instances on one PostgreSQL.
pub struct Stage {
    pub instances: Vec<Instance>,
    pub luck: StdRng,
    cluster: Option<Cluster>,
}

/// A PostgreSQL that belongs to the test and not to a server.
pub struct Cluster {
    folder: TempDir,
    postgres: Option<PrivatePostgres>,
    pub url: String,
}

/// How much was acknowledged, and found as it was acknowledged.
pub struct Amount {
    pixels: usize,
    messages: usize,
    /// Answers that were given again.
    pub replayed: usize,
}

impl Display for Amount {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { pixels, messages, replayed } = self;
        write!(f, "{pixels} pixels, {messages} messages, {replayed} replayed")
    }
}

impl Instance {
    async fn start(data: Option<&Path>, more: &[(&str, &str)], seed: u64) -> Self {
        let settings = [&SETTINGS, more].concat();
        let process = match data {
            Some(data) => Process::on(data.to_owned(), None, &settings).await,
            None => Process::with(&settings).await,
        };
        let front = Front::open(&process.base, seed).await;
        Self { process, front }
    }

    /// Starts again what was killed.
    pub async fn start_again(&mut self) {
        self.process.start_again().await;
        self.front.lead_to(&self.process.base);
    }

    pub async fn get(&self, path: &str) -> Reply {
        Reply::of(self.process.client.get(self.process.url(path))).await
    }

    /// The canvas' number, while there is somebody to ask.
    pub async fn version(&self) -> Option<i64> {
        let response = self.process.client.get(self.process.url("/api/canvas.bin")).send().await.ok()?;
        response.headers().get("x-canvas-version")?.to_str().ok()?.parse().ok()
    }

    /// Waits until so many more were painted; returns how long it took.
    pub async fn grown_by(&self, more: i64) -> Duration {
        let began = clock::moment();
        let grown = async {
            let mut target = None;
            loop {
                let version = self.version().await;
                if version.is_some_and(|version| version >= *target.get_or_insert(version + more)) {
                    return;
                }
                sleep(MOMENT).await;
            }
        };
        timeout(PATIENCE, grown).await.expect("nothing is painted any more");
        began.elapsed()
    }
}

impl Stage {
    /// One server with its private PostgreSQL.
    pub async fn alone() -> Self {
        Self::alone_in(None).await
    }

    /// The same in a folder that is there already.
    pub async fn alone_in(data: Option<&Path>) -> Self {
        let (luck, seed) = luck();
        Self { instances: vec![Instance::start(data, &[], seed).await], luck, cluster: None }
    }

    /// Servers on a PostgreSQL of the test's own, each let in as the user that it is given.
    pub async fn on_cluster(users: &[&str]) -> Self {
        let (luck, seed) = luck();
        let cluster = Cluster::start().await;
        let mut instances = Vec::new();
        for user in users {
            cluster.let_in(user).await;
            let url = cluster.url.replacen("//caraplace:", &format!("//{user}:"), 1);
            instances.push(Instance::start(None, &[("DATABASE_URL", &url)], seed).await);
        }
        Self { instances, luck, cluster: Some(cluster) }
    }

    pub fn first(&self) -> &Instance {
        &self.instances[0]
    }

    pub fn first_mut(&mut self) -> &mut Instance {
        &mut self.instances[0]
    }

    pub fn cluster(&mut self) -> &mut Cluster {
        self.cluster.as_mut().unwrap()
    }

    /// Lets everyone paint and talk through all doors.
    pub fn crowd(&self, more: &[&str]) -> Crowd {
        let doors: Vec<&str> = self.instances.iter().map(|instance| instance.front.base.as_str()).collect();
        Crowd::start(&doors, more)
    }

    /// Waits for a random while, measured in what is painted meanwhile.
    pub async fn some_time(&mut self) {
        let pixels = self.luck.random_range(1..150);
        self.first().grown_by(pixels).await;
    }

    /// Ends the load and compares everything with everything; says how much there was. `more` was acknowledged
    /// beside the crowd.
    pub async fn verdict(&self, crowd: Crowd, more: Acks) -> Amount {
        self.enough_is_said().await;
        let (report, mut acks) = crowd.finish().await;
        acks.pixels.extend(more.pixels);
        audit::check(&self.database_url(), &self.instances, &acks).await;
        let replayed = report["requests"].as_array().unwrap().iter();
        let replayed: u64 = replayed
            .filter(|row| row["answer"].as_str().unwrap().ends_with("replayed"))
            .map(|row| row["count"].as_u64().unwrap())
            .sum();
        Amount { pixels: acks.pixels.len(), messages: acks.messages.len(), replayed: replayed as usize }
    }

    /// Waits until there are messages to be judged: the credits for them must be earned first.
    pub async fn enough_is_said(&self) {
        let enough = async {
            while self.first().get("/api/stats").await.body["messages"].as_u64().unwrap() < MESSAGES {
                sleep(MOMENT).await;
            }
        };
        timeout(PATIENCE, enough).await.expect("nothing is said any more");
    }

    pub fn database_url(&self) -> String {
        match &self.cluster {
            Some(own) => own.url.clone(),
            None => database_url(&self.first().process.data),
        }
    }
}

fn luck() -> (StdRng, u64) {
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

    async fn let_in(&self, user: &str) {
        if user != "caraplace" {
            let mut connection = audit::connect(&self.url).await;
            let password = self.url.split([':', '@']).nth(2).unwrap();
            let role = format!("create role {user} superuser login password '{password}'");
            let role = sqlx::AssertSqlSafe(role);
            sqlx::raw_sql(role).execute(&mut connection).await.unwrap();
        }
    }

    /// Sends a signal to all its processes.
    pub fn signal(&self, signal: Signal) {
        signal_family(postmaster_in(&self.folder.path().join("data")).unwrap(), signal);
    }

    /// Stops it, in order.
    pub async fn stop(&mut self) {
        self.postgres.take().unwrap().stop().await.unwrap();
    }

    pub async fn start_again(&mut self) {
        self.postgres = Some(PrivatePostgres::start(&self.folder.path().join("data")).await.unwrap());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let data = self.folder.path().join("data");
        // One that was made to hang could not be stopped.
        if let Some(postmaster) = postmaster_in(&data) {
            signal_family(postmaster, Signal::CONT);
        }
        // Ended by whoever would start it again.
        if let Some(postgres) = self.postgres.take() {
            let _ = block_in_place(|| Handle::current().block_on(postgres.stop()));
        }
        end_postgres(&data);
    }
}
