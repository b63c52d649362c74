//! Reads during writes, compared with stored responses of the same bytes behind the same middleware.

use anyhow::Result;

use crate::RunOptions;
use crate::background_load::BackgroundLoad;
use crate::baseline::BaselineServer;
use crate::load::{LoadRequest, LoadResult, run_load};
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};

const CONNECTIONS: usize = 64;
const PAINTERS: usize = 100;
/// Number of messages, more than a page of the chat has.
const MESSAGES: usize = 60;
const PLACEMENTS_PER_SECOND: u32 = 500;
pub(super) const MESSAGES_PER_SECOND: u32 = 5;
/// Minimum ratio: our own work may take a tenth.
const NEAR_STATIC_THRESHOLD: Threshold = Threshold::Ratio(0.9);

/// The load during the reads.
#[derive(Clone, Copy, PartialEq)]
enum BackgroundActivity {
    Idle,
    Messages,
    Placements,
}

struct ReadCase {
    name: &'static str,
    path: &'static str,
    background: BackgroundActivity,
    /// True if the requests are conditional.
    is_conditional: bool,
    /// The maximum 99th percentile in milliseconds, checked instead of the rate.
    max_p99_ms: Option<f64>,
}

const fn read_case(name: &'static str, path: &'static str, background: BackgroundActivity) -> ReadCase {
    ReadCase { name, path, background, is_conditional: false, max_p99_ms: None }
}

const READS: [ReadCase; 9] = [
    read_case("`GET /api/chat` while messages arrive", "/api/chat", BackgroundActivity::Messages),
    read_case(
        "`GET /api/chat/digest` while messages arrive",
        "/api/chat/digest",
        BackgroundActivity::Messages,
    ),
    read_case("`GET /api/canvas.bin` at 500 placements/s", "/api/canvas.bin", BackgroundActivity::Placements),
    ReadCase {
        is_conditional: true,
        ..read_case("`GET /api/canvas.bin`, 304", "/api/canvas.bin", BackgroundActivity::Idle)
    },
    read_case("`GET /api/canvas` unchanged", "/api/canvas", BackgroundActivity::Idle),
    read_case("`GET /api/canvas.png?scale=4` unchanged", "/api/canvas.png?scale=4", BackgroundActivity::Idle),
    read_case("`GET /api/canvas/visual` unchanged", "/api/canvas/visual", BackgroundActivity::Idle),
    ReadCase {
        max_p99_ms: Some(20.0),
        ..read_case(
            "`GET /api/canvas.png?scale=4` at 500 placements/s",
            "/api/canvas.png?scale=4",
            BackgroundActivity::Placements,
        )
    },
    ReadCase {
        max_p99_ms: Some(20.0),
        ..read_case(
            "`GET /api/canvas/visual` at 500 placements/s",
            "/api/canvas/visual",
            BackgroundActivity::Placements,
        )
    },
];

/// Measures each address and its two baselines in turn.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let baseline_server = BaselineServer::start(None).await?;
    let keys = server.register(PAINTERS).await?;
    fill_chat(&server, &keys).await?;
    for case in &READS {
        measure(case, (&server, &baseline_server, &keys), options, table).await?;
    }
    Ok(())
}

/// Posts the messages of these agents in turn.
pub(super) async fn fill_chat(server: &Server, keys: &[String]) -> Result<()> {
    for (message, key) in keys.iter().cycle().take(MESSAGES).enumerate() {
        let content = format!("Message {message}: the left bank of the river is mine.");
        server.post_message(key, &content).await?;
    }
    Ok(())
}

async fn measure(
    case: &ReadCase,
    (server, baseline_server, keys): (&Server, &BaselineServer, &[String]),
    options: RunOptions,
    table: &mut Table,
) -> Result<()> {
    let url = format!("{}{}", server.url, case.path);
    let etag = server
        .get(case.path)
        .await?
        .headers()
        .get("etag")
        .and_then(|tag| Some(tag.to_str().ok()?.to_owned()));
    let condition = [("If-None-Match", etag.as_deref().unwrap_or_default())];
    let headers: &[(&str, &str)] = if case.is_conditional { &condition } else { &[] };
    baseline_server.record_response("kept", &url, headers).await?;
    let background = match case.background {
        BackgroundActivity::Idle => None,
        BackgroundActivity::Messages => {
            Some(BackgroundLoad::start_messages(server, keys, MESSAGES_PER_SECOND))
        }
        BackgroundActivity::Placements => {
            Some(BackgroundLoad::start_placements(server, keys, PLACEMENTS_PER_SECOND).await?)
        }
    };
    let (mut results, mut layered_rates, mut bare_rates) =
        (Vec::new(), Samples::default(), Samples::default());
    for _ in 0..options.rounds {
        let load = |url: String| async move {
            run_load(&LoadRequest {
                url,
                connections: CONNECTIONS,
                duration: options.duration,
                headers,
                posts: &[],
            })
            .await
        };
        bare_rates.add(load(format!("{}/bare/kept", baseline_server.url)).await?.rate);
        layered_rates.add(load(format!("{}/dressed/kept", baseline_server.url)).await?.rate);
        results.push(load(url.clone()).await?);
    }
    // The load generator uses all free CPU time, so the rate of the background load is reported and not
    // required.
    let background_rate = background.map(|load| load.stop());
    table.add(row(case, &results, layered_rates, &bare_rates, background_rate));
    Ok(())
}

fn row(
    case: &ReadCase,
    results: &[LoadResult],
    layered_rates: Samples,
    bare_rates: &Samples,
    background_rate: Option<f64>,
) -> Row {
    let column = |value: fn(&LoadResult) -> f64| {
        let mut samples = Samples::default();
        results.iter().for_each(|result| samples.add(value(result)));
        samples
    };
    let (rate, p50, p99) = (column(|one| one.rate), column(|one| one.p50), column(|one| one.p99));
    let to_bare = rate.median() / bare_rates.median();
    let latency = format!("p50 {} ms, p99 {} ms", format_number(p50.median()), format_number(p99.median()));
    let background_note = background_rate
        .map_or_else(String::new, |rate| format!("; {} writes/s at the same time", format_number(rate)));
    let notes =
        format!("{latency}; {to_bare:.2} of the bare framework's rate with the same body{background_note}");
    let baseline = Some(("static body, same layers".to_owned(), layered_rates));
    match case.max_p99_ms {
        None => Row {
            name: case.name.into(),
            unit: "/s".into(),
            samples: rate,
            baseline,
            threshold: NEAR_STATIC_THRESHOLD,
            notes,
        },
        Some(max_p99_ms) => Row {
            name: format!("{}, 99th percentile", case.name),
            unit: "ms".into(),
            notes: format!("{}/s{background_note}", format_number(rate.median())),
            samples: p99,
            baseline: None,
            threshold: Threshold::AtMost(max_p99_ms),
        },
    }
}
