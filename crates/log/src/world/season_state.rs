//! The state of the season in the projection.

use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::numbers::Seq;
use rules::rights::AccountKind;
use rules::season::SeasonState;

use super::World;

impl World {
    /// Checks that accounts of this kind may act in the current season. Operators may also act after its end.
    ///
    /// # Errors
    /// `SeasonOver`.
    pub fn check_season(&self, kind: AccountKind, now: DateTime<Utc>) -> Result<(), Refusal> {
        let ended_at = self.season_state.ended_at(now).filter(|_| kind != AccountKind::Operator);
        ended_at.map_or(Ok(()), |since| Err(Refusal::SeasonOver { since }))
    }

    /// Sets the state of the season that opened with event `season_seq`, as of this entry of the control log
    /// or a later one.
    pub(crate) fn set_season_state(&mut self, control_head: i64, season_seq: Seq, season_state: SeasonState) {
        if control_head < self.season_state_control_head {
            return;
        }
        self.season_state_control_head = control_head;
        if season_seq == self.season.seq {
            self.season_state = season_state;
        } else {
            self.next_season_state =
                Some((season_seq, season_state)).filter(|_| season_seq > self.season.seq);
        }
    }
}
