//! Checks of untyped input: JSON bodies, numbers, coordinates and colours.

pub mod json;
mod json_sentences;
pub mod strict_json;

use std::ops::RangeInclusive;

use rules::grid::{Corners, Point, Rect, Size};
use rules::numbers::Seq;
use rules::palette::Color;

use crate::refusal::{InputError, InputErrorKind, Refusal};

/// Returns a number that is within a range.
///
/// # Errors
/// `Input` if it is outside.
pub fn check_range(name: &str, number: i64, range: RangeInclusive<i64>) -> Result<i64, Refusal> {
    if range.contains(&number) {
        return Ok(number);
    }
    let detail = format!("{name} must be from {} to {}.", range.start(), range.end());
    Err(Refusal::invalid(name.to_owned(), detail))
}

/// Returns the number of an event.
///
/// # Errors
/// `Input` if it is negative.
pub fn event_seq(name: &'static str, seq: Option<Seq>) -> Result<Option<Seq>, Refusal> {
    row_number(name, seq.map(|seq| seq.0))?;
    Ok(seq)
}

/// Returns the number of a row.
///
/// # Errors
/// `Input` if it is negative.
pub fn row_number(name: &'static str, number: Option<i64>) -> Result<Option<i64>, Refusal> {
    if number.is_some_and(i64::is_negative) {
        return Err(Refusal::invalid(name, format!("{name} must not be negative.")));
    }
    Ok(number)
}

/// Returns a point on a canvas of this size.
///
/// # Errors
/// `Input` if it is outside.
pub fn point(size: Size, x: i64, y: i64) -> Result<Point, InputError> {
    size.point(x, y).ok_or_else(|| out_of_bounds(size, &format!("({x}, {y})")))
}

/// Returns a point on a canvas of this size that is written as `x,y`.
///
/// # Errors
/// `Input` if it is something else, or outside.
pub fn near(size: Size, text: &str) -> Result<Point, Refusal> {
    let parse = |(x, y): (&str, &str)| Some((x.parse().ok()?, y.parse().ok()?));
    let malformed = || Refusal::invalid("near", "near must be two coordinates such as 10,20.");
    let (x, y) = text.split_once(',').and_then(parse).ok_or_else(malformed)?;
    Ok(point(size, x, y)?)
}

/// Returns the rectangle between two corners on a canvas of this size.
///
/// # Errors
/// `Input` if a corner is outside, or the corners are not in order.
pub fn rect(size: Size, corners: Corners) -> Result<Rect, InputError> {
    let Corners { x1, y1, x2, y2 } = corners;
    let on_canvas = size.point(x1, y1).is_some() && size.point(x2, y2).is_some();
    if !on_canvas {
        return Err(out_of_bounds(size, &format!("({x1}, {y1}) to ({x2}, {y2})")));
    }
    let detail = "x2 and y2 must not be less than x1 and y1.";
    size.rect(corners).ok_or_else(|| InputError::for_field(InputErrorKind::Invalid, "x2", detail))
}

/// Returns a colour of the palette by its index.
///
/// # Errors
/// `Input` if there is no such colour.
pub fn color(field: &'static str, index: i64) -> Result<Color, InputError> {
    let detail = || format!("{index} is not a colour of the palette: use an index from 0 to 15.");
    Color::new(index).ok_or_else(|| InputError::for_field(InputErrorKind::InvalidColor, field, detail()))
}

/// The number of characters of a name that are compared with known names. A sender may write longer ones.
const MAX_COMPARED_CHARS: usize = 64;
/// The length from which a word says which name was meant.
const MIN_WORD_BYTES: usize = 3;

/// Returns the known name that a sender most likely meant by another one; `None` if none is near. Near is a
/// name of which at most a third of the letters differ, in either case, or one of whose words is the whole
/// other name.
pub fn nearest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: String = name.chars().take(MAX_COMPARED_CHARS).flat_map(char::to_lowercase).collect();
    let distance = |other: &str| {
        let other = other.to_lowercase();
        let distance = strsim::damerau_levenshtein(&name, &other);
        let is_similar = distance * 3 <= name.chars().count().max(other.chars().count());
        let is_word = name.len() >= MIN_WORD_BYTES && (has_word(&other, &name) || has_word(&name, &other));
        (is_similar || is_word).then_some(distance)
    };
    let near = known.into_iter().filter_map(|other| Some((distance(other)?, other)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, other)| other)
}

/// Returns true if one of the words of a name in `snake_case` is this word.
fn has_word(name: &str, word: &str) -> bool {
    name.split('_').any(|part| part == word)
}

fn out_of_bounds(size: Size, description: &str) -> InputError {
    let x = size.width - 1;
    let y = size.height - 1;
    let detail = format!("{description} is not on the canvas, which goes from (0, 0) to ({x}, {y}).");
    InputError::new(InputErrorKind::OutOfBounds, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_proposed() {
        let fields =
            ["x", "y", "color", "chat_digest", "expected_color", "pixels", "reply_to", "content", "type"];
        for (name, nearest) in [
            ("colour", "color"),
            ("Color", "color"),
            ("X", "x"),
            ("digest", "chat_digest"),
            ("replyto", "reply_to"),
            ("pixel", "pixels"),
            ("contents", "content"),
            ("typ", "type"),
        ] {
            assert_eq!(nearest_name(name, fields), Some(nearest), "{name}");
        }
        for name in ["foo", "message", "mentions", "zoom", "z", "a", "", "_", "bar_baz", "dry", "9", "x1y"] {
            assert_eq!(nearest_name(name, fields), None, "{name}");
        }
    }
}
