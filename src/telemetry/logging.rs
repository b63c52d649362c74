//! Logs on standard error.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

/// What is logged when RUST_LOG does not say: the framework tells at info what no operator asked.
const DEFAULT_FILTER: &str = "info,actix_server=warn,actix_http=off,sqlx=error";

/// Logs to standard error, by default from info up.
pub fn start() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();
}
