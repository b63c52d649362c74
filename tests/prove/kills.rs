//! Killed at any moment: the server, PostgreSQL, or both.

use std::time::Duration;

use caraplace::clock;
use rand::RngExt;
use rustix::process::Signal;

use crate::crowd::Acks;
use crate::stage::{Instance, Stage};
use crate::support::postmaster::{postmaster_in, signal_family};

#[derive(Clone, Copy, PartialEq)]
enum Victim {
    Server,
    Postgres,
    Both,
}

pub async fn server(rounds: u32) -> String {
    killed(rounds, Victim::Server).await
}

pub async fn postgres(rounds: u32) -> String {
    killed(rounds, Victim::Postgres).await
}

pub async fn both(rounds: u32) -> String {
    killed(rounds, Victim::Both).await
}

async fn killed(rounds: u32, victim: Victim) -> String {
    let mut stage = Stage::alone().await;
    let crowd = stage.crowd(&[]);
    let mut longest = Duration::ZERO;
    for _ in 0..rounds {
        stage.some_time().await;
        let killed_at = clock::moment();
        kill(&mut stage, victim).await;
        stage.first().grown_by(1).await;
        longest = longest.max(killed_at.elapsed());
    }
    stage.some_time().await;
    let seen = stage.verdict(crowd, Acks::default()).await;
    format!("{rounds} kills, painting again after at most {:.1} s; {seen}", longest.as_secs_f64())
}

async fn kill(stage: &mut Stage, victim: Victim) {
    let server_first: bool = stage.luck.random();
    let server = stage.first_mut();
    let postgres =
        |server: &Instance| signal_family(postmaster_in(&server.process.data).unwrap(), Signal::KILL);
    if victim == Victim::Postgres || victim == Victim::Both && !server_first {
        postgres(server);
    }
    if victim != Victim::Postgres {
        server.process.kill();
        // Nobody brings PostgreSQL back between the two.
        if victim == Victim::Both && server_first {
            postgres(server);
        }
        server.start_again().await;
    }
}
