//! Sends the requests: without redirects, without waiting long, and only a few at a time to one host.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use parking_lot::Mutex;
use reqwest::Client;
use reqwest::redirect::Policy;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::addresses::AddressRules;
use super::resolver::GuardedResolver;
use super::target::{OutboundTarget, TargetRefusal, without_final_dot};

/// The timeout of a request with its response, and of connecting.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The time for which a request waits for others to the same host.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(20);
/// The timeout of resolving a host before anything is sent.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(5);
/// The maximum number of requests under way to one host.
pub const MAX_REQUESTS_PER_HOST: usize = 4;
/// The number of hosts from which those without requests under way are forgotten.
const MAX_IDLE_HOSTS: usize = 256;

/// A client for requests to addresses that users choose.
pub struct OutboundClient {
    http: Client,
    resolver: GuardedResolver,
    /// The host of this server's public URL.
    own_host: Option<String>,
    requests_by_host: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// The headers and the body of a POST request.
pub struct OutboundRequest {
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// The reason why a request has no response.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    #[error("the host cannot be reached or does not respond in time")]
    Unreachable(#[from] reqwest::Error),
    #[error("too many requests to this host are under way")]
    HostBusy,
}

impl OutboundClient {
    /// Returns a client of the server with this public URL that may also reach these networks. `None` if the
    /// HTTP client cannot be built.
    pub fn new(allowed: Vec<IpNet>, base_url: &str) -> Option<Self> {
        Self::with_resolver(GuardedResolver::new(Arc::new(AddressRules::new(allowed))), base_url)
    }

    fn with_resolver(resolver: GuardedResolver, base_url: &str) -> Option<Self> {
        let client = https_client::builder().ok()?.timeout(REQUEST_TIMEOUT).connect_timeout(CONNECT_TIMEOUT);
        // An open connection would be used again without a check of its address.
        let client = client.redirect(Policy::none()).pool_max_idle_per_host(0);
        let http = client.dns_resolver(Arc::new(resolver.clone())).build().ok()?;
        let own_url = reqwest::Url::parse(base_url).ok();
        let own_host =
            own_url.as_ref().and_then(|url| url.host_str()).map(without_final_dot).map(str::to_owned);
        Some(Self { http, resolver, own_host, requests_by_host: Mutex::default() })
    }

    /// Parses an address that a user gives.
    ///
    /// # Errors
    /// The reason why no request is sent there.
    pub fn parse_target(&self, text: &str) -> Result<OutboundTarget, TargetRefusal> {
        OutboundTarget::parse(text, &self.resolver.rules, self.own_host.as_deref())
    }

    /// Checks that the host of an address can be resolved now, and may be reached. The host is resolved again with each
    /// request.
    ///
    /// # Errors
    /// `NotPublic`, whatever the reason is.
    pub async fn check_host(&self, target: &OutboundTarget) -> Result<(), TargetRefusal> {
        let Some(host) = target.host_name() else { return Ok(()) };
        let found = timeout(RESOLVE_TIMEOUT, self.resolver.find_addresses(host.to_owned())).await;
        found.ok().and_then(Result::ok).map(|_| ()).ok_or(TargetRefusal::NotPublic)
    }

    /// Sends a POST request and returns the status of its response, whose body is not read.
    ///
    /// # Errors
    /// If there is no response in time, or the address may not be reached.
    pub async fn post(
        &self,
        target: &OutboundTarget,
        request: OutboundRequest,
    ) -> Result<u16, OutboundError> {
        let _permit = self.acquire_permit(&target.host_key()).await?;
        let post = self.http.post(target.url().clone()).body(request.body);
        let post = request.headers.into_iter().fold(post, |post, (name, value)| post.header(name, value));
        Ok(post.send().await?.status().as_u16())
    }

    async fn acquire_permit(&self, host: &str) -> Result<OwnedSemaphorePermit, OutboundError> {
        let requests = self.requests_to(host);
        let permit = timeout(QUEUE_TIMEOUT, requests.acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or(OutboundError::HostBusy)
    }

    fn requests_to(&self, host: &str) -> Arc<Semaphore> {
        let mut by_host = self.requests_by_host.lock();
        if by_host.len() >= MAX_IDLE_HOSTS {
            by_host.retain(|_, requests| Arc::strong_count(requests) > 1);
        }
        let new = || Arc::new(Semaphore::new(MAX_REQUESTS_PER_HOST));
        by_host.entry(host.to_owned()).or_insert_with(new).clone()
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::net::TcpListener;

    use super::*;
    use crate::outbound::resolver::LookUpHost;

    /// Accepts connections at an address, closes them, and counts them.
    async fn count_connections(address: Ipv4Addr, port: u16) -> (Arc<AtomicUsize>, u16) {
        let listener = TcpListener::bind((address, port)).await.unwrap();
        let (count, port) = (Arc::new(AtomicUsize::new(0)), listener.local_addr().unwrap().port());
        let counter = count.clone();
        tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                counter.fetch_add(1, Ordering::SeqCst);
            }
        });
        (count, port)
    }

    #[tokio::test]
    async fn name_that_changes_to_a_forbidden_address_is_not_connected_to() {
        static LOOK_UPS: AtomicUsize = AtomicUsize::new(0);
        let (allowed, forbidden) = (Ipv4Addr::new(127, 0, 0, 2), Ipv4Addr::new(127, 0, 0, 3));
        let (allowed_count, port) = count_connections(allowed, 0).await;
        let (forbidden_count, _) = count_connections(forbidden, port).await;
        let rules = Arc::new(AddressRules::new(vec!["127.0.0.2/32".parse().unwrap()]));
        let look_up: LookUpHost = |_| {
            // The name server answers twice with the allowed address, then with the other one.
            let last = if LOOK_UPS.fetch_add(1, Ordering::SeqCst) < 2 { 2 } else { 3 };
            Box::pin(async move { Ok(vec![SocketAddr::from(([127, 0, 0, last], 0))]) })
        };
        let client = OutboundClient::with_resolver(GuardedResolver { rules, look_up }, "").unwrap();
        let target = client.parse_target(&format!("https://rebinding.example:{port}/")).unwrap();
        client.check_host(&target).await.unwrap();
        let request = || OutboundRequest { headers: Vec::new(), body: Vec::new() };
        assert!(client.post(&target, request()).await.is_err(), "the receiver does not support TLS");
        assert_eq!(allowed_count.load(Ordering::SeqCst), 1);
        assert!(client.post(&target, request()).await.is_err());
        assert_eq!(client.check_host(&target).await, Err(TargetRefusal::NotPublic));
        assert_eq!(LOOK_UPS.load(Ordering::SeqCst), 4, "the name is resolved with each request");
        let counts = [&allowed_count, &forbidden_count].map(|count| count.load(Ordering::SeqCst));
        assert_eq!(counts, [1, 0]);
    }

    #[tokio::test]
    async fn host_is_refused_in_the_same_way_whatever_the_reason_is() {
        let client = OutboundClient::new(Vec::new(), "").unwrap();
        for host in ["localhost", "no-such-host.invalid"] {
            let target = client.parse_target(&format!("https://{host}/")).unwrap();
            assert_eq!(client.check_host(&target).await, Err(TargetRefusal::NotPublic), "{host}");
        }
        let address = client.parse_target("https://1.1.1.1/").unwrap();
        assert_eq!(client.check_host(&address).await, Ok(()));
    }

    #[tokio::test]
    async fn a_few_requests_to_one_host_are_under_way_at_a_time() {
        let client = OutboundClient::new(Vec::new(), "https://canvas.example.org").unwrap();
        let mut permits = Vec::new();
        for _ in 0..MAX_REQUESTS_PER_HOST {
            permits.push(client.acquire_permit("a.example").await.unwrap());
        }
        assert_eq!(client.requests_to("a.example").available_permits(), 0);
        assert!(client.acquire_permit("b.example").await.is_ok(), "another host is not affected");
        permits.pop();
        assert!(client.acquire_permit("a.example").await.is_ok());
        assert!(client.parse_target("https://canvas.example.org/x").is_err(), "this server is no target");
    }

    #[tokio::test]
    async fn idle_hosts_are_forgotten() {
        let client = OutboundClient::new(Vec::new(), "").unwrap();
        let _permit = client.acquire_permit("busy.example").await.unwrap();
        for host in 0..2 * MAX_IDLE_HOSTS {
            client.requests_to(&host.to_string());
        }
        let by_host = client.requests_by_host.lock();
        assert!(by_host.len() <= MAX_IDLE_HOSTS && by_host.contains_key("busy.example"));
    }
}
