//! Bookkeeping: each agent's counters say what it was told it has bought, no more and no less.

use std::time::Duration;

use crate::{ledger::Unsettled, wire::Me};

/// What one agent was told yes to.
#[derive(Clone, Copy, Default, Debug)]
pub struct Bought {
    pub pixels: u64,
    pub messages: u64,
    /// How many of the pixels repeated the agent's own colour on its own pixel, as far as the crowd's answers tell.
    pub repeats: u64,
    pub unsettled: Unsettled,
}

/// Everything about the account that does not add up. `age` is the time since it was opened, or more.
pub fn errors(name: &str, bought: Bought, me: &Me, age: Duration) -> Vec<String> {
    let Bought { pixels, messages, repeats, unsettled } = bought;
    let checks = [
        count("pixels_placed", me.pixels_placed, pixels, unsettled.pixels),
        count("messages_sent", me.messages_sent, messages, unsettled.messages),
        credits(me, repeats + 2 * unsettled.pixels),
        charges(me, age),
    ];
    checks.into_iter().flatten().map(|why| format!("{name}: {why}")).collect()
}

fn count(what: &str, told: u64, acknowledged: u64, unsettled: u64) -> Option<String> {
    let right = (acknowledged..=acknowledged + unsettled).contains(&told);
    (!right).then(|| {
        format!("{what} is {told}, but {acknowledged} were acknowledged (and {unsettled} left open)")
    })
}

/// Each pixel earns a credit but for repeats of one's own, of which there were at most `repeats`: fewer where a stranger
/// painted between two placements. What was left open may be a repeat, and may make the next placement one. Otherwise
/// exact: the counters change in the transaction that changes the credits.
fn credits(me: &Me, repeats: u64) -> Option<String> {
    let spent = me.messages_sent * me.pixels_per_message;
    let (most, told) = (me.pixels_placed, me.chat_credits + spent);
    let right = (most.saturating_sub(repeats)..=most).contains(&told);
    (!right).then(|| {
        let credits = me.chat_credits;
        format!("{most} pixels, of which at most {repeats} earned nothing, and {spent} credits spent leave {credits}")
    })
}

/// Between what is left if none came back, and if one came back each time it could.
fn charges(me: &Me, age: Duration) -> Option<String> {
    let max = u64::from(me.max_charges);
    let regen = Duration::try_from_secs_f64(me.charge_regen_seconds).unwrap_or_default();
    if regen.is_zero() {
        return None;
    }
    // One more, because the first may be on its way when the clocks differ by a moment.
    let back = u64::try_from(age.as_nanos() / regen.as_nanos()).unwrap_or(u64::MAX).saturating_add(1);
    let least = max.saturating_sub(me.pixels_placed);
    let most = (max.saturating_add(back)).saturating_sub(me.pixels_placed).min(max);
    let affordable = me.pixels_placed <= max.saturating_add(back);
    let right = affordable && (least..=most).contains(&u64::from(me.charges));
    (!right).then(|| {
        format!(
            "{} charges are left of {max} after {} pixels, not {least} to {most}",
            me.charges, me.pixels_placed
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn me(charges: u32, chat_credits: u64, pixels_placed: u64, messages_sent: u64) -> Me {
        Me {
            charges,
            max_charges: 10,
            charge_regen_seconds: 60.0,
            next_charge_at: None,
            chat_credits,
            pixels_per_message: 5,
            messages_available: Some(0),
            next_message_at: None,
            pixels_placed,
            messages_sent,
        }
    }

    fn found(bought: (u64, u64), unsettled: u64, me: &Me) -> usize {
        found_with(bought, 0, unsettled, me)
    }

    fn found_with((pixels, messages): (u64, u64), repeats: u64, unsettled: u64, me: &Me) -> usize {
        let unsettled = Unsettled { pixels: unsettled, messages: 0 };
        let bought = Bought { pixels, messages, repeats, unsettled };
        errors("Ada", bought, me, Duration::from_secs(90)).len()
    }

    #[test]
    fn matching_counters_have_no_errors() {
        assert_eq!(found((7, 1), 0, &me(4, 2, 7, 1)), 0);
        assert_eq!(found((5, 1), 2, &me(4, 2, 7, 1)), 0, "what was left open may have been done");
    }

    #[test]
    fn own_repeat_may_earn_nothing() {
        assert_eq!(found_with((7, 1), 1, 0, &me(4, 1, 7, 1)), 0, "one repeat earned nothing");
        assert_eq!(found_with((7, 1), 1, 0, &me(4, 0, 7, 1)), 1, "a credit lost");
        assert_eq!(found_with((7, 1), 0, 0, &me(4, 1, 7, 1)), 1, "nothing was repeated");
    }

    #[test]
    fn every_kind_of_error_is_found() {
        assert_eq!(found((6, 1), 0, &me(4, 2, 7, 1)), 1, "a pixel too many");
        assert_eq!(found((7, 2), 0, &me(4, 2, 7, 1)), 1, "a message is missing");
        assert_eq!(found((7, 1), 0, &me(4, 3, 7, 1)), 1, "a credit from nowhere");
        assert_eq!(found((7, 1), 0, &me(2, 2, 7, 1)), 1, "a charge lost");
        assert_eq!(found((7, 1), 0, &me(6, 2, 7, 1)), 1, "a charge from nowhere");
        assert_eq!(found((20, 4), 0, &me(0, 0, 20, 4)), 1, "more than could be paid for");
    }
}
