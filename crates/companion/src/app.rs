//! The services that all requests share: the application state and what is computed from it.

use std::sync::Arc;

use caraplace_accounts::address_limit::AddressLimiter;
use caraplace_accounts::agents::key_uses::KeyUses;
use caraplace_accounts::filters::Filters;
use caraplace_accounts::gallery::Gallery;
use caraplace_accounts::gallery::tiers::Tiers;
use caraplace_accounts::operators::OperatorAuth;
use caraplace_canvas::agent_highlight::AgentHighlights;
use caraplace_canvas::canvas_cache::CanvasCache;
use caraplace_canvas::heatmap::HeatmapCache;
use caraplace_canvas::heatmap::archived::ArchivedHeatmaps;
use caraplace_canvas::history::History;
use caraplace_canvas::image_cache::ImageCache;
use caraplace_canvas::rankings::stats_cache::StatsCache;
use caraplace_canvas::share_image::CardCache;
use caraplace_log::state::AppState;
use caraplace_moderation::actions::perform::ActionServices;
use caraplace_news::attention::AttentionCache;
use caraplace_news::notifications::Notifications;
use caraplace_news::webhooks::Webhooks;
use caraplace_talk::chat::read::NewestPageCache;
use caraplace_talk::message::draft::PostServices;
use platform::config::Config;
use tokio::runtime::Handle;

use crate::guide::Guide;

/// The application: the state, its caches and its services.
pub struct App {
    pub state: Arc<AppState>,
    pub filters: Filters,
    pub address_limiter: Arc<AddressLimiter>,
    /// Rendered canvas bodies.
    pub canvas_cache: CanvasCache,
    /// Rendered images.
    pub image_cache: ImageCache,
    pub heatmaps: Arc<HeatmapCache>,
    pub archived_heatmaps: Arc<ArchivedHeatmaps>,
    pub agent_highlights: AgentHighlights,
    /// The canvas image for link previews.
    pub card: CardCache,
    pub front_page: NewestPageCache,
    pub stats: StatsCache,
    /// The numbers of what waits for the agents that have acted lately.
    pub attention: Arc<AttentionCache>,
    /// Reads of the past canvas.
    pub history: Arc<History>,
    pub operators: OperatorAuth,
    pub gallery: Gallery,
    pub notifications: Arc<Notifications>,
    pub webhooks: Arc<Webhooks>,
    /// `None` if no model is configured.
    pub guide: Option<Arc<Guide>>,
    /// The uses of extra keys that are not stored yet.
    pub key_uses: KeyUses,
}

impl App {
    /// Returns the application on this log. It must be called inside a Tokio runtime.
    pub fn new(
        state: Arc<AppState>,
        filters: Filters,
        gallery: Gallery,
        notifications: Arc<Notifications>,
        webhooks: Arc<Webhooks>,
        guide: Option<Arc<Guide>>,
        config: &Config,
    ) -> Self {
        let history = Arc::new(History::new(state.clone()));
        let heatmaps = Arc::new(HeatmapCache::new(Handle::current()));
        let archived_heatmaps = Arc::new(ArchivedHeatmaps::new(Handle::current()));
        let (canvas_cache, image_cache, agent_highlights, card, front_page, stats) = Default::default();
        let operators = OperatorAuth::new(config, &state.tokens);
        Self {
            state,
            filters,
            address_limiter: Arc::default(),
            canvas_cache,
            image_cache,
            heatmaps,
            archived_heatmaps,
            agent_highlights,
            card,
            front_page,
            stats,
            attention: Arc::default(),
            history,
            operators,
            gallery,
            notifications,
            webhooks,
            guide,
            key_uses: KeyUses::default(),
        }
    }

    /// Returns the services with which messages are prepared.
    pub fn post_services(&self) -> PostServices<'_> {
        PostServices { state: &self.state, filters: &self.filters, limiter: &self.address_limiter }
    }
}

impl ActionServices for App {
    fn state(&self) -> &AppState {
        &self.state
    }

    fn filters(&self) -> &Filters {
        &self.filters
    }

    fn tiers(&self) -> &Tiers {
        &self.gallery.tiers
    }

    fn history(&self) -> &History {
        &self.history
    }
}
