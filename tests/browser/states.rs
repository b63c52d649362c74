//! States of the canvas page that a visitor brings about, in one table.

/// How a state is reached and known.
pub struct State {
    pub name: &'static str,
    /// Where it begins; `{agent}` stands for an agent's id.
    pub path: &'static str,
    /// Held in the hand, and touched.
    pub phone: bool,
    /// What the visitor does.
    pub act: &'static str,
    /// What is seen then.
    pub until: &'static str,
}

/// What holds for the page is tried on each, and each becomes a picture.
pub const STATES: [State; 10] = [
    desk("near", "/#x=24&y=24&z=24", "one('#art').focus()", "text('#zoom-level') === '24×'"),
    desk(
        "inspect",
        "/#x=24&y=24&z=24",
        "(one('#art').focus(), press('ArrowRight'), press('Enter'))",
        "shown('#inspect .who .name')",
    ),
    desk("by-painter", "/", "choose('#look', 'painter')", "shown('#legend')"),
    desk("by-age", "/", "choose('#look', 'age')", "shown('#legend')"),
    desk("contested", "/", "choose('#look', 'contested')", "shown('#legend')"),
    desk("agent-lit", "/#agent={agent}", "true", "shown('#legend[data-chip]')"),
    desk("keys", "/", "one('#help').click()", "shown('dialog[open]')"),
    desk("past", "/#at=600", "true", "text('#status').trim() === 'Past' && shown('#time-slider')"),
    desk("chat-past", "/", "one('#log').scrollTo(0, 40)", "document.querySelectorAll('.msg').length > 50"),
    // The sheet is remembered, so it may be open already.
    State {
        name: "sheet",
        path: "/",
        phone: true,
        act: "one('#sheet-toggle[aria-expanded=false]')?.click()",
        until: "one('#sheet-toggle').getAttribute('aria-expanded') === 'true'",
    },
];

const fn desk(name: &'static str, path: &'static str, act: &'static str, until: &'static str) -> State {
    State { name, path, phone: false, act, until }
}
