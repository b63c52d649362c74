//! Bodies of the whole canvas, rendered once per version and encoding and shared.

use std::sync::Arc;

use bytes::Bytes;

use super::picture::{Cutout, short};
use crate::cache::Cache;
use crate::coding::Coding;
use crate::concurrency::{join, run_blocking};
use crate::refusal::{Refusal, internal};
use crate::state::AppState;
use crate::telemetry::{Laps, METRICS};

/// What a body shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    Json,
    Bytes,
}

/// The attempt that the log names when it fails.
const RENDERING: &str = "rendering the canvas";

/// A canvas of at most so many pixels is written out faster than it is handed to another thread.
const SMALL: usize = 65_536;

/// The whole canvas, as it was at a version.
pub struct Body {
    pub version: i64,
    /// Its entity tag.
    pub tag: String,
    pub bytes: Bytes,
}

/// How many bytes the newest bodies may take: two forms in three codings of the largest canvas.
const MAX_BYTES: u32 = 128 << 20;

/// The newest body of each form and coding.
pub struct Bodies(Cache<(Form, Coding), Arc<Body>>);

impl Default for Bodies {
    fn default() -> Self {
        Self(Cache::new("canvas", MAX_BYTES, None, |body| body.bytes.len()))
    }
}

impl Bodies {
    /// Returns the body of the log's canvas as it is now. A waiter takes what was rendered meanwhile, if it shows at least
    /// what there was when the waiting began.
    ///
    /// # Errors
    /// `Internal` if the body cannot be encoded.
    pub async fn get(&self, state: &Arc<AppState>, form: Form, coding: Coding) -> Result<Arc<Body>, Refusal> {
        let (version, pixels) = state.snapshot(|world| (world.version, world.pixels().len()));
        let is_current = move |body: &Arc<Body>| body.version >= version;
        let key = (form, coding);
        if let Some(body) = self.0.get_if(&key, is_current) {
            return Ok(body);
        }
        if coding == Coding::Identity && pixels <= SMALL {
            let compute = async { render(state, form, coding).map_err(internal(RENDERING)) };
            return self.0.get_or_compute(key, is_current, compute).await;
        }
        // Rendering takes time that the workers must not lose. It goes on without the caller, so that what was begun is
        // cached.
        let (cache, state) = (self.0.clone(), state.clone());
        let rendering = tokio::spawn(async move {
            let compute = run_blocking(RENDERING, move || render(&state, form, coding));
            cache.get_or_compute(key, is_current, compute).await
        });
        join(RENDERING, rendering).await?
    }

    /// What a body is tagged with at a version of a season.
    pub fn tag(season: &str, version: i64, form: Form, coding: Coding) -> String {
        let form = match form {
            Form::Json => "json",
            Form::Bytes => "bin",
        };
        format!("\"{}-{version}-{form}-{}\"", short(season), coding.name())
    }
}

fn render(state: &AppState, form: Form, coding: Coding) -> std::io::Result<Arc<Body>> {
    let mut laps = Laps::start();
    let cutout = state.snapshot(|world| Cutout::of(world, world.season.size.full_rect()));
    let (plain, drawn) = match form {
        Form::Json => (serde_json::to_vec(&cutout.json())?, &METRICS.game.drawn_json),
        Form::Bytes => (cutout.pixels().to_vec(), &METRICS.game.drawn_bytes),
    };
    let bytes = Bytes::from(coding.encode(plain)?);
    laps.end(drawn);
    let tag = Bodies::tag(cutout.season(), cutout.version(), form, coding);
    Ok(Arc::new(Body { version: cutout.version(), tag, bytes }))
}
