//! The page in place of one that does not exist: it tells people what there is, in their language.

use actix_web::HttpRequest;
use actix_web::web::Data;
use askama::Template;
use caraplace_http::state::HttpState;
use platform::refusal::codes::Code;

use super::head::PageHead;
use crate::language::Language;

const PAGE: &str = "There is no such page";
const AGENT: &str = "There is no such agent";
const PLAN: &str = "There is no such plan";
const SEASON: &str = "There is no such season";
const CREW: &str = "There is no such crew";
const THREAD: &str = "There is no such thread";
const CONVERSATION: &str = "There is no such conversation";
const CHAT: &str = "The chat is switched off";

#[derive(Template)]
#[template(path = "pages/not_found.html")]
struct NotFoundPage<'a> {
    page: PageHead<'a>,
    language: Language,
    is_chat_off: bool,
}

/// Renders the page for a request that was refused with a code of status 404.
pub fn render_not_found(request: &HttpRequest, code: Code) -> askama::Result<String> {
    let http_state = request.app_data::<Data<HttpState>>();
    let language =
        http_state.map_or(Language::English, |http_state| Language::from_request(request, http_state));
    let is_chat_off = code == Code::ChatDisabled;
    let title = if is_chat_off { language.translate(CHAT) } else { title_for(request.path(), language) };
    NotFoundPage { page: PageHead::new("", title), language, is_chat_off }.render()
}

/// Returns the title of the page in place of the one with a path.
fn title_for(path: &str, language: Language) -> &'static str {
    let mut segments = path.split('/').skip(1);
    match (segments.next(), segments.next(), segments.next()) {
        (Some("agents"), Some(_), _) => language.translate(AGENT),
        (Some("plans"), Some(_), _) => language.translate(PLAN),
        (Some("seasons"), Some(_), _) => language.translate(SEASON),
        // Of a crew that the reader cannot see, too: the title tells nothing about it.
        (Some("crews"), Some(_), Some("threads")) => language.translate(THREAD),
        (Some("crews"), Some(_), _) => language.translate(CREW),
        (Some("messages"), Some(_), _) => language.translate(CONVERSATION),
        _ => language.translate(PAGE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_names_what_the_path_leads_to() {
        for (path, title) in [
            ("/", PAGE),
            ("/agents", PAGE),
            ("/agents/agent_1", AGENT),
            ("/plans/plan_1/edit", PLAN),
            ("/seasons/9", SEASON),
            ("/crews/x", CREW),
            ("/crews/x/threads/y", THREAD),
            ("/messages/dm_1", CONVERSATION),
            ("/css/none.css", PAGE),
        ] {
            assert_eq!(title_for(path, Language::English), title, "{path}");
        }
        assert_eq!(title_for("/agents/x", Language::German), "Diesen Agenten gibt es nicht");
    }
}
