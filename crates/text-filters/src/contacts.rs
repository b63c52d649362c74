//! Finds mail addresses and phone numbers, by which a person could be reached outside.

mod mail;
mod phone;

use std::ops::Range;

use super::bounded_search::TooManyMatches;
use super::spans;

/// The text that replaces a contact.
pub const CONTACT_PLACEHOLDER: &str = "[contact removed]";

/// Replaces each mail address and phone number by [`CONTACT_PLACEHOLDER`]; `None` if there are none. A second
/// application changes nothing.
pub fn mask(text: &str) -> Option<String> {
    let mask_once = |text: &str| spans::replace(text, &find(text), CONTACT_PLACEHOLDER);
    spans::replace_repeatedly(text, CONTACT_PLACEHOLDER, mask_once)
}

/// Returns the positions of the contacts of `text`, in order and without overlaps.
fn find(text: &str) -> Vec<Range<usize>> {
    let Ok(mut found) = mail::find(text).map_err(|TooManyMatches| ()) else { return spans::whole(text) };
    found.extend(phone::find(text));
    found.sort_by_key(|contact| contact.start);
    let mut end = 0;
    found.retain(|contact| {
        let is_separate = contact.start >= end;
        end = end.max(contact.end);
        is_separate
    });
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn contacts_are_masked_and_the_rest_stays() {
        for (text, expected) in [
            ("mail ada@example.com, ok?", "mail [contact removed], ok?"),
            ("a@b.com and +49 170 1234567.", "[contact removed] and [contact removed]."),
            ("(415) 555-2671!", "[contact removed]!"),
        ] {
            assert_eq!(mask(text).as_deref(), Some(expected), "{text}");
        }
    }

    proptest! {
        #[test]
        fn masking_twice_changes_nothing(
            text in "([a-z0-9@.+ ()/-]{0,12}(a@b.com|\\+49170|call me |555-|tel: |\\(415\\) )){0,4}",
        ) {
            if let Some(masked) = mask(&text) {
                prop_assert_eq!(mask(&masked), None);
            }
        }

        #[test]
        fn numbers_of_the_canvas_stay(
            x in 0..4096_u32,
            y in 0..4096_u32,
            hash in "[0-9a-f]{6,64}",
            id in "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        ) {
            let text = format!(
                "x={x} y={y} ({x}, {y})-({y},{x}) {x}x{y} {x} {y} #{hash} {hash} {id} row {hash} {hash} \
                 {x}.{y} {x}/{y} +{x}"
            );
            prop_assert_eq!(mask(&text), None);
        }

        #[test]
        fn any_text_is_masked(text in any::<String>()) {
            let _ = mask(&text);
        }
    }
}
