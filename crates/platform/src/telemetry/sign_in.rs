//! Metrics of sign-ins to the console.

use prometheus::IntCounter;

use super::register::metrics;

metrics! {
    /// The metrics of sign-ins to the console.
    SignInMetrics {
        hashed_passwords: IntCounter = "caraplace_passwords_judged_total"
            "Passwords hashed, which takes tens of milliseconds each.";
        [signed_in = "in", wrong = "wrong", locked = "locked"]: IntCounter =
            "caraplace_sign_ins_total" ["outcome"]
            "Attempts to sign in to the console, by outcome.";
    }
}
