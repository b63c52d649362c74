//! Bodies of the whole canvas, rendered once per version and encoding and shared.

use std::collections::HashMap;

use bytes::Bytes;
use parking_lot::{Mutex, RwLock};

use super::picture::Cutout;
use crate::coding::Coding;
use crate::world::World;

/// What a body shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    Json,
    Bytes,
    /// With so many image pixels for each pixel, each way.
    Png(u16),
}

/// The bodies of one version.
#[derive(Default)]
pub struct Bodies {
    cache: Mutex<Cache>,
    rendering: Mutex<()>,
}

#[derive(Default)]
struct Cache {
    version: i64,
    bodies: HashMap<(Form, Coding), Bytes>,
}

impl Bodies {
    /// The body of the world's version, if it was rendered before.
    pub fn ready(&self, form: Form, coding: Coding, world: &RwLock<World>) -> Option<(i64, Bytes)> {
        let version = world.read().version;
        self.cached(version, form, coding).map(|body| (version, body))
    }

    /// Renders the body of the world's version. One at a time: who waits finds what the one before has rendered.
    ///
    /// # Errors
    /// When the picture cannot be encoded.
    pub fn render(&self, form: Form, coding: Coding, world: &RwLock<World>) -> std::io::Result<(i64, Bytes)> {
        let _turn = self.rendering.lock();
        if let Some(ready) = self.ready(form, coding, world) {
            return Ok(ready);
        }
        let (cutout, version) = {
            let world = world.read();
            (Cutout::of(&world, world.season.size.whole()), world.version)
        };
        let body = Bytes::from(coding.encode(&plain(form, &cutout)?)?);
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

fn plain(form: Form, cutout: &Cutout) -> std::io::Result<Vec<u8>> {
    match form {
        Form::Json => Ok(serde_json::to_vec(&cutout.json())?),
        Form::Bytes => Ok(cutout.pixels().to_vec()),
        Form::Png(scale) => Ok(cutout.png(scale)?),
    }
}
