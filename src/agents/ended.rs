//! What was done in a season that is over, counted once and kept.

use std::sync::Arc;

use super::window::Window;
use super::{Done, LONGEST, Rank, store};
use crate::cache::Cache;
use crate::refusal::Refusal;
use crate::state::AppState;

const MAX_BYTES: u32 = 1 << 20;

/// How much was done.
pub struct Ended {
    pub pixels: i64,
    pub messages: i64,
    best: Vec<(i64, Done)>,
}

/// By the season's first and last event.
pub struct Archive(Cache<(i64, i64), Arc<Ended>>);

impl Default for Archive {
    fn default() -> Self {
        Self(Cache::new("season_totals", MAX_BYTES, None, |ended| size_of_val(ended.best.as_slice())))
    }
}

impl Archive {
    /// What was done from a season's opening up to an event, with the `most` agents that painted most.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn get(&self, state: &AppState, first: i64, last: i64) -> Result<Arc<Ended>, Refusal> {
        let count = async {
            let mut window = Window::default();
            window.slide(state, first, last).await?;
            let others = store::events(&state.pool, first, last).await?;
            let (pixels, messages) = (last - first - others.all, others.chat);
            Ok(Arc::new(Ended { pixels, messages, best: window.best(LONGEST) }))
        };
        self.0.get_or_compute((first, last), |_| true, count).await
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
