//! The command that corrects pixels: the operators' account paints over rolled-back placements, but not over
//! newer ones.

use rules::palette::Color;
use rules::rights::AccountAction;
use rules::rollback::Correction;

use crate::log::batch_context::{Account, BatchContext};
use crate::log::command::Command;
use crate::refusal::Refusal;

/// One batch of a rollback's corrections.
pub(super) struct CorrectPixels {
    /// The number of the season's opening event. The canvas of another season is not changed.
    pub season: i64,
    pub corrections: Vec<Correction>,
}

impl Command for CorrectPixels {
    /// The number of corrected pixels, without those that were painted meanwhile; `None` if another season
    /// has begun.
    type Output = Option<usize>;

    const ACTION: AccountAction = AccountAction::Operate;

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<Option<usize>, Refusal> {
        if context.season.seq != self.season {
            return Ok(None);
        }
        let mut corrected_count = 0;
        for Correction { point, color, replaced_seq: over } in &self.corrections {
            let Some(color) = Color::new(i64::from(*color)) else { continue };
            if context.newest_placement_seq(*point) == Some(*over) {
                context.place_pixel(account, *point, color, None);
                account.pixels_placed += 1;
                corrected_count += 1;
            }
        }
        Ok(Some(corrected_count))
    }
}
