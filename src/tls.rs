//! Clients of HTTP: TLS with the certificates that Mozilla trusts, whatever the machine has, and no proxy that nobody named.

use std::sync::Arc;

use reqwest::ClientBuilder;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

/// A client to be built.
///
/// # Errors
/// Never with the cryptography that is compiled in.
pub fn client() -> Result<ClientBuilder, rustls::Error> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(ClientBuilder::new().tls_backend_preconfigured(config).no_proxy())
}
