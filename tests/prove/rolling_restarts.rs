//! Rolling restarts behind a balancer, with its sample configuration: no request fails.

use std::net::TcpListener;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::environment::{POLL_INTERVAL, PROGRESS_TIMEOUT, TestEnvironment};
use crate::swarm_process::{AckedWrites, SwarmProcess};

/// The sample of the repository, whose addresses the test replaces.
const SAMPLE: &str = include_str!("../../examples/proxy/haproxy.cfg");
/// The sample's addresses: the public one and those of the instances.
const SAMPLE_ADDRESSES: [&str; 3] = ["127.0.0.1:8000", "127.0.0.1:8080", "127.0.0.1:8081"];
/// The sample's name for each instance.
const SERVER_NAMES: [&str; 2] = ["first", "second"];

/// A running balancer. It is killed when this is dropped.
struct Balancer {
    _child: Child,
    folder: TempDir,
    base_url: String,
}

/// Restarts one instance after the other under load, each this many times.
pub async fn restart_each(rounds: u32) -> String {
    let ports = [free_address(), free_address()];
    let settings = |address: &str| {
        [
            ("CARAPLACE_LISTEN", address),
            ("CARAPLACE_DRAIN_SECONDS", "4"),
            ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    let mut environment =
        TestEnvironment::with_instances(&ports.each_ref().map(|address| settings(address))).await;
    let balancer = Balancer::start(&ports);
    for name in SERVER_NAMES {
        balancer.wait_until(name, "UP").await;
    }
    let swarm = SwarmProcess::start(&[&balancer.base_url], &[]);
    for index in (0..SERVER_NAMES.len()).cycle().take(2 * rounds as usize) {
        environment.instances[1 - index].wait_for_placements(50).await;
        let instance = &mut environment.instances[index];
        instance.process.request_stop();
        balancer.wait_until(SERVER_NAMES[index], "DOWN").await;
        instance.restart().await;
        balancer.wait_until(SERVER_NAMES[index], "UP").await;
    }
    let (report, acks) = environment.finish_and_check_report(swarm, AckedWrites::default()).await;
    let requests = report["requests"].as_array().unwrap();
    // A machine that is busy with other things is overloaded with and without restarts.
    let is_answered = |answer: &str| answer.starts_with(['2', '3', '4']) || answer == "503 overloaded";
    let failed: Vec<_> =
        requests.iter().filter(|row| !is_answered(row["answer"].as_str().unwrap())).collect();
    assert!(failed.is_empty(), "requests failed: {failed:?}");
    let count: u64 = requests.iter().map(|row| row["count"].as_u64().unwrap()).sum();
    format!("{} restarts, {count} requests, 0 failed; {acks}", 2 * rounds)
}

impl Balancer {
    /// Starts the balancer with the sample in front of these instances.
    fn start(instances: &[String; 2]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let public = free_address();
        let addresses = [&public, &instances[0], &instances[1]];
        let mut configuration = SAMPLE.to_owned();
        for (sample, address) in SAMPLE_ADDRESSES.into_iter().zip(addresses) {
            assert_eq!(configuration.matches(sample).count(), 1, "{sample}");
            configuration = configuration.replace(sample, address);
        }
        let socket = folder.path().join("stats").display().to_string();
        configuration =
            configuration.replacen("global\n", &format!("global\n    stats socket {socket}\n"), 1);
        let file = folder.path().join("haproxy.cfg");
        std::fs::write(&file, configuration).unwrap();
        let mut command = Command::new("haproxy");
        command.arg("-db").arg("-f").arg(&file).stdin(Stdio::null()).kill_on_drop(true);
        let child = command.spawn().expect("haproxy is not installed: run make setup-test");
        Self { _child: child, folder, base_url: format!("http://{public}") }
    }

    /// Waits until the balancer's check of an instance has this result.
    async fn wait_until(&self, server: &str, status: &str) {
        let row_start = format!("caraplace,{server},");
        let has_status = async || {
            let statistics = self.read_statistics().await.unwrap_or_default();
            statistics.lines().any(|row| row.starts_with(&row_start) && row.contains(&format!(",{status},")))
        };
        let wait = async {
            while !has_status().await {
                sleep(POLL_INTERVAL).await;
            }
        };
        timeout(PROGRESS_TIMEOUT, wait).await.unwrap_or_else(|_| panic!("{server} did not become {status}"));
    }

    async fn read_statistics(&self) -> std::io::Result<String> {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let mut socket = tokio::net::UnixStream::connect(self.folder.path().join("stats")).await?;
        socket.write_all(b"show stat\n").await?;
        let mut statistics = String::new();
        socket.read_to_string(&mut statistics).await?;
        Ok(statistics)
    }
}

/// Returns an address that no program listens on. The balancer and the instances need addresses that stay.
fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}
