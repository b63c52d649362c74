//! How bodies are compressed.

use std::io::Write as _;

/// How a body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    Identity,
    Gzip,
    Brotli,
}

impl Coding {
    /// The name in `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Brotli => "br",
        }
    }

    /// Compresses, quickly rather than tightly: canvases change.
    pub fn encode(self, plain: Vec<u8>) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Identity => Ok(plain),
            Self::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(4));
                encoder.write_all(&plain)?;
                encoder.finish()
            }
            Self::Brotli => {
                let mut packed = Vec::new();
                brotli::CompressorWriter::new(&mut packed, 4_096, 4, 20).write_all(&plain)?;
                Ok(packed)
            }
        }
    }
}
