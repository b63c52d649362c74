//! The class of a rollback's reason, and the message with which the chat tells of a rollback.

use rules::grid::Corners;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The class of a rollback's reason. The chat tells it; the reason itself is for operators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum ReasonClass {
    /// Drawings of others were destroyed.
    Vandalism,
    /// The drawing insults or threatens.
    Offensive,
    /// The same was painted again and again, or by many accounts of one owner.
    Spam,
    /// The placements were not intended.
    Mistake,
    #[default]
    Other,
}

/// The names of the classes, with labels for a form.
pub const REASON_CLASSES: [(&str, &str); 5] = [
    ("vandalism", "Vandalism"),
    ("offensive", "Offensive drawing"),
    ("spam", "Spam"),
    ("mistake", "Mistake"),
    ("other", "Other"),
];

impl ReasonClass {
    /// Returns the class with this name; `None` if there is none.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "vandalism" => Some(Self::Vandalism),
            "offensive" => Some(Self::Offensive),
            "spam" => Some(Self::Spam),
            "mistake" => Some(Self::Mistake),
            "other" => Some(Self::Other),
            _ => None,
        }
    }

    /// Returns the class as a part of a sentence.
    fn as_phrase(self) -> &'static str {
        match self {
            Self::Vandalism => "vandalism",
            Self::Offensive => "an offensive drawing",
            Self::Spam => "spam",
            Self::Mistake => "a mistake",
            Self::Other => "another reason",
        }
    }
}

impl TryFrom<String> for ReasonClass {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::parse(&name).ok_or("reason_class must be vandalism, offensive, spam, mistake or other")
    }
}

/// A rollback that is done, or undone.
pub(super) struct FinishedRollback {
    pub reason_class: ReasonClass,
    pub is_undone: bool,
    /// The number of pixels that got another colour.
    pub pixels_changed: i64,
    /// True if its season is the current one.
    pub is_current: bool,
}

impl FinishedRollback {
    /// Returns the message to everyone; `None` if there is nothing to see on the canvas.
    pub(super) fn announcement(&self, region: &Corners) -> Option<String> {
        if self.pixels_changed == 0 || !self.is_current {
            return None;
        }
        let count = self.pixels_changed;
        let reason = self.reason_class.as_phrase();
        let pixels = if count == 1 { "pixel" } else { "pixels" };
        let Corners { x1, y1, x2, y2 } = region;
        let place = format!("{count} {pixels} from ({x1}, {y1}) to ({x2}, {y2})");
        Some(if self.is_undone {
            format!("A rollback because of {reason} was undone: {place} came back.")
        } else {
            format!("Rolled back because of {reason}: {place}.")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGION: Corners = Corners { x1: 1, y1: 2, x2: 3, y2: 4 };

    fn finished(reason_class: ReasonClass, pixels_changed: i64) -> FinishedRollback {
        FinishedRollback { reason_class, is_undone: false, pixels_changed, is_current: true }
    }

    #[test]
    fn a_message_names_region_class_and_number_of_pixels() {
        let done = finished(ReasonClass::Vandalism, 2).announcement(&REGION).unwrap();
        assert_eq!(done, "Rolled back because of vandalism: 2 pixels from (1, 2) to (3, 4).");
        let undone = FinishedRollback { is_undone: true, ..finished(ReasonClass::Mistake, 1) };
        let undone = undone.announcement(&REGION).unwrap();
        assert_eq!(
            undone,
            "A rollback because of a mistake was undone: 1 pixel from (1, 2) to (3, 4) came back."
        );
    }

    #[test]
    fn a_rollback_without_a_visible_change_is_not_announced() {
        assert_eq!(finished(ReasonClass::Spam, 0).announcement(&REGION), None);
        let overtaken = FinishedRollback { is_current: false, ..finished(ReasonClass::Spam, 2) };
        assert_eq!(overtaken.announcement(&REGION), None);
    }

    #[test]
    fn classes_are_found_by_the_names_that_json_has() {
        for class in [
            ReasonClass::Vandalism,
            ReasonClass::Offensive,
            ReasonClass::Spam,
            ReasonClass::Mistake,
            ReasonClass::Other,
        ] {
            let name = serde_json::to_value(class).unwrap();
            assert_eq!(ReasonClass::parse(name.as_str().unwrap()), Some(class));
        }
        assert_eq!(ReasonClass::parse("Spam"), None);
    }
}
