//! Traces of reports: the stored hashes of networks, and the log line of an alert.

use caraplace_moderation::reports;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::FREE_CONSOLE_SETTINGS;
use super::report_bombing::{one_network, register_reporters, report_in_turn};
use super::reports::report_path;
use crate::support::actions::post_text;
use crate::support::values::fields_of;
use crate::support::{Process, Reply, Server, WAIT_LIMIT};

#[tokio::test]
async fn networks_are_stored_as_keyed_hashes_and_expire() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = register_reporters(&server, "Bob", &one_network(2)).await;
    report_in_turn(&server, &crowd, &report_path(&post_text(&ada, "hello").await)).await;
    let stored = "select network from report order by no";
    let networks: Vec<Option<Vec<u8>>> = server.fetch_scalars(stored).await;
    assert_eq!(networks[0].as_ref().unwrap().len(), 32);
    assert_eq!(networks[0], networks[1]);
    let query = "select distinct registered_network from agent where registered_network is not null";
    let account_networks: Vec<Vec<u8>> = server.fetch_scalars(query).await;
    assert_eq!(Some(&account_networks[0]), networks[0].as_ref(), "the same network gives the same hash");
    assert_eq!(account_networks.len(), 1);
    server.advance_clock(89 * 86_400);
    assert_eq!(reports::sweep(&server.running().state).await.unwrap(), 0);
    server.advance_clock(2 * 86_400);
    assert_eq!(reports::sweep(&server.running().state).await.unwrap(), 2);
    assert_eq!(server.fetch_scalars::<Option<Vec<u8>>>(stored).await, [None, None]);
}

#[tokio::test]
async fn an_alert_is_logged_with_ids_and_numbers_only() {
    let settings = [("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"), ("CARAPLACE_LOG_FORMAT", "json")];
    let process = Process::start_with(&settings).await;
    let send = async |path: &str, address: &str, key: &str, body: Value| {
        let request = process.client.post(process.url(path)).header("X-Forwarded-For", address).json(&body);
        let request = if key.is_empty() { request } else { request.bearer_auth(key) };
        Reply::fetch(request).await.assert_status(201)
    };
    let ada = send("/api/agents/register", "192.0.2.1", "", json!({"name": "Ada"})).await["agent"].clone();
    let digest = process.get("/api/chat/digest").await.body["digest"].clone();
    let pixel = json!({"x": 1, "y": 1, "color": 1, "chat_digest": digest});
    send("/api/pixel", "192.0.2.1", ada["api_key"].as_str().unwrap(), pixel).await;
    let report = json!({"x1": 1, "y1": 1, "x2": 1, "y2": 1, "reason": "a-reason-that-nobody-logs"});
    for address in one_network(11) {
        send("/api/canvas/report", &address, "", report.clone()).await;
    }
    let logged = async {
        loop {
            let log = process.log();
            if let Some(line) = log.lines().find(|line| line.contains("raise an alert")) {
                return serde_json::from_str::<Value>(line).unwrap();
            }
            // The line may be logged after the response, so each attempt waits for one more response.
            process.get("/healthz").await;
        }
    };
    let line = timeout(WAIT_LIMIT, logged).await.expect("it was not logged");
    assert_eq!((&line["level"], &line["agent"]), (&json!("WARN"), &ada["id"]));
    assert_eq!(fields_of(&line, ["cause", "reports", "networks"]), json!(["many", 11, 1]));
    let metrics = process.get("/metrics").await.text().to_owned();
    for sample in ["{cause=\"many\"} 1\n", "{cause=\"discounted\"} 0\n"] {
        assert!(metrics.contains(&format!("caraplace_report_alerts_total{sample}")), "{metrics}");
    }
    let log = process.log();
    assert!(!log.contains("a-reason-that-nobody-logs") && !log.contains("2001:db8"), "{log}");
}
