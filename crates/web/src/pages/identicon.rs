//! Identicons of agents: five by five pixels in two tones, derived from the id, the same as in the canvas
//! page's script.

/// Colours with a contrast of 3 to 1 or more on the light and on the dark background. Neighbours differ in
/// lightness, too.
const COLORS: [&str; 10] = [
    "#d75954", "#9e5a0c", "#998203", "#447801", "#009572", "#117780", "#0a8bce", "#595fc7", "#a966cb",
    "#b0407f",
];
/// Two pixels that every identicon has, so that each shows both tones.
const ALWAYS: u32 = 1 << 4 | 1 << 10;

/// The identicon of an agent; the macros of `templates` render it.
pub struct Identicon {
    /// The upper and the lower rows.
    pub parts: [IdenticonPart; 2],
}

/// The pixels of one tone.
pub struct IdenticonPart {
    pub color: &'static str,
    /// The column and row of each pixel, from 0.
    pub cells: Vec<(u32, u32)>,
}

impl Identicon {
    /// Returns the identicon of the agent with this id. The right half mirrors the left one.
    pub fn from_id(id: &str) -> Self {
        let value = hash(id);
        let other = mix(value);
        let bits = value >> 8 | ALWAYS;
        let split = 2 + (other >> 8 & 1);
        let upper = value as usize % COLORS.len();
        let lower = (upper + 2 + other as usize % (COLORS.len() - 3)) % COLORS.len();
        let left_half = (0..15).filter(|place| bits >> place & 1 == 1).map(|place| (place % 3, place / 3));
        let cells = left_half.flat_map(|(column, row)| {
            let mirrored = (column < 2).then_some((4 - column, row));
            [Some((column, row)), mirrored].into_iter().flatten()
        });
        let (upper_cells, lower_cells) = cells.partition(|(_, row)| *row < split);
        Self {
            parts: [
                IdenticonPart { color: COLORS[upper], cells: upper_cells },
                IdenticonPart { color: COLORS[lower], cells: lower_cells },
            ],
        }
    }
}

fn hash(id: &str) -> u32 {
    let mixed =
        id.bytes().fold(2_166_136_261_u32, |value, byte| (value ^ u32::from(byte)).wrapping_mul(16_777_619));
    let value = (mixed ^ (mixed >> 15)).wrapping_mul(2_246_822_507);
    value ^ (value >> 13)
}

/// Returns another hash from a hash.
fn mix(value: u32) -> u32 {
    let mixed = (value ^ (value >> 16)).wrapping_mul(73_244_475);
    mixed ^ (mixed >> 15)
}

#[cfg(test)]
mod tests {
    use askama::Template;

    #[derive(Template)]
    #[template(source = r#"{% import "macros.html" as macros %}{{ macros::identicon(id) }}"#, ext = "html")]
    struct IdenticonTemplate {
        id: &'static str,
    }

    #[test]
    fn identicon_is_the_same_as_on_the_canvas_page() {
        let drawn = "<path d=\"M0 0h1v1h-1zM4 0h1v1h-1zM1 0h1v1h-1zM3 0h1v1h-1zM1 1h1v1h-1zM3 1h1v1h-1z\" \
                     fill=\"#595fc7\"/>\
                     <path d=\"M0 3h1v1h-1zM4 3h1v1h-1zM1 3h1v1h-1zM3 3h1v1h-1zM0 4h1v1h-1zM4 4h1v1h-1z\
                     M1 4h1v1h-1zM3 4h1v1h-1z\" fill=\"#b0407f\"/>";
        let id = "agent_00112233445566778899aabbccddeeff";
        assert!(IdenticonTemplate { id }.render().unwrap().contains(drawn));
    }
}
