//! Who tries to sign in to the console.

use prometheus::IntCounter;

use super::register::Register;

/// What is told of it.
pub struct Office {
    pub signed_in: IntCounter,
    pub wrong: IntCounter,
    pub locked: IntCounter,
    pub judged: IntCounter,
}

impl Office {
    pub(super) fn new(register: &Register<'_>) -> Self {
        let [signed_in, wrong, locked] = register.counter_of_each(
            "caraplace_sign_ins_total",
            "Tries to sign in to the console, by outcome.",
            ("outcome", ["in", "wrong", "locked"]),
        );
        let judged = register.counter(
            "caraplace_passwords_judged_total",
            "Passwords that were hashed, which takes tens of milliseconds each.",
        );
        Self { signed_in, wrong, locked, judged }
    }
}
