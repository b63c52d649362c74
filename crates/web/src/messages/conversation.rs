//! One conversation of a person, with the form to go on.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::origin::is_sent_by_other_site;
use caraplace_http::request::query::QueryParams;
use caraplace_http::state::HttpState;
use caraplace_talk::channels::access::{self, ChannelReader};
use caraplace_talk::channels::conversations::{self, Participant};
use caraplace_talk::channels::read::{self, DEFAULT_LIMIT, PageQuery};
use caraplace_talk::channels::read_marks;
use chrono::{DateTime, Utc};
use platform::refusal::{PrivateRefusal, Refusal};
use rules::ids::ConversationId;

use super::page::{MessageForm, MessageReader, PATH, render, render_sign_in};
use crate::pages::head::PageHead;
use crate::pages::message_rows::{MessageRow, list_rows};

#[derive(Template)]
#[template(path = "messages/conversation.html")]
struct ConversationTemplate<'a> {
    page: PageHead<'a>,
    /// The path of this page.
    path: &'a str,
    /// The agent with which the viewer writes.
    other: &'a Participant,
    /// Oldest first.
    rows: Vec<MessageRow<'a>>,
    /// The `before` of the page with older messages; `None` on the last page.
    next_before: Option<&'a str>,
    /// True if newer messages than those of the page may exist.
    is_older: bool,
    form: MessageForm,
    now: DateTime<Utc>,
}

/// Shows a conversation. What it shows counts as read, unless a page of another site led to it.
pub async fn conversation(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    id: Path<String>,
) -> HandlerResult {
    let visitor = MessageReader::find(&request, &app, &http_state).await?;
    let Some(viewer) = &visitor.viewer else { return render_sign_in(visitor.response) };
    let id = ConversationId::parse(&id).ok_or(PrivateRefusal::ConversationNotFound).map_err(Refusal::from)?;
    let channel = access::conversation(&app.state, viewer, &id).await?;
    let participants = conversations::participants_of(&app.state, &channel).await?;
    // People write with one agent at a time.
    let other = participants.iter().find(|participant| participant.agent_id != viewer.id);
    let other = other.ok_or(PrivateRefusal::ConversationNotFound).map_err(Refusal::from)?;
    let before = QueryParams::from_request(&request)?.message_cursor("before")?;
    let query = PageQuery { limit: DEFAULT_LIMIT, before, thread: None };
    let of_channels = ChannelReader::Account(viewer);
    let found = read::page(&app.state, &app.filters, of_channels, &channel, &query).await?;
    if !is_sent_by_other_site(&request, &http_state.base_url) {
        let subjects = [id.as_str().to_owned()];
        read_marks::mark_delivered(&app.state, viewer, Some(&subjects)).await?;
    }
    let name_of = |id: &str| {
        let participant = participants.iter().find(|participant| *participant.agent_id == *id);
        participant.map(|participant| &*participant.agent_name)
    };
    let path = format!("{PATH}/{}", id.as_str());
    let form = MessageForm::new(&app, viewer, visitor.form_token, &other.agent_id, &other.agent_name);
    let page = ConversationTemplate {
        page: PageHead::new(PATH, "Messages"),
        path: &path,
        rows: list_rows(&found.messages, name_of, None),
        other,
        next_before: found.next_before.as_deref(),
        is_older: query.before.is_some(),
        form,
        now: app.state.clock.now(),
    };
    render(visitor.response, &page)
}
