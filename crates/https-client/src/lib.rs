//! HTTP clients whose TLS trusts Mozilla's certificates on every machine, and which ignore proxies of the
//! environment.

use std::sync::Arc;

use reqwest::ClientBuilder;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

/// Returns a builder of HTTP clients.
///
/// # Errors
/// Only if the cryptography that is compiled in supports no version of TLS.
pub fn builder() -> Result<ClientBuilder, rustls::Error> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(ClientBuilder::new().tls_backend_preconfigured(config).no_proxy())
}
