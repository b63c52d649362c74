//! `/mcp` with the protocol's conformance tests. They expect a server with specific tools, prompts and
//! resources; findings that follow from their absence are excused here, each with its reason.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tokio::process::Command;

use crate::support::Server;

const SUITE_PATH: &str = "target/tools/mcp/node_modules/@modelcontextprotocol/conformance/dist/index.js";
/// The revision that most clients use, and the current one.
const SUITE_ARGUMENTS: [[&str; 2]; 2] = [["--spec-version", "2025-11-25"], ["--requirements", "2026-07-28"]];
/// Scenarios of which every check must pass.
const PASSING_SCENARIOS: [&str; 10] = [
    "server-initialize",
    "ping",
    "completion-complete",
    "tools-list",
    "resources-list",
    "prompts-list",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-unsupported-methods",
];

const SUITE_SERVER_ONLY: &str = "tries a tool, a prompt or a resource that only the suite's own server has";
const NO_LOGGING: &str = "clients are sent no log, and none is announced";
const NO_SUBSCRIPTIONS: &str = "clients are told of no changes, and it is not announced that they were";

/// Scenario and check, words in the finding, and the reason why it is excused.
const EXPECTED_FAILURES: [(&str, &str, &str); 17] = [
    ("tools-call-", "Unknown tool: test_", SUITE_SERVER_ONLY),
    ("elicitation-", "Unknown tool: test_", SUITE_SERVER_ONLY),
    ("input-required-", "Unknown tool: test_", SUITE_SERVER_ONLY),
    ("input-required-result-multi-round/", "Expected InputRequiredResult", SUITE_SERVER_ONLY),
    ("input-required-result-tampered-state/", "could not get initial", SUITE_SERVER_ONLY),
    ("input-required-result-non-tool-request/", "There is no such prompt", SUITE_SERVER_ONLY),
    ("json-schema-2020-12/", "Tool 'json_schema_2020_12_tool' not found", SUITE_SERVER_ONLY),
    ("http-custom-header-", "Not testable: server exposes no tool", SUITE_SERVER_ONLY),
    ("server-stateless/", "Not testable: server does not list the diagnostic tool", SUITE_SERVER_ONLY),
    ("resources-read-", "There is no such resource", SUITE_SERVER_ONLY),
    ("resources-templates-read/", "There is no such resource", SUITE_SERVER_ONLY),
    ("resources-subscribe/", "resources/subscribe", NO_SUBSCRIPTIONS),
    ("resources-unsubscribe/", "resources/subscribe", NO_SUBSCRIPTIONS),
    ("prompts-get-", "There is no such prompt", SUITE_SERVER_ONLY),
    ("logging-set-level/", "logging/setLevel", NO_LOGGING),
    ("tools-call-with-logging/", "logging/setLevel", NO_LOGGING),
    ("tasks-", "", "an extension that is not announced here"),
];

/// The findings of the suite.
#[derive(Default)]
struct Findings {
    passed: BTreeSet<String>,
    failed: BTreeSet<String>,
    unexpected_failures: Vec<String>,
    seen_failures: BTreeSet<&'static str>,
}

impl Findings {
    /// Reads the results of a scenario.
    fn add_checks(&mut self, scenario: &str, checks: &Value) {
        let mut all_good = true;
        for check in checks.as_array().unwrap().iter().filter(|check| check["status"] == "FAILURE") {
            all_good = false;
            let name = format!("{scenario}/{}", check["id"].as_str().unwrap());
            let message = check["errorMessage"].as_str().unwrap_or_default();
            let known =
                |(start, words, _): &&(&str, &str, &str)| name.starts_with(start) && message.contains(words);
            match EXPECTED_FAILURES.iter().find(known) {
                Some((start, ..)) => _ = self.seen_failures.insert(start),
                None => self.unexpected_failures.push(format!("{name}: {message}")),
            }
        }
        let to = if all_good { &mut self.passed } else { &mut self.failed };
        to.insert(scenario.to_owned());
    }
}

/// Runs the suite, which writes a folder for each scenario.
async fn run_suite(server: &Server, arguments: [&str; 2], folder: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tools = format!("{}/target/tools/bin:{}", root.display(), std::env::var("PATH").unwrap());
    let run = Command::new("node")
        .arg(root.join(SUITE_PATH))
        .args(["server", "--url", &server.url("/mcp"), "--output-dir"])
        .arg(folder)
        .args(arguments)
        .env("PATH", tools)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let run = run.await.expect("the suite is missing: run the tests with `make test`");
    let stdout = String::from_utf8_lossy(&run.stdout);
    assert!(stdout.contains("=== SUMMARY ==="), "{stdout}{}", String::from_utf8_lossy(&run.stderr));
}

/// Returns the scenario of a folder such as `server-SCENARIO-2026-11-22T07-31-40-370Z`.
fn scenario_name(folder: &str) -> &str {
    let name = folder.strip_prefix("server-").unwrap();
    &name[..name.len() - "-2026-11-22T07-31-40-370Z".len()]
}

#[tokio::test(flavor = "multi_thread")]
async fn conformance_suite_finds_only_expected_failures() {
    let server = Server::start().await;
    let mut findings = Findings::default();
    for arguments in SUITE_ARGUMENTS {
        let folder = tempfile::tempdir().unwrap();
        run_suite(&server, arguments, folder.path()).await;
        for entry in folder.path().read_dir().unwrap() {
            let entry = entry.unwrap();
            let checks = std::fs::read(entry.path().join("checks.json")).unwrap();
            let name = entry.file_name().into_string().unwrap();
            findings.add_checks(scenario_name(&name), &serde_json::from_slice(&checks).unwrap());
        }
    }
    assert!(findings.unexpected_failures.is_empty(), "{}", findings.unexpected_failures.join("\n"));
    for good in PASSING_SCENARIOS {
        let is_good = findings.passed.contains(good) && !findings.failed.contains(good);
        assert!(is_good, "{good} was not found good");
    }
    for (start, _, reason) in EXPECTED_FAILURES {
        let is_seen = findings.seen_failures.contains(start);
        assert!(is_seen, "{start} needs no excuse any more, such as that it {reason}");
    }
}
