//! The canvas after a past event, for tools.

use std::sync::Arc;

use caraplace_canvas::history::HistoryPermit;
use caraplace_canvas::history::canvas::HistoricalCanvas;
use caraplace_canvas::history::point_in_time::PointInTime;
use platform::input;
use platform::refusal::Refusal;
use rules::numbers::Seq;

use super::call::ToolCall;

/// Returns the canvas after an event, with a permit to render it.
///
/// # Errors
/// `Input` if the number was not given yet; `Work` or `Overloaded` if too many requests wait.
pub(super) async fn find(
    call: &ToolCall,
    at: Seq,
) -> Result<(Arc<HistoricalCanvas>, HistoryPermit), Refusal> {
    let at = input::event_seq("at", Some(at))?.unwrap_or(Seq::ZERO);
    find_at(call, PointInTime::Seq(at)).await
}

/// Returns the canvas at a point in time, with a permit to render it.
///
/// # Errors
/// `Input` if it is in the future; `Work` or `Overloaded` if too many requests wait.
pub(super) async fn find_at(
    call: &ToolCall,
    at: PointInTime,
) -> Result<(Arc<HistoricalCanvas>, HistoryPermit), Refusal> {
    let app = call.app();
    let caller = &call.caller.work;
    let in_future = || Refusal::invalid("at", "at is in the future. Send the number of an earlier event.");
    let seq = app.history.last_event_at(at).await?.ok_or_else(in_future)?;
    if let Some(canvas) = app.history.cached_canvas(seq) {
        return Ok((canvas, app.history.acquire_render_permit(caller).await?));
    }
    let season = app.history.season_at(seq).await?;
    app.history.read_canvas(caller, season, seq).await
}
