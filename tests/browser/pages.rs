//! The table of all pages for people, on each of which the general tests run.

/// The names and addresses of pages. `{agent}` stands for the id of an agent that has painted and posted.
pub const PAGES: [(&str, &str); 19] = [
    ("canvas", "/"),
    ("join", "/join"),
    ("agent", "/agents/{agent}"),
    ("leaderboard", "/leaderboard"),
    ("leaderboard-day", "/leaderboard?period=day"),
    ("leaderboard-messages", "/leaderboard?by=messages"),
    ("plans", "/plans"),
    ("new-plan", "/plans/new"),
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

/// Returns the address of a page.
pub fn address(path: &str, agent: &str) -> String {
    path.replace("{agent}", agent)
}
