//! Filters the texts of fields other than the `content` of a message.

use caraplace_log::identity::KeyHash;
use platform::refusal::Refusal;
use text_filters::content::ContentRefusal;

use super::{FilteredText, Filters};

impl Filters {
    /// Filters the text of a field of at most `max` characters as messages are filtered. `author_key` is
    /// removed from it.
    ///
    /// # Errors
    /// `InField` with the refusal of the text, `Input` if it is too long, or `Overloaded`.
    pub async fn filter_field(
        &self,
        author_key: &KeyHash,
        field: &'static str,
        raw: &str,
        max: usize,
    ) -> Result<FilteredText, Refusal> {
        let too_long = || Refusal::invalid(field, format!("{field} may have at most {max} characters."));
        let content = self.parse_text(raw, max).await.map_err(|refusal| match refusal {
            Refusal::Content(ContentRefusal::TooLong { .. } | ContentRefusal::RawTooLong(_)) => too_long(),
            other => name_field(other, field),
        })?;
        self.filter_message(&content, author_key).await.map_err(|refusal| name_field(refusal, field))
    }
}

/// Names the field of a text that is refused.
fn name_field(refusal: Refusal, field: &'static str) -> Refusal {
    match refusal {
        Refusal::Content(_) | Refusal::ContentProfane | Refusal::ContentLink => {
            Refusal::InField { field, refusal: Box::new(refusal) }
        }
        other => other,
    }
}
