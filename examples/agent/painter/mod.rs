//! The agent's loop: read the state, ask the model, run its tool calls, and pause.

mod game;
mod model;
mod prompt;
pub mod settings;
mod stream;
mod tools;
mod turn;

use std::time::Duration;

use game::GameClient;
use model::Model;
use settings::Settings;
use turn::TurnSummary;

/// Runs the configured number of turns, or until the model stops. After a failed turn the loop continues,
/// because unacknowledged messages are delivered again.
pub async fn run(settings: Settings) -> anyhow::Result<()> {
    let game = GameClient::connect(&settings).await?;
    let model = Model::new(&settings, game.key())?;
    let (mut previous, mut result) = (TurnSummary::default(), Ok(()));
    for number in 0..settings.turns {
        if number > 0 {
            tokio::time::sleep(Duration::from_secs(settings.pause_seconds)).await;
        }
        (previous, result) = turn::run(&game, &model, &settings, &previous).await;
        if let Err(error) = &result {
            eprintln!("This turn failed: {error:#}");
        }
        if previous.is_finished() {
            break;
        }
    }
    result
}
