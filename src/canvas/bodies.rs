//! Bodies of the whole canvas, rendered once per version and encoding and shared.

use std::collections::HashMap;

use bytes::Bytes;
use parking_lot::{Mutex, RwLock};
use prometheus::Histogram;

use super::picture::Cutout;
use crate::coding::Coding;
use crate::telemetry::{Laps, METRICS};
use crate::world::World;

/// What a body shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    Json,
    Bytes,
}

/// The newest body of each form and coding, with its version.
#[derive(Default)]
pub struct Bodies {
    kept: Mutex<HashMap<(Form, Coding), (i64, Bytes)>>,
    rendering: Mutex<()>,
}

impl Bodies {
    /// The body of the world's version, if it was rendered before.
    pub fn ready(&self, form: Form, coding: Coding, world: &RwLock<World>) -> Option<(i64, Bytes)> {
        let version = world.read().version;
        let ready = self.since(version, form, coding);
        if ready.is_some() {
            METRICS.game.canvas.hits.inc();
        }
        ready
    }

    /// Renders the body of the world's version. One at a time: who waited takes what was rendered meanwhile, if it
    /// shows at least what there was when the waiting began.
    ///
    /// # Errors
    /// When the picture cannot be encoded.
    pub fn render(&self, form: Form, coding: Coding, world: &RwLock<World>) -> std::io::Result<(i64, Bytes)> {
        let asked_at = world.read().version;
        let _turn = self.rendering.lock();
        if let Some(newer) = self.since(asked_at, form, coding) {
            return Ok(newer);
        }
        METRICS.game.canvas.misses.inc();
        let mut laps = Laps::start();
        let cutout = {
            let world = world.read();
            Cutout::of(&world, world.season.size.whole())
        };
        let body = Bytes::from(coding.encode(&plain(form, &cutout)?)?);
        laps.end(drawn(form));
        let rendered = (cutout.version(), body);
        self.kept.lock().insert((form, coding), rendered.clone());
        Ok(rendered)
    }

    fn since(&self, version: i64, form: Form, coding: Coding) -> Option<(i64, Bytes)> {
        self.kept.lock().get(&(form, coding)).filter(|(kept, _)| *kept >= version).cloned()
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
