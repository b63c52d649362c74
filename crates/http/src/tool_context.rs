//! The state that the tools share, for MCP and for the guide.

use std::sync::Arc;

use caraplace_companion::app::App;
use caraplace_companion::tools::call::ToolContext;
use platform::refusal::{AccountRefusal, Refusal};

use crate::request::rate_limits::RateLimitKey;
use crate::state::HttpState;

/// The maximum number of calls that wait at a time.
const MAX_WAITS: usize = 2_000;
/// The share of connections (1 in this number) that calls which wait may take.
const WAIT_CONNECTION_SHARE: usize = 4;

/// Returns the state of tools that count against the rate limits of the server.
pub fn tool_context(app: &Arc<App>, http_state: &Arc<HttpState>) -> Arc<ToolContext> {
    let limits_state = http_state.clone();
    let count_registration = move |address| match limits_state.rate_limits.count_registration(address) {
        Ok(_) => Ok(()),
        Err(wait) => Err(Refusal::Account(AccountRefusal::TooManyRegistrations { wait })),
    };
    let limits_state = http_state.clone();
    let count_report = move |agent| limits_state.rate_limits.count_report(&RateLimitKey::Agent(agent));
    Arc::new(ToolContext {
        app: app.clone(),
        base_url: http_state.base_url.clone(),
        count_registration: Box::new(count_registration),
        count_report: Box::new(count_report),
        max_waits: (http_state.capacity.connections / WAIT_CONNECTION_SHARE).min(MAX_WAITS),
    })
}
