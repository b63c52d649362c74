//! The files that tell of this server with its address and numbers: rendered anew when a season begins or a setting changes.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::Value;

use super::openapi;
use super::skill::SkillFiles;
use crate::config::live::Live;
use crate::log::world::Season;
use crate::state::AppState;

/// As they are served.
pub struct Files {
    pub skill: SkillFiles,
    /// What is served, as an OpenAPI document.
    pub openapi: Value,
    /// The same as JSON: it is large, and written once for all who ask.
    pub openapi_json: Bytes,
}

impl Files {
    /// Renders them for a server at this address.
    pub fn render(live: &Live, season: &Season, base_url: &str) -> Self {
        let openapi = openapi::describe(&live.game, season.size, base_url);
        let openapi_json = openapi.to_string().into();
        Self { skill: SkillFiles::render(live, season, base_url), openapi, openapi_json }
    }
}

/// A season's opening, and the entry of the control log as of which the settings are.
type Moment = (i64, i64);

/// The newest ones.
pub struct Rendered(Mutex<(Option<Moment>, Arc<Files>)>);

impl Rendered {
    /// These, until somebody asks.
    pub fn new(files: Files) -> Self {
        Self(Mutex::new((None, Arc::new(files))))
    }

    /// The files of this moment.
    pub fn get(&self, state: &AppState, base_url: &str) -> Arc<Files> {
        let (settings, season) = (state.settings.current(), state.snapshot(|world| world.season.clone()));
        let moment = Some((season.seq, settings.as_of));
        let mut newest = self.0.lock();
        if newest.0 != moment {
            *newest = (moment, Arc::new(Files::render(&settings.live, &season, base_url)));
        }
        newest.1.clone()
    }
}
