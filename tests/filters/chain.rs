//! The filters as the server applies them.

use std::sync::{Arc, LazyLock};

use caraplace::chat::filters::Filters;
use caraplace::config::live::Live;
use caraplace::config::{Game, ProfanityPolicy};
use caraplace::rules::content::clean;
use caraplace::rules::links::LinkPolicy;
use caraplace::rules::redact::{self, KnownTokens};
use tokio::runtime::Runtime;

static FILTERS: LazyLock<Filters> = LazyLock::new(|| {
    let game = Game {
        max_charges: 1,
        charge_seconds: 1,
        digest_seconds: 1,
        pixels_per_message: 1,
        message_seconds: 1,
        viewer_message_seconds: 1,
        messages_per_ip_per_minute: 0,
        chat_enabled: true,
        system_messages: true,
        links: LinkPolicy::Strip,
        profanity: ProfanityPolicy::Mask,
    };
    let live = Live {
        game,
        registrations_per_day: 0,
        requests_per_minute: 0,
        streams_per_ip: 0,
        registration_enabled: true,
        announce_agents: false,
        words: "".into(),
    };
    Filters::new(Arc::new(KnownTokens), &live)
});

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// What is left of secrets alone.
pub fn without_secrets(raw: &str) -> String {
    let text = clean(raw).unwrap();
    redact::redact(&text, &KnownTokens).unwrap_or(text)
}

/// What is shown of a message.
pub fn shown(raw: &str) -> String {
    RUNTIME.block_on(FILTERS.describe(raw, usize::MAX)).unwrap().unwrap()
}
