//! `caraplace admin` while a server runs.

use std::process::Stdio;

use rules::passwords::PasswordHash;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

use crate::support::{Reply, Server, WAIT_LIMIT, admin};

#[tokio::test]
async fn creates_lists_and_revokes_a_key() {
    let server = Server::start_with_console().await;
    let output = admin(&server, &["key", "new", "night shift"], "").await.unwrap();
    let key = output.lines().next().unwrap().to_owned();
    assert!(key.starts_with("ca_") && output.contains("shown only once"), "{output}");
    let ask = async || Reply::fetch(server.get_request("/api/admin/session").bearer_auth(&key)).await;
    assert_eq!(ask().await.body["operator"], "owner (key night shift)");
    let listed = admin(&server, &["key", "list"], "").await.unwrap();
    assert!(listed.contains("night shift") && !listed.contains(&key), "{listed}");
    let json: Value =
        serde_json::from_str(&admin(&server, &["--json", "key", "list"], "").await.unwrap()).unwrap();
    let id = json["keys"][0]["id"].as_str().unwrap();
    let (code, error) = admin(&server, &["key", "new", "night shift"], "").await.unwrap_err();
    assert!(code == 1 && error.contains("taken"), "{error}");
    assert_eq!(admin(&server, &["key", "revoke", id], "").await.unwrap(), format!("{id} is revoked.\n"));
    ask().await.assert_refused(401, "key_invalid");
    let (code, error) = admin(&server, &["key", "revoke", id], "").await.unwrap_err();
    assert!(code == 1 && error.contains(id), "{error}");
}

#[tokio::test]
async fn password_hash_needs_no_database_and_signs_in() {
    let mut server = Server::start_with_console().await;
    let hash = admin(&server, &["password-hash"], "a new one\n").await.unwrap();
    assert!(PasswordHash::parse(hash.trim()).unwrap().verify("a new one"));
    server.restart_with("CARAPLACE_ADMIN_PASSWORD", hash.trim()).await;
    assert_eq!(server.browser("192.0.2.1").sign_in("a new one").await.status, 303);
    assert_eq!(server.browser("192.0.2.1").sign_in(hash.trim()).await.status, 401);
    assert_eq!(admin(&server, &["password-hash"], "\n").await.unwrap_err().0, 1);
}

#[tokio::test]
async fn short_password_stops_the_start_with_advice() {
    // A setting that is read after the password stops the start if the password is accepted.
    for (password, named) in [
        ("hunter2", "CARAPLACE_ADMIN_PASSWORD"),
        ("elevenchars", "CARAPLACE_ADMIN_PASSWORD"),
        ("twelve chars", "CARAPLACE_LOG_FORMAT"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_caraplace"));
        command.env_clear().env("CARAPLACE_ADMIN_PASSWORD", password).env("CARAPLACE_LOG_FORMAT", "xml");
        let output = command.kill_on_drop(true).output().await.unwrap();
        let output_text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(1), "{output_text}");
        assert!(output_text.contains(named) && !output_text.contains(password), "{output_text}");
        let has_advice = output_text.contains("choose a longer password");
        assert_eq!(has_advice, named.ends_with("PASSWORD"), "{output_text}");
    }
}

#[tokio::test]
async fn usage_errors_exit_with_code_two() {
    let server = Server::start_with_console().await;
    for words in [&["fly"][..], &["key"], &["key", "new"], &[]] {
        assert_eq!(admin(&server, words, "").await.unwrap_err().0, 2, "{words:?}");
    }
}

#[tokio::test]
async fn grants_and_revokes_a_pass() {
    let server = Server::start_with_console().await;
    let grant = ["--json", "pass", "grant", "--reason", "a friend", "--tier", "patron"];
    let granted: Value = serde_json::from_str(&admin(&server, &grant, "").await.unwrap()).unwrap();
    let (id, key) = (granted["viewer_id"].as_str().unwrap(), granted["api_key"].as_str().unwrap());
    let me = async || Reply::fetch(server.get_request("/api/viewers/me").bearer_auth(key)).await.body;
    assert_eq!(me().await["viewer"]["tier"], "patron");
    assert!(admin(&server, &["pass", "list"], "").await.unwrap().contains(id));
    admin(&server, &["pass", "revoke", id, "--reason", "no friend"], "").await.unwrap();
    server.running().state.log.refresh().await.unwrap();
    assert_eq!(me().await["may_speak"], false);
    let golden = ["pass", "grant", "--reason", "x", "--tier", "golden"];
    assert_eq!(admin(&server, &golden, "").await.unwrap_err().0, 1);
}

#[tokio::test]
async fn warns_of_unknown_setting_with_the_nearest_name() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_caraplace"));
    command
        .args(["admin", "password-hash"])
        .env_clear()
        .env("CARAPLACE_MAX_CHARGE", "5")
        .env("NO_COLOR", "1");
    let output = command.stdin(Stdio::null()).kill_on_drop(true).output().await.unwrap();
    let output_text = String::from_utf8(output.stderr).unwrap();
    let warnings: Vec<_> = output_text.lines().filter(|line| line.contains("unknown setting")).collect();
    assert!(warnings.len() == 1 && warnings[0].contains("\"CARAPLACE_MAX_CHARGES\""), "{output_text}");
}

#[tokio::test]
async fn ctrl_c_cancels_the_password_prompt() {
    // `script` gives the program a terminal of its own.
    let question = format!("{} admin password-hash", env!("CARGO_BIN_EXE_caraplace"));
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &question, "/dev/null"]).kill_on_drop(true);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut shown = Vec::new();
    while !shown.ends_with(b"Password: ") {
        shown.push(screen.read_u8().await.unwrap());
    }
    keys.write_all(b"\x03").await.unwrap();
    let status = tokio::time::timeout(WAIT_LIMIT, child.wait()).await.expect("the program did not end");
    assert_eq!(status.unwrap().code(), Some(130));
}

#[tokio::test]
async fn wrong_config_file_stops_the_start_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("caraplace.json");
    for (content, environment, expected) in [
        (
            r#"{"CARAPLACE_LOG_FORMAT": "xml"}"#,
            "",
            "CARAPLACE_LOG_FORMAT is \"xml\", but must be text or json.",
        ),
        (r#"{"CARAPLACE_LOG_FROMAT": "json"}"#, "", "is not a setting. Did you mean CARAPLACE_LOG_FORMAT?"),
        // The environment overrides the file, so that only what the file alone sets is wrong.
        (r#"{"CARAPLACE_LOG_FORMAT": "xml", "CARAPLACE_LINKS": "no"}"#, "text", "CARAPLACE_LINKS is \"no\""),
    ] {
        std::fs::write(&path, content).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_caraplace"));
        command.env_clear().env("CARAPLACE_LOG_FORMAT", environment).arg("--config").arg(&path);
        let output = command.kill_on_drop(true).output().await.unwrap();
        let output_text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(1), "{output_text}");
        assert!(output_text.contains("caraplace.json: ") && output_text.contains(expected), "{output_text}");
    }
}
