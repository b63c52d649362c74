//! A small bitmap font for the coordinates at the edges of an image.

/// The width of a digit, in dots.
pub const DIGIT_WIDTH: usize = 5;
/// The height of a digit, in dots.
pub const DIGIT_HEIGHT: usize = 7;

/// A digit with one byte per row. The fifth bit is the leftmost dot.
type Digit = [u8; DIGIT_HEIGHT];

const DIGITS: [Digit; 10] = [
    [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
    [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
    [0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111],
    [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
    [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
    [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
    [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
    [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
    [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
    [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
];

/// Returns the positions of a text's dots, counted from its top left corner.
pub fn digit_dots(text: &str) -> impl Iterator<Item = (usize, usize)> {
    text.chars().enumerate().flat_map(|(index, character)| {
        let rows = character.to_digit(10).map_or([0; DIGIT_HEIGHT], |digit| DIGITS[digit as usize]);
        let cells = (0..DIGIT_HEIGHT).flat_map(|y| (0..DIGIT_WIDTH).map(move |x| (x, y)));
        let lit = cells.filter(move |(x, y)| rows[*y] >> (DIGIT_WIDTH - 1 - x) & 1 == 1);
        lit.map(move |(x, y)| (index * (DIGIT_WIDTH + 1) + x, y))
    })
}

/// Returns the width of a text with this number of digits, in dots.
pub const fn text_width(digits: usize) -> usize {
    digits * (DIGIT_WIDTH + 1) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_distinct() {
        let digits: Vec<Vec<_>> =
            "0123456789".chars().map(|character| digit_dots(&character.to_string()).collect()).collect();
        for (index, dots) in digits.iter().enumerate() {
            assert!(dots.len() > 6 && !digits[..index].contains(dots), "{index}");
        }
    }

    #[test]
    fn text_dots_stay_within_text_width() {
        assert_eq!(digit_dots("40").map(|(x, _)| x).max(), Some(text_width(2) - 1));
        assert_eq!(digit_dots("1").min(), Some((1, 1)));
    }
}
