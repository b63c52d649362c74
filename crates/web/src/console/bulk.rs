//! The page with the result of an act for each of several accounts or messages.

use askama::Template;
use caraplace_http::HandlerResult;
use caraplace_moderation::actions::bulk::SubjectResult;

use super::layout::{ConsolePage, render_page};

/// A line about one of several accounts or messages.
pub(super) struct BulkLine {
    /// The address of its page.
    pub path: String,
    /// The name; `None` if it has none, or does not exist.
    pub name: Option<String>,
    pub result: SubjectResult,
}

#[derive(Template)]
#[template(path = "console/bulk.html")]
struct BulkTemplate<'a> {
    page: ConsolePage<'a>,
    lines: &'a [BulkLine],
    /// The number of those on which the act was carried out.
    done: usize,
}

/// Responds with the results.
pub(super) fn render_results(page: ConsolePage<'_>, lines: &[BulkLine]) -> HandlerResult {
    let done = lines.iter().filter(|line| line.result.ok).count();
    render_page(&BulkTemplate { page, lines, done })
}
