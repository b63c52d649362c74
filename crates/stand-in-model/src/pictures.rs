//! The pictures that the stand-in model can draft.

/// The distance of a picture from the edges of the canvas.
const MARGIN: usize = 4;

/// A picture: a hex digit per pixel, and `.` for pixels that stay as they are.
pub(crate) struct Picture {
    pub title: &'static str,
    pub rows: &'static [&'static str],
}

/// All pictures; the first one is the usual one.
const PICTURES: [Picture; 4] = [
    Picture {
        title: "Sun",
        rows: &[
            "8...8...8",
            ".8..8..8.",
            "..86668..",
            "..66666..",
            "886666688",
            "..66666..",
            "..86668..",
            ".8..8..8.",
            "8...8...8",
        ],
    },
    Picture { title: "Heart", rows: &[".55.55.", "5555555", "5555555", ".55555.", "..555..", "...5..."] },
    Picture {
        title: "Tree",
        rows: &["...a...", "..aaa..", ".aaaaa.", "..aaa..", ".aaaaa.", "aaaaaaa", "...7...", "...7..."],
    },
    Picture {
        title: "Lighthouse",
        rows: &[
            "..888..", "..333..", "..555..", "..000..", "..555..", "..000..", ".55555.", ".00000.", "2222222",
        ],
    },
];

impl Picture {
    /// Returns the picture whose title the text contains.
    pub(crate) fn named_in(text: &str) -> &'static Self {
        let text = text.to_lowercase();
        let named = PICTURES.iter().find(|picture| text.contains(&picture.title.to_lowercase()));
        named.unwrap_or(&PICTURES[0])
    }

    /// Returns the top left corner of the picture at the place that the text names, on a canvas of this size.
    pub(crate) fn place_in(&self, text: &str, width: usize, height: usize) -> (usize, usize) {
        let x = position(text, "left", "right", width, self.rows[0].len());
        (x, position(text, "top", "bottom", height, self.rows.len()))
    }
}

/// Returns the position along one axis: near one of its ends, or in its middle.
fn position(text: &str, start: &str, end: &str, length: usize, size: usize) -> usize {
    let room = length.saturating_sub(size);
    match (text.contains(start), text.contains(end)) {
        (true, _) => MARGIN.min(room),
        (_, true) => room.saturating_sub(MARGIN),
        _ => room / 2,
    }
}
