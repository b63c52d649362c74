//! Filters texts before they are stored: secrets, contacts, links and profanity, in this order.

mod field;
mod settings;

use std::ops::Range;
use std::time::Duration;

use parking_lot::RwLock;
use rules::names::{AgentName, NameChecker, NameRefusal};
use serde::Serialize;
use text_filters::content::{self, ContentRefusal, MessageContent};
use text_filters::links::OwnOrigin;
use text_filters::redact;
use text_filters::text_limits::check_raw_length;
use utoipa::ToSchema;

use crate::agents::keys;
use crate::config::AdjustableValues;
use crate::log::key_cache::KeyHash;
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::telemetry::METRICS;
use crate::text_workers::{TextWork, TextWorkers};
use crate::tokens;
use settings::FilterSettings;

/// The time limit for filtering a text for which patterns may have to be compiled first.
const COMPILE_TIMEOUT: Duration = Duration::from_secs(5);

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
        let (workers, scanner_workers) = Default::default();
        Self { workers, scanner_workers, own_origin: None, settings }
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

    /// Applies changed settings. A new word list and new rules for secrets are parsed on another thread.
    pub async fn update_settings(&self, live: &AdjustableValues) {
        let current = self.settings.read().clone();
        let updated = current.updated(live).await;
        *self.settings.write() = updated;
    }

    /// Returns the checker of names.
    pub fn name_checker(&self) -> NameChecker {
        self.settings.read().names.clone()
    }

    /// Parses a message.
    ///
    /// # Errors
    /// Returns `Content` if it is empty or too long, or `Overloaded`.
    pub async fn parse_message(&self, raw: &str) -> Result<MessageContent, Refusal> {
        check_raw_length(raw).map_err(ContentRefusal::from)?;
        let raw = raw.to_owned();
        Ok(self.workers.run(TextWork::Clean, raw.len(), move || MessageContent::parse(&raw)).await??)
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
        let (bytes, text, key) = (content.as_str().len(), content.as_str().to_owned(), *author_key);
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
        let (settings, own_origin) = (self.settings.read().clone(), self.own_origin.clone());
        let filter = move || settings.apply_policies(text, own_origin.as_ref(), changed);
        let (text, changed) = self.workers.run(TextWork::Filter, bytes, filter).await??;
        Ok(FilteredText { text, contained_own_key, changed })
    }

    /// Cleans a description of at most `max_chars` characters, and replaces secrets, links and profanity,
    /// whatever the settings for messages, and contacts if the settings say so. Returns `None` if it is too long.
    ///
    /// # Errors
    /// Returns `Overloaded`.
    pub async fn filter_description(&self, raw: &str, max_chars: usize) -> Result<Option<String>, Refusal> {
        if check_raw_length(raw).is_err() {
            return Ok(None);
        }
        let (settings, raw) = (self.settings.read().clone(), raw.to_owned());
        let filter = move || {
            let text = content::clean_unchecked(&raw);
            (text.chars().count() <= max_chars).then(|| settings.replace_all(text))
        };
        // The first text that may contain a kind of secret compiles the pattern of that kind, which takes
        // long even for a short text.
        self.workers.run_within(COMPILE_TIMEOUT, filter).await?.ok_or(Refusal::Overloaded)
    }

    /// Parses a requested name.
    ///
    /// # Errors
    /// Returns `NameNotAllowed` or `Overloaded`.
    pub async fn parse_name(&self, raw: &str) -> Result<AgentName, Refusal> {
        if check_raw_length(raw).is_err() {
            return Err(Refusal::NameNotAllowed(NameRefusal::Length));
        }
        let (raw, names) = (raw.to_owned(), self.name_checker());
        // A name may contain a secret, too, see `filter_description`.
        let parse = move || AgentName::parse(&raw, &names);
        let parsed = self.workers.run_within(COMPILE_TIMEOUT, parse).await?.ok_or(Refusal::Overloaded)?;
        parsed.map_err(Refusal::NameNotAllowed)
    }

    /// Replaces secrets. If the scanner fails or exceeds its time limit, only keys of this server are replaced,
    /// because a scanner must not stop the chat.
    async fn redact_secrets(&self, text: String) -> Result<String, Refusal> {
        let Some((scanner, time_limit)) = self.settings.read().scanner_with_limit() else { return Ok(text) };
        let searched_text = text.clone();
        let search = move || redact::redact(&searched_text, scanner.as_ref());
        let failure = match self.scanner_workers.run_within(time_limit, search).await {
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
}

/// Returns the positions of the author's own key, also without its prefix, in capitals, or inside other text.
fn find_own_keys(text: &str, key_hash: &KeyHash) -> Vec<Range<usize>> {
    const DIGITS: usize = keys::KEY_LENGTH - keys::AGENT_KEY_PREFIX.len();
    const PREFIXES: [&str; 2] = [keys::AGENT_KEY_PREFIX, keys::VIEWER_KEY_PREFIX];
    let bytes = text.as_bytes();
    let is_key = |at: &usize| {
        let digits = &bytes[*at..*at + DIGITS];
        let key = |prefix| format!("{prefix}{}", text[*at..*at + DIGITS].to_ascii_lowercase());
        digits.iter().all(u8::is_ascii_hexdigit)
            && PREFIXES.iter().any(|prefix| tokens::hash(&key(prefix)) == *key_hash)
    };
    let starts = (0..(bytes.len() + 1).saturating_sub(DIGITS)).filter(is_key);
    let ranges = starts.map(|at| {
        let before = at.saturating_sub(keys::AGENT_KEY_PREFIX.len());
        let has_prefix =
            PREFIXES.iter().any(|prefix| bytes[before..at].eq_ignore_ascii_case(prefix.as_bytes()));
        if has_prefix { before..at + DIGITS } else { at..at + DIGITS }
    });
    ranges.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use parking_lot::Mutex;
    use text_filters::links::LinkPolicy;
    use text_filters::redact::SecretScanner;

    use super::*;
    use crate::config::{Config, PiiPolicy, ProfanityPolicy, SecretPolicy};

    /// A scanner that blocks while the lock is held.
    struct BlockingScanner(Mutex<()>);

    impl SecretScanner for BlockingScanner {
        fn find(&self, text: &str) -> Vec<Range<usize>> {
            let _guard = self.0.lock();
            std::iter::once(0..text.len()).collect()
        }
    }

    #[tokio::test]
    async fn message_passes_when_the_scanner_hangs() {
        let scanner = Arc::new(BlockingScanner(Mutex::new(())));
        let lookup = |name: &str| (name == "CARAPLACE_SECRETS_TIMEOUT_MS").then(|| "10".to_owned());
        let filters = Filters::new(&Config::read(lookup).unwrap().adjustable_values());
        filters.settings.write().set_scanner(scanner.clone());
        let content = MessageContent::parse("a red dot").unwrap();
        let (locked_sender, locked_receiver) = mpsc::channel();
        let (release_sender, release_receiver) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let guard = scanner.0.lock();
            locked_sender.send(()).unwrap();
            let _ = release_receiver.recv();
            drop(guard);
        });
        locked_receiver.recv().unwrap();
        assert_eq!(filters.filter_message(&content, &[0; 32]).await.unwrap().text, "a red dot");
        let key = format!("a gp_{} dot", "a1B2".repeat(16));
        let filtered = filters.filter_message(&MessageContent::parse(&key).unwrap(), &[0; 32]).await.unwrap();
        assert_eq!(filtered.text, "a [redacted] dot (content redacted)");
        drop(release_sender);
        thread.join().unwrap();
    }

    #[tokio::test]
    async fn messages_and_descriptions_are_filtered_alike() {
        // Patterns are compiled on first use, which takes long on a busy machine.
        let settings = [("CARAPLACE_SECRETS_TIMEOUT_MS", "10000"), ("CARAPLACE_PII", "mask")];
        let lookup =
            |name: &str| settings.iter().find(|(known, _)| *known == name).map(|(_, it)| (*it).into());
        let filters = Filters::new(&Config::read(lookup).unwrap().adjustable_values());
        for text in [
            "mail ada@example.com or call +49 170 1234567",
            "a red dot top left",
            "see example.com/shit?key=q8Zr4TnW1xYv7LbK9mCd, you fuck dot com",
            "shit.example.com and password: s3cret!fuck",
            "example dot com/cp_0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d",
        ] {
            let content = MessageContent::parse(text).unwrap();
            let expected =
                filters.filter_message(&content, &[0; 32]).await.map(|filtered| filtered.text).unwrap();
            assert_eq!(filters.filter_description(text, 280).await.unwrap(), Some(expected), "{text}");
        }
    }

    #[tokio::test]
    async fn updated_settings_apply_to_later_messages() {
        let mut live = Config::read(|_| None).unwrap().adjustable_values();
        let filters = Filters::new(&live);
        let filter_text = async |text: &str| {
            let filtered = filters.filter_message(&MessageContent::parse(text).unwrap(), &[0; 32]).await;
            filtered.map(|filtered| filtered.text).ok()
        };
        assert_eq!(filter_text("a zorg at example.com").await.unwrap(), "a zorg at [link removed]");
        live.words = "+zorg".into();
        live.game.links = LinkPolicy::Allow;
        filters.update_settings(&live).await;
        assert_eq!(filter_text("a zorg at example.com").await.unwrap(), "a z*** at example.com");
        live.game.profanity = ProfanityPolicy::Reject;
        filters.update_settings(&live).await;
        assert_eq!(filter_text("a zorg").await, None);
        live.secret_rules = "+ acme ACME-[0-9]+".into();
        filters.update_settings(&live).await;
        assert_eq!(filter_text("ACME-0815").await.unwrap(), "[redacted] (content redacted)");
        live.game.secrets = SecretPolicy::Off;
        live.game.pii = PiiPolicy::Mask;
        filters.update_settings(&live).await;
        assert_eq!(filter_text("ACME-0815 to a@b.com").await.unwrap(), "ACME-0815 to [contact removed]");
    }

    #[tokio::test]
    async fn own_key_is_removed_although_the_scanner_is_off() {
        let lookup = |name: &str| (name == "CARAPLACE_SECRETS").then(|| "off".to_owned());
        let filters = Filters::new(&Config::read(lookup).unwrap().adjustable_values());
        let key = format!("cp_{}", "a1".repeat(32));
        let content = MessageContent::parse(&format!("mine is {key}")).unwrap();
        let filtered = filters.filter_message(&content, &tokens::hash(&key)).await.unwrap();
        assert_eq!(filtered.text, "mine is [redacted] (content redacted)");
        assert_eq!(filtered.changed, [ReplacedPart::Secret]);
    }

    #[test]
    fn own_key_is_found_inside_other_text() {
        let key = format!("cp_{}", "a1".repeat(32));
        let hash = tokens::hash(&key);
        let find_keys = |text: &str| {
            find_own_keys(text, &hash).into_iter().map(|span| text[span].to_owned()).collect::<Vec<_>>()
        };
        for text in [format!("my key is \"{key}\"."), format!("x{key}"), format!("é api_key_{key}_x")] {
            assert_eq!(find_keys(&text), [key.as_str()], "{text}");
        }
        assert_eq!(find_keys(&key.to_uppercase()), [key.to_uppercase()]);
        assert_eq!(find_keys(&format!("5{}b", &key[3..])), [&key[3..]]);
        assert_eq!(find_keys("cp_123 is no key of mine"), Vec::<String>::new());
        let viewer_key = format!("gp_{}", "a1".repeat(32));
        assert_eq!(find_own_keys(&viewer_key, &tokens::hash(&viewer_key)), vec![0..67; 1]);
        assert_eq!(find_keys(&format!("{}é", &key[3..66])), Vec::<String>::new());
    }
}
