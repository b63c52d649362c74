//! The picture of a plan run: a built-in landscape of a given size, or a PNG.

use std::{path::PathBuf, str::FromStr};

use anyhow::{Context, Result};

use crate::{
    api_types::Canvas,
    picture::{Palette, Picture},
    plans::landscape,
};

/// The picture that plans show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PictureSource {
    /// The built-in landscape with this width and height.
    Landscape(u32, u32),
    /// A PNG, scaled down if it is larger than the canvas.
    File(PathBuf),
}

impl FromStr for PictureSource {
    type Err = String;

    /// Parses `WxH`. Any other text is the path of a PNG.
    fn from_str(text: &str) -> Result<Self, String> {
        let size = text
            .split_once('x')
            .and_then(|(width, height)| Some((width.parse::<u32>().ok()?, height.parse::<u32>().ok()?)));
        match size {
            Some((0, _) | (_, 0)) => Err("width and height must be at least 1".to_owned()),
            Some((width, height)) => Ok(PictureSource::Landscape(width, height)),
            None => Ok(PictureSource::File(PathBuf::from(text))),
        }
    }
}

impl PictureSource {
    /// Returns the picture in the colours of the canvas.
    pub async fn load(&self, canvas: &Canvas) -> Result<Picture> {
        let palette = Palette::parse(&canvas.palette)?;
        match self {
            PictureSource::Landscape(width, height) => {
                let (width, height) = ((*width).min(canvas.width), (*height).min(canvas.height));
                let color_at = |x, y| landscape::color_at(x, y, width, height);
                Ok(Picture::from_colors(width, height, &palette, color_at))
            }
            PictureSource::File(path) => {
                let png =
                    tokio::fs::read(path).await.with_context(|| format!("cannot read {}", path.display()))?;
                Picture::load(&png, &palette, canvas.width, canvas.height)
            }
        }
    }

    /// Returns the title of its plans.
    pub fn title(&self) -> &'static str {
        match self {
            PictureSource::Landscape(..) => "Landscape",
            PictureSource::File(_) => "Picture",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_landscape_and_any_other_text_a_file() {
        assert_eq!("32x48".parse(), Ok(PictureSource::Landscape(32, 48)));
        assert_eq!("box.png".parse(), Ok(PictureSource::File("box.png".into())));
        assert!("0x5".parse::<PictureSource>().is_err());
    }
}
