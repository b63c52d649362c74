//! Bodies of the whole canvas, rendered once per version and encoding and shared.

use std::collections::HashMap;
use std::io::Write as _;

use bytes::Bytes;
use parking_lot::Mutex;

use super::picture::{self, Cutout};
use crate::world::World;

/// What a body shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    Json,
    Bytes,
    /// With so many image pixels for each pixel, each way.
    Png(u16),
}

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
    pub fn encode(self, plain: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Identity => Ok(plain.to_vec()),
            Self::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(4));
                encoder.write_all(plain)?;
                encoder.finish()
            }
            Self::Brotli => {
                let mut packed = Vec::new();
                brotli::CompressorWriter::new(&mut packed, 4_096, 4, 20).write_all(plain)?;
                Ok(packed)
            }
        }
    }
}

/// The bodies of one version.
#[derive(Default)]
pub struct Bodies {
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    version: i64,
    bodies: HashMap<(Form, Coding), Bytes>,
}

impl Bodies {
    /// The body and its version, from the cache or rendered from the world that `look` shows.
    ///
    /// # Errors
    /// When the picture cannot be encoded.
    pub fn get(
        &self,
        form: Form,
        coding: Coding,
        world: &parking_lot::RwLock<World>,
    ) -> std::io::Result<(i64, Bytes)> {
        let version = world.read().version;
        if let Some(body) = self.cached(version, form, coding) {
            return Ok((version, body));
        }
        let (version, plain) = render(form, world)?;
        let body = Bytes::from(coding.encode(&plain)?);
        self.keep(version, form, coding, body.clone());
        Ok((version, body))
    }

    fn cached(&self, version: i64, form: Form, coding: Coding) -> Option<Bytes> {
        let cache = self.cache.lock();
        let hit = (cache.version == version).then(|| cache.bodies.get(&(form, coding)));
        hit.flatten().cloned()
    }

    fn keep(&self, version: i64, form: Form, coding: Coding, body: Bytes) {
        let mut cache = self.cache.lock();
        if cache.version < version {
            *cache = Cache { version, bodies: HashMap::new() };
        }
        if cache.version == version {
            cache.bodies.insert((form, coding), body);
        }
    }
}

fn render(form: Form, world: &parking_lot::RwLock<World>) -> std::io::Result<(i64, Vec<u8>)> {
    let world = world.read();
    let version = world.version;
    let whole = world.season.size.whole();
    let body = match form {
        Form::Json => serde_json::to_vec(&picture::json(&world, whole))?,
        Form::Bytes => world.pixels().to_vec(),
        Form::Png(scale) => {
            let cutout = Cutout::of(&world, whole);
            drop(world);
            cutout.png(scale)?
        }
    };
    Ok((version, body))
}
