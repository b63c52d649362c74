//! `/errors`: a page with all error codes, the target of the `type` of error responses.

use std::collections::BTreeMap;

use askama::Template;
use caraplace_http::route::endpoint::Route;
use caraplace_web::pages::head::{ListedHead, PageHead};
use platform::refusal::codes::{Code, CodeInfo};
use serde_json::Value;

use super::error_examples::{example, example_text, field_help};
use super::openapi;

/// The largest number of routes listed for a code; for more, only their number is shown.
const MAX_LISTED_ROUTES: usize = 6;
/// The code that no response has, only the last event of a stream.
const EVENT_CODE: Code = Code::ModelUnavailable;

/// The page of all codes.
#[derive(Template)]
#[template(path = "pages/errors.html")]
pub struct ErrorsPage<'a> {
    page: ListedHead<'a>,
    /// The codes of each status, in the order of the table.
    statuses: BTreeMap<u16, Vec<ErrorEntry>>,
}

/// The page of one code.
#[derive(Template)]
#[template(path = "pages/error.html")]
pub struct ErrorPage<'a> {
    page: PageHead<'a>,
    refusal: ErrorEntry,
}

/// The entry of an error code on the page.
struct ErrorEntry {
    code: Code,
    info: &'static CodeInfo,
    /// The names and descriptions of the additional fields.
    fields: Vec<(String, &'static str)>,
    /// The routes that can return the code.
    routes: Vec<&'static Route>,
    /// An example response, as JSON, or an example event.
    example: String,
}

impl<'a> ErrorsPage<'a> {
    /// Returns the page of all codes.
    pub fn new(routes: &'static [Route], page: ListedHead<'a>) -> Self {
        let mut statuses: BTreeMap<u16, Vec<ErrorEntry>> = BTreeMap::new();
        for code in Code::ALL {
            statuses.entry(code.info().status).or_default().push(ErrorEntry::new(routes, *code));
        }
        Self { page, statuses }
    }
}

impl ErrorPage<'_> {
    /// Returns the page of one code.
    pub fn new(routes: &'static [Route], code: Code, has_pages: bool) -> Self {
        let page = PageHead { has_pages, ..PageHead::new("", code.info().title) };
        Self { page, refusal: ErrorEntry::new(routes, code) }
    }
}

impl ErrorEntry {
    fn new(routes: &'static [Route], code: Code) -> Self {
        let body = if code == EVENT_CODE { Value::Null } else { example(code).json() };
        let names = body.as_object().into_iter().flatten().map(|(name, _)| name.clone());
        let with_help = names.map(|name| (field_help(&name), name)).filter(|(help, _)| !help.is_empty());
        let can_respond = |route: &&Route| route.is_described() && route.codes().contains(&code);
        Self {
            code,
            info: code.info(),
            fields: with_help.map(|(help, name)| (name, help)).collect(),
            routes: routes.iter().filter(can_respond).collect(),
            example: example_text(code),
        }
    }

    fn is_event_code(&self) -> bool {
        self.code == EVENT_CODE
    }

    fn applies_to_every_route(&self) -> bool {
        matches!(self.code, Code::NotFound | Code::MethodNotAllowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::routes::ROUTES;

    #[test]
    fn every_code_has_one_anchor_and_is_linked_from_the_list() {
        let page = ErrorsPage::new(&ROUTES, ListedHead::new("", "/errors", "", "")).render().unwrap();
        for code in Code::ALL {
            let name = code.info().code;
            assert_eq!(page.matches(&format!("id=\"{name}\"")).count(), 1, "{name}");
            assert!(page.contains(&format!("href=\"#{name}\"")), "{name}");
        }
    }
}
