//! Logging to standard error.

use std::io::IsTerminal as _;
use std::panic;

use tracing_subscriber::EnvFilter;

use super::METRICS;

/// The default of `RUST_LOG`. At level info the framework logs more than operators need.
pub const DEFAULT_FILTER: &str = "info,actix_server=warn,actix_http=off,sqlx=error";

/// A directive that always applies. Below this level, the MCP library logs messages with the texts and keys
/// in them, which must never reach the log.
const PROTOCOL_DIRECTIVE: &str = "rmcp=error";

/// The format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    #[default]
    Text,
    Json,
}

/// Starts logging to standard error what passes `filter`, in the syntax of [`EnvFilter`].
pub fn init(format: LogFormat, filter: &str) {
    let filter = EnvFilter::new(filter);
    let filter = match PROTOCOL_DIRECTIVE.parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_) => filter,
    };
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // Otherwise the layer would report the error on standard error, which is what failed, and panic. A log
    // that nobody reads any more must not end the server.
    let logs = logs.log_internal_errors(false);
    match format {
        LogFormat::Text => logs.with_ansi(std::io::stderr().is_terminal()).with_target(false).init(),
        LogFormat::Json => logs.json().flatten_event(true).with_span_list(false).init(),
    }
    install_panic_hook();
}

/// Logs panics: a panic ends one request, not the process, so it would otherwise go unnoticed.
fn install_panic_hook() {
    panic::set_hook(Box::new(log_panic));
}

fn log_panic(panic: &panic::PanicHookInfo<'_>) {
    METRICS.requests.panics.inc();
    let location = panic.location().map(ToString::to_string).unwrap_or_default();
    let message = panic.payload_as_str().unwrap_or("a payload that is not text");
    tracing::error!(location, "panic: {message}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_counted() {
        install_panic_hook();
        assert!(panic::catch_unwind(|| panic!("on purpose")).is_err());
        assert_eq!(METRICS.requests.panics.get(), 1);
    }
}
