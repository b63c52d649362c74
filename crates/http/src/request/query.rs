//! Parses query strings strictly: values out of range are refused, never clamped.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::web::Query;
use actix_web::{FromRequest, HttpRequest};
use caraplace_canvas::history::point_in_time::PointInTime;
use chrono::{DateTime, Utc};
use platform::input;
use platform::refusal::Refusal;
use platform::refusal::codes::Code;
use rules::grid::{Corners, Point, Rect, Size};
use rules::ids::MessageId;
use rules::numbers::Seq;

use crate::response::problem::Problem;

/// The names of the parameters of a point.
pub const POINT_NAMES: [&str; 2] = ["x", "y"];
/// The names of the parameters of a region.
pub const CORNER_NAMES: [&str; 4] = ["x1", "y1", "x2", "y2"];

/// The parameters of a request.
pub struct QueryParams(Vec<(String, String)>);

impl FromRequest for QueryParams {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::from_request(request))
    }
}

impl QueryParams {
    /// Decodes the query string.
    ///
    /// # Errors
    /// `invalid_field` if it cannot be decoded.
    pub fn from_request(request: &HttpRequest) -> Result<Self, Problem> {
        let refuse =
            || Problem::for_field(Code::InvalidField, "query", "The query string cannot be decoded.");
        Self::decode(request.query_string()).ok_or_else(refuse)
    }

    /// Decodes the body of an HTML form.
    ///
    /// # Errors
    /// `invalid_field` if it cannot be decoded.
    pub fn from_form(body: &[u8]) -> Result<Self, Problem> {
        let refuse = || Problem::for_field(Code::InvalidField, "body", "The form cannot be decoded.");
        std::str::from_utf8(body).ok().and_then(Self::decode).ok_or_else(refuse)
    }

    fn decode(text: &str) -> Option<Self> {
        Query::<Vec<(String, String)>>::from_query(text).ok().map(|pairs| Self(pairs.into_inner()))
    }

    /// Returns the name and the value of every parameter, in the order of the request.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the parameters without empty ones: browsers send every field of a form.
    pub fn without_empty(&self) -> Self {
        Self(self.0.iter().filter(|(_, value)| !value.trim().is_empty()).cloned().collect())
    }

    /// Returns a parameter as text.
    ///
    /// # Errors
    /// `invalid_field` if it is repeated.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Problem> {
        let mut values = self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(invalid(name, "must not be repeated")),
            (value, None) => Ok(value),
        }
    }

    /// Returns a required parameter as text.
    ///
    /// # Errors
    /// `missing_field`, or `invalid_field` if it is repeated.
    pub fn required_text(&self, name: &str) -> Result<&str, Problem> {
        self.text(name)?.ok_or_else(|| missing(name))
    }

    /// Parses a whole number.
    ///
    /// # Errors
    /// `invalid_field` if it is not one.
    pub fn number(&self, name: &str) -> Result<Option<i64>, Problem> {
        let whole = |text: &str| text.parse().ok().filter(|_| !text.starts_with('+'));
        let parse = |text| whole(text).ok_or_else(|| invalid(name, "must be a whole number"));
        self.text(name)?.map(parse).transpose()
    }

    /// Parses an event's number.
    ///
    /// # Errors
    /// `invalid_field` if it is not one.
    pub fn event_seq(&self, name: &'static str) -> Result<Option<Seq>, Problem> {
        Ok(self.row_number(name)?.map(Seq))
    }

    /// Parses a row's number.
    ///
    /// # Errors
    /// `invalid_field` if it is not one.
    pub fn row_number(&self, name: &'static str) -> Result<Option<i64>, Problem> {
        Ok(input::row_number(name, self.number(name)?)?)
    }

    /// Parses a cursor that is the id of a message.
    ///
    /// # Errors
    /// `bad_cursor` if it is not one.
    pub fn message_cursor(&self, name: &str) -> Result<Option<MessageId>, Problem> {
        let refuse =
            || Problem::for_field(Code::BadCursor, name, format!("{name} must be the id of a message."));
        self.text(name)?.map(|id| MessageId::parse(id).ok_or_else(refuse)).transpose()
    }

    /// Parses a point on the canvas, from `x` and `y`.
    ///
    /// # Errors
    /// `missing_field`, `invalid_field` or `out_of_bounds`.
    pub fn point(&self, size: Size) -> Result<Point, Problem> {
        let [x, y] = POINT_NAMES;
        let (x, y) = (self.required_number(x)?, self.required_number(y)?);
        Ok(input::point(size, x, y).map_err(Refusal::from)?)
    }

    /// Parses a region of the canvas, from `x1`, `y1`, `x2` and `y2`.
    ///
    /// # Errors
    /// `missing_field`, `invalid_field` or `out_of_bounds`.
    pub fn rect(&self, size: Size) -> Result<Rect, Problem> {
        let [x1, y1, x2, y2] = CORNER_NAMES;
        let corners = Corners {
            x1: self.required_number(x1)?,
            y1: self.required_number(y1)?,
            x2: self.required_number(x2)?,
            y2: self.required_number(y2)?,
        };
        Ok(input::rect(size, corners).map_err(Refusal::from)?)
    }

    /// Parses a region of the canvas; the whole canvas if none of the four parameters is sent.
    ///
    /// # Errors
    /// `missing_field`, `invalid_field` or `out_of_bounds`.
    pub fn rect_or_whole(&self, size: Size) -> Result<Rect, Problem> {
        if self.has_any_corner() { self.rect(size) } else { Ok(size.full_rect()) }
    }

    /// Returns true if any of `x1`, `y1`, `x2` and `y2` is sent.
    pub fn has_any_corner(&self) -> bool {
        let is_given = |name: &&str| self.0.iter().any(|(key, _)| key == name);
        CORNER_NAMES.iter().any(is_given)
    }

    /// Parses a point in time: an event's number, or a time in RFC 3339.
    ///
    /// # Errors
    /// `invalid_field` if it is neither.
    pub fn point_in_time(&self, name: &str) -> Result<Option<PointInTime>, Problem> {
        self.text(name)?.map(|text| parse_point_in_time(name, text)).transpose()
    }

    /// Parses a time in RFC 3339.
    ///
    /// # Errors
    /// `invalid_field` if it is none.
    pub fn time(&self, name: &str) -> Result<Option<DateTime<Utc>>, Problem> {
        let parse = |text: &str| match PointInTime::parse(text) {
            Some(PointInTime::Time(time)) => Ok(time),
            Some(PointInTime::Seq(_)) | None => {
                Err(invalid(name, "must be a time such as 2026-01-31T08:30:00Z"))
            }
        };
        self.text(name)?.map(parse).transpose()
    }

    /// Parses a required whole number.
    ///
    /// # Errors
    /// `missing_field`, or `invalid_field` if it is not one.
    pub fn required_number(&self, name: &str) -> Result<i64, Problem> {
        self.number(name)?.ok_or_else(|| missing(name))
    }
}

/// Parses a point in time: an event's number, or a time in RFC 3339.
///
/// # Errors
/// `invalid_field` if it is neither.
pub fn parse_point_in_time(name: &str, text: &str) -> Result<PointInTime, Problem> {
    PointInTime::parse(text).ok_or_else(|| invalid(name, PointInTime::REQUIREMENT))
}

fn missing(name: &str) -> Problem {
    Problem::for_field(Code::MissingField, name, format!("The parameter {name} is missing."))
}

/// Returns the refusal of a point in time in the future.
pub fn in_future(name: &str) -> Problem {
    invalid(name, "is in the future: the newest event's number is head in /api/stats")
}

/// Returns the refusal of a parameter's value.
pub fn invalid(name: &str, requirement: &str) -> Problem {
    Problem::for_field(Code::InvalidField, name, format!("{name} {requirement}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use proptest::prelude::*;

    const SIZE: Size = Size { width: 128, height: 64 };

    fn params(query: &str) -> Result<QueryParams, Problem> {
        QueryParams::from_request(&TestRequest::get().uri(&format!("/?{query}")).to_http_request())
    }

    fn side() -> impl Strategy<Value = i64> {
        prop_oneof![4 => -2_i64..130, 1 => any::<i64>()]
    }

    #[test]
    fn numbers_have_only_digits_and_an_optional_minus() {
        for wrong in
            ["", "%2B5", "+5", "5.0", "5e0", "0x5", "%205", "5%20", "%EF%BC%95", "9223372036854775808"]
        {
            let problem = params(&format!("x={wrong}")).and_then(|params| params.number("x").map(|_| ()));
            assert_eq!(problem.unwrap_err().code, Code::InvalidField, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_query_is_read_or_refused(query in "[A-Za-z0-9_.&=+%;:/?@!$'()*,~-]{0,60}") {
            let Ok(params) = params(&query) else { return Ok(()) };
            for name in ["x", "y", "limit"] {
                let _ = (params.number(name), params.point_in_time(name));
            }
            let _ = (params.point(SIZE), params.rect(SIZE), params.rect_or_whole(SIZE));
        }

        #[test]
        fn numbers_are_read_unchanged(number: i64) {
            prop_assert_eq!(params(&format!("x={number}")).unwrap().number("x").unwrap(), Some(number));
        }

        #[test]
        fn rectangles_are_read_unchanged(x1 in side(), y1 in side(), x2 in side(), y2 in side()) {
            let requested = Corners { x1, y1, x2, y2 };
            let inside =
                [x1, x2].iter().all(|x| (0..128).contains(x)) && [y1, y2].iter().all(|y| (0..64).contains(y));
            match params(&format!("x1={x1}&y1={y1}&x2={x2}&y2={y2}")).unwrap().rect(SIZE) {
                Ok(rect) => {
                    let Corners { x1: a, y1: b, x2: c, y2: d } = rect.corners();
                    prop_assert!(inside && x1 <= x2 && y1 <= y2);
                    prop_assert_eq!((a, b, c, d), (requested.x1, requested.y1, requested.x2, requested.y2));
                }
                Err(problem) if inside => {
                    prop_assert!(problem.code == Code::InvalidField && (x1 > x2 || y1 > y2));
                }
                Err(problem) => prop_assert_eq!(problem.code, Code::OutOfBounds),
            }
        }
    }
}
