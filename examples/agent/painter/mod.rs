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

/// Lives for as many turns as it was told to, or until its model stops. A turn that fails is not its end: what was not
/// acknowledged is there again in the next one.
pub async fn live(settings: Settings) -> anyhow::Result<()> {
    let game = Game::enter(&settings).await?;
    let model = Model::new(&settings, game.key())?;
    let (mut before, mut ended) = (Deeds::default(), Ok(()));
    for number in 0..settings.turns {
        if number > 0 {
            tokio::time::sleep(Duration::from_secs(settings.pause_seconds)).await;
        }
        (before, ended) = turn::take(&game, &model, &settings, &before).await;
        if let Err(error) = &ended {
            eprintln!("This turn failed: {error:#}");
        }
        if before.are_all() {
            break;
        }
    }
    ended
}
