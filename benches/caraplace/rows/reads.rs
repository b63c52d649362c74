//! Reading while the world changes, beside the same bytes from a shelf behind the same layers.

use anyhow::Result;

use crate::Effort;
use crate::bare::Bare;
use crate::crowd::Crowd;
use crate::figures::Figures;
use crate::load::{Answered, Ask, ask};
use crate::server::Server;
use crate::table::{Bar, Row, Table, number};

const CONNECTIONS: usize = 64;
const PAINTERS: usize = 100;
/// More than a page of the chat has.
const MESSAGES: usize = 60;
const PLACEMENTS_PER_SECOND: u32 = 500;
const MESSAGES_PER_SECOND: u32 = 5;
/// A tenth is what our own work may cost.
const ALMOST_STATIC: Bar = Bar::Ratio(0.9);

/// What goes on meanwhile.
#[derive(Clone, Copy, PartialEq)]
enum Meanwhile {
    Nothing,
    Talk,
    Painting,
}

struct Read {
    what: &'static str,
    path: &'static str,
    meanwhile: Meanwhile,
    /// Ask only whether it has changed.
    conditional: bool,
    /// The 99th percentile is what counts, in milliseconds, instead of the rate.
    most: Option<f64>,
}

const fn read(what: &'static str, path: &'static str, meanwhile: Meanwhile) -> Read {
    Read { what, path, meanwhile, conditional: false, most: None }
}

const READS: [Read; 9] = [
    read("`GET /api/chat` while messages arrive", "/api/chat", Meanwhile::Talk),
    read("`GET /api/chat/digest` while messages arrive", "/api/chat/digest", Meanwhile::Talk),
    read("`GET /api/canvas.bin` at 500 placements/s", "/api/canvas.bin", Meanwhile::Painting),
    Read { conditional: true, ..read("`GET /api/canvas.bin`, 304", "/api/canvas.bin", Meanwhile::Nothing) },
    read("`GET /api/canvas` unchanged", "/api/canvas", Meanwhile::Nothing),
    read("`GET /api/canvas.png?scale=4` unchanged", "/api/canvas.png?scale=4", Meanwhile::Nothing),
    read("`GET /api/canvas/visual` unchanged", "/api/canvas/visual", Meanwhile::Nothing),
    Read {
        most: Some(20.0),
        ..read(
            "`GET /api/canvas.png?scale=4` at 500 placements/s",
            "/api/canvas.png?scale=4",
            Meanwhile::Painting,
        )
    },
    Read {
        most: Some(20.0),
        ..read("`GET /api/canvas/visual` at 500 placements/s", "/api/canvas/visual", Meanwhile::Painting)
    },
];

/// Measures each address and its two baselines, in turn.
pub async fn run(effort: Effort, table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let bare = Bare::start(None).await?;
    let keys = server.register(PAINTERS).await?;
    for message in 0..MESSAGES {
        server
            .say(
                &keys[message % PAINTERS],
                &format!("Message {message}: the left bank of the river is mine."),
            )
            .await?;
    }
    for read in &READS {
        measure(read, (&server, &bare, &keys), effort, table).await?;
    }
    Ok(())
}

async fn measure(
    read: &Read,
    (server, bare, keys): (&Server, &Bare, &[String]),
    effort: Effort,
    table: &mut Table,
) -> Result<()> {
    let url = format!("{}{}", server.url, read.path);
    let etag = server
        .get(read.path)
        .await?
        .headers()
        .get("etag")
        .and_then(|tag| Some(tag.to_str().ok()?.to_owned()));
    let condition = [("If-None-Match", etag.as_deref().unwrap_or_default())];
    let headers: &[(&str, &str)] = if read.conditional { &condition } else { &[] };
    bare.keep("kept", &url, headers).await?;
    let crowd = match read.meanwhile {
        Meanwhile::Nothing => None,
        Meanwhile::Talk => Some(Crowd::talk(server, keys, MESSAGES_PER_SECOND)),
        Meanwhile::Painting => Some(Crowd::paint(server, keys, PLACEMENTS_PER_SECOND).await?),
    };
    let (mut ours, mut dressed, mut plain) = (Vec::new(), Figures::default(), Figures::default());
    for _ in 0..effort.rounds {
        let load = |url: String| async move {
            ask(&Ask { url, connections: CONNECTIONS, duration: effort.duration, headers, posts: &[] }).await
        };
        plain.add(load(format!("{}/bare/kept", bare.url)).await?.rate);
        dressed.add(load(format!("{}/dressed/kept", bare.url)).await?.rate);
        ours.push(load(url.clone()).await?);
    }
    // The generator takes all it can get: the rate that the crowd kept is told, not asked for.
    let meanwhile = crowd.map(|crowd| crowd.stop());
    table.add(row(read, &ours, dressed, &plain, meanwhile));
    Ok(())
}

fn row(read: &Read, ours: &[Answered], dressed: Figures, plain: &Figures, meanwhile: Option<f64>) -> Row {
    let column = |value: fn(&Answered) -> f64| {
        let mut figures = Figures::default();
        ours.iter().for_each(|answered| figures.add(value(answered)));
        figures
    };
    let (rate, p50, p99) = (column(|one| one.rate), column(|one| one.p50), column(|one| one.p99));
    let to_bare = rate.median() / plain.median();
    let latency = format!("p50 {} ms, p99 {} ms", number(p50.median()), number(p99.median()));
    let meanwhile =
        meanwhile.map_or_else(String::new, |rate| format!("; {} writes/s were done meanwhile", number(rate)));
    let notes = format!("{latency}; {to_bare:.2} of the bare framework with the same body{meanwhile}");
    let baseline = Some(("static body, same layers".to_owned(), dressed));
    match read.most {
        None => Row {
            what: read.what.into(),
            here: "/s".into(),
            figures: rate,
            baseline,
            bar: ALMOST_STATIC,
            notes,
        },
        Some(most) => Row {
            what: format!("{}, 99th percentile", read.what),
            here: "ms".into(),
            notes: format!("{}/s{meanwhile}", number(rate.median())),
            figures: p99,
            baseline: None,
            bar: Bar::AtMost(most),
        },
    }
}
