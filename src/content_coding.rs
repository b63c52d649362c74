//! The compression of response bodies.

use std::io::Write as _;

/// A content coding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContentCoding {
    Identity,
    Gzip,
    Brotli,
}

impl ContentCoding {
    /// Returns the name in `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Brotli => "br",
        }
    }

    /// Compresses quickly rather than tightly, for canvas bodies that change often.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn encode(self, plain: Vec<u8>) -> std::io::Result<Vec<u8>> {
        self.compress(plain, 4)
    }

    /// Compresses tightly, for bodies that do not change while the server runs.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn encode_tightly(self, plain: Vec<u8>) -> std::io::Result<Vec<u8>> {
        self.compress(plain, 6)
    }

    fn compress(self, plain: Vec<u8>, level: u32) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Identity => Ok(plain),
            Self::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
                encoder.write_all(&plain)?;
                encoder.finish()
            }
            Self::Brotli => {
                let mut compressed = Vec::new();
                brotli::CompressorWriter::new(&mut compressed, 4_096, level, 20).write_all(&plain)?;
                Ok(compressed)
            }
        }
    }
}
