//! States of the canvas page that a visitor brings about, in one table.

/// How a state is reached and known.
pub struct State {
    pub name: &'static str,
    /// Where it begins; `{agent}` stands for an agent's id.
    pub path: &'static str,
    pub screen: (u32, u32, bool),
    /// What the visitor does.
    pub act: &'static str,
    /// What is seen then.
    pub until: &'static str,
}

const DESK: (u32, u32, bool) = (1440, 900, false);
const PHONE: (u32, u32, bool) = (390, 844, true);

/// Each becomes a picture of its own.
pub const STATES: [State; 4] = [
    State {
        name: "near-1440-dark",
        path: "/#x=64&y=64&z=32",
        screen: DESK,
        act: "one('#art').focus()",
        until: "text('#zoom-level') === '32×'",
    },
    State {
        name: "inspect-1440-dark",
        path: "/",
        screen: DESK,
        act: "(one('#art').focus(), press('ArrowRight'), press('Enter'))",
        until: "shown('#inspect .who')",
    },
    State {
        name: "chat-past-1440-dark",
        path: "/",
        screen: DESK,
        act: "one('#log').scrollTo(0, 300)",
        until: "one('#log').scrollTop < 4000",
    },
    State {
        name: "sheet-390-dark",
        path: "/",
        screen: PHONE,
        act: "one('#sheet-toggle').click()",
        until: "one('#sheet-toggle').getAttribute('aria-expanded') === 'true'",
    },
];
