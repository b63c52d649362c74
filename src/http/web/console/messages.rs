//! `/admin/messages`: what is said, taken down and brought back; and what the system announces.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use rules::message::Message;

use super::frame::Room;
use super::parts::{desk, holder, line, moment, older, order, then, why};
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::{messages, order as orders};
use crate::http::request::auth_operator::Filled;
use crate::http::request::query::Params;
use crate::http::web::markup::escape;
use crate::log::Span;
use crate::operators::Operator;

const HERE: &str = "/admin/messages";
/// How many a page has.
const PAGE: i64 = 50;

/// The newest messages, also those that are taken down.
pub async fn page(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let before = Params::of(&request)?.event("before")?.unwrap_or(i64::MAX);
    let span = Span { author: None, after: 0, before, since: None, limit: PAGE, hidden: true };
    let said = app.state.log.messages(&span).await?;
    let oldest = said.first().filter(|_| said.len() as i64 == PAGE).map(|message| message.seq);
    let list = list(said.iter().rev().map(|message| one(&operator, message, message.hidden)));
    let content =
        line("announce", "content", "Say as the system", "required maxlength=\"280\" autocomplete=\"off\"");
    let announce = desk(&operator, "/admin/announce", &format!("{content}{}", why("announce")), "Announce");
    let body = format!(
        "<details><summary>Announce something</summary>{announce}</details>{list}{}",
        older(HERE, oldest)
    );
    Ok(Room { path: HERE, title: "Messages", body }.show(&operator))
}

/// Messages one below the other, or a word where there is none.
pub(super) fn list(messages: impl Iterator<Item = String>) -> String {
    let list: String = messages.collect();
    if list.is_empty() {
        return "<p class=\"none\">Nothing was said yet.</p>".to_owned();
    }
    format!("<ol class=\"said\">{list}</ol>")
}

/// A message with what can be done to it.
pub(super) fn one(operator: &Operator, message: &Message, hidden: bool) -> String {
    let id = &message.id;
    let (act, button) = if hidden { ("restore", "Bring it back") } else { ("hide", "Take it down") };
    let form = desk(operator, &format!("{HERE}/{id}/{act}"), &why(id), button);
    let by = match &message.agent_id {
        Some(id) => holder(id, &message.agent_name),
        None => escape(&message.agent_name),
    };
    let content = message.content.as_deref().map_or_else(
        || "<em>no text is left</em>".to_owned(),
        |content| format!("<span class=\"foreign\" dir=\"auto\">{}</span>", escape(content)),
    );
    let state = if hidden { " <em>taken down</em>" } else { "" };
    format!(
        "<li id=\"{id}\">{by} <small>{}</small>{state} {content}\
         <details><summary>{button}</summary>{form}</details></li>",
        moment(message.timestamp)
    )
}

/// Takes a message down, or brings it back.
pub async fn act(
    request: HttpRequest,
    app: Data<App>,
    operator: Operator,
    filled: Filled,
    place: Path<(String, String)>,
) -> Answer {
    let (id, act) = place.into_inner();
    let id = Path::from(id);
    let done = match act.as_str() {
        "hide" => messages::hide(app, order(operator, &filled)?, id).await,
        "restore" => messages::restore(app, order(operator, &filled)?, id).await,
        _ => Err(orders::no_message()),
    };
    then(done, &request, HERE)
}

/// Says something as the system.
pub async fn announce(request: HttpRequest, app: Data<App>, operator: Operator, filled: Filled) -> Answer {
    then(messages::announce(app, order(operator, &filled)?).await, &request, HERE)
}
