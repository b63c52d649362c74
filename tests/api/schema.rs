//! The server accepts what openapi.json allows and refuses what it forbids, as checked by schemathesis with
//! generated requests.

use std::path::Path;
use std::process::Stdio;

use serde_json::json;
use tokio::process::Command;

use crate::support::{PASSWORD, Server};

/// Seconds for the coverage phase and some random cases; the whole test takes less than a minute.
const DEFAULT_SECONDS: &str = "40";

#[tokio::test(flavor = "multi_thread")]
async fn server_conforms_to_its_openapi_document() {
    let free = [
        ("CARAPLACE_CHARGE_SECONDS", "0"),
        ("CARAPLACE_MAX_CHARGES", "256"),
        ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
        ("CARAPLACE_MESSAGE_SECONDS", "0"),
        ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
        ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ];
    let server = Server::start_with(&free).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.post_message("Here is a message to answer.").await.status, 201);
    let plan = json!({"title": "A roof", "x": 0, "y": 0, "rows": ["5"]});
    assert_eq!(ada.post("/api/plans", plan).await.status, 201);
    assert_eq!(ada.post("/api/crews", json!({"name": "Roofers", "visibility": "open"})).await.status, 201);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tool = root.join("target/tools/bin/schemathesis");
    let seconds = std::env::var("SCHEMA_SECONDS").unwrap_or_else(|_| DEFAULT_SECONDS.to_owned());
    let notes = tempfile::tempdir().unwrap();
    let run = Command::new(tool)
        .arg("--config-file")
        .arg(root.join("tests/schema/schemathesis.toml"))
        .args(["--no-color", "run", "--seed", "1", "--max-time", &seconds, &server.url("/openapi.json")])
        .current_dir(&notes)
        .env("CARAPLACE_BASE", server.url(""))
        .env("CARAPLACE_OPERATOR_KEY", server.create_operator_key("schema").await)
        .env("PYTHONPATH", root.join("tests/schema"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("SCHEMATHESIS_HOOKS", "hooks")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let run = run.await.expect("schemathesis is missing: run the tests with `make test`");
    let stdout = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{stdout}{}", String::from_utf8_lossy(&run.stderr));
    println!("{}", stdout.split("= SUMMARY =").last().unwrap());
}
