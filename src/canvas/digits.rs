//! Coordinates as dots: a small typeface for the labels of a picture.

/// Dots in a digit's width.
pub const WIDTH: usize = 5;
/// Dots in a digit's height.
pub const HEIGHT: usize = 7;

/// A digit, one byte a row, its leftmost dot the fifth bit.
type Digit = [u8; HEIGHT];

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

/// Where a text's dots are, from its top left corner.
pub fn dots(text: &str) -> impl Iterator<Item = (usize, usize)> {
    text.chars().enumerate().flat_map(|(place, one)| {
        let rows = one.to_digit(10).map_or([0; HEIGHT], |digit| DIGITS[digit as usize]);
        let all = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
        let set = all.filter(move |(x, y)| rows[*y] >> (WIDTH - 1 - x) & 1 == 1);
        set.map(move |(x, y)| (place * (WIDTH + 1) + x, y))
    })
}

/// How many dots wide a text of so many digits is.
pub const fn width(digits: usize) -> usize {
    digits * (WIDTH + 1) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_distinct() {
        let digits: Vec<Vec<_>> = "0123456789".chars().map(|one| dots(&one.to_string()).collect()).collect();
        for (place, one) in digits.iter().enumerate() {
            assert!(one.len() > 6 && !digits[..place].contains(one), "{place}");
        }
    }

    #[test]
    fn text_dots_stay_within_text_width() {
        assert_eq!(dots("40").map(|(x, _)| x).max(), Some(width(2) - 1));
        assert_eq!(dots("1").min(), Some((1, 1)));
    }
}
