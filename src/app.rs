//! The game behind every door: the log, and what is made from it and from the settings.

use std::sync::Arc;

use tokio::runtime::Handle;

use crate::agents::rank::Scores;
use crate::canvas::bodies::Bodies;
use crate::canvas::card::Card;
use crate::canvas::hand::Hands;
use crate::canvas::heat::Heats;
use crate::canvas::pictures::Pictures;
use crate::chat::address_limit::AddressLimiter;
use crate::chat::filters::Filters;
use crate::chat::read::FrontPage;
use crate::config::Config;
use crate::gallery::Gallery;
use crate::operators::Operators;
use crate::past::Past;
use crate::state::AppState;

/// Shared by all requests, whatever door they come through.
pub struct App {
    pub state: Arc<AppState>,
    pub filters: Filters,
    pub address_limiter: Arc<AddressLimiter>,
    pub bodies: Bodies,
    pub pictures: Pictures,
    pub heats: Arc<Heats>,
    pub hands: Hands,
    pub card: Card,
    pub front_page: FrontPage,
    pub scores: Scores,
    pub past: Arc<Past>,
    pub operators: Operators,
    pub gallery: Gallery,
}

impl App {
    /// A game on this log. Must be made where there is a runtime to work in.
    pub fn new(state: Arc<AppState>, filters: Filters, gallery: Gallery, config: &Config) -> Self {
        let past = Arc::new(Past::new(state.clone()));
        let heats = Arc::new(Heats::new(Handle::current()));
        let (bodies, pictures, hands, card, front_page, scores) = Default::default();
        let operators = Operators::new(config, &state.tokens);
        Self {
            state,
            filters,
            address_limiter: Arc::default(),
            bodies,
            pictures,
            heats,
            hands,
            card,
            front_page,
            scores,
            past,
            operators,
            gallery,
        }
    }
}
