//! Sends the requests: without redirects, without waiting long, and only a few at a time to one host and to
//! one address.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use ipnet::{IpNet, Ipv6Net};
use reqwest::Client;
use reqwest::redirect::Policy;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use super::addresses::AddressRules;
use super::look_ups::{LookUpError, LookUpOwner};
use super::resolver::{ADDRESSES, GuardedResolver, KnownAddresses};
use super::target::{OutboundTarget, TargetRefusal, without_final_dot};
use crate::keyed_permits::KeyedPermits;

/// The timeout of a request with its response, and of connecting.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The time for which a request waits for others to the same host.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(20);
/// The time for which a request waits for others to the same address under other names.
const ADDRESS_QUEUE_TIMEOUT: Duration = Duration::from_secs(1);
/// The maximum number of requests under way to one host, and to one address.
pub const MAX_REQUESTS_PER_HOST: usize = 4;
/// The length of the prefix of IPv6 addresses that count together: a network in which one machine may have
/// all.
const IPV6_PREFIX_BITS: u8 = 64;

/// A client for requests to addresses that users choose.
pub struct OutboundClient {
    http: Client,
    resolver: GuardedResolver,
    /// The host of this server's public URL.
    own_host: Option<String>,
    /// By host name, and by address.
    requests: KeyedPermits<String>,
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
    #[error("the address of the host cannot be found")]
    NoAddress,
    #[error("too many requests to this host, or look-ups of its kind, are under way")]
    HostBusy,
}

impl From<LookUpError> for OutboundError {
    fn from(error: LookUpError) -> Self {
        match error {
            LookUpError::Busy => Self::HostBusy,
            LookUpError::NoPublicAddress | LookUpError::Unanswered => Self::NoAddress,
        }
    }
}

/// The reason why a host cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostRefusal {
    /// A reason for which nothing is ever sent there.
    Target(TargetRefusal),
    /// It could not be looked up in time.
    Busy,
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
        let http = client.dns_resolver(Arc::new(KnownAddresses)).build().ok()?;
        let own_url = reqwest::Url::parse(base_url).ok();
        let own_host =
            own_url.as_ref().and_then(|url| url.host_str()).map(without_final_dot).map(str::to_owned);
        Some(Self { http, resolver, own_host, requests: KeyedPermits::default() })
    }

    /// Parses an address that a user gives.
    ///
    /// # Errors
    /// The reason why no request is sent there.
    pub fn parse_target(&self, text: &str) -> Result<OutboundTarget, TargetRefusal> {
        OutboundTarget::parse(text, &self.resolver.rules, self.own_host.as_deref())
    }

    /// Checks that the host of an address can be resolved now, and may be reached, for an agent at a network
    /// address. The host is resolved again with each request.
    ///
    /// # Errors
    /// `NotPublic`, whatever the reason is, or `Busy`.
    pub async fn check_host(
        &self,
        target: &OutboundTarget,
        agent: &str,
        address: IpAddr,
    ) -> Result<(), HostRefusal> {
        let Some(host) = target.host_name() else { return Ok(()) };
        let owners =
            [LookUpOwner::Agent(agent.to_owned()), LookUpOwner::Address(address), LookUpOwner::Checks];
        match self.resolver.find_addresses(host, &owners).await {
            Ok(_) => Ok(()),
            Err(LookUpError::NoPublicAddress) => Err(HostRefusal::Target(TargetRefusal::NotPublic)),
            Err(LookUpError::Busy | LookUpError::Unanswered) => Err(HostRefusal::Busy),
        }
    }

    /// Sends a POST request for nobody in particular, as [`OutboundClient::post_for`].
    ///
    /// # Errors
    /// As [`OutboundClient::post_for`].
    pub async fn post(
        &self,
        target: &OutboundTarget,
        request: OutboundRequest,
    ) -> Result<u16, OutboundError> {
        self.post_for(LookUpOwner::Host(target.host_key()), target, request).await
    }

    /// Sends a POST request and returns the status of its response, whose body is not read.
    ///
    /// # Errors
    /// If there is no response in time, or the address may not be reached.
    pub async fn post_for(
        &self,
        owner: LookUpOwner,
        target: &OutboundTarget,
        request: OutboundRequest,
    ) -> Result<u16, OutboundError> {
        let host = target.host_key();
        let _host_permit = self.acquire_permit(host.clone(), QUEUE_TIMEOUT).await?;
        let addresses = match target.host_name() {
            Some(name) => self.resolver.find_addresses(name, &[owner]).await?,
            None => Vec::new(),
        };
        let keys: BTreeSet<String> = addresses.iter().map(|address| address_key(address.ip())).collect();
        let mut address_permits = Vec::new();
        // Always in the same order, so that two requests do not wait for each other.
        for key in keys.into_iter().filter(|key| *key != host) {
            address_permits.push(self.acquire_permit(key, ADDRESS_QUEUE_TIMEOUT).await?);
        }
        let post = self.http.post(target.url().clone()).body(request.body);
        let post = request.headers.into_iter().fold(post, |post, (name, value)| post.header(name, value));
        let response = ADDRESSES.scope(addresses, post.send()).await?;
        drop(address_permits);
        Ok(response.status().as_u16())
    }

    async fn acquire_permit(
        &self,
        key: String,
        limit: Duration,
    ) -> Result<OwnedSemaphorePermit, OutboundError> {
        let requests = self.requests.of(key, MAX_REQUESTS_PER_HOST);
        let permit = timeout(limit, requests.acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or(OutboundError::HostBusy)
    }
}

/// Returns the key by which requests to an address are counted. It is that of the address as a host.
fn address_key(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let network = Ipv6Net::new_assert(address, IPV6_PREFIX_BITS).trunc();
            network.to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::mpsc;

    use super::*;
    use crate::outbound::look_ups::LookUpHost;

    /// The network address of an agent.
    const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const NOT_PUBLIC: HostRefusal = HostRefusal::Target(TargetRefusal::NotPublic);

    /// Accepts connections at an address, closes them, and counts them.
    async fn count_connections(address: Ipv4Addr, port: u16) -> (Arc<AtomicUsize>, u16) {
        let listener = TcpListener::bind((address, port)).await.unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let port = listener.local_addr().unwrap().port();
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
        let allowed = Ipv4Addr::new(127, 0, 0, 2);
        let forbidden = Ipv4Addr::new(127, 0, 0, 3);
        let (allowed_count, port) = count_connections(allowed, 0).await;
        let (forbidden_count, _) = count_connections(forbidden, port).await;
        let rules = Arc::new(AddressRules::new(vec!["127.0.0.2/32".parse().unwrap()]));
        let look_up: LookUpHost = |_, _| {
            // The name server answers twice with the allowed address, then with the other one.
            let last = if LOOK_UPS.fetch_add(1, Ordering::SeqCst) < 2 { 2 } else { 3 };
            Box::pin(async move { Ok(vec![SocketAddr::from(([127, 0, 0, last], 0))]) })
        };
        let client =
            OutboundClient::with_resolver(GuardedResolver::with_look_up(rules, look_up), "").unwrap();
        let target = client.parse_target(&format!("https://rebinding.example:{port}/")).unwrap();
        client.check_host(&target, "ada", ADDRESS).await.unwrap();
        let request = || OutboundRequest { headers: Vec::new(), body: Vec::new() };
        assert!(client.post(&target, request()).await.is_err(), "the receiver does not support TLS");
        assert_eq!(allowed_count.load(Ordering::SeqCst), 1);
        assert!(client.post(&target, request()).await.is_err());
        assert_eq!(client.check_host(&target, "ada", ADDRESS).await, Err(NOT_PUBLIC));
        assert_eq!(LOOK_UPS.load(Ordering::SeqCst), 4, "the name is resolved with each request");
        let counts = [&allowed_count, &forbidden_count].map(|count| count.load(Ordering::SeqCst));
        assert_eq!(counts, [1, 0]);
    }

    #[tokio::test]
    async fn host_is_refused_in_the_same_way_whatever_the_reason_is() {
        let client = OutboundClient::new(Vec::new(), "").unwrap();
        for host in ["localhost", "no-such-host.invalid"] {
            let target = client.parse_target(&format!("https://{host}/")).unwrap();
            assert_eq!(client.check_host(&target, "ada", ADDRESS).await, Err(NOT_PUBLIC), "{host}");
        }
        let address = client.parse_target("https://1.1.1.1/").unwrap();
        assert_eq!(client.check_host(&address, "ada", ADDRESS).await, Ok(()));
    }

    #[tokio::test]
    async fn a_few_requests_to_one_host_are_under_way_at_a_time() {
        let client = OutboundClient::new(Vec::new(), "https://canvas.example.org").unwrap();
        let acquire = async |host: &str| client.acquire_permit(host.to_owned(), Duration::ZERO).await;
        let mut permits = Vec::new();
        for _ in 0..MAX_REQUESTS_PER_HOST {
            permits.push(acquire("a.example").await.unwrap());
        }
        assert!(matches!(acquire("a.example").await, Err(OutboundError::HostBusy)));
        assert!(acquire("b.example").await.is_ok(), "another host is not affected");
        permits.pop();
        assert!(acquire("a.example").await.is_ok());
        assert!(client.parse_target("https://canvas.example.org/x").is_err(), "this server is no target");
    }

    /// Accepts connections and answers nothing. Returns the connections.
    async fn accept_silently(address: Ipv4Addr) -> (mpsc::UnboundedReceiver<TcpStream>, u16) {
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, connections) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                sender.send(connection).unwrap();
            }
        });
        (connections, port)
    }

    #[tokio::test]
    async fn names_of_one_address_count_together() {
        let address = Ipv4Addr::new(127, 0, 0, 2);
        let (mut connections, port) = accept_silently(address).await;
        let rules = Arc::new(AddressRules::new(vec!["127.0.0.0/8".parse().unwrap()]));
        let look_up: LookUpHost = |host, _| {
            let last = if host.starts_with("other") { 3 } else { 2 };
            Box::pin(async move { Ok(vec![SocketAddr::from(([127, 0, 0, last], 0))]) })
        };
        let resolver = GuardedResolver::with_look_up(rules, look_up);
        let client = Arc::new(OutboundClient::with_resolver(resolver, "").unwrap());
        let post = |host: &str| {
            let target = client.parse_target(&format!("https://{host}:{port}/")).unwrap();
            let client = client.clone();
            let request = OutboundRequest { headers: Vec::new(), body: Vec::new() };
            async move { client.post(&target, request).await }
        };
        let mut under_way = tokio::task::JoinSet::new();
        let mut open = Vec::new();
        for name in 0..MAX_REQUESTS_PER_HOST {
            under_way.spawn(post(&format!("name-{name}.example")));
            open.push(connections.recv().await.unwrap());
        }
        assert!(matches!(post("one-more.example").await, Err(OutboundError::HostBusy)));
        let elsewhere = post("other.example").await;
        assert!(
            matches!(elsewhere, Err(OutboundError::Unreachable(_))),
            "nobody listens at the other address"
        );
        drop(open);
        while under_way.join_next().await.is_some() {}
        let last = tokio::spawn(post("one-more.example"));
        drop(connections.recv().await.unwrap());
        assert!(matches!(last.await.unwrap(), Err(OutboundError::Unreachable(_))));
    }

    #[test]
    fn addresses_of_one_machine_have_one_key() {
        let key = |address: &str| address_key(address.parse().unwrap());
        assert_eq!(key("::ffff:1.2.3.4"), "1.2.3.4");
        assert_eq!(key("2606:4700::1"), key("2606:4700::ffff:2"));
        assert_ne!(key("2606:4700::1"), key("2606:4700:0:1::1"));
    }
}
