//! The documents with this server's URL and limits, rendered again when a season starts or a setting changes.

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

/// The size of the cache of documents.
const MAX_CACHED_BYTES: u32 = 32 << 20;
/// The approximate size of all documents in memory, relative to the OpenAPI document as JSON.
const PARSED_SIZE_FACTOR: usize = 5;

/// The rendered documents.
pub struct AgentDocs {
    pub skill: SkillFiles,
    /// The OpenAPI document of the API.
    pub openapi: Value,
    /// The OpenAPI document as JSON; it is large, so it is serialized once.
    pub openapi_json: Bytes,
}

impl AgentDocs {
    /// Renders the documents for a server with this public URL.
    fn render(routes: &[Route], live: &AdjustableValues, season: &Season, base_url: &str) -> Self {
        let openapi = openapi::build_document(routes, &live.game, season.size, base_url);
        let openapi_json = openapi.to_string().into();
        Self { skill: SkillFiles::render(live, season, base_url), openapi, openapi_json }
    }
}

/// The cache of the documents, which are rendered from the route table, the season and the settings.
pub struct Documents {
    pub routes: &'static [Route],
    base_url: String,
    /// The documents, by the season's first event and the settings' entry in the control log.
    files: Cache<(i64, i64), Arc<AgentDocs>, Infallible>,
}

impl Documents {
    /// Returns the documents of a route table for a server with this public URL.
    pub fn new(routes: &'static [Route], base_url: String) -> Self {
        let files = Cache::new("files", MAX_CACHED_BYTES, None, |files: &Arc<AgentDocs>| {
            files.openapi_json.len() * PARSED_SIZE_FACTOR
        });
        Self { routes, base_url, files }
    }

    /// Returns the current documents.
    pub async fn current(&self, state: &AppState) -> Arc<AgentDocs> {
        let (settings, season) = (state.settings.current(), state.read_world(|world| world.season.clone()));
        let render =
            async { Ok(Arc::new(AgentDocs::render(self.routes, &settings.values, &season, &self.base_url))) };
        let Ok(files) =
            self.files.get_or_compute((season.seq, settings.control_head), |_| true, render).await;
        files
    }
}
