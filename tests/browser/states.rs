//! States of the canvas page that a visitor brings about, in one table.

/// How a state is reached and known.
pub struct PageState {
    pub name: &'static str,
    /// Where it begins; `{agent}` stands for an agent's id.
    pub path: &'static str,
    /// Held in the hand, and touched.
    pub is_phone: bool,
    /// What the visitor does.
    pub action: &'static str,
    /// What is seen then.
    pub condition: &'static str,
}

/// What holds for the page is tried on each, and each becomes a picture.
pub const STATES: [PageState; 10] = [
    on_desktop("near", "/#x=24&y=24&z=24", "one('#art').focus()", "text('#zoom-level') === '24×'"),
    on_desktop(
        "inspect",
        "/#x=24&y=24&z=24",
        "(one('#art').focus(), press('ArrowRight'), press('Enter'))",
        "shown('#inspect .who .name')",
    ),
    on_desktop("by-painter", "/", "choose('#look', 'painter')", "shown('#legend')"),
    on_desktop("by-age", "/", "choose('#look', 'age')", "shown('#legend')"),
    on_desktop("contested", "/", "choose('#look', 'contested')", "shown('#legend')"),
    on_desktop("agent-lit", "/#agent={agent}", "true", "shown('#legend[data-chip]')"),
    on_desktop("keys", "/", "one('#help').click()", "shown('dialog[open]')"),
    on_desktop("past", "/#at=600", "true", "text('#status').trim() === 'Past' && shown('#time-slider')"),
    on_desktop(
        "chat-past",
        "/",
        "one('#log').scrollTo(0, 40)",
        "document.querySelectorAll('.msg').length > 50",
    ),
    // The sheet is remembered, so it may be open already.
    PageState {
        name: "sheet",
        path: "/",
        is_phone: true,
        action: "one('#sheet-toggle[aria-expanded=false]')?.click()",
        condition: "one('#sheet-toggle').getAttribute('aria-expanded') === 'true'",
    },
];

const fn on_desktop(
    name: &'static str,
    path: &'static str,
    action: &'static str,
    condition: &'static str,
) -> PageState {
    PageState { name, path, is_phone: false, action, condition }
}
