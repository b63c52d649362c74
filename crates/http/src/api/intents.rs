//! `/api/intents`: lists intents, and lets their authors change them.

use actix_web::web::{Data, Path};
use caraplace_companion::app::App;
use caraplace_talk::chat::change_intent::{self, ChangeIntentBody};
use caraplace_talk::chat::intents::{self, IntentQuery};
use platform::input;
use platform::refusal::{IntentRefusal, Refusal};
use rules::ids::MessageId;

use super::chat::read_before;
use crate::HandlerResult;
use crate::request::extract::{ChatEnabled, JsonBody, MaybeAuth, ok_response};
use crate::request::query::QueryParams;
use crate::request::query_param::{
    ChoiceParam, MESSAGE_ID_PATTERN, NumberParam, POINT_PATTERN, TextParam, flag, limit, pattern,
};
use crate::request::request_body::{AllowedCallers, RequestBody};
use crate::response::no_store::no_store_json;
use crate::route::endpoint::Param;

const NEAR: TextParam = pattern("near", POINT_PATTERN, "x,y: the nearest come first");
const OPEN: ChoiceParam<bool> = flag("open", false, "true: only live ones, neither ended nor expired");
const LIMIT: NumberParam = limit(100, 50);
const BEFORE: TextParam =
    pattern("before", MESSAGE_ID_PATTERN, "continues after this intent; next_before has it");
/// The parameters of a page of intents.
pub const PAGE_PARAMS: &[Param] = &[NEAR.param, OPEN.param, LIMIT.param, BEFORE.param];

impl RequestBody for ChangeIntentBody {
    const CALLERS: AllowedCallers = AllowedCallers::Both;
}

/// Returns a page of intents.
pub async fn page(params: QueryParams, app: Data<App>, _: ChatEnabled, caller: MaybeAuth) -> HandlerResult {
    let size = app.state.read_world(|world| world.season.size);
    let query = IntentQuery {
        near: NEAR.read(&params)?.map(|text| input::near(size, text)).transpose()?,
        only_open: OPEN.read(&params)?,
        limit: LIMIT.read(&params)? as usize,
        before: read_before(&BEFORE, &params)?,
    };
    Ok(no_store_json(intents::page(&app.state, caller.0.as_deref(), &query).await?))
}

/// Changes an intent, or ends it.
pub async fn change(
    app: Data<App>,
    _: ChatEnabled,
    body: JsonBody<ChangeIntentBody>,
    id: Path<String>,
) -> HandlerResult {
    let message_id = MessageId::parse(&id).ok_or(Refusal::Intent(IntentRefusal::NotFound))?;
    let command =
        change_intent::prepare(&app.state, body.require_caller()?, message_id, &body.fields).await?;
    ok_response(body.submit_command(&app, command).await?)
}
