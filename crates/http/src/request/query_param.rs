//! Kinds of query parameters. A parameter of the API is one constant beside its handler: the list of its
//! route has its `param`, from which `openapi.json` and the refusal of unknown names follow, and the handler
//! calls its `read`.
//!
//! A struct per route with `serde::Deserialize` and `utoipa::IntoParams` would be the usual way. But serde
//! words its errors itself and parses in the order of the query, while the refusals here have codes, fields
//! and ranges, and are checked in a fixed order. A macro for such structs would check in the order of the
//! documents, which differs from that of the handlers, and hide the constants from a search for their names.

use std::ops::RangeInclusive;

use caraplace_canvas::history::point_in_time::PointInTime;
use chrono::{DateTime, Utc};
use platform::input;
use rules::numbers::Seq;

use super::query::{CORNER_NAMES, POINT_NAMES, QueryParams, invalid};
use crate::response::problem::Problem;
use crate::route::endpoint::{Param, ParamDefault, ParamKind};
use crate::route::params::query;

/// The pattern of a message's id.
pub const MESSAGE_ID_PATTERN: &str = "^msg_[0-9a-f]{32}$";
/// The pattern of a crew's id.
pub const CREW_ID_PATTERN: &str = "^crew_[0-9a-f]{32}$";
/// The pattern of a plan's id.
pub const PLAN_ID_PATTERN: &str = "^plan_[0-9a-f]{32}$";
/// The pattern of a point, as `x,y`.
pub const POINT_PATTERN: &str = "^[0-9]{1,4},[0-9]{1,4}$";

/// A number in a range; `None` if it is not sent.
pub struct OptionalNumberParam {
    pub param: Param,
    range: RangeInclusive<i64>,
}

/// A number in a range, with a default.
pub struct NumberParam {
    pub param: Param,
    range: RangeInclusive<i64>,
    default: i64,
}

/// The number of an event or of another row; `None` if it is not sent.
pub struct RowNumberParam {
    pub param: Param,
}

/// A word of a list, which stands for a value; `None` if it is not sent.
pub struct OptionalChoiceParam<T: 'static> {
    pub param: Param,
    words: &'static [&'static str],
    values: &'static [T],
}

/// A word of a list, which stands for a value, with a default.
pub struct ChoiceParam<T: 'static> {
    pub param: Param,
    words: &'static [&'static str],
    values: &'static [T],
    default: &'static str,
}

/// Text; `None` if it is not sent.
pub struct TextParam {
    pub param: Param,
}

/// An event's number, or a time; `None` if neither is sent.
pub struct PointInTimeParam {
    pub param: Param,
}

/// A time; `None` if it is not sent.
pub struct TimeParam {
    pub param: Param,
}

/// Returns an optional number.
pub const fn number(
    name: &'static str,
    range: RangeInclusive<i64>,
    help: &'static str,
) -> OptionalNumberParam {
    let kind = ParamKind::Number(*range.start(), *range.end());
    OptionalNumberParam { param: query(name, kind, help), range }
}

/// Returns the parameter `limit` of a list.
pub const fn limit(max: i64, default: i64) -> NumberParam {
    number("limit", 1..=max, "how many, {default} by default").with_default(default)
}

/// Returns an optional number of an event or of another row.
pub const fn row_number(name: &'static str, help: &'static str) -> RowNumberParam {
    RowNumberParam { param: query(name, ParamKind::Number(0, i64::MAX), help) }
}

/// Returns an optional word. Words and values are in the same order.
pub const fn choice<T: 'static, const COUNT: usize>(
    name: &'static str,
    words: &'static [&'static str; COUNT],
    values: &'static [T; COUNT],
    help: &'static str,
) -> OptionalChoiceParam<T> {
    OptionalChoiceParam { param: query(name, ParamKind::OneOf(words), help), words, values }
}

/// Returns a parameter that is `true` or `false`.
pub const fn flag(name: &'static str, default: bool, help: &'static str) -> ChoiceParam<bool> {
    let default = if default { "true" } else { "false" };
    choice(name, &["true", "false"], &[true, false], help).with_default(default)
}

/// Returns optional text.
pub const fn text(name: &'static str, help: &'static str) -> TextParam {
    TextParam { param: query(name, ParamKind::Text, help) }
}

/// Returns optional text, with the regular expression that it matches if it is valid.
pub const fn pattern(name: &'static str, pattern: &'static str, help: &'static str) -> TextParam {
    TextParam { param: query(name, ParamKind::Pattern(pattern), help) }
}

/// Returns an optional point in time.
pub const fn point_in_time(name: &'static str, help: &'static str) -> PointInTimeParam {
    PointInTimeParam { param: query(name, ParamKind::PointInTime, help) }
}

/// Returns an optional time.
pub const fn time(name: &'static str, help: &'static str) -> TimeParam {
    TimeParam { param: query(name, ParamKind::Time, help) }
}

/// Returns the parameters of a point, which [`QueryParams::point`] reads.
pub const fn point(x_help: &'static str, y_help: &'static str) -> [Param; 2] {
    let [x, y] = POINT_NAMES;
    [query(x, ParamKind::Column, x_help), query(y, ParamKind::Row, y_help)]
}

/// Returns the parameters of a region, which [`QueryParams::rect`] reads.
pub const fn corners(x1_help: &'static str) -> [Param; 4] {
    let [x1, y1, x2, y2] = CORNER_NAMES;
    [
        query(x1, ParamKind::Column, x1_help),
        query(y1, ParamKind::Row, "top, inclusive"),
        query(x2, ParamKind::Column, "right, inclusive"),
        query(y2, ParamKind::Row, "bottom, inclusive"),
    ]
}

impl OptionalNumberParam {
    /// Sets the default.
    ///
    /// # Panics
    /// If the default is out of range; a constant then does not compile.
    pub const fn with_default(self, default: i64) -> NumberParam {
        assert!(*self.range.start() <= default && default <= *self.range.end());
        let param = self.param.with_default(ParamDefault::Number(default));
        NumberParam { param, range: self.range, default }
    }

    /// Reads the number.
    pub fn read(&self, params: &QueryParams) -> Result<Option<i64>, Problem> {
        let check = |number| input::check_range(self.param.name, number, self.range.clone());
        Ok(self.read_unchecked(params)?.map(check).transpose()?)
    }

    /// Reads the number, whose range the caller checks.
    pub fn read_unchecked(&self, params: &QueryParams) -> Result<Option<i64>, Problem> {
        params.number(self.param.name)
    }
}

impl NumberParam {
    /// Reads the number.
    pub fn read(&self, params: &QueryParams) -> Result<i64, Problem> {
        self.read_up_to(params, *self.range.end())
    }

    /// Reads a number whose largest value depends on the request.
    pub fn read_up_to(&self, params: &QueryParams, max: i64) -> Result<i64, Problem> {
        let number = params.number(self.param.name)?.unwrap_or(self.default);
        Ok(input::check_range(self.param.name, number, *self.range.start()..=max)?)
    }
}

impl RowNumberParam {
    /// Reads the number of a row.
    pub fn read(&self, params: &QueryParams) -> Result<Option<i64>, Problem> {
        params.row_number(self.param.name)
    }

    /// Reads the number of an event.
    pub fn read_seq(&self, params: &QueryParams) -> Result<Option<Seq>, Problem> {
        params.event_seq(self.param.name)
    }
}

impl<T: Copy> OptionalChoiceParam<T> {
    /// Sets the default, which is one of the words.
    pub const fn with_default(self, default: &'static str) -> ChoiceParam<T> {
        let param = self.param.with_default(ParamDefault::Word(default));
        ChoiceParam { param, words: self.words, values: self.values, default }
    }

    /// Reads the value of the word.
    pub fn read(&self, params: &QueryParams) -> Result<Option<T>, Problem> {
        let parse = |text| parse_word(self.param.name, self.words, self.values, text);
        params.text(self.param.name)?.map(parse).transpose()
    }
}

/// Returns the value of a word.
fn parse_word<T: Copy>(name: &str, words: &[&str], values: &[T], text: &str) -> Result<T, Problem> {
    let position = words.iter().position(|word| *word == text);
    let value = position.and_then(|position| values.get(position)).copied();
    value.ok_or_else(|| {
        let (last, others) = words.split_last().unwrap_or((&"", &[]));
        invalid(name, &format!("must be {} or {last}", others.join(", ")))
    })
}

impl<T: Copy> ChoiceParam<T> {
    /// Reads the value of the word.
    pub fn read(&self, params: &QueryParams) -> Result<T, Problem> {
        let text = params.text(self.param.name)?.unwrap_or(self.default);
        parse_word(self.param.name, self.words, self.values, text)
    }
}

impl TextParam {
    /// Makes the parameter required; its handler calls `read_required`.
    pub const fn required(self) -> Self {
        Self { param: self.param.required() }
    }

    /// Reads the text.
    pub fn read<'q>(&self, params: &'q QueryParams) -> Result<Option<&'q str>, Problem> {
        params.text(self.param.name)
    }

    /// Reads required text.
    pub fn read_required<'q>(&self, params: &'q QueryParams) -> Result<&'q str, Problem> {
        params.required_text(self.param.name)
    }
}

impl PointInTimeParam {
    /// Reads the point in time.
    pub fn read(&self, params: &QueryParams) -> Result<Option<PointInTime>, Problem> {
        params.point_in_time(self.param.name)
    }
}

impl TimeParam {
    /// Reads the time.
    pub fn read(&self, params: &QueryParams) -> Result<Option<DateTime<Utc>>, Problem> {
        params.time(self.param.name)
    }
}

#[cfg(test)]
mod tests {
    use platform::refusal::codes::Code;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_out_of_range_are_refused_not_clamped(
            sent in prop_oneof![-200_i64..300, any::<i64>()], least in 0_i64..50, width in 0_i64..50
        ) {
            let range = least..=least + width;
            let params = QueryParams::from_form(format!("n={sent}").as_bytes()).unwrap();
            match number("n", range.clone(), "").with_default(least).read(&params) {
                Ok(read) => prop_assert!(read == sent && range.contains(&sent)),
                Err(problem) => prop_assert!(problem.code == Code::InvalidField && !range.contains(&sent)),
            }
        }
    }
}
