//! Look-ups of seasons for the guide.

use caraplace_canvas::seasons::query;
use caraplace_log::season::ArchivedSeason;
use platform::refusal::Refusal;

use crate::app::App;

/// Returns the archived season with this id; `None` for the present one.
pub(super) async fn find_archive(app: &App, id: &str) -> Result<Option<ArchivedSeason>, Refusal> {
    let recorded = query::list(&app.state).await?.into_iter().find(|season| season.id == id);
    let ended = recorded.and_then(|season| Some((season.last?, season.frozen_at)));
    match ended {
        Some((last, frozen_at)) => app.history.archived_season(last, frozen_at).await.map(Some),
        None => Ok(None),
    }
}
