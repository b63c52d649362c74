//! The state of the HTTP side: its limits, and its address.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::HeaderName;

use super::request::address::TrustedProxies;
use super::request::auth_throttle::AuthThrottle;
use super::request::metrics_access::MetricsAccess;
use super::request::rate_limits::RateLimits;
use super::request::stream_slots::StreamSlots;
use super::transport::capacity;
use super::transport::capacity::Capacity;
use crate::config::Config;
use crate::open_files;

/// Shared by all requests over HTTP.
pub struct HttpState {
    pub rate_limits: RateLimits,
    pub auth_throttle: AuthThrottle,
    /// How many connections and streams there may be.
    pub capacity: Capacity,
    pub stream_slots: Arc<StreamSlots>,
    /// Where agents are told that the server is, without a slash at the end.
    pub base_url: String,
    /// What the server listens on.
    pub listen_address: SocketAddr,
    /// Whether browsers come through TLS, so that cookies may be bound to it.
    pub is_secure: bool,
    pub trusted_proxies: TrustedProxies,
    pub metrics_access: MetricsAccess,
    /// Answers that take longer are logged.
    pub slow_request_threshold: Duration,
}

impl HttpState {
    /// For a server that listens on `address`.
    pub fn new(config: &Config, address: SocketAddr) -> Self {
        let base_url = config.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let capacity = Capacity::from_limits(open_files::limit(), capacity::available_workers());
        Self {
            rate_limits: RateLimits::new(&config.adjustable_values()),
            auth_throttle: AuthThrottle::default(),
            stream_slots: StreamSlots::new(capacity.streams),
            capacity,
            is_secure: base_url.starts_with("https://"),
            base_url,
            listen_address: address,
            trusted_proxies: trusted_proxies(config),
            metrics_access: MetricsAccess::new(&config.network),
            slow_request_threshold: config.slow_request,
        }
    }
}

/// Returns the proxies that the settings name. The header's name was checked when they were read.
fn trusted_proxies(config: &Config) -> TrustedProxies {
    let header = config.network.client_ip_header.as_deref();
    let header = header.and_then(|name| HeaderName::from_bytes(name.as_bytes()).ok());
    TrustedProxies::new(config.trusted_proxies.clone(), header)
}
