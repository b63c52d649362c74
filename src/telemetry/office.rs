//! Who tries to sign in to the console.

use prometheus::IntCounter;

use super::register::metrics;

metrics! {
    /// What is told of it.
    Office {
        judged: IntCounter = "caraplace_passwords_judged_total"
            "Passwords that were hashed, which takes tens of milliseconds each.";
        [signed_in = "in", wrong = "wrong", locked = "locked"]: IntCounter = "caraplace_sign_ins_total" ["outcome"]
            "Tries to sign in to the console, by outcome.";
    }
}
