//! The deployment files: their settings are valid and have the intended effects.

use std::net::IpAddr;
use std::path::Path;
use std::process::Stdio;

use platform::config::Config;
use regex::Regex;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use toml::Table;

use crate::support::{Process, Server};

fn read_file(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

fn read_fly_toml() -> Table {
    read_file("fly.toml").parse().unwrap()
}

/// Returns the value that fly.toml sets under this name.
fn fly_setting(name: &str) -> Option<String> {
    read_fly_toml()["env"].get(name).map(|value| value.as_str().unwrap().to_owned())
}

#[test]
fn fly_toml_settings_are_valid_and_ports_match() {
    let fly = read_fly_toml();
    let config = Config::read(fly_setting).unwrap();
    let help = platform::config::help();
    assert!(fly["env"].as_table().unwrap().keys().all(|name| help.contains(name.as_str())));
    assert_eq!(config.network.client_ip_header.as_deref(), Some("fly-client-ip"));
    for proxy in ["172.16.3.2", "172.19.0.1", "fdaa:0:1::3"] {
        let proxy: IpAddr = proxy.parse().unwrap();
        assert!(config.trusted_proxies.iter().any(|network| network.contains(&proxy)), "{proxy}");
    }
    let metrics = config.network.metrics_listen.unwrap();
    assert_eq!(fly["metrics"]["port"].as_integer(), Some(metrics.port().into()));
    assert_eq!(fly["metrics"]["path"].as_str(), Some("/metrics"));
    assert_ne!(fly["http_service"]["internal_port"].as_integer(), Some(metrics.port().into()), "not public");
}

#[tokio::test]
async fn callers_behind_fly_proxy_have_separate_limits() {
    // In this test the proxy's address is this machine.
    let trusted = format!("{}, 127.0.0.1", fly_setting("CARAPLACE_TRUSTED_PROXIES").unwrap());
    let header = fly_setting("CARAPLACE_CLIENT_IP_HEADER").unwrap_or_default();
    let settings = [
        ("CARAPLACE_REQUESTS_PER_MINUTE", "1"),
        ("CARAPLACE_TRUSTED_PROXIES", trusted.as_str()),
        ("CARAPLACE_CLIENT_IP_HEADER", header.as_str()),
    ];
    let server = Server::start_with(&settings).await;
    for (caller, expected) in [("198.51.100.1", 200), ("198.51.100.2", 200), ("198.51.100.1", 429)] {
        // As Fly.io sends it: the last hop is the app's own public address.
        let hops = format!("203.0.113.9, {caller}, 66.241.124.7");
        let headers = [("X-Forwarded-For", hops.as_str()), ("Fly-Client-IP", caller)];
        assert_eq!(server.get_with_headers("/api/stats", &headers).await.status, expected, "{caller}");
    }
}

#[test]
fn every_image_is_pinned_by_its_digest() {
    let pinned = Regex::new("^[a-z]+:[a-z0-9.-]+@sha256:[0-9a-f]{64}$").unwrap();
    let (dockerfile, compose) = (read_file("Dockerfile"), read_file("compose.yaml"));
    let bases = dockerfile.lines().filter_map(|line| line.strip_prefix("FROM "));
    let services = compose.lines().filter_map(|line| line.trim().strip_prefix("image: "));
    let images = bases.chain(services.filter(|image| *image != "caraplace"));
    let images: Vec<_> = images.map(|image| image.split(' ').next().unwrap()).collect();
    assert_eq!(images.len(), 3, "{images:?}");
    for image in images {
        assert!(pinned.is_match(image), "{image}");
    }
}

/// Returns the paths that the targets of a manifest name.
fn target_paths(manifest: &Table) -> Vec<String> {
    let lists =
        ["bench", "bin", "example", "test"].into_iter().filter_map(|kind| manifest.get(kind)?.as_array());
    let targets = lists.flatten().chain(manifest.get("lib"));
    targets.filter_map(|target| Some(target.get("path")?.as_str()?.to_owned())).collect()
}

/// Returns true if a line of .dockerignore excludes the path. The lines have a `*` for whole folders only.
fn is_ignored(line: &str, path: &str) -> bool {
    let pattern = regex::escape(line.trim_start_matches('/'));
    let pattern = pattern.replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*");
    Regex::new(&format!("^{pattern}(/|$)")).unwrap().is_match(path)
}

/// Cargo refuses a manifest that names a file which is not there, whatever it builds.
#[test]
fn image_contains_every_file_that_a_manifest_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ignored = read_file(".dockerignore");
    let ignored: Vec<_> = ignored.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let is_picture_ignored = ignored.iter().any(|line| is_ignored(line, "docs/screens/page.png"));
    assert!(is_picture_ignored, "the patterns are understood");
    let crates = std::fs::read_dir(root.join("crates")).unwrap();
    let crates = crates.map(|entry| format!("crates/{}/", entry.unwrap().file_name().to_str().unwrap()));
    let mut named = 0;
    for folder in crates.chain([String::new()]) {
        let manifest: Table = read_file(&format!("{folder}Cargo.toml")).parse().unwrap();
        for path in target_paths(&manifest) {
            let path = format!("{folder}{path}");
            named += 1;
            let excluded = ignored.iter().find(|line| is_ignored(line, &path));
            assert_eq!(excluded, None, "{path} is missing in the image");
        }
    }
    assert!(named >= 3, "the paths of targets were not found");
}

/// The role of compose.yaml may do what the server does: migrate, write and read.
#[tokio::test]
async fn role_of_compose_is_enough_and_no_superuser() {
    let compose = read_file("compose.yaml");
    let (_, script) = compose.split_once("content: |\n").unwrap();
    let (script, _) = script.split_once("\n\n").unwrap();
    let name = platform::clock::new_id("role");
    let script = script.replace("      ", "").replace("caraplace", &name);
    let base = std::env::var("DATABASE_URL").unwrap();
    let psql = async |statements: &str| {
        let mut psql = Command::new("psql");
        psql.args(["-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", &base]);
        psql.env("CARAPLACE_DATABASE_PASSWORD", "secret");
        psql.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut psql = psql.spawn().unwrap();
        psql.stdin.take().unwrap().write_all(statements.as_bytes()).await.unwrap();
        let output = psql.wait_with_output().await.unwrap();
        assert!(output.status.success(), "{statements}");
        String::from_utf8(output.stdout).unwrap()
    };
    psql(&script).await;
    let url = base.replacen("//caraplace@", &format!("//{name}:secret@"), 1);
    let url = url.replacen("/postgres?", &format!("/{name}?"), 1);
    assert_ne!(url, base);
    {
        let server = Process::start_with(&[("DATABASE_URL", &url)]).await;
        server.register_agent("Ada").await;
        assert_eq!(server.get("/readyz?write=true").await.status, 200);
    }
    let query =
        format!("select rolsuper or rolcreaterole or rolcreatedb from pg_roles where rolname = '{name}'");
    let role = psql(&query).await;
    psql(&format!("drop database {name} with (force); drop role {name}")).await;
    assert_eq!(role.trim(), "f");
}

#[tokio::test]
async fn image_health_check_detects_a_running_server() {
    let dockerfile = read_file("Dockerfile");
    let (_, check) = dockerfile.split_once("HEALTHCHECK ").expect("the Dockerfile has no HEALTHCHECK");
    let (_, command) = check.lines().find_map(|line| line.trim().split_once("CMD ")).unwrap();
    let command: Vec<String> = serde_json::from_str(command).unwrap();
    let run = async |port: u16| {
        let mut check = Command::new(&command[0]);
        check.args(&command[1..]).env("CARAPLACE_LISTEN", format!("0.0.0.0:{port}"));
        check.stdout(Stdio::null()).stderr(Stdio::null()).status().await.unwrap().code()
    };
    let server = Server::start().await;
    assert_eq!(run(server.running().address.port()).await, Some(0));
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    assert_eq!(run(free).await, Some(1));
}
