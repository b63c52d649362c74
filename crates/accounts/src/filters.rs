//! Filters texts before they are stored: secrets, contacts, links and profanity, in this order.

mod field;
mod own_keys;
mod settings;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use caraplace_log::identity::KeyHash;
use caraplace_log::state::AppState;
use parking_lot::RwLock;
use platform::config::AdjustableValues;
use platform::refusal::{AccountRefusal, Refusal};
use platform::telemetry::METRICS;
use platform::text_workers::{TextWork, TextWorkers};
use rules::names::{AgentName, NameChecker, NameRefusal};
use serde::Serialize;
use text_filters::content::{self, ContentRefusal, MessageContent};
use text_filters::links::OwnOrigin;
use text_filters::redact::{self, SecretScanner};
use text_filters::text_limits::check_raw_length;
use tokio::time::sleep;
use utoipa::ToSchema;

use own_keys::find_own_keys;
use settings::FilterSettings;

/// The time limit for filtering a text for which patterns may have to be compiled first.
const COMPILE_TIMEOUT: Duration = Duration::from_secs(5);

/// The time limit of the warm-up.
const WARM_UP_TIMEOUT: Duration = Duration::from_mins(2);

/// The time after which a warm-up that has failed or took too long is tried again.
const WARM_UP_INTERVAL: Duration = Duration::from_secs(5);

/// The filters with the operator's settings.
pub struct Filters {
    /// The threads for all filters but the secret scanner.
    pub workers: TextWorkers,
    /// The threads of the secret scanner, which are separate so that a scanner that hangs does not block the
    /// other filters.
    scanner_workers: TextWorkers,
    /// The origin of this server's pages; links to it stay in messages. `None` if it is not configured.
    own_origin: Option<OwnOrigin>,
    settings: RwLock<FilterSettings>,
    /// True if all patterns are compiled, and were searched with. The thread that has searched sets it.
    is_warm: Arc<AtomicBool>,
    /// True until a warm-up that was announced has ended.
    is_warming_up: AtomicBool,
    /// The time limit of a search for which patterns may have to be compiled first.
    compile_timeout: Duration,
}

/// A filtered text.
pub struct FilteredText {
    pub text: String,
    /// True if the text contained its author's own key.
    pub contained_own_key: bool,
    /// The kinds of parts that were replaced.
    pub changed: Vec<ReplacedPart>,
}

/// A kind of text that the filters replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplacedPart {
    Secret,
    /// A mail address or a phone number.
    Pii,
    Link,
    Profanity,
}

impl Filters {
    /// Creates filters with these settings.
    pub fn new(live: &AdjustableValues) -> Self {
        let settings = RwLock::new(FilterSettings::new(live));
        let workers = TextWorkers::new("text-filter");
        let scanner_workers = TextWorkers::new("secret-scanner");
        let (is_warm, is_warming_up) = Default::default();
        let own_origin = None;
        let compile_timeout = COMPILE_TIMEOUT;
        Self { workers, scanner_workers, own_origin, settings, is_warm, is_warming_up, compile_timeout }
    }

    /// Returns filters with the current settings of the server.
    pub fn from_state(state: &AppState) -> Self {
        Self::new(&state.settings.current().values)
    }

    /// Returns filters that keep links to the pages at this address in messages.
    #[must_use]
    pub fn keeping_links_to(self, public_url: Option<&str>) -> Self {
        Self { own_origin: public_url.and_then(OwnOrigin::from_url), ..self }
    }

    /// Returns filters that count as warming up until [`Filters::warm_up`] has ended.
    #[must_use]
    pub fn to_be_warmed_up(self) -> Self {
        Self { is_warming_up: AtomicBool::new(true), ..self }
    }

    /// Returns true until a warm-up that was announced has ended.
    pub fn is_warming_up(&self) -> bool {
        self.is_warming_up.load(Ordering::Acquire)
    }

    /// Compiles all patterns and searches with them. From then on a search for secrets has its set time
    /// limit. A search on another thread only fills caches, which takes little. It is tried until it has
    /// succeeded.
    pub async fn warm_up(&self) {
        loop {
            let settings = self.settings.read().clone();
            let is_warm = self.is_warm.clone();
            let search = move || {
                settings.warm_up();
                is_warm.store(true, Ordering::Release);
            };
            match self.scanner_workers.run_within(WARM_UP_TIMEOUT, search).await {
                Ok(Some(())) => break,
                // Texts are still searched, with the time limit of the first search.
                Ok(None) => tracing::error!("warming up the filters takes too long"),
                Err(error) => tracing::error!(%error, "warming up the filters failed"),
            }
            sleep(WARM_UP_INTERVAL).await;
            // A search that took too long may have ended meanwhile.
            if self.is_warm.load(Ordering::Acquire) {
                break;
            }
        }
        self.is_warming_up.store(false, Ordering::Release);
    }

    /// Applies changed settings. A new word list and new rules for secrets are parsed on another thread.
    pub async fn update_settings(&self, live: &AdjustableValues) {
        let current = self.settings.read().clone();
        let updated = current.updated(live).await;
        *self.settings.write() = updated;
    }

    /// Returns the checker of names.
    fn name_checker(&self) -> NameChecker {
        self.settings.read().names.clone()
    }

    /// Parses a text of at most `max_graphemes` characters, such as a message.
    ///
    /// # Errors
    /// Returns `Content` if it is empty or too long, or `Overloaded`.
    pub async fn parse_text(&self, raw: &str, max_graphemes: usize) -> Result<MessageContent, Refusal> {
        check_raw_length(raw).map_err(ContentRefusal::from)?;
        let bytes = raw.len();
        let raw = raw.to_owned();
        let parse = move || MessageContent::parse(&raw, max_graphemes);
        Ok(self.workers.run(TextWork::Clean, bytes, parse).await??)
    }

    /// Replaces secrets, contacts, links and profanity, as the settings say. The author's own key is always
    /// replaced.
    ///
    /// # Errors
    /// Returns `ContentLink` or `ContentProfane` if the settings refuse such texts instead of replacing, or
    /// `Overloaded`.
    pub async fn filter_message(
        &self,
        content: &MessageContent,
        author_key: &KeyHash,
    ) -> Result<FilteredText, Refusal> {
        METRICS.game.texts_filtered.inc();
        let bytes = content.as_str().len();
        let text = content.as_str().to_owned();
        let key = *author_key;
        let redact_own_key = move || redact::replace_spans(&text, find_own_keys(&text, &key));
        let without_key = self.workers.run(TextWork::Filter, bytes, redact_own_key).await?;
        let contained_own_key = without_key.is_some();
        let text = without_key.map_or_else(|| content.as_str().to_owned(), redact::with_note);
        let text = self.redact_secrets(text).await?;
        let mut changed = Vec::new();
        if text != content.as_str() {
            METRICS.game.redacted.inc();
            changed.push(ReplacedPart::Secret);
        }
        let settings = self.settings.read().clone();
        let own_origin = self.own_origin.clone();
        let filter = move || settings.apply_policies(text, own_origin.as_ref(), changed);
        let (text, changed) = self.workers.run(TextWork::Filter, bytes, filter).await??;
        Ok(FilteredText { text, contained_own_key, changed })
    }

    /// Cleans a description of at most `max_chars` characters, and replaces secrets, links and profanity,
    /// whatever the settings for messages, and contacts if the settings say so. Returns `None` if it is too
    /// long.
    ///
    /// # Errors
    /// Returns `Overloaded`.
    pub async fn filter_description(&self, raw: &str, max_chars: usize) -> Result<Option<String>, Refusal> {
        if check_raw_length(raw).is_err() {
            return Ok(None);
        }
        let settings = self.settings.read().clone();
        let raw = raw.to_owned();
        let filter = move || {
            let text = content::clean_unchecked(&raw);
            (text.chars().count() <= max_chars).then(|| settings.replace_all(text))
        };
        // The first text that may contain a kind of secret compiles the pattern of that kind, which takes
        // long even for a short text.
        self.workers.run_within(self.compile_timeout, filter).await?.ok_or(Refusal::Overloaded)
    }

    /// Parses a requested name.
    ///
    /// # Errors
    /// Returns `NameNotAllowed` or `Overloaded`.
    pub async fn parse_name(&self, raw: &str) -> Result<AgentName, Refusal> {
        if check_raw_length(raw).is_err() {
            return Err(AccountRefusal::NameNotAllowed(NameRefusal::Length).into());
        }
        let raw = raw.to_owned();
        let names = self.name_checker();
        // A name may contain a secret, too, see `filter_description`.
        let parse = move || AgentName::parse(&raw, &names);
        let parsed =
            self.workers.run_within(self.compile_timeout, parse).await?.ok_or(Refusal::Overloaded)?;
        parsed.map_err(|reason| AccountRefusal::NameNotAllowed(reason).into())
    }

    /// Replaces secrets. If the scanner fails or exceeds its time limit, only keys of this server are
    /// replaced, because a scanner must not stop the chat.
    ///
    /// # Errors
    /// `Overloaded` if the search cannot begin in time, gets too little of a processor, or is slow because it
    /// is one of the first: none of them says that the scanner hangs.
    async fn redact_secrets(&self, text: String) -> Result<String, Refusal> {
        let Some((scanner, time_limit)) = self.settings.read().scanner_with_limit() else { return Ok(text) };
        let failure = match self.find_secrets(&text, scanner, time_limit).await {
            Ok(Some(redacted)) => return Ok(redacted.unwrap_or(text)),
            Ok(None) => "the scanner exceeded its time limit".to_owned(),
            Err(Refusal::Internal(error)) => error.chain(),
            Err(refusal) => return Err(refusal),
        };
        METRICS.game.unscanned.inc();
        tracing::warn!(
            scanner_error = true,
            failure,
            "message searched for no secrets but this server's keys"
        );
        Ok(redact::redact(&text, &redact::OwnKeys).unwrap_or(text))
    }

    /// Searches for secrets on a thread of the scanner. Returns the text without them, `Some(None)` if it has
    /// none, or `None` if the scanner hangs.
    async fn find_secrets(
        &self,
        text: &str,
        scanner: Arc<dyn SecretScanner>,
        time_limit: Duration,
    ) -> Result<Option<Option<String>>, Refusal> {
        let is_warm = self.is_warm.load(Ordering::Acquire);
        let time_limit = if is_warm { time_limit } else { time_limit.max(self.compile_timeout) };
        let text = text.to_owned();
        let search = move || redact::redact(&text, scanner.as_ref());
        let found = self.scanner_workers.run_within(time_limit, search).await?;
        if found.is_none() && !is_warm { Err(Refusal::Overloaded) } else { Ok(found) }
    }
}
