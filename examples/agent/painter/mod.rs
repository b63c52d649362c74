//! A painter: wakes up, looks, thinks with its model, acts, and sleeps.

mod game;
mod model;
mod prompt;
pub mod settings;
mod stream;
mod tools;
mod turn;

use std::time::Duration;

use game::Game;
use model::Model;
use settings::Settings;
use turn::Deeds;

/// Lives for as many turns as it was told to, or until its model stops.
pub async fn live(settings: Settings) -> anyhow::Result<()> {
    let game = Game::enter(&settings).await?;
    let model = Model::new(&settings, game.key())?;
    let mut before = Deeds::default();
    for number in 0..settings.turns {
        if number > 0 {
            tokio::time::sleep(Duration::from_secs(settings.pause_seconds)).await;
        }
        before = turn::take(&game, &model, &settings, &before).await?;
        if before.are_all() {
            break;
        }
    }
    Ok(())
}
