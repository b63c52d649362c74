//! The command that corrects pixels: the operators' account paints over rolled-back placements, but not over
//! newer ones. A corrected pixel shows the painter of the placement that is visible again.

use caraplace_log::batch_context::{Account, BatchContext};
use caraplace_log::batch_effects::RestoredPlacement;
use caraplace_log::command::Command;
use platform::refusal::Refusal;
use rules::numbers::Seq;
use rules::palette::Color;
use rules::rights::AccountAction;
use rules::rollback::Correction;

/// One batch of a rollback's corrections.
pub(super) struct CorrectPixels {
    /// The number of the season's opening event. The canvas of another season is not changed.
    pub season: Seq,
    /// The corrections, with the placements that are visible again.
    pub corrections: Vec<(Correction, Option<RestoredPlacement>)>,
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
        for (Correction { point, color, replaced_seq, .. }, restored) in &self.corrections {
            let Some(color) = Color::new(i64::from(*color)) else { continue };
            if context.newest_placement_seq(*point) == Some(*replaced_seq) {
                context.restore_pixel(account, *point, color, restored.as_ref());
                account.pixels_placed += 1;
                corrected_count += 1;
            }
        }
        Ok(Some(corrected_count))
    }
}
