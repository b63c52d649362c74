//! `swarm`: a crowd of simulated agents for demonstration, load and correctness.

mod accounts;
mod agent;
mod args;
mod books;
mod client;
mod copy;
mod crowd;
mod failure;
mod histogram;
mod ledger;
mod load;
mod luck;
mod names;
mod order;
mod paint;
mod picture;
mod plan;
mod progress;
mod promise;
mod purse;
mod reading;
mod report;
mod route;
mod share;
mod spectators;
mod stop;
mod stream;
mod talk;
mod tally;
mod verify;
mod voice;
mod watcher;
mod wire;
mod world;

use std::{borrow::Cow, collections::HashSet, ffi::OsString, process::ExitCode, sync::Arc, time::Duration};

use anyhow::{Context, Result};
use clap::Parser;
use rand::{SeedableRng, rngs::StdRng};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    args::Args,
    client::{Call, Client},
    failure::Failure,
    ledger::Ledger,
    picture::{Palette, Picture},
    progress::Progress,
    report::{Day, Report},
    route::Route,
    stop::pause,
    stream::Story,
    verify::Examiner,
    watcher::Watcher,
    wire::{Account, Canvas, Dot},
    world::World,
};

/// Painted when no other picture is named.
const SCENE: &[u8] = include_bytes!("../../../assets/demo.png");
/// How long a server may take to start.
const START: Duration = Duration::from_mins(1);
/// How long the questions at the end may take.
const EXAMINATION: Duration = Duration::from_mins(5);

/// Runs the simulated agents as the command line says, whose first argument is the program's name. Returns success if
/// the server kept all its promises, 1 if it did not and 2 if that could not be determined.
///
/// # Panics
/// If the runtime cannot be started.
#[tokio::main]
pub async fn start(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match run(Args::parse_from(arguments)).await {
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
    let client = Client::new(&args.servers, args.watched(), args.connections)?;
    let stop = CancellationToken::new();
    tokio::spawn(end_on_ctrl_c(stop.clone()));

    let canvas = reach(&client, &stop).await?;
    let opened = Instant::now();
    let ledger = Ledger::default();
    let (last_call, watching) = (CancellationToken::new(), CancellationToken::new());
    let world = Arc::new(World { client, ledger, stop, last_call, watching, args, seed, canvas });
    let crowd = crowd::gather(&world).await?;
    let _end_of_watching = world.watching.clone().drop_guard();
    let watchers = watch(&world).await;
    eprintln!("swarm: {} agents, {} spectators, seed {seed}", crowd.len(), watchers.len());

    tokio::spawn(end_settling(world.clone()));
    let day = spend_the_day(&world, crowd.clone(), &mut rng).await?;

    if let Some(path) = &world.args.acks {
        world.ledger.write(path, &crowd).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let examiner = Examiner { world: &world, watchers: &watchers, crowd: &crowd, opened };
    let verdict = tokio::time::timeout(EXAMINATION, examiner.examine(&mut rng)).await;
    let verdict = verdict.context("the server did not answer the final examination")??;
    world.watching.cancel();
    let report = Report::new(&world, day, verdict);
    report.print();
    if let Some(path) = &world.args.json {
        report.write(path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(report.ok)
}

/// Everybody lives, or the timetable runs, until the time is up.
async fn spend_the_day(world: &Arc<World>, crowd: Vec<Account>, rng: &mut StdRng) -> Result<Day> {
    let (started, agents) = (Instant::now(), crowd.len());
    let by_timetable = load::is_wanted(&world.args);
    let dots = if by_timetable { Vec::new() } else { plan_dots(&world.args, &world.canvas).await? };
    let progress = Progress { world: world.clone(), agents, dots: dots.len() };
    let showing = tokio::spawn(progress.show());
    if let Some(length) = world.args.length() {
        tokio::spawn(end_after(length, world.stop.clone()));
    }
    let (left_early, timetable) = if by_timetable {
        (Vec::new(), Some(load::run(world.clone(), crowd).await?))
    } else {
        let shares = plan::shares(dots, agents, rng);
        (crowd::live(world, crowd, shares).await?, None)
    };
    let (seconds, requests) = (started.elapsed().as_secs_f64(), world.client.tally.rows());
    world.stop.cancel();
    showing.await?;
    Ok(Day { seconds, agents, left_early, timetable, requests })
}

/// What was begun before the end may be sent again for a while, so that its fate is known.
async fn end_settling(world: Arc<World>) {
    world.stop.cancelled().await;
    end_after(Duration::from_secs(world.args.settle), world.last_call.clone()).await;
}

async fn end_after(time: Duration, stop: CancellationToken) {
    sleep(time).await;
    stop.cancel();
}

/// The first Ctrl-C ends the run with its summary, the second ends it at once.
async fn end_on_ctrl_c(stop: CancellationToken) {
    if tokio::signal::ctrl_c().await.is_ok() {
        stop.cancel();
    }
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(130);
    }
}

/// The canvas, once the server answers: it may just be starting.
async fn reach(client: &Client, stop: &CancellationToken) -> Result<Canvas> {
    let started = Instant::now();
    let mut told = false;
    loop {
        match client.once::<Canvas>(&Call::new(Route::Canvas)).await {
            Ok(canvas) => return Ok(canvas.body),
            Err(failure @ Failure::Garbled(_)) => return Err(failure).context("GET /api/canvas"),
            Err(failure) if started.elapsed() > START || stop.is_cancelled() => {
                return Err(failure).context("the server cannot be reached");
            }
            Err(failure) if !told => eprintln!("swarm: waiting for the server ({failure})"),
            Err(_) => {}
        }
        told = true;
        pause(stop, Duration::from_millis(500)).await;
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

/// Waits a moment for the streams to open, so that they see the first stroke. The first spectator of each server
/// remembers everything, the others only draw.
async fn watch(world: &Arc<World>) -> Vec<Arc<Watcher>> {
    let servers: Vec<usize> =
        world.args.watched().iter().filter_map(|url| world.client.server(url)).collect();
    let wanted = world.args.spectators.unwrap_or(servers.len());
    let mut recorded = HashSet::new();
    let start = |server: usize| {
        let story = if recorded.insert(server) { Story::recording() } else { Story::default() };
        Watcher::start(world.clone(), server, story)
    };
    let watchers: Vec<_> = servers.into_iter().cycle().take(wanted).map(start).collect();
    for _ in 0..100 {
        if watchers.iter().all(|watcher| watcher.story().copy.is_some()) {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    watchers
}
