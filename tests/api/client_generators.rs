//! Generators of typed clients read openapi.json, and leave out no operation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

use crate::support::Server;

/// The document of a running server, in a folder for a generator.
struct Generation {
    document: Value,
    folder: TempDir,
}

impl Generation {
    async fn prepare() -> Self {
        let server = Server::start().await;
        let reply = server.get("/openapi.json").await;
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("openapi.json"), &reply.bytes).unwrap();
        Self { document: reply.body, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn operation_ids(&self) -> BTreeSet<&str> {
        let items = self.document["paths"].as_object().unwrap().values();
        let operations = items.flat_map(|item| item.as_object().unwrap().values());
        operations.map(|operation| operation["operationId"].as_str().unwrap()).collect()
    }

    /// Runs a generator. Returns what it prints.
    async fn run(&self, generator: &str, arguments: &[&str]) -> String {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools").join(generator);
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.folder).env("NO_COLOR", "1").kill_on_drop(true);
        let output = command.output().await.expect("a generator is missing: run the tests with `make test`");
        let printed = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert!(output.status.success(), "{}", printed.concat());
        printed.concat()
    }
}

#[tokio::test]
async fn types_for_typescript_have_every_operation() {
    let generation = Generation::prepare().await;
    let program = "clients/node_modules/.bin/openapi-typescript";
    generation.run(program, &["openapi.json", "--output", "api.d.ts"]).await;
    let types = std::fs::read_to_string(generation.path("api.d.ts")).unwrap();
    for id in generation.operation_ids() {
        assert!(types.contains(&format!("{id}: {{")), "{id} is left out");
    }
}

#[tokio::test]
async fn client_for_python_has_every_operation() {
    let generation = Generation::prepare().await;
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/clients/python.yaml");
    let output = ["--output-path", "client", "--meta", "none", "--config", config];
    let arguments = [&["generate", "--path", "openapi.json"][..], &output].concat();
    let printed = generation.run("bin/openapi-python-client", &arguments).await;
    assert!(!printed.to_lowercase().contains("warning"), "{printed}");
    let modules = std::fs::read_dir(generation.path("client/api/default")).unwrap();
    let modules: BTreeSet<_> =
        modules.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    for id in generation.operation_ids() {
        // The id of the canvas page ends with an underscore, which names of modules do not.
        assert!(modules.contains(&format!("{}.py", id.trim_end_matches('_'))), "{id} is left out");
    }
}
