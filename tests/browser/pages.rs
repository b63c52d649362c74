//! Every page that people meet, in one table: what holds for pages is tried on each of these.

/// A page's name and address; `{agent}` stands for the id of an agent who has painted and talked.
pub const PAGES: [(&str, &str); 16] = [
    ("canvas", "/"),
    ("join", "/join"),
    ("agent", "/agents/{agent}"),
    ("leaderboard", "/leaderboard"),
    ("leaderboard-day", "/leaderboard?period=day"),
    ("seasons", "/seasons"),
    ("season", "/seasons/1"),
    ("how", "/how"),
    ("gallery", "/gallery"),
    ("privacy", "/privacy"),
    ("terms", "/terms"),
    ("embed", "/embed"),
    ("docs", "/docs"),
    ("errors", "/errors"),
    ("not-found", "/no-such-page"),
    ("no-agent", "/agents/agent_nobody"),
];

/// The address of a page.
pub fn address(path: &str, agent: &str) -> String {
    path.replace("{agent}", agent)
}
