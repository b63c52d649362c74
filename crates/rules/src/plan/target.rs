//! Target pictures in the text form of the canvas: one hex digit per pixel, and `.` for a pixel to leave as
//! it is.

use crate::grid::{Corners, Point, Rect, Size};
use crate::palette::Color;

/// The maximum width and height of a target picture, in pixels.
pub const MAX_SIDE: usize = 64;
/// The digit of a pixel to leave as it is.
const ANY_COLOR: char = '.';
/// The byte of a pixel to leave as it is, which is no palette index.
const ANY_COLOR_BYTE: u8 = u8::MAX;

/// The reason why rows of text are no target picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("rows has {0} entries. Send 1 to {MAX_SIDE}.")]
    RowCount(usize),
    #[error("A row has {0} characters. Each has 1 to {MAX_SIDE}.")]
    RowLength(usize),
    #[error("Row {row} has {length} characters, but the first has {first}. All rows have the same length.")]
    UnequalRow { row: usize, length: usize, first: usize },
    #[error("Row {row} has no hex digit and no dot at position {column}.")]
    InvalidDigit { row: usize, column: usize },
    #[error("No row has a hex digit, so there is nothing to paint.")]
    Blank,
    #[error("The picture is {width} × {height} pixels and does not fit on the canvas at this x and y.")]
    OutsideCanvas { width: usize, height: usize },
}

/// A target picture at its place on the canvas. At least one pixel has a colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    area: Rect,
    /// One palette index per pixel, row by row; [`ANY_COLOR_BYTE`] for a pixel to leave as it is.
    bytes: Box<[u8]>,
}

impl Target {
    /// Parses rows of hex digits and dots, whose top left pixel is at `x` and `y` of a canvas of this size.
    ///
    /// # Errors
    /// The reason why they are no target picture. Rows are counted from 0, columns too.
    pub fn parse(canvas: Size, x: i64, y: i64, rows: &[impl AsRef<str>]) -> Result<Self, TargetError> {
        if !(1..=MAX_SIDE).contains(&rows.len()) {
            return Err(TargetError::RowCount(rows.len()));
        }
        let first = rows[0].as_ref().chars().count();
        if !(1..=MAX_SIDE).contains(&first) {
            return Err(TargetError::RowLength(first));
        }
        let mut bytes = Vec::with_capacity(first * rows.len());
        for (row, digits) in rows.iter().enumerate() {
            let length = digits.as_ref().chars().count();
            if length != first {
                return Err(TargetError::UnequalRow { row, length, first });
            }
            for (column, digit) in digits.as_ref().chars().enumerate() {
                let color = parse_color(digit);
                if color.is_none() && digit != ANY_COLOR {
                    return Err(TargetError::InvalidDigit { row, column });
                }
                bytes.push(color.map_or(ANY_COLOR_BYTE, Color::index));
            }
        }
        Self::place(canvas, x, y, first, bytes)
    }

    /// Returns the target picture with these bytes, row by row, whose top left pixel is at `x` and `y`.
    fn place(canvas: Size, x: i64, y: i64, width: usize, bytes: Vec<u8>) -> Result<Self, TargetError> {
        if bytes.iter().all(|byte| *byte == ANY_COLOR_BYTE) {
            return Err(TargetError::Blank);
        }
        let height = bytes.len() / width;
        let outside = TargetError::OutsideCanvas { width, height };
        let last = |first: i64, length: usize| first.checked_add(length as i64 - 1).ok_or(outside);
        let corners = Corners { x1: x, y1: y, x2: last(x, width)?, y2: last(y, height)? };
        let area = canvas.rect(corners).ok_or(outside)?;
        Ok(Self { area, bytes: bytes.into() })
    }

    /// Returns the same picture with its top left pixel at `x` and `y`.
    ///
    /// # Errors
    /// `OutsideCanvas`.
    pub fn moved_to(&self, canvas: Size, x: i64, y: i64) -> Result<Self, TargetError> {
        Self::place(canvas, x, y, self.area.size().width.into(), self.to_bytes())
    }

    /// Returns the target picture of a stored plan; `None` if the bytes do not fit the area.
    pub fn from_bytes(area: Rect, bytes: &[u8]) -> Option<Self> {
        let is_valid = |byte: &u8| *byte == ANY_COLOR_BYTE || to_color(*byte).is_some();
        let fits = bytes.len() == area.area() && bytes.iter().all(is_valid);
        fits.then(|| Self { area, bytes: bytes.into() })
    }

    /// Returns the bytes to store, one for each pixel, row by row.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes.to_vec()
    }

    /// Returns the rows of hex digits and dots.
    pub fn to_rows(&self) -> Vec<String> {
        let digit = |byte: &u8| char::from_digit((*byte).into(), 16).unwrap_or(ANY_COLOR);
        let rows = self.bytes.chunks_exact(self.area.size().width.into());
        rows.map(|row| row.iter().map(digit).collect()).collect()
    }

    /// Returns the area on the canvas.
    pub fn area(&self) -> Rect {
        self.area
    }

    /// Returns the wanted colour at a point; `None` outside the picture, and for a pixel to leave as it is.
    pub fn color(&self, point: Point) -> Option<Color> {
        to_color(self.bytes[self.area.index_of(point)?])
    }

    /// Returns the index of a pixel that the picture has a colour for, in row-major order; `None` for others.
    pub(super) fn index_of(&self, point: Point) -> Option<usize> {
        self.wanted_at(point).map(|(index, _)| index)
    }

    /// Returns the index of a pixel that the picture has a colour for, and this colour; `None` for others.
    pub(super) fn wanted_at(&self, point: Point) -> Option<(usize, Color)> {
        let index = self.area.index_of(point)?;
        Some((index, to_color(self.bytes[index])?))
    }

    /// Returns the pixels with their wanted colours, row by row.
    pub fn pixels(&self) -> impl Iterator<Item = (Point, Color)> {
        self.area.points().zip(&self.bytes).filter_map(|(point, byte)| Some((point, to_color(*byte)?)))
    }
}

fn to_color(byte: u8) -> Option<Color> {
    Color::new(byte.into())
}

fn parse_color(digit: char) -> Option<Color> {
    Color::new(digit.to_digit(16)?.into())
}
