//! What the HTTP door keeps for itself: its limits, its files, its address.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::HeaderName;

use super::docs::agent_docs::{Files, Rendered};
use super::request::address::TrustedProxies;
use super::request::auth_throttle::Guesses;
use super::request::idempotency::InFlight;
use super::request::metrics_access::MetricsAccess;
use super::request::rate_limits::Limits;
use super::request::stream_slots::StreamSlots;
use super::response::page_cache::Written;
use super::transport::capacity;
use super::transport::capacity::Capacity;
use super::web::assets::Assets;
use crate::config::Config;
use crate::descriptors;
use crate::state::AppState;

/// Shared by all requests over HTTP.
pub struct HttpState {
    pub limits: Limits,
    pub guesses: Guesses,
    pub in_flight: InFlight,
    /// How many connections and streams there may be.
    pub capacity: Capacity,
    pub streams: Arc<StreamSlots>,
    pub assets: Assets,
    pub written: Written,
    files: Rendered,
    /// Where agents are told that the server is, without a slash at the end.
    pub base_url: String,
    /// What the server listens on.
    pub listen: SocketAddr,
    /// Whether browsers come through TLS, so that cookies may be bound to it.
    pub secure: bool,
    pub trusted_proxies: TrustedProxies,
    pub metrics: MetricsAccess,
    /// Answers that take longer are logged.
    pub slow_request: Duration,
}

impl HttpState {
    /// For a server that listens on `address`.
    pub fn new(config: &Config, address: SocketAddr) -> Self {
        let base_url = config.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let capacity = Capacity::of(descriptors::limit(), capacity::workers());
        Self {
            limits: Limits::new(&config.live()),
            guesses: Guesses::default(),
            in_flight: InFlight::default(),
            streams: StreamSlots::new(capacity.streams),
            capacity,
            assets: Assets::default(),
            written: Written::default(),
            files: Rendered::default(),
            secure: base_url.starts_with("https://"),
            base_url,
            listen: address,
            trusted_proxies: trusted_proxies(config),
            metrics: MetricsAccess::new(&config.network),
            slow_request: config.slow_request,
        }
    }

    /// The files that tell of this server, as it is now.
    pub async fn files(&self, state: &AppState) -> Arc<Files> {
        self.files.get(state, &self.base_url).await
    }
}

/// Returns the proxies that the settings name. The header's name was checked when they were read.
fn trusted_proxies(config: &Config) -> TrustedProxies {
    let header = config.network.client_ip_header.as_deref();
    let header = header.and_then(|name| HeaderName::from_bytes(name.as_bytes()).ok());
    TrustedProxies::new(config.trusted_proxies.clone(), header)
}
