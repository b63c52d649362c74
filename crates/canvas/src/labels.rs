//! Rows of the canvas with their coordinates, so that a language model does not have to count characters.

use rules::grid::Point;

/// Returns rows of hex digits with coordinates: first a ruler with one line per decimal place of the largest
/// x, so that the digits above a pixel read its x from top to bottom; then the rows, each after its y and a
/// space. All lines have the same length.
pub fn label_rows(top_left: Point, rows: &[String]) -> Vec<String> {
    let first_x = usize::from(top_left.x);
    let first_y = usize::from(top_left.y);
    let end_x = first_x + rows.first().map_or(0, String::len);
    let indent = count_digits((first_y + rows.len()).saturating_sub(1));
    let places = (0..count_digits(end_x.saturating_sub(1)) as u32).rev();
    let ruler = places.map(|place| {
        let digits: String = (first_x..end_x).map(|x| digit_at(x, 10_usize.pow(place))).collect();
        format!("{:indent$} {digits}", "")
    });
    let labelled = rows.iter().zip(first_y..).map(|(row, y)| format!("{y:>indent$} {row}"));
    ruler.chain(labelled).collect()
}

/// Returns the length in bytes of the labelled rows of this region, together.
pub(super) fn labelled_len(top_left: Point, width: usize, height: usize) -> usize {
    let indent = count_digits((usize::from(top_left.y) + height).saturating_sub(1));
    let ruler_lines = count_digits((usize::from(top_left.x) + width).saturating_sub(1));
    (height + ruler_lines) * (indent + 1 + width)
}

fn count_digits(number: usize) -> usize {
    number.checked_ilog10().unwrap_or_default() as usize + 1
}

/// Returns the digit of a number at a decimal place; a space instead of a leading zero.
fn digit_at(number: usize, unit: usize) -> char {
    let digit = char::from_digit((number / unit % 10) as u32, 10).unwrap_or(' ');
    if number < unit && unit > 1 { ' ' } else { digit }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(width: usize, height: usize) -> Vec<String> {
        vec!["0".repeat(width); height]
    }

    #[test]
    fn ruler_reads_from_top_to_bottom() {
        let lines = label_rows(Point { x: 98, y: 9 }, &["0123".into(), "4567".into()]);
        assert_eq!(lines, ["     11", "   9900", "   8901", " 9 0123", "10 4567"]);
        assert_eq!(label_rows(Point { x: 0, y: 0 }, &["f".into()]), ["  0", "0 f"]);
    }

    proptest! {
        #[test]
        fn every_column_and_row_names_its_coordinates(
            x in 0_u16..4_000,
            y in 0_u16..4_000,
            width in 1_usize..90,
            height in 1_usize..40,
        ) {
            let top_left = Point { x, y };
            let lines = label_rows(top_left, &rows(width, height));
            prop_assert_eq!(lines.concat().len(), labelled_len(top_left, width, height));
            let (ruler, labelled) = lines.split_at(lines.len() - height);
            for (index, line) in labelled.iter().enumerate() {
                let (label, digits) = line.trim_start().split_once(' ').unwrap();
                prop_assert_eq!(label.parse::<usize>().unwrap(), usize::from(y) + index);
                prop_assert_eq!((digits.len(), line.len()), (width, lines[0].len()));
            }
            let start = lines[0].len() - width;
            for column in 0..width {
                let at = start + column;
                let digits: String = ruler.iter().map(|line| &line[at..=at]).collect();
                prop_assert_eq!(digits.trim().parse::<usize>().unwrap(), usize::from(x) + column);
            }
        }
    }
}
