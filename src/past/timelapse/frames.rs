//! The frames of a timelapse: the canvas once, and then only what changes, in one reading of the log.

use tokio::sync::mpsc::Sender;

use super::super::canvas::Canvas;
use super::super::store;
use super::plan::{Plan, Unfit};
use crate::state::AppState;

/// An image pixel that stays as it was. What is mostly clear packs well, even where the canvas is noise.
pub(super) const CLEAR: u8 = 0;

/// How a frame shows a colour of the palette.
const fn shown(color: u8) -> u8 {
    color + 1
}

/// A rectangle of the canvas as it is from some frame on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
    /// Row by row: clear, or a colour's index and one.
    pub pixels: Vec<u8>,
}

/// Sends every frame, until nobody takes them any more.
pub(super) async fn read(state: &AppState, plan: &Plan, frames: &Sender<Change>) -> Result<(), Unfit> {
    let times = plan.times();
    let (low, high) = (vec![plan.from.seq; times.len()], vec![plan.to.seq; times.len()]);
    let mut numbers = store::newest_until(&state.pool, &times, &low, &high).await?;
    numbers.push(plan.to.seq);
    let mut connection = state.pool.acquire().await?;
    let mut canvas = Canvas::blank(plan.season.clone());
    canvas.advance(&mut connection, plan.from.seq).await?;
    let (width, height) = (plan.season.size.width, plan.season.size.height);
    let pixels = canvas.pixels.iter().copied().map(shown).collect();
    let whole = Change { x: 0, y: 0, width, height, pixels };
    let mut taken = frames.send(whole).await.is_ok();
    for number in numbers {
        if !taken {
            break;
        }
        let before = canvas.pixels.clone();
        if number > canvas.seq {
            canvas.advance(&mut connection, number).await?;
        }
        taken = frames.send(change(&before, &canvas.pixels, usize::from(width))).await.is_ok();
    }
    Ok(())
}

/// The smallest rectangle that holds all that differs. A frame must have a pixel, even where none does.
fn change(before: &[u8], after: &[u8], width: usize) -> Change {
    let rows = || before.chunks_exact(width).zip(after.chunks_exact(width));
    let differs = |(before, after): (&[u8], &[u8])| before != after;
    let top = rows().position(differs).unwrap_or(0);
    let bottom = rows().rposition(differs).unwrap_or(0);
    let column = |(before, after): (&[u8], &[u8])| before.iter().zip(after).position(|(a, b)| a != b);
    let last = |(before, after): (&[u8], &[u8])| before.iter().zip(after).rposition(|(a, b)| a != b);
    let left = rows().filter_map(column).min().unwrap_or(0);
    let right = rows().filter_map(last).max().unwrap_or(0);
    let pixel = |(before, after): (&u8, &u8)| if before == after { CLEAR } else { shown(*after) };
    let part = |(before, after): (&[u8], &[u8])| {
        before[left..=right].iter().zip(&after[left..=right]).map(pixel).collect::<Vec<_>>()
    };
    let pixels = rows().take(bottom + 1).skip(top).flat_map(part).collect();
    let side = |first: usize, last: usize| (last + 1 - first) as u16;
    Change { x: left as u16, y: top as u16, width: side(left, right), height: side(top, bottom), pixels }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_rectangle_is_minimal() {
        let mut after = vec![0; 20];
        assert_eq!(change(&[0; 20], &after, 5), Change { x: 0, y: 0, width: 1, height: 1, pixels: vec![0] });
        (after[6], after[13]) = (3, 4);
        let pixels = vec![4, 0, 0, 0, 0, 5];
        assert_eq!(change(&[0; 20], &after, 5), Change { x: 1, y: 1, width: 3, height: 2, pixels });
        after = vec![1; 20];
        let whole = Change { x: 0, y: 0, width: 5, height: 4, pixels: vec![2; 20] };
        assert_eq!(change(&[0; 20], &after, 5), whole);
    }
}
