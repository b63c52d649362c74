//! `/admin/messages`: lists and searches messages, takes them down, restores them, and posts announcements.

use std::collections::HashMap;

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::admin::messages::{read_cursor, read_filter};
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_log::state::AppState;
use caraplace_messages::EarlierText;
use caraplace_messages::reads::earlier_texts;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::bulk::{MessagesActBody, SubjectResult, act_on_messages};
use caraplace_moderation::actions::subject::message_not_found;
use caraplace_moderation::lists::messages::{
    self, ListedMessage, MESSAGE_STATES, MessageFilter, MessageState,
};
use platform::refusal::Refusal;
use rules::message::Message;

use super::bulk::{BulkLine, render_results};
use super::form::ConsoleForm;
use super::layout::{ConsolePage, render_page};
use super::search::{SearchOption, next_page, options};

/// The earlier texts of messages, by the ids of these.
pub(super) type TextHistory = HashMap<String, Vec<EarlierText>>;

const PATH: &str = "/admin/messages";
/// The number of messages on a page.
const PAGE_SIZE: i64 = 50;

#[derive(Template)]
#[template(path = "console/messages.html")]
struct MessagesTemplate<'a> {
    page: ConsolePage<'a>,
    conditions: MessageFilter<'a>,
    states: Vec<SearchOption>,
    /// Newest first.
    messages: Vec<ListedMessage>,
    history: TextHistory,
    /// The address of the next page; `None` on the last page.
    next_page: Option<String>,
    /// The maximum length of an announcement, in characters.
    message_chars: u32,
}

impl MessagesTemplate<'_> {
    /// Returns true if there is a condition beside the text.
    fn has_more_conditions(&self) -> bool {
        self.conditions.author.or(self.conditions.state).is_some()
    }

    /// Returns true if there is a condition.
    fn is_searched(&self) -> bool {
        self.has_more_conditions() || self.conditions.text.is_some()
    }
}

/// Lists messages, including those that were taken down.
pub async fn page(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let params = params.without_empty();
    let filter = read_filter(&params)?;
    let before = read_cursor(&params)?;
    let found = messages::list(&app.state, &filter, before.as_ref(), PAGE_SIZE).await?;
    let is_changed =
        |message: &&ListedMessage| message.state == MessageState::Deleted || message.edited_at.is_some();
    let changed = found.messages.iter().filter(is_changed).map(|message| message.id.clone());
    let history = find_texts(&app.state, changed.collect()).await?;
    render_page(&MessagesTemplate {
        page: ConsolePage { path: PATH, title: "Messages", operator: &operator },
        conditions: filter,
        states: options(&MESSAGE_STATES, filter.state),
        messages: found.messages,
        history,
        next_page: found.next_before.map(|before| next_page(PATH, &params, &before)),
        message_chars: app.state.game().message_chars,
    })
}

/// Hides or restores the chosen messages, and shows the result for each.
pub async fn act(form: ConsoleForm) -> HandlerResult {
    let body: MessagesActBody = form.read()?;
    let response = act_on_messages(form.app.get_ref(), &form.operator.name, &body).await?;
    let line =
        |result: SubjectResult| BulkLine { path: format!("{PATH}?q={}", result.id), name: None, result };
    let lines: Vec<BulkLine> = response.results.into_iter().map(line).collect();
    let page = ConsolePage { path: PATH, title: "Done for several messages", operator: &form.operator };
    render_results(page, &lines)
}

/// Returns the earlier texts of those of these messages that their authors have changed or deleted.
pub(super) async fn find_history(
    state: &AppState,
    messages: impl Iterator<Item = &Message>,
) -> Result<TextHistory, Refusal> {
    let changed = messages.filter(|message| message.deleted || message.edited_at.is_some());
    find_texts(state, changed.map(|message| message.id.clone()).collect()).await
}

/// Returns the earlier texts of these messages.
async fn find_texts(state: &AppState, ids: Vec<String>) -> Result<TextHistory, Refusal> {
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
