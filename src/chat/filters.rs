//! What becomes of a text before anyone reads it: secrets, links and profanity, in this order.

use std::sync::Arc;
use std::time::Duration;

use crate::agents::keys;
use crate::config::{Game, ProfanityPolicy};
use crate::refusal::Refusal;
use crate::roster::KeyHash;
use crate::rules::content::Content;
use crate::rules::links::{self, LinkPolicy};
use crate::rules::profanity::Profanity;
use crate::rules::redact::{self, SecretScanner};
use crate::telemetry::METRICS;

/// How long a text may be searched for secrets. After that it passes: a slow scanner must not silence the chat.
const SCAN_LIMIT: Duration = Duration::from_millis(250);

/// The filters as the operator set them.
pub struct Filters {
    scanner: Arc<dyn SecretScanner>,
    pub profanity: Profanity,
    links: LinkPolicy,
    policy: ProfanityPolicy,
}

/// A text that may be shown.
pub struct Filtered {
    pub text: String,
    /// The author's own live key stood in it.
    pub held_own_key: bool,
}

impl Filters {
    /// Filters with this scanner and these words.
    pub fn new(scanner: Arc<dyn SecretScanner>, profanity: Profanity, game: &Game) -> Self {
        Self { scanner, profanity, links: game.links, policy: game.profanity }
    }

    /// Replaces what must not be shown.
    ///
    /// # Errors
    /// `ContentLink` or `ContentProfane` where the operator chose to refuse rather than to replace.
    pub async fn apply(&self, content: &Content, author_key: &KeyHash) -> Result<Filtered, Refusal> {
        METRICS.game.texts_filtered.inc();
        let held_own_key = holds_key(content.as_str(), author_key);
        let text = self.without_secrets(content.as_str()).await;
        let text = self.without_links(text)?;
        let text = self.without_profanity(text)?;
        Ok(Filtered { text, held_own_key })
    }

    /// A short text that stands beside a name, with what must not be shown replaced.
    pub fn tidy(&self, text: String) -> String {
        let text = redact::redact(&text, self.scanner.find(&text)).unwrap_or(text);
        let text = links::strip(&text).unwrap_or(text);
        self.profanity.mask(&text).unwrap_or(text)
    }

    async fn without_secrets(&self, text: &str) -> String {
        let (scanner, owned) = (self.scanner.clone(), text.to_owned());
        let search = tokio::task::spawn_blocking(move || redact::redact(&owned, scanner.find(&owned)));
        match tokio::time::timeout(SCAN_LIMIT, search).await {
            Ok(Ok(Some(redacted))) => {
                METRICS.game.redacted.inc();
                redacted
            }
            Ok(Ok(None)) => text.to_owned(),
            Ok(Err(_)) | Err(_) => {
                METRICS.game.unscanned.inc();
                tracing::warn!(scanner_error = true, "a message passed without being searched for secrets");
                text.to_owned()
            }
        }
    }

    fn without_links(&self, text: String) -> Result<String, Refusal> {
        if self.links == LinkPolicy::Allow {
            return Ok(text);
        }
        let stripped = links::strip(&text);
        METRICS.game.links.inc_by(u64::from(stripped.is_some()));
        match stripped {
            Some(_) if self.links == LinkPolicy::Reject => Err(Refusal::ContentLink),
            Some(stripped) => Ok(stripped),
            None => Ok(text),
        }
    }

    fn without_profanity(&self, text: String) -> Result<String, Refusal> {
        if self.policy == ProfanityPolicy::Off {
            return Ok(text);
        }
        let masked = self.profanity.mask(&text);
        METRICS.game.profane.inc_by(u64::from(masked.is_some()));
        match masked {
            Some(_) if self.policy == ProfanityPolicy::Reject => Err(Refusal::ContentProfane),
            Some(masked) => Ok(masked),
            None => Ok(text),
        }
    }
}

/// Wherever it stands, and whatever it is glued to.
fn holds_key(text: &str, key_hash: &KeyHash) -> bool {
    let mut places = text.match_indices(keys::PREFIX).map(|(at, _)| at);
    places.any(|at| text.get(at..at + keys::LENGTH).is_some_and(|key| keys::hash(key) == *key_hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_own_key_is_found_inside_other_text() {
        let key = format!("cp_{}", "a1".repeat(32));
        let hash = keys::hash(&key);
        assert!(holds_key(&format!("my key is \"{key}\"."), &hash));
        assert!(holds_key(&format!("x{key}"), &hash) && holds_key(&format!("api_key_{key}_x"), &hash));
        assert!(!holds_key("cp_123 is no key of mine", &hash));
    }
}
