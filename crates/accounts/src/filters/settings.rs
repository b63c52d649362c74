//! The settings of the filters, which may change while the server runs.

use std::sync::Arc;
use std::time::Duration;

use platform::config::{AdjustableValues, GameSettings, PiiPolicy, ProfanityPolicy, SecretPolicy};
use platform::refusal::Refusal;
use platform::telemetry::METRICS;
use rules::names::{AgentName, NameChecker};
use text_filters::links::{self, LinkPolicy, OwnOrigin};
use text_filters::profanity::WordList;
use text_filters::redact::{self, CustomScanner, SecretRules, SecretScanner};
use text_filters::{contacts, replace_unwanted};
use tokio::task::spawn_blocking;

use super::ReplacedPart;

/// The filters as they are set.
#[derive(Clone)]
pub(super) struct FilterSettings {
    words: Arc<str>,
    pub(super) names: NameChecker,
    secret_rules: Arc<str>,
    scanner: Arc<dyn SecretScanner>,
    game: GameSettings,
}

impl FilterSettings {
    /// Returns the filters of these settings.
    pub(super) fn new(live: &AdjustableValues) -> Self {
        Self {
            words: live.words.clone(),
            names: build_name_checker(&live.words),
            secret_rules: live.secret_rules.clone(),
            scanner: build_scanner(&live.secret_rules),
            game: live.game,
        }
    }

    /// Returns the filters of changed settings. A new word list and new rules for secrets are parsed, and
    /// searched with once, on another thread.
    pub(super) async fn updated(self, live: &AdjustableValues) -> Self {
        let words = live.words.clone();
        let secret_rules = live.secret_rules.clone();
        let names = if self.words == words {
            self.names
        } else {
            let words = words.clone();
            spawn_blocking(move || build_name_checker(&words)).await.unwrap_or(self.names)
        };
        let scanner = if self.secret_rules == secret_rules {
            self.scanner
        } else {
            let rules = secret_rules.clone();
            spawn_blocking(move || warm(build_scanner(&rules))).await.unwrap_or(self.scanner)
        };
        Self { words, names, secret_rules, scanner, game: live.game }
    }

    /// Returns the scanner of secrets with its time limit, or `None` if it is off.
    pub(super) fn scanner_with_limit(&self) -> Option<(Arc<dyn SecretScanner>, Duration)> {
        let time_limit = Duration::from_millis(self.game.secrets_timeout_ms.into());
        (self.game.secrets == SecretPolicy::Redact).then(|| (self.scanner.clone(), time_limit))
    }

    /// Applies every filter once on this thread, so that all patterns are compiled.
    pub(super) fn warm_up(&self) {
        const TEXT: &str =
            "a fuck at example.com/x?key=1, see example dot org, mail ada@example.com, call +49 170 1234567";
        redact::warm_up(self.scanner.as_ref());
        let _ = self.replace_all(TEXT.to_owned());
        let _ = (contacts::mask(TEXT), links::strip_foreign(TEXT, None), self.names.profanity.mask(TEXT));
        let _ = AgentName::parse(TEXT, &self.names);
    }

    /// Replaces the scanner of secrets.
    #[cfg(test)]
    pub(super) fn set_scanner(&mut self, scanner: Arc<dyn SecretScanner>) {
        self.scanner = scanner;
    }

    /// Replaces secrets, links and profanity, and contacts if they are masked.
    pub(super) fn replace_all(&self, text: String) -> String {
        let masks_contacts = self.game.pii == PiiPolicy::Mask;
        replace_unwanted(text, self.scanner.as_ref(), masks_contacts, &self.names.profanity)
    }

    /// Applies the policies for contacts, links and profanity. Adds the kinds of replaced parts to `changed`.
    pub(super) fn apply_policies(
        &self,
        text: String,
        own_origin: Option<&OwnOrigin>,
        mut changed: Vec<ReplacedPart>,
    ) -> Result<(String, Vec<ReplacedPart>), Refusal> {
        let without_contacts = self.apply_pii_policy(&text);
        changed.extend(without_contacts.as_ref().map(|_| ReplacedPart::Pii));
        let text = without_contacts.unwrap_or(text);
        let stripped = self.apply_link_policy(&text, own_origin)?;
        changed.extend(stripped.as_ref().map(|_| ReplacedPart::Link));
        let text = stripped.unwrap_or(text);
        let masked = self.apply_profanity_policy(&text)?;
        changed.extend(masked.as_ref().map(|_| ReplacedPart::Profanity));
        Ok((masked.unwrap_or(text), changed))
    }

    /// Returns the text without mail addresses and phone numbers; `None` if none must be masked.
    fn apply_pii_policy(&self, text: &str) -> Option<String> {
        if self.game.pii == PiiPolicy::Mask { contacts::mask(text) } else { None }
    }

    /// Returns the text without links; `None` if it has none that must be removed.
    fn apply_link_policy(
        &self,
        text: &str,
        own_origin: Option<&OwnOrigin>,
    ) -> Result<Option<String>, Refusal> {
        if self.game.links == LinkPolicy::Allow {
            return Ok(None);
        }
        let Some(stripped) = links::strip_foreign(text, own_origin) else { return Ok(None) };
        METRICS.game.links.inc();
        if self.game.links == LinkPolicy::Reject { Err(Refusal::ContentLink) } else { Ok(Some(stripped)) }
    }

    /// Returns the text with masked profanity; `None` if it has none that must be masked.
    fn apply_profanity_policy(&self, text: &str) -> Result<Option<String>, Refusal> {
        if self.game.profanity == ProfanityPolicy::Off {
            return Ok(None);
        }
        let Some(masked) = self.names.profanity.mask(text) else { return Ok(None) };
        METRICS.game.profane.inc();
        let is_refused = self.game.profanity == ProfanityPolicy::Reject;
        if is_refused { Err(Refusal::ContentProfane) } else { Ok(Some(masked)) }
    }
}

fn build_name_checker(words: &str) -> NameChecker {
    NameChecker::new(&WordList::parse(words))
}

/// Returns a scanner with an operator's rules, which were checked when they were set.
fn build_scanner(rules: &str) -> Arc<dyn SecretScanner> {
    let rules = SecretRules::parse(rules).unwrap_or_else(|error| {
        tracing::warn!(%error, "secret rules are not applied");
        SecretRules::default()
    });
    Arc::new(CustomScanner::new(rules))
}

/// Searches with a scanner once, because its first search takes longest.
fn warm(scanner: Arc<dyn SecretScanner>) -> Arc<dyn SecretScanner> {
    redact::warm_up(scanner.as_ref());
    scanner
}
