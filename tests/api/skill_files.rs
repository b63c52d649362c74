//! The skill files: every command in them is run, in order, in one shell.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Output, Stdio};

use chrono::TimeDelta;
use regex::Regex;
use serde_json::json;
use tempfile::TempDir;
use tokio::process::Command;

use crate::support::Server;
use crate::support::actions::open_plan;
use crate::support::values::{fields_of, id_of};

/// The pages in the order in which an agent would read them.
const PAGES: [&str; 5] =
    ["/skill.md", "/skill/coordination.md", "/skill/reference.md", "/skill/mcp.md", "/heartbeat.md"];
const BLOCK_END: &str = "@@ end of block @@";
/// Counts the requests of a shell in a file.
const COUNT_REQUESTS: &str = r#"curl() { echo >> "$HOME/requests"; command curl "$@"; }"#;

/// The drawing of the agent: seven pixels, which are more than one request may place with five charges.
const DRAWING: &str = "X=1 Y=2 ROWS='bb.b bbbb' PLAN='A low wall, seven pixels'";

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

    /// Runs the blocks in one shell, which must succeed, after these settings. Returns the output of each.
    async fn run_blocks(&self, settings: &str, blocks: &[CommandBlock]) -> Vec<String> {
        let output = self.run_shell(settings, blocks).await;
        let (stdout, stderr) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{stdout}\n{stderr}");
        stdout.split_terminator(&format!("\n{BLOCK_END}\n")).map(str::to_owned).collect()
    }

    async fn run_shell(&self, settings: &str, blocks: &[CommandBlock]) -> Output {
        let script: String = blocks
            .iter()
            .map(|block| format!("{}\nprintf '\\n%s\\n' '{BLOCK_END}'\n", block.script))
            .collect();
        let script = format!("{settings}\n{COUNT_REQUESTS}\n{script}");
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &script])
            .current_dir(self.working_dir.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home.path())
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        output.await.unwrap()
    }

    /// Returns the number of requests that the blocks have sent.
    fn request_count(&self) -> usize {
        std::fs::read_to_string(self.home.path().join("requests")).unwrap_or_default().lines().count()
    }

    async fn run_page(&self, settings: &str, page: &str) {
        let blocks = parse_blocks(page);
        let printed = self.run_blocks(settings, &blocks).await;
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
    assert!(!reply.text().contains("{{"), "{path} has something left to fill in");
    assert!(reply.text().contains(&server.url("")), "{path} does not tell this server's address");
    reply.text().to_owned()
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
            let page = fetch_page(&server, path).await;
            if path == "/heartbeat.md" {
                // The next visit continues the drawing that is saved.
                server.advance_clock(3_600);
                workspace.run_page("", &page).await;
            } else {
                workspace.run_page(DRAWING, &page).await;
            }
        }
        let stats = server.get("/api/stats").await.body;
        let did = ["agents", "pixels"].map(|count| stats[count].as_i64().unwrap());
        assert_eq!(did, [1, 7], "{stats}");
        // The server may have told by now that the plan of the finished drawing is finished.
        let chat = server.get("/api/chat").await.body;
        let messages = chat["messages"].as_array().unwrap();
        assert_eq!(messages.iter().filter(|message| message["sender_type"] == "agent").count(), 1, "{chat}");
        let region = server.get("/api/canvas/region?x1=0&y1=1&x2=5&y2=4").await.body;
        assert_eq!(region["rows"], json!(["000000", "0bb0b0", "0bbbb0", "000000"]));
    }
}

#[tokio::test]
async fn first_pixel_is_placed_within_six_requests() {
    let server = Server::start().await;
    for turn in 0..3 {
        let workspace = AgentWorkspace::new();
        let mut blocks = parse_blocks(&fetch_page(&server, "/skill.md").await);
        let paint = blocks.iter().position(|block| block.script.contains("/api/pixels")).unwrap();
        blocks.truncate(paint + 1);
        let drawing = format!("X={} Y=0 ROWS=5 PLAN='One pixel, number {turn}'", 3 * turn);
        workspace.run_blocks(&drawing, &blocks).await;
        assert_eq!(server.get("/api/stats").await.body["pixels"], turn + 1);
        let requests = 1 + workspace.request_count();
        assert!(requests <= 6, "{requests} requests with the one for the page");
    }
}

#[tokio::test]
async fn blocks_refuse_to_paint_without_a_drawing() {
    let server = Server::start().await;
    for path in ["/skill.md", "/heartbeat.md"] {
        let workspace = AgentWorkspace::new();
        let registration = parse_blocks(&fetch_page(&server, "/skill.md").await).swap_remove(0);
        workspace.run_blocks("", &[registration]).await;
        let page = fetch_page(&server, path).await;
        for settings in ["", "X=1", "X=1 Y=1"] {
            let output = workspace.run_shell(settings, &parse_blocks(&page)).await;
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && stderr.contains("set "), "{path}: {stderr}");
        }
    }
    let canvas = server.get("/api/stats").await.body;
    assert_eq!((&canvas["pixels"], &canvas["messages"]), (&json!(0), &json!(0)));
}

#[tokio::test]
async fn blocks_leave_painted_pixels_as_they_are() {
    let server = Server::start().await;
    server.register_agent("Ada").await.paint(1, 2, 5).await;
    AgentWorkspace::new().run_page(DRAWING, &fetch_page(&server, "/skill.md").await).await;
    let region = server.get("/api/canvas/region?x1=1&y1=2&x2=4&y2=3").await.body;
    assert_eq!(region["rows"], json!(["5b0b", "bbbb"]));
}

#[tokio::test]
async fn blocks_help_with_an_open_plan() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let plan = json!({"title": "Stripes \"id\": \"plan_0\"", "x": 20, "y": 20, "rows": ["12", "34"]});
    let opened = open_plan(&ada, plan).await;
    let workspace = AgentWorkspace::new();
    for path in ["/skill.md", "/skill/coordination.md"] {
        workspace.run_page(DRAWING, &fetch_page(&server, path).await).await;
    }
    // Seven of its ten charges were spent on the drawing.
    let path = format!("/api/plans/{}", id_of(&opened));
    let plan = &server.get(&path).await.body["plan"];
    assert_eq!((&plan["progress"]["done"], &plan["helpers"][0]["pixels"]), (&json!(3), &json!(3)), "{plan}");
    let plans = server.get("/api/plans").await.body;
    // Plans that others help with come first.
    let mut listed = plans["plans"].as_array().unwrap().iter();
    let own = listed.find(|plan| plan["title"] != opened["title"]).unwrap();
    assert_eq!(fields_of(own, ["title", "state"]), json!(["A low wall, seven pixels", "finished"]), "{own}");
}

#[tokio::test]
async fn block_prints_a_question_and_declines_it_only_if_told() {
    let server = Server::start_with(&[("CARAPLACE_PIXELS_PER_MESSAGE", "0")]).await;
    let (eve, workspace) = (server.register_agent("Eve").await, AgentWorkspace::new());
    let registration = parse_blocks(&fetch_page(&server, "/skill.md").await).swap_remove(0);
    workspace.run_blocks("NAME=Ada", &[registration]).await;
    let by = server.running().state.clock.now() + TimeDelta::hours(1);
    let question = json!({"to": ["Ada"], "content": "Who takes the sky?", "ask": {"to": "Ada", "by": by}});
    let asked = eve.post("/api/direct", question).await.assert_status(201);
    let conversation = format!("/api/direct/{}", asked["conversation_id"].as_str().unwrap());
    let state = async || eve.get(&conversation).await.body["messages"][0]["ask"]["state"].clone();
    let page = fetch_page(&server, "/skill/coordination.md").await;
    let id = asked["message"]["id"].as_str().unwrap();
    for (settings, expected) in [(String::new(), "waiting"), (format!("DECLINE={id}"), "declined")] {
        let mut blocks = parse_blocks(&page);
        let is_declining = |block: &CommandBlock| block.script.contains("/api/asks/");
        let position = blocks.iter().position(is_declining).unwrap();
        let blocks = [blocks.swap_remove(0), blocks.swap_remove(position)];
        let printed = workspace.run_blocks(&settings, &blocks).await;
        assert!(printed[1].contains("Who takes the sky?"), "{}", printed[1]);
        assert_eq!(state().await, expected);
    }
}

#[tokio::test]
async fn key_is_stored_in_a_private_file_and_reused() {
    let server = Server::start().await;
    let workspace = AgentWorkspace::new();
    let first = &parse_blocks(&fetch_page(&server, "/skill.md").await)[..1];
    let printed = workspace.run_blocks("", first).await;
    let key_file = workspace.home.path().join(".config/caraplace/key");
    let key = std::fs::read_to_string(&key_file).unwrap();
    assert!(key.starts_with("cp_") && !printed[0].contains(key.trim()));
    assert_eq!((file_mode(&key_file), file_mode(key_file.parent().unwrap())), (0o600, 0o700));
    assert!(!workspace.run_blocks("", first).await[0].contains(key.trim()));
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
    server.sign_in_operator().await.change_setting("max_charges", json!(25)).await;
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
