//! `/admin/messages`: what is said, taken down and brought back; and what the system announces.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use rules::message::Message;

use super::form::ConsoleForm;
use super::frame::{ConsolePage, show};
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::messages::AnnounceOrder;
use crate::http::request::query::Params;
use crate::http::response::missing::{no_message, parse_message};
use crate::log::Span;
use crate::moderation::{announce, hide};
use crate::operators::Operator;

const HERE: &str = "/admin/messages";
/// How many a page has.
const PAGE: usize = 50;

#[derive(Template)]
#[template(path = "console/messages.html")]
struct MessagesTemplate<'a> {
    page: ConsolePage<'a>,
    /// Newest first.
    messages: Vec<Message>,
    next_before: Option<i64>,
}

/// The newest messages, also those that are taken down.
pub async fn page(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let before = Params::of(&request)?.event("before")?.unwrap_or(i64::MAX);
    let span = Span { author: None, after: 0, before, since: None, limit: PAGE as i64, hidden: true };
    let mut messages = app.state.log.messages(&span).await?;
    messages.reverse();
    let next_before = messages.get(PAGE - 1).map(|message| message.seq);
    let page = ConsolePage { path: HERE, title: "Messages", operator: &operator };
    show(&MessagesTemplate { page, messages, next_before })
}

/// Takes a message down, or brings it back.
pub async fn act(form: ConsoleForm, place: Path<(String, String)>) -> Answer {
    let (id, act) = place.into_inner();
    let (state, id, cause) = (&form.app.state, parse_message(&id)?, form.read_cause()?);
    let hidden = match act.as_str() {
        "hide" => true,
        "restore" => false,
        _ => return Err(no_message()),
    };
    hide::set_hidden(state, cause, id, hidden).await?.ok_or_else(no_message)?;
    Ok(form.done(HERE))
}

/// Says something as the system.
pub async fn announce(form: ConsoleForm) -> Answer {
    let AnnounceOrder { content, why } = form.read()?;
    announce::announce(&form.app.state, form.cause(&why)?, &content).await?;
    Ok(form.done(HERE))
}
