//! Metrics of the guide.

use prometheus::{IntCounter, IntGauge};

use super::register::metrics;

metrics! {
    /// The metrics of the guide.
    GuideMetrics {
        running: IntGauge = "caraplace_guide_turns_running"
            "Questions to the guide that this instance answers now.";
        cost: IntCounter = "caraplace_guide_cost_micros_total"
            "Price of the tokens that the guide has taken, in millionths of the currency of the prices in \
             the settings.";
        model_errors: IntCounter = "caraplace_guide_model_errors_total"
            "Requests to the guide's model without a complete answer, after their repetitions.";
        [turns_answered = "answered", turns_without_model = "model_unavailable", turns_deleted = "deleted",
         turns_failed = "failed"]: IntCounter = "caraplace_guide_turns_total" ["outcome"]
            "Turns of the guide, by outcome: answered, model_unavailable (no complete answer in time), \
             deleted (the question was deleted meanwhile) or failed (see the log).";
        [calls_done = "done", calls_failed = "failed", calls_denied = "denied"]: IntCounter =
            "caraplace_guide_tool_calls_total" ["outcome"]
            "Tool calls of the guide, by outcome: done, failed (refused arguments, an error or a timeout) or \
             denied (not this visitor's to have made).";
        [input_tokens = "input", output_tokens = "output"]: IntCounter =
            "caraplace_guide_tokens_total" ["direction"]
            "Tokens that the guide has taken, as the provider counts them, by direction: input or output.";
    }
}
