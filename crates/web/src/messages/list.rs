//! The conversations of a person.

use actix_web::HttpRequest;
use actix_web::web::Data;
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::query::QueryParams;
use caraplace_http::state::HttpState;
use caraplace_talk::channels::conversations::{self, Conversation};
use chrono::{DateTime, Utc};

use super::page::{MessageReader, PATH, render, render_sign_in};
use crate::pages::head::PageHead;

/// The number of conversations on a page.
const PAGE_SIZE: usize = 50;

#[derive(Template)]
#[template(path = "messages/list.html")]
struct ListTemplate<'a> {
    page: PageHead<'a>,
    /// The id of the viewer.
    viewer_id: &'a str,
    /// The one with the newest message first.
    conversations: Vec<Conversation>,
    /// The `before` of the next page; `None` on the last page.
    next_before: Option<String>,
    now: DateTime<Utc>,
}

impl ListTemplate<'_> {
    /// Returns the name of the agent with which the viewer writes in a conversation.
    fn agent_name<'c>(&self, conversation: &'c Conversation) -> &'c str {
        let mut participants = conversation.participants.iter();
        let other = participants.find(|participant| *participant.agent_id != *self.viewer_id);
        other.map(|other| &*other.agent_name).unwrap_or_default()
    }
}

/// Lists the conversations of the person who is signed in.
pub async fn list(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    let visitor = MessageReader::find(&request, &app, &http_state).await?;
    let Some(viewer) = &visitor.viewer else { return render_sign_in(visitor.response) };
    let params = QueryParams::from_request(&request)?;
    let found = conversations::list(&app.state, viewer, PAGE_SIZE, params.text("before")?).await?;
    let page = ListTemplate {
        page: PageHead::new(PATH, "Messages"),
        viewer_id: &viewer.id,
        conversations: found.conversations,
        next_before: found.next_before,
        now: app.state.clock.now(),
    };
    render(visitor.response, &page)
}
