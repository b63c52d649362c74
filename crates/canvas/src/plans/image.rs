//! The picture of a plan as an image, transparent where a pixel is to be left as it is.

use std::iter::repeat_n;

use rules::palette;
use rules::plan::Target;

use crate::formats;

/// The maximum length of the longer side, in image pixels.
const MAX_IMAGE_SIDE: u16 = 512;
/// The index of the transparent colour, after those of the palette.
const TRANSPARENT: u8 = 16;

/// Returns the width and height of the image, in image pixels.
pub fn image_size(target: &Target) -> (u32, u32) {
    let size = target.area().size();
    let scale = scale(target);
    (u32::from(size.width * scale), u32::from(size.height * scale))
}

/// Returns the number of image pixels per pixel.
fn scale(target: &Target) -> u16 {
    let size = target.area().size();
    MAX_IMAGE_SIDE / size.width.max(size.height)
}

/// Encodes the picture as an indexed PNG.
///
/// # Errors
/// Returns an error if it cannot be encoded.
pub fn encode_png(target: &Target) -> Result<Vec<u8>, png::EncodingError> {
    let (width, height) = image_size(target);
    let scale = usize::from(scale(target));
    let color = |point| target.color(point).map_or(TRANSPARENT, |color| color.index());
    let colors: Vec<u8> = target.area().points().map(color).collect();
    let rows = colors.chunks_exact(usize::from(target.area().size().width)).flat_map(|row| {
        let scaled: Vec<u8> = row.iter().flat_map(|color| repeat_n(*color, scale)).collect();
        repeat_n(scaled, scale)
    });
    formats::encode(width as usize, height as usize, rows, |encoder| {
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette([palette::rgb_colors().as_flattened(), &[0; 3]].concat());
        encoder.set_trns([[u8::MAX; TRANSPARENT as usize].as_slice(), &[0]].concat());
        encoder.set_compression(png::Compression::Balanced);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::grid::Size;

    #[test]
    fn image_has_every_pixel_scaled_and_transparent_gaps() {
        let canvas = Size { width: 16, height: 16 };
        let target = Target::parse(canvas, 3, 4, &["5.", "0f", ".."]).unwrap();
        assert_eq!(image_size(&target), (340, 510));
        let mut decoder = png::Decoder::new(std::io::Cursor::new(encode_png(&target).unwrap()));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (340, 510));
        let pixel_at = |x: usize, y: usize| &pixels[(y * 340 + x) * 4..][..4];
        let colors = palette::rgb_colors();
        assert_eq!(pixel_at(169, 169), [colors[5].as_slice(), &[255]].concat());
        assert_eq!(pixel_at(170, 170), [colors[15].as_slice(), &[255]].concat());
        assert_eq!([pixel_at(170, 169)[3], pixel_at(0, 340)[3]], [0, 0]);
    }
}
