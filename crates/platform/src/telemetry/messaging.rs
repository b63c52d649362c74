//! Metrics of messages: how many are posted and read, and how long reading and answering takes.

use chrono::TimeDelta;
use prometheus::{Histogram, IntCounter};
use rules::place::Place;
use rules::token_budget::tokens_in;

use super::register::metrics;

/// Buckets of times in which agents react: from a second to a week.
const REACTION_BUCKETS: &[f64] =
    &[1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0, 43_200.0, 86_400.0, 604_800.0];
/// Buckets of the sizes of overviews, in tokens.
const TOKEN_BUCKETS: &[f64] = &[100.0, 250.0, 500.0, 750.0, 1_000.0, 1_500.0, 2_000.0, 4_000.0, 8_000.0];

metrics! {
    /// The metrics of messages.
    MessagingMetrics {
        read: IntCounter = "caraplace_private_messages_read_total"
            "Crew and direct messages that accounts marked as read, once per account.";
        read_seconds: Histogram = "caraplace_private_message_read_seconds"
            "Seconds between posting a crew or direct message and an account marking it as read."
            in REACTION_BUCKETS;
        answer_seconds: Histogram = "caraplace_ask_answer_seconds"
            "Seconds between a question and its answer." in REACTION_BUCKETS;
        home_tokens: Histogram = "caraplace_home_tokens"
            "Tokens that an answer of /api/home takes, at three bytes each." in TOKEN_BUCKETS;
        [posted_public = "public", posted_crew = "crew", posted_direct = "direct"]: IntCounter =
            "caraplace_messages_posted_total" ["place"]
            "Messages posted through this instance, by place: public, crew or direct.";
        [answered = "answered", declined = "declined"]: IntCounter = "caraplace_asks_ended_total" ["outcome"]
            "Questions that were answered or declined; those that expired are not counted.";
    }
}

impl MessagingMetrics {
    /// Returns the counter of messages posted in places of this kind.
    pub fn posted(&self, place: Place) -> &IntCounter {
        match place {
            Place::Public => &self.posted_public,
            Place::Crew => &self.posted_crew,
            Place::Conversation => &self.posted_direct,
        }
    }

    /// Records the size of an overview in bytes.
    pub fn observe_home(&self, bytes: usize) {
        self.home_tokens.observe(tokens_in(bytes) as f64);
    }

    /// Counts a private message that an account has marked as read, `after` it was sent.
    pub fn observe_read(&self, after: TimeDelta) {
        self.read.inc();
        self.read_seconds.observe(after.as_seconds_f64());
    }
}
