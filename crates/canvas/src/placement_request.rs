//! Requests to place pixels: their bodies, and how they become pixels that cannot be invalid.

use std::fmt;

use platform::input;
use platform::input::strict_json;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::grid::{Point, Size};
use rules::palette::Color;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use utoipa::ToSchema;

/// Request body of `POST /api/pixel`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacePixelBody {
    pub x: i64,
    pub y: i64,
    /// Index into the palette.
    pub color: i64,
    /// `chat_digest` from the newest `GET /api/chat`; not needed while the chat is switched off.
    pub chat_digest: Option<String>,
    /// The colour that the pixel must have; otherwise the request is refused. A pixel that already has the
    /// wanted `color` is left as it is and costs nothing.
    pub expected_color: Option<i64>,
    /// The plan that the placement is for: `plan_…`, of this season. Readers of the pixel see it.
    pub plan_id: Option<String>,
    /// True: answers 200 with what the request would do, and spends and writes nothing. All checks apply,
    /// except that charges may be missing; an `Idempotency-Key` is ignored.
    #[serde(default)]
    pub dry_run: bool,
}

/// Request body of `POST /api/pixels`. It names the pixels in `pixels` or in `runs`, each pixel once.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacePixelsBody {
    /// The pixels, one by one.
    #[serde(default, deserialize_with = "strict_json::non_null_list")]
    #[schema(value_type = Vec<BatchPixel>, required = false)]
    pub pixels: Option<Vec<BatchPixel>>,
    /// Instead of `pixels`: horizontal runs of one colour, each as `[x, y, length, color]`, from `x` to the
    /// right. They may have as many pixels together as `pixels` may have entries.
    #[serde(default, deserialize_with = "strict_json::non_null")]
    #[schema(value_type = Vec<Vec<i64>>, required = false)]
    pub runs: Option<Vec<PixelRun>>,
    /// `chat_digest` from the newest `GET /api/chat`; not needed while the chat is switched off.
    pub chat_digest: Option<String>,
    /// The treatment of pixels that no longer have their `expected_color`: by default, the request is
    /// refused.
    #[serde(default)]
    pub on_conflict: ConflictPolicy,
    /// The plan that the placement is for: `plan_…`, of this season. Readers of the pixel see it.
    pub plan_id: Option<String>,
    /// True: answers 200 with what the request would do, and spends and writes nothing. All checks apply,
    /// except that charges may be missing; an `Idempotency-Key` is ignored.
    #[serde(default)]
    pub dry_run: bool,
}

/// One of several pixels to place.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchPixel {
    pub x: i64,
    pub y: i64,
    /// Index into the palette.
    pub color: i64,
    /// The colour that the pixel must have; otherwise it conflicts. A pixel that already has the wanted
    /// `color` is left as it is and costs nothing.
    pub expected_color: Option<i64>,
}

/// The treatment of a request in which pixels no longer have their expected colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", try_from = "String")]
pub enum ConflictPolicy {
    /// The whole request is refused.
    #[default]
    Refuse,
    /// The other pixels are placed.
    Skip,
}

impl TryFrom<String> for ConflictPolicy {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.as_str() {
            "refuse" => Ok(Self::Refuse),
            "skip" => Ok(Self::Skip),
            _ => Err("on_conflict must be refuse or skip"),
        }
    }
}

/// A horizontal run of pixels, written as an array of four numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelRun {
    /// The leftmost column.
    pub x: i64,
    pub y: i64,
    pub length: i64,
    pub color: i64,
}

/// A pixel to place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelInput {
    pub point: Point,
    pub color: Color,
    /// The colour that the pixel must have.
    pub expected_color: Option<Color>,
}

impl PlacePixelBody {
    /// Returns the pixel, if it is on a canvas of this size.
    ///
    /// # Errors
    /// `Input` if a field is out of range.
    pub fn parse(&self, size: Size) -> Result<PixelInput, InputError> {
        parse_pixel(size, self.x, self.y, self.color, self.expected_color)
    }
}

impl PlacePixelsBody {
    /// Returns the pixels in the order of the request, if they are distinct and on a canvas of this size.
    ///
    /// # Errors
    /// `Input` with the position of the first wrong pixel, if it is about one.
    pub fn parse(&self, size: Size, max_pixels: usize) -> Result<Vec<PixelInput>, Refusal> {
        let (field, pixels) = match (&self.pixels, &self.runs) {
            (Some(pixels), None) => ("pixels", parse_listed(size, pixels, max_pixels)?),
            (None, Some(runs)) => ("runs", parse_runs(size, runs, max_pixels)?),
            (Some(_), Some(_)) => {
                return Err(Refusal::invalid("runs", "The request has pixels and runs. Send one of them."));
            }
            (None, None) => {
                let detail = "The request has neither pixels nor runs. Send one of them.";
                return Err(InputError::for_field(InputErrorKind::Missing, "pixels", detail).into());
            }
        };
        check_distinct(field, &pixels)?;
        Ok(pixels)
    }
}

fn parse_listed(size: Size, pixels: &[BatchPixel], max_pixels: usize) -> Result<Vec<PixelInput>, Refusal> {
    if !(1..=max_pixels).contains(&pixels.len()) {
        let detail = format!("pixels has {} entries. Send 1 to {max_pixels}.", pixels.len());
        return Err(Refusal::invalid("pixels", detail));
    }
    let parse_entry = |(position, pixel): (usize, &BatchPixel)| {
        let parsed = parse_pixel(size, pixel.x, pixel.y, pixel.color, pixel.expected_color);
        parsed.map_err(|error| error.at_index(position))
    };
    Ok(pixels.iter().enumerate().map(parse_entry).collect::<Result<_, _>>()?)
}

fn parse_runs(size: Size, runs: &[PixelRun], max_pixels: usize) -> Result<Vec<PixelInput>, Refusal> {
    let lengths = 1..=max_pixels as i64;
    if let Some(number) = runs.iter().position(|run| !lengths.contains(&run.length)) {
        let detail = format!("A run has {} pixels. Send 1 to {max_pixels} in all.", runs[number].length);
        return Err(Refusal::invalid(format!("runs[{number}]"), detail));
    }
    let count: i64 = runs.iter().map(|run| run.length).sum();
    if !lengths.contains(&count) {
        let detail = format!("runs has {count} pixels. Send 1 to {max_pixels}.");
        return Err(Refusal::invalid("runs", detail));
    }
    let mut pixels = Vec::with_capacity(count as usize);
    for run in runs {
        parse_run(size, *run, &mut pixels)?;
    }
    Ok(pixels)
}

/// Adds the pixels of a run. Its length is within bounds.
fn parse_run(size: Size, run: PixelRun, pixels: &mut Vec<PixelInput>) -> Result<(), InputError> {
    let position = pixels.len();
    let first = parse_pixel(size, run.x, run.y, run.color, None).map_err(|error| error.at_index(position))?;
    let last_position = position + run.length as usize - 1;
    let last = input::point(size, run.x + run.length - 1, run.y);
    let last = last.map_err(|error| error.at_index(last_position))?;
    let columns = first.point.x..=last.x;
    pixels.extend(columns.map(|x| PixelInput { point: Point { x, ..first.point }, ..first }));
    Ok(())
}

fn parse_pixel(
    size: Size,
    x: i64,
    y: i64,
    color: i64,
    expected_color: Option<i64>,
) -> Result<PixelInput, InputError> {
    let point = input::point(size, x, y)?;
    let expected_color = expected_color.map(|index| input::color("expected_color", index)).transpose()?;
    Ok(PixelInput { point, color: input::color("color", color)?, expected_color })
}

/// Refuses a request that names a pixel twice, because only one of the two could count.
fn check_distinct(field: &'static str, pixels: &[PixelInput]) -> Result<(), InputError> {
    let Some((first, second)) = find_repeated(pixels) else { return Ok(()) };
    let Point { x, y } = pixels[second].point;
    let detail = format!("({x}, {y}) stands at the positions {first} and {second}. Name each pixel once.");
    Err(InputError::for_field(InputErrorKind::Invalid, field, detail).at_index(second))
}

/// Returns the positions of the first pixel that repeats an earlier one: that of the earlier one, and its
/// own.
fn find_repeated(pixels: &[PixelInput]) -> Option<(usize, usize)> {
    let key = |(position, pixel): (usize, &PixelInput)| (pixel.point.y, pixel.point.x, position);
    let mut sorted: Vec<(u16, u16, usize)> = pixels.iter().enumerate().map(key).collect();
    sorted.sort_unstable();
    let repeated = sorted.windows(2).filter(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1));
    repeated.map(|pair| (pair[0].2, pair[1].2)).min_by_key(|(_, second)| *second)
}

impl<'de> Deserialize<'de> for PixelRun {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(RunVisitor)
    }
}

struct RunVisitor;

impl<'de> Visitor<'de> for RunVisitor {
    type Value = PixelRun;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of x, y, length and color")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<PixelRun, A::Error> {
        let mut run = [0_i64; 4];
        for (count, number) in run.iter_mut().enumerate() {
            *number = numbers.next_element()?.ok_or_else(|| A::Error::invalid_length(count, &self))?;
        }
        if numbers.next_element::<IgnoredAny>()?.is_some() {
            return Err(A::Error::invalid_length(run.len() + 1, &self));
        }
        let [x, y, length, color] = run;
        Ok(PixelRun { x, y, length, color })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const SIZE: Size = Size { width: 16, height: 8 };

    fn body(json: &str) -> PlacePixelsBody {
        serde_json::from_str(json).unwrap()
    }

    fn refusal(json: &str) -> InputError {
        match body(json).parse(SIZE, 8) {
            Err(Refusal::Input(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_run_goes_to_the_right() {
        let runs = body(r#"{"runs":[[3,2,3,5],[0,0,1,1]]}"#).parse(SIZE, 8).unwrap();
        let pixels = body(
            r#"{"pixels":[{"x":3,"y":2,"color":5},{"x":4,"y":2,"color":5},{"x":5,"y":2,"color":5},
                {"x":0,"y":0,"color":1}]}"#,
        );
        assert_eq!(runs, pixels.parse(SIZE, 8).unwrap());
    }

    #[test]
    fn wrong_runs_are_refused_with_the_position_of_the_pixel() {
        for (json, kind, field, index) in [
            (r#"{"runs":[]}"#, InputErrorKind::Invalid, Some("runs"), None),
            (r#"{"runs":[[0,0,1,1],[0,1,0,1]]}"#, InputErrorKind::Invalid, Some("runs[1]"), None),
            (r#"{"runs":[[0,0,9223372036854775807,1]]}"#, InputErrorKind::Invalid, Some("runs[0]"), None),
            (r#"{"runs":[[0,0,5,1],[0,1,4,1]]}"#, InputErrorKind::Invalid, Some("runs"), None),
            (r#"{"runs":[[0,0,2,1],[14,1,3,1]]}"#, InputErrorKind::OutOfBounds, None, Some(4)),
            (r#"{"runs":[[0,0,2,1],[-1,1,3,1]]}"#, InputErrorKind::OutOfBounds, None, Some(2)),
            (r#"{"runs":[[0,0,2,1],[0,8,3,1]]}"#, InputErrorKind::OutOfBounds, None, Some(2)),
            (r#"{"runs":[[0,0,2,1],[0,1,3,16]]}"#, InputErrorKind::InvalidColor, Some("color"), Some(2)),
            (r#"{"runs":[[0,0,4,1],[2,0,4,1]]}"#, InputErrorKind::Invalid, Some("runs"), Some(4)),
            ("{}", InputErrorKind::Missing, Some("pixels"), None),
            (r#"{"runs":[[0,0,1,1]],"pixels":[]}"#, InputErrorKind::Invalid, Some("runs"), None),
        ] {
            let error = refusal(json);
            assert_eq!((error.kind, error.field.as_deref(), error.index), (kind, field, index), "{json}");
        }
    }

    #[test]
    fn a_repeated_pixel_is_refused_with_both_positions() {
        let pixels = [(1, 1), (2, 2), (0, 0), (2, 2), (1, 1)]
            .map(|(x, y)| format!(r#"{{"x":{x},"y":{y},"color":1}}"#));
        let error = refusal(&format!(r#"{{"pixels":[{}]}}"#, pixels.join(",")));
        assert_eq!(error.index, Some(3));
        assert_eq!(error.detail, "(2, 2) stands at the positions 1 and 3. Name each pixel once.");
    }

    #[test]
    fn a_run_has_exactly_four_numbers() {
        for run in ["[]", "[0,0,1]", "[0,0,1,1,1]", "[0,0,1,1.5]", "null", "{}", "\"0\""] {
            assert!(serde_json::from_str::<PixelRun>(run).is_err(), "{run}");
        }
    }

    proptest! {
        #[test]
        fn runs_give_the_pixels_that_they_stand_for(
            runs in vec((-2_i64..18, -1_i64..9, -1_i64..6, 0_i64..17), 0..5),
        ) {
            let json = format!("{{\"runs\":{}}}", serde_json::to_string(&runs).unwrap());
            let listed: Vec<_> = runs.iter().flat_map(|(x, y, length, color)| {
                (0..*length).map(move |step| serde_json::json!({"x": x + step, "y": y, "color": color}))
            }).collect();
            let by_run = body(&json).parse(SIZE, 8);
            let one_by_one = body(&serde_json::json!({"pixels": listed}).to_string()).parse(SIZE, 8);
            let lengths_are_valid = runs.iter().all(|(_, _, length, _)| *length > 0);
            prop_assert_eq!(by_run.is_ok(), one_by_one.is_ok() && lengths_are_valid);
            if let Ok(pixels) = by_run {
                prop_assert_eq!(pixels, one_by_one.unwrap());
            }
        }

        #[test]
        fn repeated_pixels_are_found(points in vec((0_u16..5, 0_u16..5), 0..9)) {
            let color = Color::new(1).unwrap();
            let input = |(x, y): &(u16, u16)| {
                PixelInput { point: Point { x: *x, y: *y }, color, expected_color: None }
            };
            let pixels: Vec<_> = points.iter().map(input).collect();
            let earlier = |second: usize| points[..second].iter().rposition(|point| *point == points[second]);
            let expected = (0..points.len()).find_map(|second| earlier(second).map(|first| (first, second)));
            prop_assert_eq!(find_repeated(&pixels), expected);
        }
    }
}
