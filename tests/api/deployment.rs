//! The deployment files: their settings are valid and have the intended effects.

use std::net::IpAddr;
use std::path::Path;
use std::process::Stdio;

use caraplace::config::Config;
use regex::Regex;
use tokio::process::Command;
use toml::Table;

use crate::support::{Reply, Server};

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
    assert!(
        fly["env"].as_table().unwrap().keys().all(|name| caraplace::config::help().contains(name.as_str()))
    );
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
        let request = server.get_request("/api/stats").header("X-Forwarded-For", hops);
        assert_eq!(Reply::fetch(request.header("Fly-Client-IP", caller)).await.status, expected, "{caller}");
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
