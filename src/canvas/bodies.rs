//! Bodies of the whole canvas, rendered once per version and encoding and shared.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::{Mutex, RwLock};
use prometheus::Histogram;

use super::picture::{Cutout, short};
use crate::coding::Coding;
use crate::log::world::World;
use crate::telemetry::{Laps, METRICS};

/// What a body shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    Json,
    Bytes,
}

/// A canvas of at most so many pixels is written out faster than it is handed to another thread.
const SMALL: usize = 65_536;

/// The whole canvas, as it was at a version.
pub struct Body {
    pub version: i64,
    /// Its entity tag.
    pub tag: String,
    pub bytes: Bytes,
}

/// The newest body of each form and coding.
#[derive(Default)]
pub struct Bodies {
    kept: RwLock<HashMap<(Form, Coding), Arc<Body>>>,
    /// One for each coding: compressing must not hold up what is quick.
    rendering: [Mutex<()>; 3],
}

impl Bodies {
    /// The body of the world's version, if it was rendered before.
    pub fn ready(&self, form: Form, coding: Coding, world: &RwLock<World>) -> Option<Arc<Body>> {
        let version = world.read().version;
        let ready = self.since(version, form, coding);
        if ready.is_some() {
            METRICS.game.canvas.hits.inc();
        }
        ready
    }

    /// Whether rendering is no work that a worker would notice.
    pub fn is_quick(coding: Coding, world: &RwLock<World>) -> bool {
        coding == Coding::Identity && world.read().pixels().len() <= SMALL
    }

    /// Renders the body of the world's version. One at a time: who waited takes what was rendered meanwhile, if it
    /// shows at least what there was when the waiting began.
    ///
    /// # Errors
    /// When the body cannot be encoded.
    pub fn render(&self, form: Form, coding: Coding, world: &RwLock<World>) -> std::io::Result<Arc<Body>> {
        let asked_at = world.read().version;
        let _turn = self.rendering[coding as usize].lock();
        if let Some(newer) = self.since(asked_at, form, coding) {
            return Ok(newer);
        }
        METRICS.game.canvas.misses.inc();
        let mut laps = Laps::start();
        let cutout = {
            let world = world.read();
            Cutout::of(&world, world.season.size.whole())
        };
        let bytes = Bytes::from(coding.encode(plain(form, &cutout)?)?);
        laps.end(drawn(form));
        let tag = Self::tag(cutout.season(), cutout.version(), form, coding);
        let body = Arc::new(Body { version: cutout.version(), tag, bytes });
        self.kept.write().insert((form, coding), body.clone());
        Ok(body)
    }

    /// What a body is tagged with at a version of a season.
    pub fn tag(season: &str, version: i64, form: Form, coding: Coding) -> String {
        let form = match form {
            Form::Json => "json",
            Form::Bytes => "bin",
        };
        format!("\"{}-{version}-{form}-{}\"", short(season), coding.name())
    }

    fn since(&self, version: i64, form: Form, coding: Coding) -> Option<Arc<Body>> {
        self.kept.read().get(&(form, coding)).filter(|kept| kept.version >= version).cloned()
    }
}

fn drawn(form: Form) -> &'static Histogram {
    match form {
        Form::Json => &METRICS.game.drawn_json,
        Form::Bytes => &METRICS.game.drawn_bytes,
    }
}

fn plain(form: Form, cutout: &Cutout) -> std::io::Result<Vec<u8>> {
    match form {
        Form::Json => Ok(serde_json::to_vec(&cutout.json())?),
        Form::Bytes => Ok(cutout.pixels().to_vec()),
    }
}
