//! Placements on open plans, compared with placements while no plan is open.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::single_load::{CONNECTIONS, SingleLoad};
use crate::RunOptions;
use crate::server::Server;
use crate::table::{Table, Threshold};

const PAINTERS: usize = 100;
const PLANS: usize = 50;
/// The width and height of each plan.
const SIDE: usize = 64;
/// The number of places at which a plan fits on the canvas, in each direction.
const PLACES: usize = 128 - SIDE + 1;

/// Measures both in turn, on the same server. Plans are opened by new authors in each round, because an
/// author may open one per minute.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    let server = Server::start(&[("CARAPLACE_SYSTEM_MESSAGES", "false")]).await?;
    let keys = server.register(PAINTERS + PLANS * options.rounds).await?;
    let (painters, authors) = keys.split_at(PAINTERS);
    let (mut with, mut without) = (SingleLoad::default(), SingleLoad::default());
    for (round, authors) in authors.chunks(PLANS).enumerate() {
        // The order alternates, because the log grows.
        if round.is_multiple_of(2) {
            without.measure(&server, painters, options).await?;
        }
        let plans = open_plans(&server, authors).await?;
        with.measure(&server, painters, options).await?;
        for (key, id) in authors.iter().zip(&plans) {
            server.post_json(&format!("/api/plans/{id}/close"), key, &json!({})).await?;
        }
        if !round.is_multiple_of(2) {
            without.measure(&server, painters, options).await?;
        }
    }
    let name = format!("placements with {PLANS} open plans of {SIDE}×{SIDE}, {CONNECTIONS} connections");
    table.add(with.row(name, ("no plan is open", without), Threshold::Ratio(0.98)));
    Ok(())
}

/// Opens one plan per author. Together they cover the canvas several times. Returns their ids.
async fn open_plans(server: &Server, authors: &[String]) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    for (number, key) in authors.iter().enumerate() {
        let digit = |x: usize, y: usize| char::from_digit(((x + y + number) % 16) as u32, 16).unwrap_or('.');
        let rows: Vec<String> = (0..SIDE).map(|y| (0..SIDE).map(|x| digit(x, y)).collect()).collect();
        let (x, y) = (number * 13 % PLACES, number * 29 % PLACES);
        let plan = json!({"title": format!("Plan {number}"), "x": x, "y": y, "rows": rows});
        let body: Value = server.post_json("/api/plans", key, &plan).await?;
        ids.push(body["plan"]["id"].as_str().context("the response has no plan")?.to_owned());
    }
    Ok(ids)
}
