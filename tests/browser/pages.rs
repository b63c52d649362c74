//! Every page that people meet, in one table: what holds for pages is tried on each of these.

/// A page's name and address; `{agent}` stands for the id of an agent who has painted and talked.
pub const PAGES: [(&str, &str); 4] = [
    ("the canvas", "/"),
    ("the API's description", "/docs"),
    ("the refusals", "/errors"),
    ("a page that is not there", "/no-such-page"),
];

/// The address of a page.
pub fn address(path: &str, agent: &str) -> String {
    path.replace("{agent}", agent)
}
