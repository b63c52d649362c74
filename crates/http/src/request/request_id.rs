//! The ids of requests, which are in their responses and in the log.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use actix_web::dev::ServiceRequest;
use platform::clock;

use super::address::TrustedProxies;

const REQUEST_ID_HEADER: &str = "x-request-id";
const MAX_ID_BYTES: usize = 64;

/// The random part of this process's ids, which differs between processes.
static PROCESS_PREFIX: LazyLock<String> = LazyLock::new(|| {
    // Without random bytes, two instances could use the same ids, which only makes their logs harder to read.
    let random = clock::random_bytes::<6>().unwrap_or_default();
    random.iter().map(|byte| format!("{byte:02x}")).collect()
});
static REQUEST_COUNT: AtomicU64 = AtomicU64::new(0);

/// The id of a request, stored in its extensions.
#[derive(Clone, Debug)]
pub struct RequestId(pub Arc<str>);

/// Returns the id that a trusted proxy has sent, or else a new one.
pub fn for_request(request: &ServiceRequest, trusted: Option<&TrustedProxies>) -> String {
    id_from_proxy(request, trusted).map_or_else(generate, str::to_owned)
}

fn id_from_proxy<'a>(request: &'a ServiceRequest, trusted: Option<&TrustedProxies>) -> Option<&'a str> {
    let id = request.headers().get(REQUEST_ID_HEADER)?.to_str().ok().filter(|id| is_well_formed(id))?;
    let peer = request.peer_addr()?.ip().to_canonical();
    trusted.is_some_and(|trusted| trusted.contains(&peer)).then_some(id)
}

/// Returns true if an id can be written to headers and log lines unescaped.
fn is_well_formed(id: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:=+/".contains(&byte);
    (1..=MAX_ID_BYTES).contains(&id.len()) && id.bytes().all(allowed)
}

/// Returns a new id: the process's random part and a counter, which is cheaper than random bytes for each
/// request.
fn generate() -> String {
    format!("req_{}{:08x}", *PROCESS_PREFIX, REQUEST_COUNT.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn id(peer: &str, header: &str) -> String {
        let peer = format!("{peer}:4711").parse().unwrap();
        let request = TestRequest::default()
            .peer_addr(peer)
            .insert_header((REQUEST_ID_HEADER, header))
            .to_srv_request();
        for_request(&request, Some(&TrustedProxies::new(vec!["10.0.0.0/8".parse().unwrap()], None)))
    }

    #[test]
    fn only_well_formed_ids_of_trusted_proxies_are_used() {
        assert_eq!(id("10.0.0.1", "abc-123"), "abc-123");
        for (peer, header) in [
            ("192.0.2.1", "abc-123"),
            ("10.0.0.1", ""),
            ("10.0.0.1", "two words"),
            ("10.0.0.1", "a\"b"),
            ("10.0.0.1", &"a".repeat(65)),
        ] {
            let new = id(peer, header);
            assert!(new.starts_with("req_") && new.len() == 24, "{header} from {peer} gives {new}");
        }
        assert_ne!(generate(), generate());
        assert!(text_filters::ids::is_id(&generate()), "filters would take {} for a secret", generate());
    }
}
