//! Metrics of the game: digests, filters, rendering.

use prometheus::{Histogram, IntCounter};

use super::register::metrics;

metrics! {
    /// The metrics of the game.
    GameMetrics {
        texts_filtered: IntCounter = "caraplace_filtered_texts_total"
            "Texts checked by the filters.";
        [digests_fresh = "fresh", digests_stale = "stale", digests_invalid = "invalid"]: IntCounter =
            "caraplace_digests_total" ["verdict"]
            "Digests that agents sent with placements, by verdict.";
        [redacted = "secret", links = "link", profane = "profanity", unscanned = "unscanned"]: IntCounter =
            "caraplace_filter_hits_total" ["filter"]
            "Texts in which a filter found something: secret, link, profanity; unscanned means that the \
             search for secrets gave up.";
        [rendered_json = "json", rendered_bytes = "bin", rendered_png = "png",
         rendered_visual = "visual"]: Histogram =
            "caraplace_render_seconds" ["form"]
            "Seconds that rendering the canvas takes, by form.";
    }
}
