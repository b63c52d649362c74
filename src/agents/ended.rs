//! What was done in a season that is over, counted once and kept.

use std::collections::HashMap;
use std::sync::Arc;

use super::window::Window;
use super::{Done, Rank, store};
use crate::refusal::Refusal;
use crate::state::AppState;

/// More seasons than this are not kept.
const KEPT: usize = 64;

/// How much was done.
pub struct Ended {
    pub pixels: i64,
    pub messages: i64,
    best: Vec<(i64, Done)>,
}

/// By the season's first and last event.
#[derive(Default)]
pub struct Archive(tokio::sync::Mutex<HashMap<(i64, i64), Arc<Ended>>>);

impl Archive {
    /// What was done from a season's opening up to an event, with the `most` agents that painted most.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn get(
        &self,
        state: &AppState,
        first: i64,
        last: i64,
        most: usize,
    ) -> Result<Arc<Ended>, Refusal> {
        let mut kept = self.0.lock().await;
        if let Some(ended) = kept.get(&(first, last)) {
            return Ok(ended.clone());
        }
        let mut window = Window::default();
        window.slide(state, first, last).await?;
        let others = store::events(&state.pool, first, last).await?;
        let (pixels, messages) = (last - first - others.all, others.chat);
        let ended = Arc::new(Ended { pixels, messages, best: window.best(most) });
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert((first, last), ended.clone());
        Ok(ended)
    }
}

impl Ended {
    /// Those who painted most, by the names that they have now.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn ranks(&self, state: &AppState) -> Result<Vec<Rank>, Refusal> {
        Ok(store::ranks(&state.pool, &self.best).await?)
    }
}
