//! The shared state of the HTTP server: limits, capacity and addresses.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_web::http::header::HeaderName;
use platform::address_slots::AddressSlots;
use platform::config::Config;
use platform::keyed_permits::KeyedPermits;
use platform::open_files;
use rules::numbers::AccountNo;
use tokio::sync::Semaphore;

use crate::request::address::TrustedProxies;
use crate::request::auth_throttle::AuthThrottle;
use crate::request::metrics_access::MetricsAccess;
use crate::request::rate_limits::RateLimits;
use crate::transport::capacity;
use crate::transport::capacity::Capacity;

/// The maximum number of exports that are sent at a time.
const MAX_EXPORTS: usize = 2;

/// The state that all HTTP requests share.
pub struct HttpState {
    pub rate_limits: RateLimits,
    pub auth_throttle: AuthThrottle,
    /// The largest numbers of connections and streams.
    pub capacity: Capacity,
    pub stream_slots: Arc<AddressSlots>,
    /// The permits for exports, one for each account at a time.
    pub exports: KeyedPermits<AccountNo>,
    /// The permits for the exports of all accounts together, each of which reads many rows.
    pub all_exports: Arc<Semaphore>,
    /// The server's public URL, without a trailing slash.
    pub base_url: String,
    /// The same as set, so that it is equal on instances with equal settings: without a public URL, the
    /// address in the settings, whose port may be 0.
    pub configured_url: String,
    /// The address of the main listener.
    pub listen_address: SocketAddr,
    /// True if browsers use TLS, so that cookies are `Secure`.
    pub is_secure: bool,
    pub trusted_proxies: TrustedProxies,
    pub metrics_access: MetricsAccess,
    /// The folder of the private PostgreSQL; `None` if the database is another one.
    pub data_dir: Option<PathBuf>,
    /// True if `/readyz` does not fail while the database is away.
    pub ready_without_database: bool,
    /// True if there are pages for visitors.
    pub has_pages: bool,
    /// The duration from which a request is logged as slow.
    pub slow_request_threshold: Duration,
    /// The number of days for which conversations with the guide are kept; `None` without a guide.
    pub guide_days: Option<u32>,
    is_draining: AtomicBool,
}

impl HttpState {
    /// Returns the state of a server that listens on `address`.
    pub fn new(config: &Config, address: SocketAddr) -> Self {
        let public_url_or =
            |address| config.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let base_url = public_url_or(address);
        let configured_url = public_url_or(config.listen);
        let capacity = Capacity::from_limits(open_files::limit(), capacity::available_workers());
        Self {
            rate_limits: RateLimits::new(&config.adjustable_values()),
            auth_throttle: AuthThrottle::default(),
            stream_slots: AddressSlots::new(capacity.streams),
            exports: KeyedPermits::default(),
            all_exports: Arc::new(Semaphore::new(MAX_EXPORTS)),
            capacity,
            is_secure: base_url.starts_with("https://"),
            base_url,
            configured_url,
            listen_address: address,
            trusted_proxies: trusted_proxies(config),
            metrics_access: MetricsAccess::new(&config.network),
            data_dir: config.database_url.is_none().then(|| config.data_dir.clone()),
            ready_without_database: config.ready_without_database,
            has_pages: config.pages,
            slow_request_threshold: Duration::from_millis(config.slow_request_ms.into()),
            guide_days: config.guide.model.is_some().then_some(config.retention.guide_days),
            is_draining: AtomicBool::new(false),
        }
    }

    /// Begins to drain the server: readiness checks fail from now on, and each connection ends with its next
    /// response, so that a balancer sends new requests to other instances.
    pub fn start_draining(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// Returns true if the server will stop soon.
    pub fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }
}

/// Returns the trusted proxies of the settings. The header's name was checked when the settings were read.
fn trusted_proxies(config: &Config) -> TrustedProxies {
    let header = config.network.client_ip_header.as_deref();
    let header = header.and_then(|name| HeaderName::from_bytes(name.as_bytes()).ok());
    TrustedProxies::new(config.trusted_proxies.clone(), header)
}
