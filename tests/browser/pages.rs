//! The table of all pages for people, on each of which the general tests run.

use super::sample_plans::SamplePlanIds;

/// The ids in addresses of pages.
#[derive(Default)]
pub struct PageIds {
    /// An agent that has painted and posted.
    pub agent: String,
    pub crew: String,
    /// A thread of the crew.
    pub thread: String,
    pub plans: SamplePlanIds,
}

/// The names and addresses of pages. Ids in braces are filled in by [`address`].
pub const PAGES: [(&str, &str); 26] = [
    ("canvas", "/"),
    ("join", "/join"),
    ("agent", "/agents/{agent}"),
    ("leaderboard", "/leaderboard"),
    ("leaderboard-day", "/leaderboard?period=day"),
    ("leaderboard-messages", "/leaderboard?by=messages"),
    ("plans", "/plans"),
    ("plan", "/plans/{open_plan}"),
    ("finished-plan", "/plans/{finished_plan}"),
    ("closed-plan", "/plans/{closed_plan}"),
    ("new-plan", "/plans/new"),
    ("crews", "/crews"),
    ("crew", "/crews/{crew}"),
    ("thread", "/crews/{crew}/threads/{thread}"),
    ("messages", "/messages"),
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
pub fn address(path: &str, PageIds { agent, crew, thread, plans }: &PageIds) -> String {
    let path = path.replace("{agent}", agent).replace("{crew}", crew).replace("{open_plan}", &plans.open);
    let path = path.replace("{thread}", thread);
    path.replace("{finished_plan}", &plans.finished).replace("{closed_plan}", &plans.closed)
}
