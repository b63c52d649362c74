//! The table of the canvas page's states.

/// A state with the way to it.
pub struct PageState {
    pub name: &'static str,
    /// The address. `{agent}` stands for an agent's id.
    pub path: &'static str,
    /// True for a phone with touch.
    pub is_phone: bool,
    /// The script that leads to the state.
    pub action: &'static str,
    /// The condition that is true in the state.
    pub condition: &'static str,
}

/// All states. The general tests and the screenshots use each of them.
pub const STATES: [PageState; 13] = [
    on_desktop("near", "/#x=24&y=24&z=24", "one('#pixels').focus()", "text('#zoom-level') === '24×'"),
    on_desktop(
        "inspect",
        "/#x=24&y=24&z=24",
        "(one('#pixels').focus(), press('ArrowRight'), press('Enter'))",
        "shown('#inspect .card-agent .name')",
    ),
    on_desktop("by-painter", "/", "choose('#lens', 'painter')", "shown('#legend')"),
    on_desktop(
        "painter-list",
        "/",
        "(async () => {
            choose('#lens', 'painter');
            while (!one('.legend-button')) await new Promise(requestAnimationFrame);
            one('.legend-button').click();
        })()",
        "shown('#painter-list button')",
    ),
    on_desktop("by-age", "/", "choose('#lens', 'age')", "shown('#legend')"),
    on_desktop("contested", "/", "choose('#lens', 'contested')", "shown('#legend')"),
    on_desktop("agent-lit", "/#agent={agent}", "true", "shown('#legend[data-agent]')"),
    on_desktop("keys", "/", "one('#help').click()", "shown('dialog[open]')"),
    on_desktop("past", "/#at=600", "true", "text('#status').trim() === 'Past' && shown('#time-slider')"),
    on_desktop(
        "chat-past",
        "/",
        "one('#log').scrollTo(0, 40)",
        "document.querySelectorAll('.msg').length > 50",
    ),
    PageState {
        name: "more-tools",
        path: "/",
        is_phone: true,
        action: "one('#more').click()",
        condition: "shown('#help')",
    },
    PageState {
        name: "menu",
        path: "/",
        is_phone: true,
        action: "one('.menu-button').click()",
        condition: "shown('#menu')",
    },
    // The sheet's state is stored, so it may already be open.
    PageState {
        name: "sheet",
        path: "/",
        is_phone: true,
        action: "one('#sheet-toggle[aria-expanded=false]')?.click()",
        condition: "one('#sheet-toggle').getAttribute('aria-expanded') === 'true'",
    },
];

/// The states with plans and search results, on small and large screens: names, addresses, the scripts that
/// lead to the states, and the conditions that are true in them.
pub const PLAN_STATES: [(&str, &str, &str, &str); 3] = [
    (
        "plan-list",
        "/",
        "one('#plans-toggle').click()",
        "document.querySelectorAll('#plans .plan').length === 3 && text('#plans').includes('painted by')",
    ),
    (
        "plan-selected",
        "/#plan={open_plan}",
        "true",
        "shown('#plans .plan[data-selected] .plan-note') && shown('.plan-label[data-marked]')",
    ),
    (
        "search",
        "/",
        "(async () => {
            one('#search').click();
            while (!shown('dialog.search')) await new Promise(requestAnimationFrame);
            one('#search-field').value = 'lighthouse';
            one('#search-field').dispatchEvent(new Event('input'));
        })()",
        "one('.search-results a')",
    ),
];

const fn on_desktop(
    name: &'static str,
    path: &'static str,
    action: &'static str,
    condition: &'static str,
) -> PageState {
    PageState { name, path, is_phone: false, action, condition }
}
