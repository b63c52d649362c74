//! `/mcp` under the protocol's own tests. They are written for a server that has the tools, prompts and resources which they
//! try; what they say of a game that has others is excused here, each with its reason.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tokio::process::Command;

use crate::support::Server;

const SUITE: &str = "target/tools/mcp/node_modules/@modelcontextprotocol/conformance/dist/index.js";
/// The revision that most clients speak, and the current one.
const RUNS: [[&str; 2]; 2] = [["--spec-version", "2025-11-25"], ["--requirements", "2026-07-28"]];
/// What must be found good in all its checks.
const GOOD: [&str; 9] = [
    "server-initialize",
    "ping",
    "completion-complete",
    "tools-list",
    "resources-list",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-unsupported-methods",
];

const THEIRS: &str = "tries a tool or a resource that only the suite's own server has";
const PROMPTS: &str = "there are no prompts here, and none are announced";
const LOGGING: &str = "clients are sent no log, and none is announced";
const SUBSCRIPTIONS: &str = "clients are told of no changes, and it is not announced that they were";

/// Scenario and check, as far as they matter; words that stand in the complaint; and why it is none.
const EXCUSED: [(&str, &str, &str); 18] = [
    ("tools-call-", "Unknown tool: test_", THEIRS),
    ("elicitation-", "Unknown tool: test_", THEIRS),
    ("input-required-", "Unknown tool: test_", THEIRS),
    ("input-required-result-multi-round/", "Expected InputRequiredResult", THEIRS),
    ("input-required-result-tampered-state/", "could not get initial", THEIRS),
    ("input-required-result-non-tool-request/", "prompts/get", PROMPTS),
    ("json-schema-2020-12/", "Tool 'json_schema_2020_12_tool' not found", THEIRS),
    ("http-custom-header-", "Not testable: server exposes no tool", THEIRS),
    ("server-stateless/", "Not testable: server does not list the diagnostic tool", THEIRS),
    ("resources-read-", "There is no such resource", THEIRS),
    ("resources-templates-read/", "There is no such resource", THEIRS),
    ("resources-subscribe/", "resources/subscribe", SUBSCRIPTIONS),
    ("resources-unsubscribe/", "resources/subscribe", SUBSCRIPTIONS),
    ("prompts-", "prompts/", PROMPTS),
    ("caching/sep-2549-prompts-", "prompts/list", PROMPTS),
    ("logging-set-level/", "logging/setLevel", LOGGING),
    ("tools-call-with-logging/", "logging/setLevel", LOGGING),
    ("tasks-", "", "an extension that is not announced here"),
];

/// What the suite found.
#[derive(Default)]
struct Findings {
    good: BTreeSet<String>,
    bad: BTreeSet<String>,
    complaints: Vec<String>,
    excused: BTreeSet<&'static str>,
}

impl Findings {
    /// Takes in a scenario's checks.
    fn read(&mut self, scenario: &str, checks: &Value) {
        let mut all_good = true;
        for check in checks.as_array().unwrap().iter().filter(|check| check["status"] == "FAILURE") {
            all_good = false;
            let name = format!("{scenario}/{}", check["id"].as_str().unwrap());
            let complaint = check["errorMessage"].as_str().unwrap_or_default();
            let known = |(start, words, _): &&(&str, &str, &str)| {
                name.starts_with(start) && complaint.contains(words)
            };
            match EXCUSED.iter().find(known) {
                Some((start, ..)) => _ = self.excused.insert(start),
                None => self.complaints.push(format!("{name}: {complaint}")),
            }
        }
        let to = if all_good { &mut self.good } else { &mut self.bad };
        to.insert(scenario.to_owned());
    }
}

/// Runs the suite, which leaves a folder for each scenario.
async fn run(server: &Server, which: [&str; 2], folder: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tools = format!("{}/target/tools/bin:{}", root.display(), std::env::var("PATH").unwrap());
    let run = Command::new("node")
        .arg(root.join(SUITE))
        .args(["server", "--url", &server.url("/mcp"), "--output-dir"])
        .arg(folder)
        .args(which)
        .env("PATH", tools)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let run = run.await.expect("the suite is missing: run the tests with `make test`");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(said.contains("=== SUMMARY ==="), "{said}{}", String::from_utf8_lossy(&run.stderr));
}

/// `server-SCENARIO-2026-11-22T07-31-40-370Z`.
fn scenario(folder: &str) -> &str {
    let name = folder.strip_prefix("server-").unwrap();
    &name[..name.len() - "-2026-11-22T07-31-40-370Z".len()]
}

#[tokio::test(flavor = "multi_thread")]
async fn conformance_suite_finds_only_expected_failures() {
    let server = Server::start().await;
    let mut findings = Findings::default();
    for which in RUNS {
        let folder = tempfile::tempdir().unwrap();
        run(&server, which, folder.path()).await;
        for entry in folder.path().read_dir().unwrap() {
            let entry = entry.unwrap();
            let checks = std::fs::read(entry.path().join("checks.json")).unwrap();
            let name = entry.file_name().into_string().unwrap();
            findings.read(scenario(&name), &serde_json::from_slice(&checks).unwrap());
        }
    }
    assert!(findings.complaints.is_empty(), "{}", findings.complaints.join("\n"));
    for good in GOOD {
        assert!(findings.good.contains(good) && !findings.bad.contains(good), "{good} was not found good");
    }
    for (start, _, why) in EXCUSED {
        assert!(findings.excused.contains(start), "{start} needs no excuse any more, such as that it {why}");
    }
}
