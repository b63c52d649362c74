//! Accounting: each agent's counters must match the writes that the server acknowledged.

use std::time::Duration;

use crate::{api_types::Me, ledger::Unsettled};

/// The totals of one agent's acknowledged writes.
#[derive(Clone, Copy, Default, Debug)]
pub struct AckedTotals {
    pub pixels: u64,
    pub messages: u64,
    /// Number of messages to crews and of direct messages, which `messages_sent` does not count.
    pub private_messages: u64,
    /// Number of pixels that repeat the agent's own colour on its own pixel, as far as the acknowledgements
    /// show.
    pub repeats: u64,
    pub unsettled: Unsettled,
}

/// Returns all mismatches of an account. `age` is the time since the registration, or more.
pub fn find_errors(name: &str, acked: AckedTotals, me: &Me, age: Duration) -> Vec<String> {
    let AckedTotals { pixels, messages, unsettled, .. } = acked;
    let checks = [
        check_count("pixels_placed", me.pixels_placed, pixels, unsettled.pixels),
        check_count("messages_sent", me.messages_sent, messages, unsettled.messages),
        check_credits(me, acked),
        check_charges(me, age),
    ];
    checks.into_iter().flatten().map(|error| format!("{name}: {error}")).collect()
}

fn check_count(name: &str, reported: u64, acknowledged: u64, unsettled: u64) -> Option<String> {
    let is_valid = (acknowledged..=acknowledged + unsettled).contains(&reported);
    (!is_valid).then(|| {
        format!(
            "{name} is {reported}, but {acknowledged} were acknowledged (and {unsettled} got no response)"
        )
    })
}

/// Checks the credits. Each placement earns one unless it repeats the agent's own pixel, of which there were
/// at most `repeats`: fewer if another account painted in between. A placement without a response may be a
/// repeat, or may make the next one a repeat, and a private message without a response may have been paid
/// for. Otherwise the check is exact, because counters and credits change in one transaction. An account
/// begins with one free intent.
fn check_credits(me: &Me, acked: AckedTotals) -> Option<String> {
    let repeats = acked.repeats + 2 * acked.unsettled.pixels;
    let unknown_price = acked.unsettled.private_messages * me.pixels_per_message;
    let free = 1_u64.saturating_sub(me.free_intents).min(me.messages_sent);
    let spent = (me.messages_sent - free + acked.private_messages) * me.pixels_per_message;
    let (max, earned) = (me.pixels_placed, me.chat_credits + spent);
    let is_valid = (max.saturating_sub(repeats + unknown_price)..=max).contains(&earned);
    (!is_valid).then(|| {
        let credits = me.chat_credits;
        format!("{max} pixels, of which at most {repeats} earned no credit, minus {spent} spent credits leave {credits}")
    })
}

/// Checks that the charges are between none and all possible recharges.
fn check_charges(me: &Me, age: Duration) -> Option<String> {
    let max = u64::from(me.max_charges);
    let regen = Duration::try_from_secs_f64(me.charge_regen_seconds).unwrap_or_default();
    if regen.is_zero() {
        return None;
    }
    // One more, because the clocks may differ slightly.
    let regained = u64::try_from(age.as_nanos() / regen.as_nanos()).unwrap_or(u64::MAX).saturating_add(1);
    let min_left = max.saturating_sub(me.pixels_placed);
    let max_left = (max.saturating_add(regained)).saturating_sub(me.pixels_placed).min(max);
    let is_affordable = me.pixels_placed <= max.saturating_add(regained);
    let is_valid = is_affordable && (min_left..=max_left).contains(&u64::from(me.charges));
    (!is_valid).then(|| {
        format!(
            "{} charges are left of {max} after {} pixels, not {min_left} to {max_left}",
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
            free_intents: 1,
        }
    }

    fn count_errors(pixels: u64, messages: u64, unsettled: u64, me: &Me) -> usize {
        count_errors_with(pixels, messages, 0, unsettled, me)
    }

    fn count_errors_with(pixels: u64, messages: u64, repeats: u64, unsettled: u64, me: &Me) -> usize {
        let unsettled = Unsettled { pixels: unsettled, ..Unsettled::default() };
        let acked = AckedTotals { pixels, messages, private_messages: 0, repeats, unsettled };
        find_errors("Ada", acked, me, Duration::from_secs(90)).len()
    }

    #[test]
    fn matching_counters_have_no_errors() {
        assert_eq!(count_errors(7, 1, 0, &me(4, 2, 7, 1)), 0);
        assert_eq!(count_errors(5, 1, 2, &me(4, 2, 7, 1)), 0, "what was left open may have been done");
    }

    #[test]
    fn own_repeat_may_earn_nothing() {
        assert_eq!(count_errors_with(7, 1, 1, 0, &me(4, 1, 7, 1)), 0, "one repeat earned nothing");
        assert_eq!(count_errors_with(7, 1, 1, 0, &me(4, 0, 7, 1)), 1, "a credit lost");
        assert_eq!(count_errors_with(7, 1, 0, 0, &me(4, 1, 7, 1)), 1, "nothing was repeated");
    }

    #[test]
    fn private_messages_cost_as_much_as_public_ones() {
        let count_errors = |private_messages, unsettled| {
            let unsettled = Unsettled { private_messages: unsettled, ..Unsettled::default() };
            let acked = AckedTotals { pixels: 17, messages: 1, private_messages, repeats: 0, unsettled };
            find_errors("Ada", acked, &me(0, 2, 17, 1), Duration::from_mins(15)).len()
        };
        assert_eq!(count_errors(2, 0), 0);
        assert_eq!(count_errors(1, 0), 1, "paid for another one");
        assert_eq!(count_errors(3, 0), 1, "one was not paid for");
        assert_eq!(count_errors(1, 1), 0, "one got no response");
    }

    #[test]
    fn first_intent_costs_nothing() {
        let intent_posted = |chat_credits| Me { free_intents: 0, ..me(3, chat_credits, 7, 1) };
        assert_eq!(count_errors(7, 1, 0, &intent_posted(7)), 0);
        assert_eq!(count_errors(7, 1, 0, &intent_posted(2)), 1, "it was paid for");
    }

    #[test]
    fn every_kind_of_error_is_found() {
        assert_eq!(count_errors(6, 1, 0, &me(4, 2, 7, 1)), 1, "a pixel too many");
        assert_eq!(count_errors(7, 2, 0, &me(4, 2, 7, 1)), 1, "a message is missing");
        assert_eq!(count_errors(7, 1, 0, &me(4, 3, 7, 1)), 1, "a credit from nowhere");
        assert_eq!(count_errors(7, 1, 0, &me(2, 2, 7, 1)), 1, "a charge lost");
        assert_eq!(count_errors(7, 1, 0, &me(6, 2, 7, 1)), 1, "a charge from nowhere");
        assert_eq!(count_errors(20, 4, 0, &me(0, 0, 20, 4)), 1, "more than could be paid for");
    }
}
