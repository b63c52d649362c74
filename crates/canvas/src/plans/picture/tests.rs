//! Tests of pictures as PNG.

use std::io::Write as _;

use flate2::Compression;
use flate2::Crc;
use flate2::write::ZlibEncoder;
use png::{BitDepth, Encoder};
use proptest::collection::vec;
use proptest::prelude::*;
use rules::palette::rgb_colors;

use super::*;

/// The first column and row, and the steps, of each pass of an interlaced picture (Adam7).
const PASSES: [(usize, usize, usize, usize); 7] =
    [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)];

/// Returns a PNG with these channels.
fn encode(width: u32, height: u32, color_type: ColorType, depth: BitDepth, data: &[u8]) -> Vec<u8> {
    let mut image = Vec::new();
    let mut encoder = Encoder::new(&mut image, width, height);
    encoder.set_color(color_type);
    encoder.set_depth(depth);
    if color_type == ColorType::Indexed {
        encoder.set_palette(rgb_colors().concat());
        encoder.set_trns(vec![255, 0]);
    }
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    image
}

fn chunk(name: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(&name);
    crc.update(data);
    [&(data.len() as u32).to_be_bytes(), name.as_slice(), data, &crc.sum().to_be_bytes()].concat()
}

/// Returns the first chunk of a picture with red, green, blue and alpha, 8 bits each.
fn header(width: u32, height: u32, interlaced: bool) -> Vec<u8> {
    let rest = [8, 6, 0, 0, interlaced.into()];
    chunk(*b"IHDR", &[width.to_be_bytes().as_slice(), &height.to_be_bytes(), &rest].concat())
}

fn compress(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn interlaced(width: usize, pixels: &[[u8; 4]]) -> Vec<u8> {
    let height = pixels.len() / width;
    let mut data = Vec::new();
    for (x, y, x_step, y_step) in PASSES {
        for row in (y..height).step_by(y_step).filter(|_| x < width) {
            data.push(0);
            (x..width).step_by(x_step).for_each(|column| data.extend(pixels[row * width + column]));
        }
    }
    let chunks =
        [header(width as u32, height as u32, true), chunk(*b"IDAT", &compress(&data)), chunk(*b"IEND", &[])];
    [SIGNATURE, &chunks.concat()].concat()
}

fn detail_of(png: &[u8]) -> String {
    match parse_png(png) {
        Err(Refusal::Input(error)) => {
            assert_eq!(error.field.as_deref(), Some("body"));
            error.detail
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_colour_type_and_depth_becomes_rows() {
    use BitDepth::{Eight, Four, One, Sixteen, Two};
    use ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};
    let red_and_clear_blue = [229, 0, 0, 255, 0, 131, 199, 127];
    let wide: Vec<u8> = red_and_clear_blue.iter().flat_map(|value| [*value, 17]).collect();
    let cases: [(ColorType, BitDepth, &[u8], &str); 15] = [
        (Grayscale, One, &[0b0100_0000], "30"),
        (Grayscale, Two, &[0b0011_0000], "30"),
        (Grayscale, Four, &[0x0f], "30"),
        (Grayscale, Eight, &[0, 136], "32"),
        (Grayscale, Sixteen, &[0, 0, 136, 7], "32"),
        (GrayscaleAlpha, Eight, &[34, 128, 34, 127], "3."),
        (GrayscaleAlpha, Sixteen, &[34, 0, 128, 0, 34, 0, 127, 255], "3."),
        (Rgb, Eight, &[229, 0, 0, 0, 131, 199], "5c"),
        (Rgb, Sixteen, &[229, 9, 0, 9, 0, 9, 0, 9, 131, 9, 199, 9], "5c"),
        (Rgba, Eight, &red_and_clear_blue, "5."),
        (Rgba, Sixteen, &wide, "5."),
        (Indexed, One, &[0b0100_0000], "0."),
        (Indexed, Two, &[0b0111_0000], ".3"),
        (Indexed, Four, &[0x5c], "5c"),
        (Indexed, Eight, &[5, 1], "5."),
    ];
    for (color_type, depth, data, row) in cases {
        let picture = parse_png(&encode(2, 1, color_type, depth, data)).unwrap();
        assert_eq!(picture.rows, [row], "{color_type:?} {depth:?}");
    }
}

#[test]
fn colours_are_counted_the_most_frequent_first() {
    let pixels = [[229, 0, 0], [255, 0, 0], [229, 0, 0], [0, 0, 0]].concat();
    let picture = parse_png(&encode(4, 1, ColorType::Rgb, BitDepth::Eight, &pixels)).unwrap();
    let mapped: Vec<_> = picture.mapped.iter().map(|color| (&*color.hex, color.index, color.count)).collect();
    assert_eq!(mapped, [("#E50000", 5, 2), ("#000000", 3, 1), ("#FF0000", 5, 1)]);
    assert_eq!(picture.rows, ["5553"]);
}

#[test]
fn a_mapping_names_256_colours_at_most() {
    let pixels: Vec<u8> =
        (0..64 * 64).flat_map(|number: u16| [number as u8, (number >> 8) as u8, 9]).collect();
    let picture = parse_png(&encode(64, 64, ColorType::Rgb, BitDepth::Eight, &pixels)).unwrap();
    assert_eq!(picture.mapped.len(), MAX_MAPPED_COLORS);
    assert!(picture.rows.len() == 64 && picture.rows.iter().all(|row| row.len() == 64));
}

#[test]
fn other_formats_are_named_as_such() {
    for wrong in [b"".as_slice(), b"GIF89a", b"\xff\xd8\xff\xe0", b"<svg/>", &SIGNATURE[..7]] {
        assert!(detail_of(wrong).starts_with("The body is not a PNG"), "{wrong:?}");
    }
}

#[test]
fn pictures_are_refused_by_their_size_before_they_are_read() {
    for (width, height) in [(65, 1), (1, 65), (60_000, 60_000), (u32::MAX >> 1, u32::MAX >> 1)] {
        let detail = detail_of(&[SIGNATURE, &header(width, height, false)].concat());
        assert!(detail.contains(&format!("{width} × {height} pixels; at most 64 × 64")), "{detail}");
    }
}

#[test]
fn animated_pictures_are_refused() {
    let mut image = Vec::new();
    let mut encoder = Encoder::new(&mut image, 1, 1);
    encoder.set_animated(2, 0).unwrap();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[0]).unwrap();
    writer.write_image_data(&[9]).unwrap();
    writer.finish().unwrap();
    assert!(detail_of(&image).contains("animated"));
}

#[test]
fn damaged_pictures_are_refused() {
    let whole = encode(2, 1, ColorType::Grayscale, BitDepth::Eight, &[0, 136]);
    for length in SIGNATURE.len()..whole.len() {
        assert!(detail_of(&whole[..length]).contains("damaged or incomplete"), "{length}");
    }
    let mut flipped = whole;
    flipped[18] ^= 0x80;
    assert!(detail_of(&flipped).contains("damaged"));
    let no_size = [SIGNATURE, &header(0, 1, false), &chunk(*b"IEND", &[])].concat();
    assert!(detail_of(&no_size).contains("damaged"));
}

/// Splits a picture into its chunks.
fn split(png: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = &png[SIGNATURE.len()..];
    let mut chunks = Vec::new();
    while rest.len() >= 12 {
        let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize + 12;
        chunks.push(rest[..length].to_vec());
        rest = &rest[length..];
    }
    chunks
}

#[test]
fn palettes_of_a_wrong_length_are_refused() {
    let image = encode(3, 3, ColorType::Indexed, BitDepth::Eight, &[0; 9]);
    for length in [1, 4, 47, 257 * 3] {
        let mut chunks = split(&image);
        let palette = chunks.iter_mut().find(|chunk| chunk[4..8] == *b"PLTE").unwrap();
        *palette = chunk(*b"PLTE", &vec![0; length]);
        assert_eq!(detail_of(&[SIGNATURE, &chunks.concat()].concat()), DAMAGED, "{length} bytes");
    }
}

#[test]
fn a_late_transparency_changes_no_pixel() {
    use BitDepth::{Eight, Sixteen};
    let red: Vec<u8> = [229, 0, 0].repeat(64);
    let rgb = (ColorType::Rgb, Eight, red, 6);
    let wide = (ColorType::Rgb, Sixteen, [229, 229, 0, 0, 0, 0].repeat(64), 6);
    let grey = (ColorType::Grayscale, Eight, vec![0; 64], 2);
    for (color_type, depth, data, length) in [rgb, wide, grey] {
        let image = encode(8, 8, color_type, depth, &data);
        let expected = parse_png(&image).unwrap();
        assert!(expected.rows.len() == 8 && expected.rows.iter().all(|row| row.len() == 8));
        let mut chunks = split(&image);
        chunks.insert(chunks.len() - 1, chunk(*b"tRNS", &vec![0; length]));
        let late = [SIGNATURE, &chunks.concat()].concat();
        assert_eq!(parse_png(&late).unwrap(), expected, "{color_type:?} {depth:?}");
    }
}

#[test]
fn data_that_grows_when_it_is_read_costs_no_memory() {
    // Pixels, and a text that decompresses to 100 MB.
    let pixels = compress(&vec![0; 100 << 20]);
    let text = chunk(*b"zTXt", &[b"Comment\0\0".as_slice(), &pixels].concat());
    let chunks = [header(64, 64, false), text, chunk(*b"IDAT", &pixels), chunk(*b"IEND", &[])];
    assert!(detail_of(&[SIGNATURE, &chunks.concat()].concat()).contains("transparent"));
}

proptest! {
    #[test]
    fn palette_colours_are_kept_in_every_order(
        width in 1_usize..20,
        pixels in vec(prop_oneof![(0_usize..16).prop_map(Some), Just(None)], 1..200),
        is_interlaced: bool,
    ) {
        let width = width.min(pixels.len());
        let pixels = &pixels[..pixels.len() / width * width];
        let colors = rgb_colors();
        let opaque = |index: usize| {
            let [red, green, blue] = colors[index];
            [red, green, blue, 255]
        };
        let rgba: Vec<[u8; 4]> = pixels.iter().map(|pixel| pixel.map_or([0; 4], opaque)).collect();
        let height = pixels.len() / width;
        prop_assume!(height <= 64);
        let image = if is_interlaced {
            interlaced(width, &rgba)
        } else {
            encode(width as u32, height as u32, ColorType::Rgba, BitDepth::Eight, &rgba.concat())
        };
        prop_assume!(pixels.iter().any(Option::is_some));
        let picture = parse_png(&image).unwrap();
        let digits = picture.rows.concat();
        let digit = |index: usize| char::from_digit(index as u32, 16).unwrap();
        let expected: String = pixels.iter().map(|pixel| pixel.map_or('.', digit)).collect();
        prop_assert_eq!(digits, expected);
        prop_assert!(picture.rows.iter().all(|row| row.len() == width));
        let painted = pixels.iter().flatten().count();
        prop_assert_eq!(picture.mapped.iter().map(|color| color.count).sum::<usize>(), painted);
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        start in vec(any::<u8>(), 0..200),
        position in 8_usize..70,
        value: u8,
        is_interlaced: bool,
    ) {
        let _ = parse_png(&[SIGNATURE, &start].concat());
        let mut image = if is_interlaced {
            interlaced(3, &[[200, 100, 0, 255]; 9])
        } else {
            encode(3, 3, ColorType::Indexed, BitDepth::Four, &[0x12, 0x30, 0x12, 0x30, 0x12, 0x30])
        };
        let position = position.min(image.len() - 1);
        image[position] = value;
        if let Ok(picture) = parse_png(&image) {
            let rows = &picture.rows;
            prop_assert!(rows.len() <= MAX_SIDE && rows.iter().all(|row| row.len() <= MAX_SIDE));
        }
    }

    #[test]
    fn chunks_at_any_place_leave_the_size_as_it_is(
        (color_type, depth, row_bytes) in prop::sample::select(vec![
            (ColorType::Grayscale, BitDepth::One, 1),
            (ColorType::Grayscale, BitDepth::Eight, 5),
            (ColorType::Grayscale, BitDepth::Sixteen, 10),
            (ColorType::GrayscaleAlpha, BitDepth::Eight, 10),
            (ColorType::Rgb, BitDepth::Eight, 15),
            (ColorType::Rgb, BitDepth::Sixteen, 30),
            (ColorType::Rgba, BitDepth::Eight, 20),
            (ColorType::Indexed, BitDepth::Two, 2),
            (ColorType::Indexed, BitDepth::Eight, 5),
        ]),
        added in vec((
            prop::sample::select(vec![
                *b"tRNS", *b"PLTE", *b"IDAT", *b"IEND", *b"IHDR", *b"gAMA", *b"sBIT", *b"acTL", *b"fcTL",
            ]),
            vec(any::<u8>(), 0..30),
            any::<prop::sample::Index>(),
        ), 0..4),
        one: prop::sample::Index,
        other: prop::sample::Index,
        is_swapped: bool,
    ) {
        let data: Vec<u8> = (0..row_bytes * 7).map(|number: usize| number as u8 % 4).collect();
        let mut chunks = split(&encode(5, 7, color_type, depth, &data));
        if is_swapped {
            let length = chunks.len();
            chunks.swap(one.index(length), other.index(length));
        }
        for (name, content, place) in added {
            chunks.insert(place.index(chunks.len() + 1), chunk(name, &content));
        }
        match parse_png(&[SIGNATURE, &chunks.concat()].concat()) {
            Ok(picture) => {
                let widths: Vec<usize> = picture.rows.iter().map(String::len).collect();
                prop_assert_eq!(widths, [5; 7]);
            }
            Err(refusal) => prop_assert!(matches!(refusal, Refusal::Input(_))),
        }
    }
}
