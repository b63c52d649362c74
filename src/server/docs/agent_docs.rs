//! The documents with this server's URL and limits, rendered again when a season starts or a setting changes.

use std::convert::Infallible;
use std::sync::Arc;

use actix_web::http::header::HeaderValue;
use caraplace_http::route::endpoint::Route;
use caraplace_http::state::HttpState;
use caraplace_log::season::Season;
use caraplace_log::state::AppState;
use platform::cache::Cache;
use platform::config::AdjustableValues;
use rules::numbers::Seq;
use serde_json::Value;

use super::skill::SkillFiles;
use super::skill_version::SkillVersionHeader;
use super::{SkillInputs, openapi, skill_version};

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
    pub openapi_json: String,
    /// The part of it that agents use, as JSON.
    pub agents_openapi_json: String,
    /// The version of the files.
    version: String,
}

impl AgentDocs {
    /// Renders the documents of a server.
    fn render(documents: &Documents, live: &AdjustableValues, season: &Season) -> Self {
        let Documents { routes, base_url, configured_url, .. } = documents;
        let has_pages = documents.has_pages;
        let version = skill_version::compute(live, season, configured_url, has_pages);
        let skill = SkillFiles::render(SkillInputs { live, season, base_url, version: &version, has_pages });
        let openapi = openapi::build_document(routes, &live.game, season.size, base_url);
        let openapi_json = openapi::compact(&openapi).to_string();
        let for_agents = openapi::agents::select(&openapi, routes, &version);
        let agents_openapi_json = openapi::compact(&for_agents).to_string();
        Self { skill, openapi, openapi_json, agents_openapi_json, version }
    }

    /// Returns the part of the OpenAPI document for the agents' routes whose path begins with this, as JSON.
    /// Returns `None` if there are none.
    pub fn agents_openapi_slice(&self, routes: &[Route], path: &str) -> Option<String> {
        let slice = openapi::agents::slice(&self.openapi, routes, &self.version, path)?;
        Some(openapi::compact(&slice).to_string())
    }
}

/// The cache of the documents, which are rendered from the route table, the season and the settings.
pub struct Documents {
    pub routes: &'static [Route],
    base_url: String,
    configured_url: String,
    /// True if the server has pages for visitors.
    has_pages: bool,
    version: SkillVersionHeader,
    /// The documents, by the season's first event and the settings' entry in the control log.
    files: Cache<(Seq, i64), Arc<AgentDocs>, Infallible>,
}

impl Documents {
    /// Returns the documents of a route table for this server.
    pub fn new(routes: &'static [Route], http_state: &HttpState) -> Self {
        let files = Cache::new("files", MAX_CACHED_BYTES, None, |files: &Arc<AgentDocs>| {
            files.openapi_json.len() * PARSED_SIZE_FACTOR
        });
        let base_url = http_state.base_url.clone();
        let configured_url = http_state.configured_url.clone();
        let has_pages = http_state.has_pages;
        Self { routes, base_url, configured_url, has_pages, version: SkillVersionHeader::default(), files }
    }

    /// Returns the current documents.
    pub async fn current(&self, state: &AppState) -> Arc<AgentDocs> {
        let settings = state.settings.current();
        let season = state.read_world(|world| world.season.clone());
        let render = async { Ok(Arc::new(AgentDocs::render(self, &settings.values, &season))) };
        let Ok(files) =
            self.files.get_or_compute((season.seq, settings.control_head), |_| true, render).await;
        files
    }

    /// Returns the current value of `X-Skill-Version`.
    pub fn version_header(&self, state: &AppState) -> HeaderValue {
        self.version.current(state, &self.configured_url, self.has_pages)
    }
}
