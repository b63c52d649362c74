//! `/metrics`: every metric has its texts, and changes when what it counts happens.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use reqwest::Method;
use serde_json::json;

use crate::support::waiting::wait_for_value;
use crate::support::{Agent, Reply, Server};

/// One scrape of `/metrics`.
struct Scrape {
    /// Type and help by name.
    families: BTreeMap<String, (String, String)>,
    /// Values by name with labels, as written.
    samples: BTreeMap<String, f64>,
}

impl Scrape {
    async fn fetch(server: &Server) -> Self {
        let reply = server.get("/metrics").await;
        assert_eq!(reply.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
        Self::parse(reply.text())
    }

    fn parse(text: &str) -> Self {
        let (mut families, mut samples) = (BTreeMap::<String, (String, String)>::new(), BTreeMap::new());
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').unwrap();
                help.clone_into(&mut families.entry(name.to_owned()).or_default().1);
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                kind.clone_into(&mut families.entry(name.to_owned()).or_default().0);
            } else {
                let (name, value) = line.rsplit_once(' ').unwrap();
                let previous = samples.insert(name.to_owned(), value.parse().unwrap());
                assert!(previous.is_none(), "{name} stands there twice");
            }
        }
        Self { families, samples }
    }

    fn value(&self, sample: &str) -> f64 {
        self.samples.get(sample).copied().unwrap_or_default()
    }

    /// Returns the values of this label.
    fn labels(&self, label: &str) -> BTreeSet<&str> {
        let start = format!("{label}=\"");
        let after = self.samples.keys().filter_map(|sample| Some(sample.split_once(&start)?.1));
        after.filter_map(|rest| rest.split('"').next()).collect()
    }
}

#[tokio::test]
async fn every_metric_has_type_help_and_valid_name() {
    let server = Server::start().await;
    let scrape = Scrape::fetch(&server).await;
    assert!(scrape.families.len() > 40, "{}", scrape.families.len());
    for (name, (kind, help)) in &scrape.families {
        assert!(name.starts_with("caraplace_") || name.starts_with("process_"), "{name}");
        assert_eq!(kind == "counter", name.ends_with("_total"), "{name} is a {kind}");
        assert!(help.ends_with('.') || help.ends_with(')'), "{name}: {help}");
        if name.contains("seconds") {
            assert!(help.contains("econds"), "{name}: {help}");
        }
    }
    for sample in scrape.samples.keys() {
        let name = sample.split('{').next().unwrap();
        let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        assert!(scrape.families.contains_key(family.unwrap_or(name)), "{sample} belongs to nothing");
    }
}

/// Causes something of everything that is counted.
async fn generate_traffic(server: &Server, ada: &Agent<'_>) {
    let pixel = json!({"x": 1, "y": 1, "color": 3, "chat_digest": server.digest().await});
    for _ in 0..2 {
        assert_eq!(ada.post_idempotent("/api/pixel", pixel.clone(), "one").await.status, 201);
    }
    ada.earn_message_credits().await;
    let text = format!("shit, see https://example.com and sk-ant-api03-{}", "aB3".repeat(31));
    let posted = ada.post_message(&text).await.assert_status(201);
    let reaction = json!({"type": "reaction", "reply_to": posted["message"]["id"], "content": "🔥"});
    assert_eq!(ada.post("/api/chat", reaction).await.status, 201);
    let never = json!({"x": 1, "y": 1, "color": 3, "chat_digest": "0123456789ab"});
    ada.post("/api/pixel", never).await.assert_refused(400, "digest_invalid");
    for path in ["/api/canvas", "/api/canvas", "/api/canvas.bin", "/api/canvas.png", "/api/canvas/visual"] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
    for path in ["/api/chat", "/api/chat", "/api/agents/agent_nobody", "/nowhere"] {
        server.get(path).await;
    }
    Reply::fetch(server.client.request(Method::HEAD, server.url("/api/canvas"))).await;
    Reply::fetch(server.client.request(Method::DELETE, server.url("/api/canvas"))).await;
}

/// The metrics that `generate_traffic` changes, each with its minimum change.
const MIN_INCREASES: [(&str, f64); 35] = [
    (r#"caraplace_http_requests_total{method="POST",route="/api/pixel",status="201"}"#, 2.0),
    (r#"caraplace_http_requests_total{method="POST",route="/api/pixel",status="400"}"#, 2.0),
    (r#"caraplace_http_requests_total{method="GET",route="/api/canvas",status="200"}"#, 2.0),
    (r#"caraplace_http_requests_total{method="HEAD",route="/api/canvas",status="200"}"#, 1.0),
    (r#"caraplace_http_requests_total{method="DELETE",route="/api/canvas",status="405"}"#, 1.0),
    (r#"caraplace_http_requests_total{method="GET",route="/api/agents/{id}",status="404"}"#, 1.0),
    (r#"caraplace_http_requests_total{method="GET",route="none",status="404"}"#, 1.0),
    (r#"caraplace_http_request_duration_seconds_count{class="2xx",method="POST",route="/api/pixel"}"#, 2.0),
    (r#"caraplace_http_request_duration_seconds_sum{class="2xx",method="POST",route="/api/pixel"}"#, 1e-6),
    (r#"caraplace_refusals_total{code="digest_invalid"}"#, 1.0),
    (r#"caraplace_refusals_total{code="digest_stale"}"#, 1.0),
    (r#"caraplace_refusals_total{code="not_found"}"#, 2.0),
    ("caraplace_idempotent_replays_total", 1.0),
    ("caraplace_placements_total", 6.0),
    ("caraplace_writer_batch_size_count", 4.0),
    ("caraplace_writer_batch_size_sum", 4.0),
    (r#"caraplace_writer_batches_total{fate="committed"}"#, 4.0),
    (r#"caraplace_writer_phase_seconds_count{phase="gate"}"#, 1.0),
    (r#"caraplace_writer_phase_seconds_count{phase="decide"}"#, 4.0),
    (r#"caraplace_writer_phase_seconds_count{phase="write"}"#, 4.0),
    (r#"caraplace_writer_phase_seconds_count{phase="commit"}"#, 1.0),
    (r#"caraplace_log_events_total{kind="pixel"}"#, 6.0),
    (r#"caraplace_log_events_total{kind="chat"}"#, 1.0),
    (r#"caraplace_log_events_total{kind="reaction"}"#, 1.0),
    (r#"caraplace_writer_passes_total{way="behind_the_lock"}"#, 1.0),
    ("caraplace_log_head", 8.0),
    (r#"caraplace_digests_total{verdict="fresh"}"#, 2.0),
    (r#"caraplace_digests_total{verdict="stale"}"#, 1.0),
    (r#"caraplace_digests_total{verdict="invalid"}"#, 1.0),
    (r#"caraplace_filter_hits_total{filter="secret"}"#, 1.0),
    (r#"caraplace_filter_hits_total{filter="link"}"#, 1.0),
    (r#"caraplace_filter_hits_total{filter="profanity"}"#, 1.0),
    (r#"caraplace_render_seconds_count{form="visual"}"#, 1.0),
    (r#"caraplace_cache_misses_total{cache="canvas"}"#, 3.0),
    (r#"caraplace_cache_hits_total{cache="front_page"}"#, 0.0),
];

#[tokio::test]
async fn metrics_increase_with_traffic() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let old = server.digest().await;
    let before = Scrape::fetch(&server).await;
    generate_traffic(&server, &ada).await;
    server.advance_clock(1_200);
    let stale = json!({"x": 1, "y": 1, "color": 3, "chat_digest": old});
    ada.post("/api/pixel", stale).await.assert_refused(400, "digest_stale");
    let after = Scrape::fetch(&server).await;
    for (sample, least) in MIN_INCREASES {
        let moved = after.value(sample) - before.value(sample);
        assert!(after.samples.contains_key(sample) && moved >= least, "{sample} moved by {moved}");
    }
    assert_eq!(after.value("caraplace_http_requests_in_flight"), 1.0, "this one alone");
    let routes = after.labels("route");
    assert!(routes.iter().all(|route| !route.contains("nobody") && !route.contains("nowhere")), "{routes:?}");
}

#[tokio::test]
async fn reports_process_and_database_metrics() {
    let server = Server::start().await;
    server.running().state.log.refresh().await.unwrap();
    let scrape = Scrape::fetch(&server).await;
    let at_least = [
        ("process_resident_memory_bytes", 1e6),
        ("process_cpu_seconds_total", 0.001),
        ("process_open_fds", 5.0),
        ("process_max_fds", 100.0),
        ("process_threads", 2.0),
        ("process_start_time_seconds", 1.7e9),
        ("caraplace_database_up", 1.0),
        ("caraplace_database_connections_max", 5.0),
        ("caraplace_database_last_success_timestamp_seconds", 1.7e9),
        ("caraplace_database_wait_seconds_count", 1.0),
        ("caraplace_database_round_trip_seconds_count", 1.0),
        ("caraplace_writer_queue_capacity", 100.0),
    ];
    for (sample, least) in at_least {
        assert!(scrape.value(sample) >= least, "{sample} is {}", scrape.value(sample));
    }
    let connections = |state| scrape.value(&format!("caraplace_database_connections{{state=\"{state}\"}}"));
    assert!(connections("idle") + connections("busy") >= 1.0);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(scrape.value(&format!("caraplace_build_info{{version=\"{version}\"}}")), 1.0);
}

#[tokio::test]
async fn counts_stalls_of_every_event_loop() {
    let server = Server::start().await;
    let scrape = Scrape::fetch(&server).await;
    for worker in ["main", "http-0"] {
        let stalls = format!("caraplace_event_loop_stalls_total{{worker=\"{worker}\"}}");
        let seconds = format!("caraplace_event_loop_stall_seconds_count{{worker=\"{worker}\"}}");
        assert!(scrape.samples.contains_key(&stalls), "{stalls}");
        assert_eq!(scrape.value(&stalls), scrape.value(&seconds), "{worker}");
    }
}

#[tokio::test]
async fn counts_streams_and_resets() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let before = Scrape::fetch(&server).await;
    let mut open = server.events(None).await;
    assert_eq!(open.next().await.unwrap().name, "hello");
    assert_eq!(ada.paint(1, 1, 2).await.status, 201);
    open.next_with_id().await;
    let mut ahead = server.events(Some(1_000_000)).await;
    while ahead.next().await.is_some() {}
    let after = Scrape::fetch(&server).await;
    let moved = |sample: &str| after.value(sample) - before.value(sample);
    assert_eq!(moved("caraplace_streams_opened_total"), 2.0);
    assert_eq!(moved(r#"caraplace_stream_resets_total{reason="ahead"}"#), 1.0);
    assert_eq!(after.value("caraplace_streams_open"), 1.0);
    assert!(moved("caraplace_stream_frames_sent_total") >= 4.0, "two greetings, a pixel, a reset");
    assert!(moved("caraplace_stream_bytes_sent_total") >= 200.0);
    assert!(after.value("caraplace_connections_open") >= 2.0, "one holds the stream, one asks");
    assert!(after.value("caraplace_streams_max") < after.value("caraplace_connections_max"));
    assert!(after.value("caraplace_connections_max") < after.value("process_max_fds"));
}

#[tokio::test]
async fn reports_a_full_writer_queue() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let head_lock = server.fill_writer_queue(&ada).await;
    let pixel = json!({"x": 1, "y": 1, "color": 1, "chat_digest": "0123456789ab"});
    ada.post("/api/pixel", pixel).await.assert_refused(503, "overloaded");
    let full = Scrape::fetch(&server).await;
    assert_eq!(full.value("caraplace_writer_queue_depth"), full.value("caraplace_writer_queue_capacity"));
    assert!(full.value("caraplace_writer_overloads_total") >= 1.0);
    assert!(full.value(r#"caraplace_refusals_total{code="overloaded"}"#) >= 1.0);
    head_lock.release().await;
}

#[tokio::test]
async fn reports_follower_lag() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let before = Scrape::fetch(&server).await;
    let mut transaction = server.pool.begin().await.unwrap();
    // As another instance would: an event, the head, a notification.
    for sql in [
        "insert into placement (seq, x, y, color, agent, placed_at) select seq + 1, 1, 1, 1, 1, now() from log_head",
        "update log_head set seq = seq + 1, version = seq + 1",
        "select pg_notify('caraplace', concat(seq, ' ', control)) from log_head",
    ] {
        sqlx::raw_sql(sql).execute(&mut *transaction).await.unwrap();
    }
    let mut stream = server.events(None).await;
    transaction.commit().await.unwrap();
    stream.next_with_id().await;
    let after = Scrape::fetch(&server).await;
    let moved = |sample: &str| after.value(sample) - before.value(sample);
    assert_eq!(moved("caraplace_log_head"), 1.0);
    assert!(moved(r#"caraplace_follower_wakeups_total{kind="news"}"#) >= 1.0);
    assert!(after.samples.contains_key("caraplace_follower_lag_events"));
    assert!(after.value("caraplace_follower_lag_seconds") < 5.0);
    assert_eq!(ada.paint(2, 2, 2).await.status, 201);
}

/// Scrapes until a sample has the expected value.
async fn wait_for_sample(server: &Server, sample: &str, expected: f64) {
    let read = async || Scrape::fetch(server).await.value(sample);
    let failure = format!("{sample} is never {expected}");
    wait_for_value(read, |value: &f64| *value == expected, &failure).await;
}

#[tokio::test]
async fn reports_a_database_outage() {
    let server = Server::start().await;
    let before = Scrape::fetch(&server).await;
    sqlx::raw_sql("alter table log_head rename to elsewhere").execute(&server.pool).await.unwrap();
    wait_for_sample(&server, "caraplace_database_up", 0.0).await;
    let lost = Scrape::fetch(&server).await;
    let errors = r#"caraplace_database_errors_total{kind="refused"}"#;
    assert!(lost.value(errors) > before.value(errors));
    sqlx::raw_sql("alter table elsewhere rename to log_head").execute(&server.pool).await.unwrap();
    wait_for_sample(&server, "caraplace_database_up", 1.0).await;
}

/// The files for operators that name metrics.
const OPERATORS_FILES: [(&str, &str); 4] = [
    ("docs/OPERATING.md", include_str!("../../docs/OPERATING.md")),
    ("docs/RUNBOOK.md", include_str!("../../docs/RUNBOOK.md")),
    ("ops/alerts.yml", include_str!("../../ops/alerts.yml")),
    ("ops/dashboard.json", include_str!("../../ops/dashboard.json")),
];

#[tokio::test]
async fn files_for_operators_name_only_existing_metrics() {
    let server = Server::start().await;
    server.get("/api/canvas").await;
    let scrape = Scrape::fetch(&server).await;
    let name = Regex::new(r"\b(?:caraplace|process)_[a-z_]+[a-z]\b").unwrap();
    for (file, text) in OPERATORS_FILES {
        let named: BTreeSet<&str> = name.find_iter(text).map(|found| found.as_str()).collect();
        assert!(named.len() > 20, "{file}: {named:?}");
        for name in named {
            let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
            let is_known = scrape.families.contains_key(family.unwrap_or(name));
            assert!(is_known, "{file}: {name} is no number of /metrics");
        }
    }
}
