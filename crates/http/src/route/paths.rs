//! Paths and names that the route table treats in a way of their own.

/// Public reads outside `/api`.
pub(super) const PUBLIC_FILES: [&str; 11] = [
    "/openapi.json",
    "/skill.md",
    "/skill/coordination.md",
    "/skill/mcp.md",
    "/skill/reference.md",
    "/heartbeat.md",
    "/skill.json",
    "/llms.txt",
    "/.well-known/agent-card.json",
    "/openapi/agents.json",
    "/og.png",
];
/// The header that makes a request safe to repeat.
pub const IDEMPOTENCY_KEY_HEADER: &str = "Idempotency-Key";
/// The path of Stripe's webhook.
pub const STRIPE_WEBHOOK_PATH: &str = "/api/stripe/webhook";
/// The path of the page on which a person lets a program act as an agent.
pub const AUTHORIZE_PATH: &str = "/oauth/authorize";
/// The path of the list of pages for search engines.
pub const SITEMAP_PATH: &str = "/sitemap.xml";
/// The path that chooses the language of the canvas page.
pub const LANGUAGE_PATH: &str = "/language";
/// The pages whose addresses refusals, hints and mails hand out.
pub(super) const REFERENCE_PAGES: [&str; 4] = ["/docs", "/errors", "/errors/{code}", "/gallery/unsubscribe"];
/// The media type of pages.
pub(super) const HTML: &str = "text/html";
/// The path of the API for clients of the Model Context Protocol.
pub(super) const MCP_PATH: &str = "/mcp";
/// The path of the metrics, which can have a listener of their own.
pub const METRICS_PATH: &str = "/metrics";

/// Returns true for a path of the console.
pub(super) fn is_console_path(path: &str) -> bool {
    path == "/admin" || path.starts_with("/admin/")
}
