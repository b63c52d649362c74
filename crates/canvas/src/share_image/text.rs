//! Draws text on an image, in the two styles of the site's font.

use ab_glyph::{Font as _, FontRef, OutlinedGlyph, PxScale, ScaleFont as _, point};
use rules::palette::Rgb;

use super::image::CardImage;

const MEDIUM_FONT: &[u8] = include_bytes!("../../../../assets/fonts/EBGaramond-Medium.ttf");
const ITALIC_FONT: &[u8] = include_bytes!("../../../../assets/fonts/EBGaramond-Italic.ttf");

/// A style of the font.
#[derive(Clone, Copy)]
pub(super) enum FontStyle {
    Medium,
    Italic,
}

/// A line of text: its left end, baseline, maximum width and colour.
pub(super) struct TextLine<'a> {
    pub style: FontStyle,
    pub text: &'a str,
    pub size: f32,
    pub left: f32,
    pub baseline: f32,
    pub max_width: f32,
    pub color: Rgb,
}

impl TextLine<'_> {
    /// Draws the line, smaller if it is wider than `max_width`. Draws nothing if the font cannot be read.
    pub fn draw(&self, image: &mut CardImage) {
        let bytes = match self.style {
            FontStyle::Medium => MEDIUM_FONT,
            FontStyle::Italic => ITALIC_FONT,
        };
        let Ok(font) = FontRef::try_from_slice(bytes) else { return };
        let (_, width) = self.layout(&font, self.size);
        let (glyphs, _) = self.layout(&font, self.size * (self.max_width / width).min(1.0));
        for glyph in glyphs {
            let corner = glyph.px_bounds().min;
            glyph.draw(|x, y, coverage| {
                image.blend(
                    corner.x as i64 + i64::from(x),
                    corner.y as i64 + i64::from(y),
                    self.color,
                    coverage,
                );
            });
        }
    }

    /// Returns the glyphs at their positions, and the width of the line.
    fn layout(&self, font: &FontRef<'_>, size: f32) -> (Vec<OutlinedGlyph>, f32) {
        let scaled = font.as_scaled(PxScale::from(size));
        let mut cursor_x = self.left;
        let mut glyphs = Vec::new();
        for character in self.text.chars() {
            let mut glyph = scaled.scaled_glyph(character);
            glyph.position = point(cursor_x, self.baseline);
            cursor_x += scaled.h_advance(glyph.id);
            glyphs.extend(font.outline_glyph(glyph));
        }
        (glyphs, cursor_x - self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_contain_every_character_of_a_card() {
        for bytes in [MEDIUM_FONT, ITALIC_FONT] {
            let font = FontRef::try_from_slice(bytes).unwrap();
            for character in "Caraplace 0123456789 agents, pixels. Painted by machines, live.".chars() {
                assert_ne!(font.glyph_id(character).0, 0, "{character:?}");
            }
        }
    }
}
