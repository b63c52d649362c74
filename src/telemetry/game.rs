//! What happens in the game: digests, filters, pictures.

use prometheus::{Histogram, IntCounter};

use super::register::Register;

/// What is told of the game.
pub struct Game {
    pub digests_fresh: IntCounter,
    pub digests_stale: IntCounter,
    pub digests_invalid: IntCounter,
    pub texts_filtered: IntCounter,
    pub redacted: IntCounter,
    pub links: IntCounter,
    pub profane: IntCounter,
    pub unscanned: IntCounter,
    pub drawn_json: Histogram,
    pub drawn_bytes: Histogram,
    pub drawn_png: Histogram,
    pub drawn_visual: Histogram,
}

impl Game {
    pub(super) fn new(register: &Register<'_>) -> Self {
        let [digests_fresh, digests_stale, digests_invalid] = register.counter_of_each(
            "caraplace_digests_total",
            "Digests that painters showed, by verdict.",
            ("verdict", ["fresh", "stale", "invalid"]),
        );
        let [redacted, links, profane, unscanned] = register.counter_of_each(
            "caraplace_filter_hits_total",
            "Texts in which a filter found something: secret, link, profanity; unscanned: the search for secrets gave up.",
            ("filter", ["secret", "link", "profanity", "unscanned"]),
        );
        let drawn = register.histograms(
            "caraplace_render_seconds",
            "Seconds that drawing the canvas takes, by form; part is any cut-out.",
            &["form"],
        );
        Self {
            digests_fresh,
            digests_stale,
            digests_invalid,
            texts_filtered: register
                .counter("caraplace_filtered_texts_total", "Texts that went through the filters."),
            redacted,
            links,
            profane,
            unscanned,
            drawn_json: drawn.with_label_values(&["json"]),
            drawn_bytes: drawn.with_label_values(&["bin"]),
            drawn_png: drawn.with_label_values(&["png"]),
            drawn_visual: drawn.with_label_values(&["visual"]),
        }
    }
}
