//! Words on a picture, in the two cuts of the gallery's typeface.

use ab_glyph::{Font as _, FontRef, OutlinedGlyph, PxScale, ScaleFont as _, point};
use rules::palette::Rgb;

use super::sheet::Sheet;

const MEDIUM: &[u8] = include_bytes!("../../../assets/fonts/EBGaramond-Medium.ttf");
const ITALIC: &[u8] = include_bytes!("../../../assets/fonts/EBGaramond-Italic.ttf");

/// A cut of the typeface.
#[derive(Clone, Copy)]
pub(super) enum Cut {
    Medium,
    Italic,
}

/// A line of words: where its left end and its foot stand, and how wide it may be.
pub(super) struct Line<'a> {
    pub cut: Cut,
    pub text: &'a str,
    pub size: f32,
    pub left: f32,
    pub foot: f32,
    pub room: f32,
    pub ink: Rgb,
}

impl Line<'_> {
    /// Writes it; smaller where there is not enough room. A font that cannot be read writes nothing.
    pub fn write(&self, sheet: &mut Sheet) {
        let bytes = match self.cut {
            Cut::Medium => MEDIUM,
            Cut::Italic => ITALIC,
        };
        let Ok(font) = FontRef::try_from_slice(bytes) else { return };
        let (_, width) = self.set(&font, self.size);
        let (glyphs, _) = self.set(&font, self.size * (self.room / width).min(1.0));
        for glyph in glyphs {
            let corner = glyph.px_bounds().min;
            glyph.draw(|x, y, share| {
                sheet.blend(corner.x as i64 + i64::from(x), corner.y as i64 + i64::from(y), self.ink, share);
            });
        }
    }

    /// The letters at their places, and how wide they are together.
    fn set(&self, font: &FontRef<'_>, size: f32) -> (Vec<OutlinedGlyph>, f32) {
        let scaled = font.as_scaled(PxScale::from(size));
        let mut at = self.left;
        let mut glyphs = Vec::new();
        for letter in self.text.chars() {
            let mut glyph = scaled.scaled_glyph(letter);
            glyph.position = point(at, self.foot);
            at += scaled.h_advance(glyph.id);
            glyphs.extend(font.outline_glyph(glyph));
        }
        (glyphs, at - self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_contain_every_character_of_a_card() {
        for bytes in [MEDIUM, ITALIC] {
            let font = FontRef::try_from_slice(bytes).unwrap();
            for letter in "Caraplace 0123456789 agents, pixels. Painted by machines, live.".chars() {
                assert_ne!(font.glyph_id(letter).0, 0, "{letter:?}");
            }
        }
    }
}
