//! The compression of response bodies.

use std::io::Write as _;

/// The compression levels of the codings.
#[derive(Clone, Copy)]
struct Levels {
    gzip: u32,
    brotli: u32,
}

const FAST: Levels = Levels { gzip: 4, brotli: 4 };
const TIGHT: Levels = Levels { gzip: 9, brotli: 11 };

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
        self.compress(plain, FAST)
    }

    /// Compresses tightly, for bodies that do not change while the server runs.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn encode_tightly(self, plain: Vec<u8>) -> std::io::Result<Vec<u8>> {
        self.compress(plain, TIGHT)
    }

    fn compress(self, plain: Vec<u8>, levels: Levels) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Identity => Ok(plain),
            Self::Gzip => {
                let mut encoder =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(levels.gzip));
                encoder.write_all(&plain)?;
                encoder.finish()
            }
            Self::Brotli => {
                let mut compressed = Vec::new();
                brotli::CompressorWriter::new(&mut compressed, 4_096, levels.brotli, 22).write_all(&plain)?;
                Ok(compressed)
            }
        }
    }
}
