//! The files that tell of this server with its address and numbers: rendered anew when a season begins or a setting changes.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::openapi;
use super::skill::SkillFiles;
use crate::cache::Cache;
use crate::config::AdjustableValues;
use crate::http::routes::endpoint::Route;
use crate::log::world::Season;
use crate::state::AppState;

/// How many bytes of files are cached.
const MAX_CACHED_BYTES: u32 = 32 << 20;
/// How much larger all files of a moment are in memory than the OpenAPI document as JSON, roughly.
const PARSED_SIZE_FACTOR: usize = 5;

/// As they are served.
pub struct AgentDocs {
    pub skill: SkillFiles,
    /// What is served, as an OpenAPI document.
    pub openapi: Value,
    /// The same as JSON: it is large, and written once for all who ask.
    pub openapi_json: Bytes,
}

impl AgentDocs {
    /// Renders them for a server at this address.
    fn render(routes: &[Route], live: &AdjustableValues, season: &Season, base_url: &str) -> Self {
        let openapi = openapi::build_document(routes, &live.game, season.size, base_url);
        let openapi_json = openapi.to_string().into();
        Self { skill: SkillFiles::render(live, season, base_url), openapi, openapi_json }
    }
}

/// The documents that are made from the URL table, the season and the settings.
pub struct Documents {
    pub routes: &'static [Route],
    base_url: String,
    /// The files by a season's opening and the entry of the control log as of which the settings are.
    files: Cache<(i64, i64), Arc<AgentDocs>, Infallible>,
}

impl Documents {
    /// Creates the documents of a URL table for a server at this address.
    pub fn new(routes: &'static [Route], base_url: String) -> Self {
        let files = Cache::new("files", MAX_CACHED_BYTES, None, |files: &Arc<AgentDocs>| {
            files.openapi_json.len() * PARSED_SIZE_FACTOR
        });
        Self { routes, base_url, files }
    }

    /// Returns the files of this moment.
    pub async fn current(&self, state: &AppState) -> Arc<AgentDocs> {
        let (settings, season) = (state.settings.current(), state.read_world(|world| world.season.clone()));
        let render =
            async { Ok(Arc::new(AgentDocs::render(self.routes, &settings.values, &season, &self.base_url))) };
        let Ok(files) =
            self.files.get_or_compute((season.seq, settings.control_head), |_| true, render).await;
        files
    }
}
