//! `/admin/messages`: takes messages down, restores them, and posts announcements.

use std::collections::HashMap;

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_log::state::AppState;
use caraplace_messages::reads::{earlier_texts, messages_in_range};
use caraplace_messages::{EarlierText, MessageRange};
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::subject::message_not_found;
use platform::refusal::Refusal;
use rules::message::Message;
use rules::numbers::Seq;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, render_page};

/// The earlier texts of messages, by the ids of these.
pub(super) type TextHistory = HashMap<String, Vec<EarlierText>>;

const PATH: &str = "/admin/messages";
/// The number of messages on a page.
const PAGE_SIZE: usize = 50;

#[derive(Template)]
#[template(path = "console/messages.html")]
struct MessagesTemplate<'a> {
    page: ConsolePage<'a>,
    /// Newest first.
    messages: Vec<Message>,
    history: TextHistory,
    next_before: Option<Seq>,
    /// The maximum length of an announcement, in characters.
    message_chars: u32,
}

/// Lists the latest messages, including those that were taken down.
pub async fn page(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let before = params.event_seq("before")?.unwrap_or(Seq::MAX);
    let span = MessageRange { before, include_hidden: true, ..MessageRange::whole(PAGE_SIZE as i64) };
    let mut messages = messages_in_range(&app.state, &span).await?;
    messages.reverse();
    let next_before = messages.get(PAGE_SIZE - 1).map(|message| message.seq);
    let history = find_history(&app.state, messages.iter()).await?;
    let page = ConsolePage { path: PATH, title: "Messages", operator: &operator };
    let message_chars = app.state.game().message_chars;
    render_page(&MessagesTemplate { page, messages, history, next_before, message_chars })
}

/// Returns the earlier texts of those of these messages that their authors have changed or deleted.
pub(super) async fn find_history(
    state: &AppState,
    messages: impl Iterator<Item = &Message>,
) -> Result<TextHistory, Refusal> {
    let changed = messages.filter(|message| message.deleted || message.edited_at.is_some());
    let ids: Vec<String> = changed.map(|message| message.id.clone()).collect();
    if ids.is_empty() { Ok(TextHistory::new()) } else { earlier_texts(state, &ids).await }
}

/// Takes a message down, or restores it.
pub async fn apply_action(form: ConsoleForm, path: Path<(String, String)>) -> HandlerResult {
    let (id, action) = path.into_inner();
    let make = match action.as_str() {
        "hide" => OperatorAction::HideMessage,
        "restore" => OperatorAction::RestoreMessage,
        _ => return Err(message_not_found().into()),
    };
    form.act_on(&id, make).await?;
    Ok(form.redirect_back(PATH))
}

/// Posts an announcement as the system.
pub async fn announce(form: ConsoleForm) -> HandlerResult {
    form.act(OperatorAction::Announce).await?;
    Ok(form.redirect_back(PATH))
}
