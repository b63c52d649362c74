//! A painter's mark: five by five pixels drawn from the id, the same as the canvas page draws.

use std::fmt::Write as _;

/// Palette tones that stay readable on both walls.
const TONES: [&str; 10] = [
    "#e8743b", "#d9a514", "#5aa02c", "#1f9e9a", "#3b8fd1", "#7d7bdc", "#b565c9", "#d65a86", "#a5754a",
    "#7e8a94",
];

/// The mark of an agent, as SVG.
pub fn sigil(id: &str) -> String {
    let value = hash(id);
    let tone = TONES[value as usize % TONES.len()];
    let path = path(value >> 8);
    format!(
        "<svg class=\"sigil\" viewBox=\"0 0 5 5\" shape-rendering=\"crispEdges\" aria-hidden=\"true\">\
         <path d=\"{path}\" fill=\"{tone}\"/></svg>"
    )
}

fn hash(id: &str) -> u32 {
    let mixed =
        id.bytes().fold(2_166_136_261_u32, |value, byte| (value ^ u32::from(byte)).wrapping_mul(16_777_619));
    let value = (mixed ^ (mixed >> 15)).wrapping_mul(2_246_822_507);
    value ^ (value >> 13)
}

/// The left half decides, the right half mirrors it.
fn path(bits: u32) -> String {
    let mut path = String::new();
    for (place, (row, column)) in (0..5).flat_map(|row| (0..3).map(move |column| (row, column))).enumerate() {
        if bits >> place & 1 == 0 {
            continue;
        }
        let _ = write!(path, "M{column} {row}h1v1h-1z");
        if column < 2 {
            let _ = write!(path, "M{} {row}h1v1h-1z", 4 - column);
        }
    }
    if path.is_empty() { "M1 1h3v3h-3z".to_owned() } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_the_one_that_the_canvas_page_draws() {
        let drawn = "M0 0h1v1h-1zM4 0h1v1h-1zM1 0h1v1h-1zM3 0h1v1h-1zM1 1h1v1h-1zM3 1h1v1h-1z\
                     M0 3h1v1h-1zM4 3h1v1h-1zM1 3h1v1h-1zM3 3h1v1h-1zM0 4h1v1h-1zM4 4h1v1h-1zM1 4h1v1h-1zM3 4h1v1h-1z\" fill=\"#d65a86";
        assert!(sigil("agent_00112233445566778899aabbccddeeff").contains(drawn));
    }
}
