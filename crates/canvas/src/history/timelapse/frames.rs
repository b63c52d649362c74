//! The frames of a timelapse: the whole canvas, and then only the changes, in one pass over the log.

use caraplace_log::state::AppState;
use tokio::sync::mpsc::Sender;

use super::super::canvas::HistoricalCanvas;
use super::super::store;
use super::spec::{TimelapseError, TimelapseSpec};

/// An image pixel that does not change. Mostly transparent frames compress well, even on a noisy canvas.
pub(super) const TRANSPARENT: u8 = 0;

/// Returns the frame colour of a palette colour.
const fn frame_color(color: u8) -> u8 {
    color + 1
}

/// A rectangle of the canvas that changes in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameChange {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
    /// Row by row: transparent, or the colour's index plus one.
    pub pixels: Vec<u8>,
}

/// Sends all frames, until the receiver is closed.
pub(super) async fn send_frames(
    state: &AppState,
    spec: &TimelapseSpec,
    frames: &Sender<FrameChange>,
) -> Result<(), TimelapseError> {
    let times = spec.frame_times();
    let low = vec![spec.from.seq; times.len()];
    let high = vec![spec.to.seq; times.len()];
    let mut ends = store::last_events_until(&state.pool, &times, &low, &high).await?;
    ends.push(spec.to.seq);
    let mut connection = state.pool.acquire().await?;
    let mut canvas = HistoricalCanvas::blank(spec.season.clone());
    canvas.advance_to(&mut connection, spec.from.seq).await?;
    let width = spec.season.size.width;
    let height = spec.season.size.height;
    let pixels = canvas.pixels.iter().copied().map(frame_color).collect();
    let first_frame = FrameChange { x: 0, y: 0, width, height, pixels };
    let mut is_receiver_open = frames.send(first_frame).await.is_ok();
    for end in ends {
        if !is_receiver_open {
            break;
        }
        let before = canvas.pixels.clone();
        if end > canvas.seq {
            canvas.advance_to(&mut connection, end).await?;
        }
        is_receiver_open =
            frames.send(changed_rectangle(&before, &canvas.pixels, usize::from(width))).await.is_ok();
    }
    Ok(())
}

/// Returns the smallest rectangle that contains all differences. A frame must have at least one pixel, even
/// if nothing differs.
fn changed_rectangle(before: &[u8], after: &[u8], width: usize) -> FrameChange {
    let rows = || before.chunks_exact(width).zip(after.chunks_exact(width));
    let differs = |(before, after): (&[u8], &[u8])| before != after;
    let top = rows().position(differs).unwrap_or(0);
    let bottom = rows().rposition(differs).unwrap_or(0);
    let first_column = |(before, after): (&[u8], &[u8])| before.iter().zip(after).position(|(a, b)| a != b);
    let last_column = |(before, after): (&[u8], &[u8])| before.iter().zip(after).rposition(|(a, b)| a != b);
    let left = rows().filter_map(first_column).min().unwrap_or(0);
    let right = rows().filter_map(last_column).max().unwrap_or(0);
    let pixel = |(before, after): (&u8, &u8)| if before == after { TRANSPARENT } else { frame_color(*after) };
    let row_pixels = |(before, after): (&[u8], &[u8])| {
        before[left..=right].iter().zip(&after[left..=right]).map(pixel).collect::<Vec<_>>()
    };
    let pixels = rows().take(bottom + 1).skip(top).flat_map(row_pixels).collect();
    let length = |first: usize, last: usize| (last + 1 - first) as u16;
    FrameChange {
        x: left as u16,
        y: top as u16,
        width: length(left, right),
        height: length(top, bottom),
        pixels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_rectangle_is_minimal() {
        let mut after = vec![0; 20];
        assert_eq!(
            changed_rectangle(&[0; 20], &after, 5),
            FrameChange { x: 0, y: 0, width: 1, height: 1, pixels: vec![0] }
        );
        (after[6], after[13]) = (3, 4);
        let pixels = vec![4, 0, 0, 0, 0, 5];
        assert_eq!(
            changed_rectangle(&[0; 20], &after, 5),
            FrameChange { x: 1, y: 1, width: 3, height: 2, pixels }
        );
        after = vec![1; 20];
        let whole = FrameChange { x: 0, y: 0, width: 5, height: 4, pixels: vec![2; 20] };
        assert_eq!(changed_rectangle(&[0; 20], &after, 5), whole);
    }
}
