//! Correcting the canvas: the operator's account paints over what was struck, and over nothing that came since.

use rules::palette::Color;
use rules::rights::AccountAction;
use rules::rollback::Correction;

use crate::log::deed::Deed;
use crate::log::ground::{Account, Ground};
use crate::refusal::Refusal;

/// Some of a rollback's corrections.
pub(super) struct Correct {
    /// The season's opening event: another season's canvas is left alone.
    pub season: i64,
    pub corrections: Vec<Correction>,
}

impl Deed for Correct {
    /// How many pixels were still as they were when the log was read; none once another season has begun.
    type Done = Option<usize>;

    const ACT: AccountAction = AccountAction::Operate;

    fn decide(&self, ground: &mut Ground<'_>, account: &mut Account) -> Result<Option<usize>, Refusal> {
        if ground.season.seq != self.season {
            return Ok(None);
        }
        let mut painted = 0;
        for Correction { point, color, replaced_seq: over } in &self.corrections {
            let Some(color) = Color::new(i64::from(*color)) else { continue };
            if ground.latest(*point) == Some(*over) {
                ground.paint(account, *point, color);
                account.pixels_placed += 1;
                painted += 1;
            }
        }
        Ok(Some(painted))
    }
}
