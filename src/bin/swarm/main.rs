//! `swarm`: a crowd of simulated agents for demonstration, load and correctness.

#![forbid(unsafe_code)]

mod agent;
mod args;
mod client;
mod crowd;
mod failure;
mod ledger;
mod luck;
mod names;
mod order;
mod paint;
mod phrases;
mod picture;
mod plan;
mod progress;
mod purse;
mod reading;
mod report;
mod route;
mod share;
mod stop;
mod stream;
mod talk;
mod tally;
mod verify;
mod voice;
mod watcher;
mod wire;
mod world;

use std::{borrow::Cow, process::ExitCode, sync::Arc, time::Duration};

use anyhow::{Context, Result};
use clap::Parser;
use rand::{SeedableRng, rngs::StdRng};
use tokio::time::Instant;

use crate::{
    args::Args,
    client::{Call, Client},
    failure::Failure,
    ledger::Ledger,
    picture::{Palette, Picture},
    progress::Progress,
    report::Report,
    route::Route,
    stop::{Bell, Stop},
    tally::Tally,
    verify::Examiner,
    watcher::Watcher,
    wire::{Account, Canvas, Dot},
    world::World,
};

/// Painted when no other picture is named.
const SCENE: &[u8] = include_bytes!("../../../assets/demo.png");
/// How long a server may take to start.
const START: Duration = Duration::from_secs(60);
/// How long the questions at the end may take.
const EXAMINATION: Duration = Duration::from_secs(300);

#[tokio::main]
async fn main() -> ExitCode {
    match run(Args::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("swarm: {error:#}");
            ExitCode::from(2)
        }
    }
}

async fn run(args: Args) -> Result<bool> {
    let seed = args.seed.map_or_else(|| getrandom::u32().map(u64::from), Ok)?;
    let mut rng = StdRng::seed_from_u64(seed);
    let tally = Arc::new(Tally::default());
    let client = Arc::new(Client::new(&args.urls, args.connections, tally.clone())?);
    let (bell, stop) = stop::bell();
    let bell = Arc::new(bell);
    tokio::spawn(end_on_ctrl_c(bell.clone()));

    let canvas = reach(&client, &stop).await?;
    let dots = plan_dots(&args, &canvas).await?;
    let accounts = crowd::gather(&client, args.agents as usize, seed, &stop).await?;
    let (dusk, night) = stop::bell();
    let watchers = watch(&client, &night).await;
    eprintln!("swarm: {} agents, {} pixels to paint, seed {seed}", accounts.len(), dots.len());

    let ledger = Arc::new(Ledger::default());
    let agent_ids: Vec<String> = accounts.iter().map(|account| account.id.clone()).collect();
    let started = Instant::now();
    let world = World::new(client.clone(), ledger.clone(), stop, args.clone(), seed, &canvas);
    let left_early = spend_the_day(world, tally.clone(), &bell, accounts, dots, &mut rng).await?;
    let lasted = started.elapsed();

    let (sample, watchers, agent_ids) = (args.check, &watchers[..], &agent_ids[..]);
    let examiner = Examiner { client: &client, stop: &night, watchers, agent_ids, sample };
    let verdict = tokio::time::timeout(EXAMINATION, examiner.examine(ledger.acks(), &mut rng)).await;
    let verdict = verdict.context("the server did not answer the final examination")??;
    dusk.ring();
    let report = Report::new(lasted, left_early, verdict, &ledger, &tally);
    report.print();
    Ok(report.is_good())
}

/// Everybody lives until the time is up.
async fn spend_the_day(
    world: World,
    tally: Arc<Tally>,
    bell: &Arc<Bell>,
    accounts: Vec<Account>,
    dots: Vec<Dot>,
    rng: &mut StdRng,
) -> Result<Vec<String>> {
    let progress = Progress { tally, ledger: world.ledger.clone(), agents: accounts.len(), dots: dots.len() };
    let shares = plan::shares(dots, accounts.len(), rng);
    let showing = tokio::spawn(progress.show(world.stop.clone()));
    tokio::spawn(end_after(Duration::from_secs(world.args.seconds), bell.clone()));
    let left_early = crowd::live(Arc::new(world), accounts, shares).await?;
    bell.ring();
    showing.await?;
    Ok(left_early)
}

async fn end_after(time: Duration, bell: Arc<Bell>) {
    tokio::time::sleep(time).await;
    bell.ring();
}

/// The first Ctrl-C ends the run with its summary, the second ends it at once.
async fn end_on_ctrl_c(bell: Arc<Bell>) {
    if tokio::signal::ctrl_c().await.is_ok() {
        bell.ring();
    }
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(130);
    }
}

/// The canvas, once the server answers: it may just be starting.
async fn reach(client: &Client, stop: &Stop) -> Result<Canvas> {
    let started = Instant::now();
    let mut told = false;
    loop {
        match client.once::<Canvas>(&Call::new(Route::Canvas)).await {
            Ok(canvas) => return Ok(canvas.body),
            Err(failure @ Failure::Garbled(_)) => return Err(failure).context("GET /api/canvas"),
            Err(failure) if started.elapsed() > START || stop.called() => {
                return Err(failure).context("the server cannot be reached");
            }
            Err(failure) if !told => eprintln!("swarm: waiting for the server ({failure})"),
            Err(_) => {}
        }
        told = true;
        stop.sleep(Duration::from_millis(500)).await;
    }
}

async fn plan_dots(args: &Args, canvas: &Canvas) -> Result<Vec<Dot>> {
    let png: Cow<'_, [u8]> = match &args.picture {
        Some(path) => {
            tokio::fs::read(path).await.with_context(|| format!("cannot read {}", path.display()))?.into()
        }
        None => SCENE.into(),
    };
    let palette = Palette::parse(&canvas.palette)?;
    let picture = Picture::load(&png, &palette, canvas.width, canvas.height)?;
    let dots = plan::lay(&picture, canvas, args.offset)?;
    Ok(if args.tireless { dots } else { plan::missing(dots) })
}

/// One watcher per instance; waits a moment for their streams to open, so that they see the first stroke.
async fn watch(client: &Arc<Client>, night: &Stop) -> Vec<Watcher> {
    let start = |base: &String| Watcher::start(client.clone(), base.clone(), night.clone());
    let watchers: Vec<Watcher> = client.bases().iter().map(start).collect();
    for _ in 0..30 {
        if watchers.iter().all(|watcher| watcher.story().from.is_some()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    watchers
}
