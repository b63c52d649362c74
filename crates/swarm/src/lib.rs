//! `swarm`: simulated agents for demonstrations, load tests and correctness checks.

mod accounting;
mod agent;
mod agents;
mod api_types;
mod args;
mod assertions;
mod assignment;
mod canvas_replica;
mod chat;
mod chat_state;
mod check_accounts;
mod check_streams;
mod client;
mod crews;
mod failure;
mod histogram;
mod ledger;
mod load;
mod names;
mod paint;
mod paint_order;
mod phrases;
mod picture;
mod plans;
mod progress;
mod quota;
mod report;
mod request_stats;
mod rng;
mod run_context;
mod spectator;
mod stop;
mod stream_state;
mod verify;
mod work_split;

use std::{borrow::Cow, collections::HashSet, ffi::OsString, process::ExitCode, sync::Arc, time::Duration};

use anyhow::{Context, Result};
use clap::Parser;
use rand::{SeedableRng, rngs::StdRng};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    agent::Work,
    api_types::{Canvas, PixelInput},
    args::Args,
    client::{ApiRequest, Client},
    crews::{AckedPrivate, CrewRun},
    failure::Failure,
    ledger::Ledger,
    picture::{Palette, Picture},
    plans::PlanRun,
    progress::Progress,
    report::{Report, RunSummary},
    run_context::RunContext,
    spectator::Spectator,
    stop::pause,
    stream_state::StreamState,
    verify::Verifier,
};

/// The default picture.
const DEFAULT_PICTURE: &[u8] = include_bytes!("../../../assets/demo.png");
/// Maximum time for a server to start.
const START_TIMEOUT: Duration = Duration::from_mins(1);
/// Maximum time for the checks at the end.
const VERIFY_TIMEOUT: Duration = Duration::from_mins(5);

/// Runs the simulated agents with these arguments, of which the first is the program's name. Returns success
/// if the server kept all guarantees, 1 if it broke one and 2 if the run could not be completed.
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
    let client = Client::new(&args.servers, args.watched_servers(), args.connections)?;
    let stop = CancellationToken::new();
    tokio::spawn(stop_on_ctrl_c(stop.clone()));

    let canvas = wait_for_server(&client, &stop).await?;
    let registration_start = Instant::now();
    let ledger = Ledger::default();
    let (stop_retries, stop_spectators) = (CancellationToken::new(), CancellationToken::new());
    let accounts = Vec::new();
    let mut context =
        RunContext { client, ledger, stop, stop_retries, stop_spectators, args, seed, canvas, accounts };
    context.accounts = agents::register_all(&context).await?;
    let context = Arc::new(context);
    let _stop_spectators = context.stop_spectators.clone().drop_guard();
    let spectators = start_spectators(&context).await;
    eprintln!("swarm: {} agents, {} spectators, seed {seed}", context.accounts.len(), spectators.len());

    tokio::spawn(end_retries(context.clone()));
    let group_work = open_group_work(&context).await?;
    let summary = run_workload(&context, &group_work, &mut rng).await?;

    if let Some(path) = &context.args.acks {
        context
            .ledger
            .write_csv(path, &context.accounts, &group_work.private_messages())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let (plans, crews) = (group_work.plans.as_deref(), group_work.crews.as_deref());
    let context = &*context;
    let verifier = Verifier { context, spectators: &spectators, plans, crews, registration_start };
    let verdict = tokio::time::timeout(VERIFY_TIMEOUT, verifier.verify(&mut rng)).await;
    let verdict = verdict.context("the server did not respond to the final checks")??;
    context.stop_spectators.cancel();
    let report = Report::new(context, summary, verdict);
    report.print();
    if let Some(path) = &context.args.json {
        report.write(path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(report.ok)
}

/// The crews and the plans of a run.
struct GroupWork {
    crews: Option<Arc<CrewRun>>,
    plans: Option<Arc<PlanRun>>,
}

impl GroupWork {
    fn private_messages(&self) -> Vec<AckedPrivate> {
        self.crews.as_ref().map(|run| run.ledger.messages()).unwrap_or_default()
    }
}

/// Founds the crews and opens the plans, as far as they are requested.
async fn open_group_work(context: &RunContext) -> Result<GroupWork> {
    let crews = match context.args.crews {
        Some(count) => Some(Arc::new(crews::found_crews(context, count as usize).await?)),
        None => None,
    };
    let plans = match &context.args.plan {
        Some(source) => Some(Arc::new(plans::open_plans(context, source, crews.as_deref()).await?)),
        None => None,
    };
    Ok(GroupWork { crews, plans })
}

/// Runs the agents or the timetable until the time is up.
async fn run_workload(
    context: &Arc<RunContext>,
    group_work: &GroupWork,
    rng: &mut StdRng,
) -> Result<RunSummary> {
    let (started, agents) = (Instant::now(), context.accounts.len());
    let has_timetable = load::is_requested(&context.args);
    let GroupWork { plans, crews } = group_work;
    let pixels = match plans {
        None if !has_timetable => picture_pixels(&context.args, &context.canvas).await?,
        _ => Vec::new(),
    };
    let pixel_count = plans.as_ref().map_or(pixels.len(), |run| run.pixel_count(&context.canvas));
    let progress = Progress { context: context.clone(), agents, pixel_count };
    let progress_task = tokio::spawn(progress.show());
    if let Some(duration) = context.args.duration() {
        tokio::spawn(cancel_after(duration, context.stop.clone()));
    }
    let (left_early, timetable) = if has_timetable {
        (Vec::new(), Some(load::run(context.clone()).await?))
    } else {
        let work = match plans {
            Some(run) => vec![Work::Plans(run.clone()); agents],
            None => work_split::split_work(pixels, agents, rng).into_iter().map(Work::Pixels).collect(),
        };
        (agents::run_all(context, work, crews.as_ref()).await?, None)
    };
    let (seconds, requests) = (started.elapsed().as_secs_f64(), context.client.stats.rows());
    context.stop.cancel();
    progress_task.await?;
    Ok(RunSummary { seconds, agents, left_early, timetable, requests })
}

/// Cancels the remaining retries some time after the end of the run.
async fn end_retries(context: Arc<RunContext>) {
    context.stop.cancelled().await;
    cancel_after(Duration::from_secs(context.args.settle), context.stop_retries.clone()).await;
}

async fn cancel_after(delay: Duration, stop: CancellationToken) {
    sleep(delay).await;
    stop.cancel();
}

/// Ends the run with its report at the first Ctrl-C, and immediately at the second.
async fn stop_on_ctrl_c(stop: CancellationToken) {
    if tokio::signal::ctrl_c().await.is_ok() {
        stop.cancel();
    }
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(130);
    }
}

/// Loads the canvas, and waits for a server that is still starting.
async fn wait_for_server(client: &Client, stop: &CancellationToken) -> Result<Canvas> {
    let started = Instant::now();
    let mut is_reported = false;
    loop {
        match client.send_once::<Canvas>(&ApiRequest::get("/api/canvas")).await {
            Ok(canvas) => return Ok(canvas.body),
            Err(failure @ Failure::InvalidResponse(_)) => return Err(failure).context("GET /api/canvas"),
            Err(failure) if started.elapsed() > START_TIMEOUT || stop.is_cancelled() => {
                return Err(failure).context("the server cannot be reached");
            }
            Err(failure) if !is_reported => eprintln!("swarm: waiting for the server ({failure})"),
            Err(_) => {}
        }
        is_reported = true;
        pause(stop, Duration::from_millis(500)).await;
    }
}

async fn picture_pixels(args: &Args, canvas: &Canvas) -> Result<Vec<PixelInput>> {
    let png: Cow<'_, [u8]> = match &args.picture {
        Some(path) => {
            tokio::fs::read(path).await.with_context(|| format!("cannot read {}", path.display()))?.into()
        }
        None => DEFAULT_PICTURE.into(),
    };
    let palette = Palette::parse(&canvas.palette)?;
    let picture = Picture::load(&png, &palette, canvas.width, canvas.height)?;
    let pixels = work_split::position_picture(&picture, canvas, args.offset)?;
    Ok(if args.tireless { pixels } else { work_split::remaining_pixels(pixels) })
}

/// Starts the spectators and waits shortly for their streams to open, so that they receive the first
/// placement. The first spectator of each server records all events; the others only maintain a canvas.
async fn start_spectators(context: &Arc<RunContext>) -> Vec<Arc<Spectator>> {
    let servers: Vec<usize> =
        context.args.watched_servers().iter().filter_map(|url| context.client.server_index(url)).collect();
    let spectator_count = context.args.spectators.unwrap_or(servers.len());
    let mut recorded_servers = HashSet::new();
    let start = |server: usize| {
        let state =
            if recorded_servers.insert(server) { StreamState::with_record() } else { StreamState::default() };
        Spectator::start(context.clone(), server, state)
    };
    let spectators: Vec<_> = servers.into_iter().cycle().take(spectator_count).map(start).collect();
    for _ in 0..100 {
        if spectators.iter().all(|spectator| spectator.state().replica.is_some()) {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    spectators
}
