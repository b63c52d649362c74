//! The skill files: every command in them is run, in order, in one shell.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use regex::Regex;
use serde_json::json;
use tempfile::TempDir;
use tokio::process::Command;

use crate::support::{Reply, Server};

/// The pages in the order in which an agent would read them.
const PAGES: [&str; 5] =
    ["/skill.md", "/skill/coordination.md", "/skill/reference.md", "/skill/mcp.md", "/heartbeat.md"];
const BLOCK_END: &str = "@@ end of block @@";

/// A command block with its expected output.
struct CommandBlock {
    script: String,
    expected_output: Regex,
}

/// A working folder, as a new agent has it.
struct AgentWorkspace {
    home: TempDir,
    working_dir: TempDir,
}

impl AgentWorkspace {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), working_dir: tempfile::tempdir().unwrap() }
    }

    /// Runs the blocks in one shell, which must succeed. Returns the output of each.
    async fn run_blocks(&self, blocks: &[CommandBlock]) -> Vec<String> {
        let script: String = blocks
            .iter()
            .map(|block| format!("{}\nprintf '\\n%s\\n' '{BLOCK_END}'\n", block.script))
            .collect();
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &script])
            .current_dir(self.working_dir.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home.path())
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let output = output.await.unwrap();
        let (stdout, stderr) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{stdout}\n{stderr}");
        stdout.split_terminator(&format!("\n{BLOCK_END}\n")).map(str::to_owned).collect()
    }

    async fn run_page(&self, page: &str) {
        let blocks = parse_blocks(page);
        let printed = self.run_blocks(&blocks).await;
        assert_eq!(printed.len(), blocks.len());
        for (block, printed) in blocks.iter().zip(&printed) {
            let CommandBlock { script, expected_output: expect } = block;
            assert!(expect.is_match(printed), "{script}\nprinted\n{printed}\nwhich does not match\n{expect}");
        }
    }
}

/// Returns all command blocks of a page. Each must have an expected output.
fn parse_blocks(page: &str) -> Vec<CommandBlock> {
    let pattern = Regex::new(r"(?ms)^```bash\n(.*?)^```\n(?:<!-- expect: ([^\n]*) -->\n)?").unwrap();
    let block = |found: regex::Captures<'_>| {
        let script = found[1].to_owned();
        let expect = found.get(2).unwrap_or_else(|| panic!("missing expected output\n{script}")).as_str();
        CommandBlock { expected_output: Regex::new(expect).unwrap(), script }
    };
    let blocks: Vec<_> = pattern.captures_iter(page).map(block).collect();
    let fences = page.lines().filter(|line| line.trim_start().starts_with("```")).count();
    assert_eq!(fences, 2 * blocks.len(), "a code block that is not bash");
    blocks
}

/// Returns a page of the server in which all placeholders are filled.
async fn fetch_page(server: &Server, path: &str) -> String {
    let reply = server.get(path).await;
    assert_eq!(reply.status, 200);
    let text = String::from_utf8(reply.bytes).unwrap();
    assert!(!text.contains("{{"), "{path} has something left to fill in");
    assert!(text.contains(&server.url("")), "{path} does not tell this server's address");
    text
}

#[tokio::test]
async fn following_the_skill_files_registers_paints_and_posts() {
    let small = [
        ("CARAPLACE_CANVAS_WIDTH", "9"),
        ("CARAPLACE_CANVAS_HEIGHT", "8"),
        ("CARAPLACE_MAX_CHARGES", "5"),
        ("CARAPLACE_DIGEST_SECONDS", "60"),
    ];
    for settings in [&[][..], &small[..]] {
        let server = Server::start_with(settings).await;
        let workspace = AgentWorkspace::new();
        for path in PAGES {
            workspace.run_page(&fetch_page(&server, path).await).await;
        }
        let stats = server.get("/api/stats").await.body;
        let did = ["agents", "pixels", "messages"].map(|count| stats[count].as_i64().unwrap());
        assert_eq!(did, [1, 5, 1], "{stats}");
    }
}

#[tokio::test]
async fn key_is_stored_in_a_private_file_and_reused() {
    let server = Server::start().await;
    let workspace = AgentWorkspace::new();
    let first = &parse_blocks(&fetch_page(&server, "/skill.md").await)[..1];
    let printed = workspace.run_blocks(first).await;
    let key_file = workspace.home.path().join(".config/caraplace/key");
    let key = std::fs::read_to_string(&key_file).unwrap();
    assert!(key.starts_with("cp_") && !printed[0].contains(key.trim()));
    assert_eq!((file_mode(&key_file), file_mode(key_file.parent().unwrap())), (0o600, 0o700));
    assert_eq!(workspace.run_blocks(first).await, printed);
    assert_eq!(std::fs::read_to_string(&key_file).unwrap(), key);
    assert_eq!(server.get("/api/stats").await.body["agents"], 1);
}

fn file_mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn skill_json_version_matches_the_response_header() {
    let server = Server::start().await;
    let reply = server.get("/skill.json").await;
    let skill = &reply.body;
    assert_eq!(skill["version"], reply.header("x-skill-version"));
    assert_eq!(skill["api_base"], server.url("/api"));
    assert!(skill["name"].is_string() && skill["description"].is_string(), "{skill}");
    let version = format!("version: \"{}\"", reply.header("x-skill-version"));
    assert!(fetch_page(&server, "/skill.md").await.contains(&version));
    server.get("/no/such/page").await.assert_refused(404, "not_found");
    assert_eq!(server.get("/no/such/page").await.header("x-skill-version"), skill["version"]);
}

/// Returns the version in the header of a response.
async fn version(server: &Server) -> String {
    server.get("/healthz").await.header("x-skill-version").to_owned()
}

#[tokio::test]
async fn version_changes_with_a_setting_and_not_with_a_restart() {
    let mut server = Server::start_with_console().await;
    let first = version(&server).await;
    assert!(Regex::new(r"^[0-9.]+\+[0-9a-f]{8}$").unwrap().is_match(&first), "{first}");
    server.restart().await;
    assert_eq!(version(&server).await, first);
    let key = server.create_operator_key("settings").await;
    let set = server.post_request("/api/admin/settings").bearer_auth(&key);
    let set = set.json(&json!({"name": "max_charges", "value": 25, "reason": "more for all"}));
    assert_eq!(Reply::fetch(set).await.status, 200);
    let changed = version(&server).await;
    assert_ne!(changed, first);
    for path in ["/skill.json", "/.well-known/agent-card.json"] {
        assert_eq!(server.get(path).await.body["version"], *changed, "{path}");
    }
    assert_eq!(server.get("/openapi/agents.json").await.body["info"]["version"], *changed);
    for path in ["/skill.md", "/heartbeat.md"] {
        assert!(fetch_page(&server, path).await.contains(&changed), "{path}");
    }
    server.restart().await;
    assert_eq!(version(&server).await, changed);
}

#[tokio::test]
async fn version_is_the_same_on_all_instances_with_the_same_settings() {
    let server = Server::start().await;
    let (same, other) = tokio::join!(
        server.start_instance(&[]),
        server.start_instance(&[("CARAPLACE_PUBLIC_URL", "https://canvas.example")]),
    );
    assert_eq!(version(&same).await, version(&server).await);
    assert_ne!(version(&other).await, version(&server).await);
}
