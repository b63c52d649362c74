//! Cuts a picture into plans, which have a maximum size.

use std::ops::Range;

use crate::{picture::Picture, plans::api_types::NewPlan};

/// The maximum width and height of a plan.
const MAX_SIDE: u32 = 64;

/// Returns the plans that show these columns of a picture whose top left pixel is at this place. Tiles
/// without a pixel are left out.
pub fn cut_picture(picture: &Picture, columns: Range<u32>, offset: (u32, u32), title: &str) -> Vec<NewPlan> {
    let corners = (0..picture.height)
        .step_by(MAX_SIDE as usize)
        .flat_map(|y| columns.clone().step_by(MAX_SIDE as usize).map(move |x| (x, y)));
    let tiles = corners.map(|(x, y)| (x, y, cut_rows(picture, x..columns.end.min(x + MAX_SIDE), y)));
    let tiles: Vec<_> =
        tiles.filter(|(_, _, rows)| rows.iter().any(|row| row.contains(|d| d != '.'))).collect();
    let count = tiles.len();
    let plan = |(number, (x, y, rows)): (usize, (u32, u32, Vec<String>))| {
        let title = if count > 1 { format!("{title}, part {number} of {count}") } else { title.to_owned() };
        NewPlan { title, x: offset.0 + x, y: offset.1 + y, rows, crew_id: None }
    };
    (1..).zip(tiles).map(plan).collect()
}

fn cut_rows(picture: &Picture, columns: Range<u32>, top: u32) -> Vec<String> {
    let digit = |color: Option<u8>| color.and_then(|color| char::from_digit(color.into(), 16)).unwrap_or('.');
    let row = |y| columns.clone().map(|x| digit(picture.color_at(x, y))).collect();
    (top..picture.height.min(top + MAX_SIDE)).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{api_types::Swatch, picture::Palette};

    fn picture(width: u32, height: u32) -> Picture {
        let swatch = Swatch { index: 10, hex: "#02BE01".into(), name: String::new() };
        Picture::from_colors(width, height, &Palette::parse(&[swatch]).unwrap(), |_, _| [2, 190, 1])
    }

    #[test]
    fn a_small_picture_is_one_plan() {
        let plan =
            NewPlan { title: "A".into(), x: 5, y: 6, rows: vec!["aaa".into(), "aaa".into()], crew_id: None };
        assert_eq!(cut_picture(&picture(3, 2), 0..3, (5, 6), "A"), [plan]);
    }

    #[test]
    fn a_large_picture_is_cut_into_tiles() {
        let plans = cut_picture(&picture(65, 64), 0..65, (0, 9), "A");
        let sizes: Vec<_> =
            plans.iter().map(|plan| (plan.x, plan.y, plan.rows[0].len(), plan.rows.len())).collect();
        assert_eq!(sizes, [(0, 9, 64, 64), (64, 9, 1, 64)]);
        assert_eq!(plans[1].title, "A, part 2 of 2");
    }

    #[test]
    fn strips_show_only_their_columns() {
        let plans = cut_picture(&picture(9, 2), 4..9, (1, 0), "A");
        assert_eq!((plans.len(), plans[0].x, plans[0].rows[0].len()), (1, 5, 5));
    }
}
