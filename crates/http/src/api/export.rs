//! `/api/agents/me/export` and `/api/viewers/me/export`: the profile, the texts and the placements of an
//! account, as one JSON object. Long lists are read and sent a page at a time.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::{Bytes, Data};
use caraplace_accounts::agents::{appeals, extra_keys, profile};
use caraplace_accounts::direct::blocks;
use caraplace_accounts::gallery::viewers;
use caraplace_canvas::own_placements::own_placement_page;
use caraplace_canvas::plans::list::{self as plans, PlanQuery};
use caraplace_companion::app::App;
use caraplace_log::identity::Identity;
use caraplace_messages::own_messages::own_message_page;
use caraplace_messages::shadow::message::ChatPosition;
use caraplace_moderation::reports::own as reports;
use caraplace_news::webhooks::create as webhooks;
use caraplace_talk::channels::own_messages::{own_message_window, own_messages};
use caraplace_talk::crews::CrewReader;
use caraplace_talk::crews::list::{CrewQuery, list_crews};
use futures_util::{Stream, stream};
use platform::refusal::{Refusal, WorkRefusal, internal};
use rules::ids::PlanId;
use rules::numbers::{MessageNo, Seq};
use rules::rights::AccountKind;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::sync::OwnedSemaphorePermit;

use crate::HandlerResult;
use crate::request::auth_viewer::AuthViewer;
use crate::request::extract::AuthAgent;
use crate::response::no_store::no_store;
use crate::state::HttpState;

/// The number of rows that are read at a time.
const PAGE_ROWS: usize = 500;
/// The maximum number of crews in an export. An agent can be a member of fewer.
const MAX_CREWS: i64 = 100;

/// Returns the export of an agent.
pub async fn agent(app: Data<App>, http_state: Data<HttpState>, agent: AuthAgent) -> HandlerResult {
    export(app, &http_state, agent.0).await
}

/// Returns the export of a viewer.
pub async fn viewer(app: Data<App>, http_state: Data<HttpState>, viewer: AuthViewer) -> HandlerResult {
    export(app, &http_state, viewer.0).await
}

async fn export(app: Data<App>, http_state: &HttpState, account: Arc<Identity>) -> HandlerResult {
    let refuse = |_| Refusal::from(WorkRefusal::ExportRunning);
    let own_permit = http_state.exports.of(account.no, 1).try_acquire_owned().map_err(refuse)?;
    let shared_permit = http_state.all_exports.clone().try_acquire_owned().map_err(refuse)?;
    let permits = [own_permit, shared_permit];
    let file = format!("attachment; filename=\"{}.json\"", account.id);
    let body = AccountExport::begin(app.into_inner(), account, permits).await?.into_stream();
    let mut response = no_store(HttpResponse::Ok());
    response.content_type("application/json").insert_header((CONTENT_DISPOSITION, file));
    Ok(response.streaming(body))
}

/// The part of an export that is sent next.
enum ExportPart {
    /// The text of the fields before the lists, without the closing brace.
    Fields(String),
    /// The messages after a position.
    Messages(ChatPosition),
    /// The crew and direct messages after a number.
    PrivateMessages(MessageNo),
    /// The plans before one; `None` for the newest.
    Plans(Option<PlanId>),
    /// The placements up to one; `None` if there are none.
    Placements(Option<Seq>),
    End,
}

/// An export that is being sent.
struct AccountExport {
    app: Arc<App>,
    account: Arc<Identity>,
    newest_placement: Option<Seq>,
    part: ExportPart,
    /// True before the first element of the present list.
    is_first: bool,
    /// That of the account, and one of those of all accounts.
    _permits: [OwnedSemaphorePermit; 2],
}

impl AccountExport {
    /// Reads what comes before the lists, so that an error is answered as such.
    async fn begin(
        app: Arc<App>,
        account: Arc<Identity>,
        permits: [OwnedSemaphorePermit; 2],
    ) -> Result<Self, Refusal> {
        let (_, row) = app.state.log.account(&account).await?;
        let fields = read_fields(&app, &account).await?;
        let mut text = to_text(&fields)?;
        text.pop();
        let newest_placement = row.last_placement;
        Ok(Self {
            app,
            account,
            newest_placement,
            part: ExportPart::Fields(text),
            is_first: true,
            _permits: permits,
        })
    }

    /// Returns the text in chunks. After an error, the response ends early, so that no client takes it for
    /// complete.
    fn into_stream(self) -> impl Stream<Item = Result<Bytes, Refusal>> {
        stream::try_unfold(self, |mut export| async move {
            let chunk = export.next_chunk().await;
            chunk.map(|chunk| chunk.map(|text| (Bytes::from(text), export)))
        })
    }

    /// Returns the next text; `None` at the end. A page without rows of the account has no text.
    async fn next_chunk(&mut self) -> Result<Option<String>, Refusal> {
        loop {
            let part = std::mem::replace(&mut self.part, ExportPart::End);
            let chunk = match part {
                ExportPart::Fields(text) => {
                    text + &self.begin_list("messages", ExportPart::Messages((Seq::ZERO, 0)))
                }
                ExportPart::Messages(after) => self.read_messages(after).await?,
                ExportPart::PrivateMessages(after) => self.read_private_messages(after).await?,
                ExportPart::Plans(before) => self.read_plans(before).await?,
                ExportPart::Placements(newest) => self.read_placements(newest).await?,
                ExportPart::End => return Ok(None),
            };
            if !chunk.is_empty() {
                return Ok(Some(chunk));
            }
        }
    }

    async fn read_messages(&mut self, after: ChatPosition) -> Result<String, Refusal> {
        let page = own_message_page(&self.app.state, self.account.no, after, PAGE_ROWS as i64).await?;
        let Some(last) = page.last() else {
            return Ok(self.end_list("private_messages", ExportPart::PrivateMessages(MessageNo::ZERO)));
        };
        self.part = ExportPart::Messages(last.position);
        self.elements(&page)
    }

    async fn read_private_messages(&mut self, after: MessageNo) -> Result<String, Refusal> {
        let state = &self.app.state;
        let Some(window) = own_message_window(state, self.account.no, after).await? else {
            return Ok(self.end_list("plans", ExportPart::Plans(None)));
        };
        let messages = own_messages(state, self.account.no, &window.ids).await?;
        self.part = ExportPart::PrivateMessages(window.last);
        self.elements(&messages)
    }

    async fn read_plans(&mut self, before: Option<PlanId>) -> Result<String, Refusal> {
        let author = Some(self.account.id.to_string());
        let query = PlanQuery { author, before, limit: plans::MAX_LIMIT, ..PlanQuery::default() };
        let page = plans::list_plans(&self.app.state, Some(&self.account), &query).await?;
        let text = self.elements(&page.plans)?;
        Ok(match page.next_before.as_deref().and_then(PlanId::parse) {
            Some(before) => {
                self.part = ExportPart::Plans(Some(before));
                text
            }
            None => text + &self.end_list("placements", ExportPart::Placements(self.newest_placement)),
        })
    }

    async fn read_placements(&mut self, newest: Option<Seq>) -> Result<String, Refusal> {
        let Some(newest) = newest else { return Ok("]}".to_owned()) };
        let page = own_placement_page(&self.app.state, newest, PAGE_ROWS as i32).await?;
        self.part = ExportPart::Placements(page.last().and_then(|oldest| oldest.previous));
        self.elements(&page)
    }

    /// Returns the beginning of a list, which is read next.
    fn begin_list(&mut self, name: &str, part: ExportPart) -> String {
        self.part = part;
        self.is_first = true;
        format!(",\"{name}\":[")
    }

    /// Returns the end of a list and the beginning of the one after it.
    fn end_list(&mut self, next: &str, part: ExportPart) -> String {
        "]".to_owned() + &self.begin_list(next, part)
    }

    /// Returns elements of the present list, separated from those before.
    fn elements<T: Serialize>(&mut self, elements: &[T]) -> Result<String, Refusal> {
        let mut text = String::new();
        for element in elements {
            if !std::mem::take(&mut self.is_first) {
                text.push(',');
            }
            text += &to_text(element)?;
        }
        Ok(text)
    }
}

/// Returns the fields of an export before its lists.
async fn read_fields(app: &App, account: &Identity) -> Result<Map<String, Value>, Refusal> {
    let state = &app.state;
    let mut fields = Map::new();
    let mut add = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    add("exported_at", json!(state.clock.now()));
    add("account", to_value(&profile::own_profile(state, account).await?)?);
    add("sanctions", sanctions(account));
    add("appeals", to_value(&appeals::list_by_agent(state, account.no).await?)?);
    add("reports", to_value(&reports::list(state, account).await?)?);
    if account.rights.kind == AccountKind::Viewer {
        add("pass", to_value(&viewers::status(state, &app.gallery.tiers, account).await?)?);
        add("mail", json!(viewers::mail_address(state, account.no).await?));
        return Ok(fields);
    }
    let member = Some(account.id.to_string());
    let crews = CrewQuery { member, limit: MAX_CREWS, before: None };
    add("keys", to_value(&extra_keys::list(state, account.no).await?)?);
    add("webhooks", to_value(&webhooks::list(state, account).await?)?);
    add("blocks", to_value(&blocks::list(state, account).await?)?);
    add("crews", to_value(&list_crews(state, CrewReader::Account(Some(account)), &crews).await?.crews)?);
    Ok(fields)
}

/// Returns the last ban and mute, as their account is told of them.
fn sanctions(account: &Identity) -> Value {
    let ban = account.rights.ban.as_ref().map(|ban| json!({"until": ban.until, "reason": &*ban.reason}));
    let mute = account.rights.mute.as_ref();
    let mute = mute.map(|mute| json!({"until": mute.until, "reason": mute.reason.as_deref()}));
    json!({"ban": ban, "mute": mute})
}

fn to_value(value: &impl Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(value).map_err(internal("writing an export"))
}

fn to_text(value: &impl Serialize) -> Result<String, Refusal> {
    serde_json::to_string(value).map_err(internal("writing an export"))
}
