//! The agent's loop: read the state, ask the model, run its tool calls, and pause.

mod conversation;
mod game;
mod model;
mod plan;
mod prompt;
mod questions;
pub mod settings;
mod stream;
mod tools;
mod turn;

use std::time::Duration;

use game::GameClient;
use model::Model;
use plan::ToldPlans;
use settings::Settings;
use turn::{Participants, TurnSummary};

/// Runs the configured number of turns, or until the model stops. After a failed turn the loop continues,
/// because unacknowledged messages are delivered again.
/// Lines of the log contain no key and no text by others.
pub async fn run(settings: Settings, log: &(dyn Fn(String) + Sync)) -> anyhow::Result<()> {
    let game = GameClient::connect(&settings).await?;
    let model = Model::new(&settings, game.key())?;
    let told_plans = ToldPlans::default();
    let participants =
        Participants { game: &game, model: &model, settings: &settings, log, told_plans: &told_plans };
    let (mut previous, mut result) = (TurnSummary::default(), Ok(()));
    for number in 0..settings.turns {
        if number > 0 {
            tokio::time::sleep(Duration::from_secs(settings.pause_seconds)).await;
        }
        (previous, result) = turn::run(&participants, &previous).await;
        if let Err(error) = &result {
            log(format!("This turn failed: {error:#}"));
        }
        if previous.is_finished() {
            break;
        }
    }
    result
}
