//! Encodes the frames of a timelapse as GIF or APNG, in the colours of the palette.

use std::iter::repeat_n;

use rules::grid::Size;
use rules::palette::{self, PALETTE};
use tokio::sync::mpsc::Receiver;

use super::frames::{FrameChange, TRANSPARENT};
use super::spec::{TimelapseFormat, TimelapseSpec};

/// The maximum size of an animation in bytes.
const MAX_ANIMATION_BYTES: usize = 48 << 20;
/// The delay of the last frame, in hundredths of a second.
const LAST_FRAME_DELAY: u16 = 200;
const DELAY_UNITS_PER_SECOND: u16 = 100;
/// The opacity of the transparent colour, and of the colours after it.
const PALETTE_OPACITIES: [u8; PALETTE.len() + 1] = {
    let mut all = [255; PALETTE.len() + 1];
    all[TRANSPARENT as usize] = 0;
    all
};

/// An error of the encoding.
#[derive(Debug, thiserror::Error)]
pub(super) enum EncodeError {
    #[error("the animation is too large")]
    TooLarge,
    #[error("frames are missing")]
    MissingFrames,
    #[error(transparent)]
    Gif(#[from] gif::EncodingError),
    #[error(transparent)]
    Png(#[from] png::EncodingError),
}

/// Encodes frames until all have arrived.
pub(super) fn encode(spec: &TimelapseSpec, frames: Receiver<FrameChange>) -> Result<Vec<u8>, EncodeError> {
    let mut image = LimitedBuffer(Vec::new());
    let result = match spec.format {
        TimelapseFormat::Gif => encode_gif(spec, frames, &mut image),
        TimelapseFormat::Apng => encode_apng(spec, frames, &mut image),
    };
    // A file that is too large makes the encoder fail, too, so this is checked first.
    if image.0.len() > MAX_ANIMATION_BYTES {
        return Err(EncodeError::TooLarge);
    }
    result.map(|()| image.0)
}

/// Returns the delay of a frame, in hundredths of a second.
fn frame_delay(spec: &TimelapseSpec, frame: u32) -> u16 {
    if frame == spec.frame_count() {
        LAST_FRAME_DELAY
    } else {
        DELAY_UNITS_PER_SECOND / spec.frame_rate as u16
    }
}

fn encode_gif(
    spec: &TimelapseSpec,
    mut frames: Receiver<FrameChange>,
    image: &mut LimitedBuffer,
) -> Result<(), EncodeError> {
    let Size { width, height } = spec.season.size;
    let scale = spec.scale;
    let mut encoder = gif::Encoder::new(image, width * scale, height * scale, &palette_bytes())?;
    encoder.set_repeat(gif::Repeat::Infinite)?;
    for frame in 1..=spec.frame_count() {
        let change = frames.blocking_recv().ok_or(EncodeError::MissingFrames)?;
        encoder.write_frame(&gif::Frame {
            delay: frame_delay(spec, frame),
            dispose: gif::DisposalMethod::Keep,
            left: change.x * scale,
            top: change.y * scale,
            width: change.width * scale,
            height: change.height * scale,
            transparent: Some(TRANSPARENT),
            buffer: scale_up(&change, scale).into(),
            ..gif::Frame::default()
        })?;
    }
    encoder.into_inner()?;
    Ok(())
}

fn encode_apng(
    spec: &TimelapseSpec,
    mut frames: Receiver<FrameChange>,
    image: &mut LimitedBuffer,
) -> Result<(), EncodeError> {
    let Size { width, height } = spec.season.size;
    let scaled_side = |side: u16| u32::from(side * spec.scale);
    let mut encoder = png::Encoder::new(image, scaled_side(width), scaled_side(height));
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette_bytes());
    encoder.set_trns(&PALETTE_OPACITIES[..]);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Up);
    encoder.set_animated(spec.frame_count(), 0)?;
    encoder.set_blend_op(png::BlendOp::Over)?;
    let mut writer = encoder.write_header()?;
    for frame in 1..=spec.frame_count() {
        let change = frames.blocking_recv().ok_or(EncodeError::MissingFrames)?;
        writer.reset_frame_position()?;
        writer.set_frame_dimension(scaled_side(change.width), scaled_side(change.height))?;
        writer.set_frame_position(scaled_side(change.x), scaled_side(change.y))?;
        writer.set_frame_delay(frame_delay(spec, frame), DELAY_UNITS_PER_SECOND)?;
        writer.write_image_data(&scale_up(&change, spec.scale))?;
    }
    Ok(writer.finish()?)
}

/// Returns the palette. The transparent entry needs some colour, too.
fn palette_bytes() -> Vec<u8> {
    [palette::rgb_colors()[..1].concat(), palette::rgb_colors().concat()].concat()
}

/// Returns the pixels enlarged by the scale in both directions.
fn scale_up(change: &FrameChange, scale: u16) -> Vec<u8> {
    let factor = usize::from(scale);
    let mut image = Vec::with_capacity(change.pixels.len() * factor * factor);
    for row in change.pixels.chunks_exact(usize::from(change.width)) {
        let scaled_row: Vec<u8> = row.iter().flat_map(|color| repeat_n(*color, factor)).collect();
        (0..factor).for_each(|_| image.extend_from_slice(&scaled_row));
    }
    image
}

/// A buffer that refuses to grow beyond the maximum size.
struct LimitedBuffer(Vec<u8>);

impl std::io::Write for LimitedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() > MAX_ANIMATION_BYTES {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
