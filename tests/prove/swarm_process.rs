//! The load generator `swarm` as a process of its own, which also checks the server.

use std::collections::BTreeMap;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Maximum time for pending requests and for the final checks.
const EXIT_TIMEOUT: Duration = Duration::from_mins(6);

/// The usual number of agents.
pub const AGENTS: &str = "24";

/// The first argument with which this test binary runs as `swarm`.
pub const SWARM_ARGUMENT: &str = "swarm";

/// A running load generator. It is killed when this is dropped.
pub struct SwarmProcess {
    child: Child,
    folder: TempDir,
}

/// The output of a finished load generator.
struct SwarmOutput {
    status: ExitStatus,
    report: Value,
    acks: String,
    log: String,
}

/// The acknowledged writes by number.
#[derive(Default)]
pub struct AckedWrites {
    /// Agent, x, y and colour.
    pub pixels: BTreeMap<i64, (String, i16, i16, i16)>,
    /// The agent and the message's id.
    pub messages: BTreeMap<i64, (String, String)>,
    /// The author of each private message, by the message's id.
    pub private_messages: BTreeMap<String, String>,
}

impl SwarmProcess {
    /// Starts agents that paint and chat, in public and in two crews, on these servers until they are
    /// stopped.
    pub fn start(servers: &[&str], extra_options: &[&str]) -> Self {
        // Many small rounds, so that a fault hits many requests.
        let visit_options =
            ["--think-ms", "20", "--reread-ms", "300", "--batch", "4", "--chatty", "40", "--tireless"];
        let counts = ["--agents", AGENTS, "--seconds", "3600", "--spectators", "4", "--crews", "2"];
        Self::with_options(servers, &[&visit_options[..], &counts, extra_options].concat())
    }

    /// Starts a run with these options.
    pub fn with_options(servers: &[&str], options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env_clear().arg(SWARM_ARGUMENT).args(servers.iter().flat_map(|base| ["--server", base]));
        command.args(["--settle", "90"]).args(options);
        command.arg("--json").arg(folder.path().join("report"));
        command.arg("--acks").arg(folder.path().join("acks"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).kill_on_drop(true);
        Self { child: command.spawn().unwrap(), folder }
    }

    /// Ends the run and asserts that it found no faults.
    pub async fn finish(self) -> (Value, AckedWrites) {
        self.stop().await.assert_ok()
    }

    /// Waits until the run has ended by itself, and asserts that it found no faults.
    pub async fn finish_by_itself(mut self) -> (Value, AckedWrites) {
        self.wait().await.assert_ok()
    }

    /// Ends the run and returns the faults, of which there must be some.
    pub async fn finish_with_faults(self) -> Vec<String> {
        let SwarmOutput { status, report, log, .. } = self.stop().await;
        assert_eq!(status.code(), Some(1), "swarm has nothing to complain of\n{log}");
        parse_faults(&report)
    }

    async fn stop(mut self) -> SwarmOutput {
        let pid = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        kill_process(pid.expect("the swarm has ended by itself"), Signal::INT).unwrap();
        self.wait().await
    }

    async fn wait(&mut self) -> SwarmOutput {
        let status = timeout(EXIT_TIMEOUT, self.child.wait()).await.expect("the swarm goes on").unwrap();
        let read_file =
            |name: &str| std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
        let report: Value = serde_json::from_str(&read_file("report")).unwrap_or_default();
        SwarmOutput { status, report, acks: read_file("acks"), log: read_file("log") }
    }
}

impl SwarmOutput {
    fn assert_ok(self) -> (Value, AckedWrites) {
        let Self { status, report, acks, log } = self;
        let shown_faults: Vec<_> = parse_faults(&report).into_iter().take(20).collect();
        assert!(status.success(), "swarm: {status}\n{}\n{log}", shown_faults.join("\n"));
        assert_eq!(
            ["unsettled_pixels", "unsettled_messages", "unsettled_private_messages"]
                .map(|name| report[name].clone()),
            [0, 0, 0].map(Value::from),
            "swarm: everything must be settled"
        );
        assert_eq!(report["left_early"], Value::Array(Vec::new()), "swarm: all agents must stay");
        assert_eq!(report["resets"], 0, "swarm: a reset leaves out what a stream should resume with");
        (report, AckedWrites::parse(&acks))
    }
}

fn parse_faults(report: &Value) -> Vec<String> {
    let faults = report["faults"].as_array().map_or(&[][..], Vec::as_slice);
    faults.iter().map(ToString::to_string).collect()
}

impl AckedWrites {
    fn parse(text: &str) -> Self {
        let mut acks = Self::default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let [seq, agent, x, y, color, message] = fields[..] else { panic!("{line}") };
            let agent = agent.to_owned();
            if seq.is_empty() {
                acks.private_messages.insert(message.to_owned(), agent);
                continue;
            }
            let seq = seq.parse().unwrap();
            if message.is_empty() {
                let [x, y, color] = [x, y, color].map(|number| number.parse().unwrap());
                acks.pixels.insert(seq, (agent, x, y, color));
            } else {
                acks.messages.insert(seq, (agent, message.to_owned()));
            }
        }
        acks
    }
}
