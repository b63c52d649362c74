//! Correcting the canvas: the operator's account paints over what was struck, and over nothing that came since.

use rules::palette::Color;
use rules::rights::AccountAction;
use rules::rollback::Correction;

use crate::log::batch_context::{Account, BatchContext};
use crate::log::command::Command;
use crate::refusal::Refusal;

/// Some of a rollback's corrections.
pub(super) struct CorrectPixels {
    /// The season's opening event: another season's canvas is left alone.
    pub season: i64,
    pub corrections: Vec<Correction>,
}

impl Command for CorrectPixels {
    /// How many pixels were still as they were when the log was read; none once another season has begun.
    type Output = Option<usize>;

    const ACT: AccountAction = AccountAction::Operate;

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<Option<usize>, Refusal> {
        if context.season.seq != self.season {
            return Ok(None);
        }
        let mut painted = 0;
        for Correction { point, color, replaced_seq: over } in &self.corrections {
            let Some(color) = Color::new(i64::from(*color)) else { continue };
            if context.newest_placement_seq(*point) == Some(*over) {
                context.place_pixel(account, *point, color);
                account.pixels_placed += 1;
                painted += 1;
            }
        }
        Ok(Some(painted))
    }
}
