//! Writes the frames of a timelapse as GIF or APNG, in the palette's own colours.

use std::iter::repeat_n;

use rules::grid::Size;
use rules::palette::{self, PALETTE};
use tokio::sync::mpsc::Receiver;

use super::frames::{CLEAR, Change};
use super::plan::{Format, Plan};

/// How many bytes an animation may have.
const MOST_BYTES: usize = 48 << 20;
/// How long the last frame stands, in hundredths of a second.
const LAST: u16 = 200;
const SECOND: u16 = 100;
/// Of what is clear, and of the colours behind it.
const OPACITIES: [u8; PALETTE.len() + 1] = {
    let mut all = [255; PALETTE.len() + 1];
    all[CLEAR as usize] = 0;
    all
};

/// Why there is no animation.
#[derive(Debug, thiserror::Error)]
pub(super) enum EncodeError {
    #[error("it has too many bytes")]
    TooLarge,
    #[error("frames are missing")]
    Unfinished,
    #[error(transparent)]
    Gif(#[from] gif::EncodingError),
    #[error(transparent)]
    Png(#[from] png::EncodingError),
}

/// Takes frames until all are there.
pub(super) fn encode(plan: &Plan, frames: Receiver<Change>) -> Result<Vec<u8>, EncodeError> {
    let mut image = Image(Vec::new());
    let drawn = match plan.format {
        Format::Gif => gif(plan, frames, &mut image),
        Format::Apng => apng(plan, frames, &mut image),
    };
    // Whatever else went wrong then, it was this.
    if image.0.len() > MOST_BYTES {
        return Err(EncodeError::TooLarge);
    }
    drawn.map(|()| image.0)
}

/// How long a frame stands, in hundredths of a second.
fn delay(plan: &Plan, frame: u32) -> u16 {
    if frame == plan.frames() { LAST } else { SECOND / plan.rate as u16 }
}

fn gif(plan: &Plan, mut frames: Receiver<Change>, image: &mut Image) -> Result<(), EncodeError> {
    let (Size { width, height }, scale) = (plan.season.size, plan.scale);
    let mut encoder = gif::Encoder::new(image, width * scale, height * scale, &colors())?;
    encoder.set_repeat(gif::Repeat::Infinite)?;
    for frame in 1..=plan.frames() {
        let change = frames.blocking_recv().ok_or(EncodeError::Unfinished)?;
        encoder.write_frame(&gif::Frame {
            delay: delay(plan, frame),
            dispose: gif::DisposalMethod::Keep,
            left: change.x * scale,
            top: change.y * scale,
            width: change.width * scale,
            height: change.height * scale,
            transparent: Some(CLEAR),
            buffer: scaled(&change, scale).into(),
            ..gif::Frame::default()
        })?;
    }
    encoder.into_inner()?;
    Ok(())
}

fn apng(plan: &Plan, mut frames: Receiver<Change>, image: &mut Image) -> Result<(), EncodeError> {
    let (Size { width, height }, side) = (plan.season.size, |side: u16| u32::from(side * plan.scale));
    let mut encoder = png::Encoder::new(image, side(width), side(height));
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(colors());
    encoder.set_trns(&OPACITIES[..]);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Up);
    encoder.set_animated(plan.frames(), 0)?;
    encoder.set_blend_op(png::BlendOp::Over)?;
    let mut writer = encoder.write_header()?;
    for frame in 1..=plan.frames() {
        let change = frames.blocking_recv().ok_or(EncodeError::Unfinished)?;
        writer.reset_frame_position()?;
        writer.set_frame_dimension(side(change.width), side(change.height))?;
        writer.set_frame_position(side(change.x), side(change.y))?;
        writer.set_frame_delay(delay(plan, frame), SECOND)?;
        writer.write_image_data(&scaled(&change, plan.scale))?;
    }
    Ok(writer.finish()?)
}

/// What is clear has some colour too.
fn colors() -> Vec<u8> {
    [palette::rgb_colors()[..1].concat(), palette::rgb_colors().concat()].concat()
}

/// Each pixel as many times as the image shows it, each way.
fn scaled(change: &Change, scale: u16) -> Vec<u8> {
    let times = usize::from(scale);
    let mut image = Vec::with_capacity(change.pixels.len() * times * times);
    for row in change.pixels.chunks_exact(usize::from(change.width)) {
        let wide: Vec<u8> = row.iter().flat_map(|color| repeat_n(*color, times)).collect();
        (0..times).for_each(|_| image.extend_from_slice(&wide));
    }
    image
}

/// Bytes that may not become too many.
struct Image(Vec<u8>);

impl std::io::Write for Image {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() > MOST_BYTES {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
