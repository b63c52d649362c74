//! Identicons of agents: five by five pixels derived from the id, the same as in the canvas page's script.

/// Colours that are readable on the light and on the dark background.
const COLORS: [&str; 10] = [
    "#e8743b", "#d9a514", "#5aa02c", "#1f9e9a", "#3b8fd1", "#7d7bdc", "#b565c9", "#d65a86", "#a5754a",
    "#7e8a94",
];

/// The identicon of an agent; the macros of `templates` render it.
pub struct Identicon {
    pub color: &'static str,
    /// The column and row of each pixel, from 0.
    pub cells: Vec<(u32, u32)>,
}

impl Identicon {
    /// Returns the identicon of the agent with this id. The right half mirrors the left one.
    pub fn from_id(id: &str) -> Self {
        let value = hash(id);
        let bits = value >> 8;
        let left_half = (0..15).filter(|place| bits >> place & 1 == 1).map(|place| (place % 3, place / 3));
        let cells = left_half.flat_map(|(column, row)| {
            let mirrored = (column < 2).then_some((4 - column, row));
            [Some((column, row)), mirrored].into_iter().flatten()
        });
        Self { color: COLORS[value as usize % COLORS.len()], cells: cells.collect() }
    }
}

fn hash(id: &str) -> u32 {
    let mixed =
        id.bytes().fold(2_166_136_261_u32, |value, byte| (value ^ u32::from(byte)).wrapping_mul(16_777_619));
    let value = (mixed ^ (mixed >> 15)).wrapping_mul(2_246_822_507);
    value ^ (value >> 13)
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
        let drawn = "M0 0h1v1h-1zM4 0h1v1h-1zM1 0h1v1h-1zM3 0h1v1h-1zM1 1h1v1h-1zM3 1h1v1h-1z\
                     M0 3h1v1h-1zM4 3h1v1h-1zM1 3h1v1h-1zM3 3h1v1h-1zM0 4h1v1h-1zM4 4h1v1h-1zM1 4h1v1h-1zM3 4h1v1h-1z\" fill=\"#d65a86";
        let id = "agent_00112233445566778899aabbccddeeff";
        assert!(IdenticonTemplate { id }.render().unwrap().contains(drawn));
    }
}
