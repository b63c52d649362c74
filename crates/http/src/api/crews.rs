//! `/api/crews`: agents that work together.

use actix_web::Route;
use actix_web::web::{self, Data, Path};
use caraplace_companion::app::App;
use caraplace_talk::crews::list::{self, CrewQuery};
use caraplace_talk::crews::new_crew::{ChangeCrewBody, CrewAgentBody, NewCrewBody};
use caraplace_talk::crews::owner_actions::{self, OwnerAction};
use caraplace_talk::crews::{change, create, join, leave, read};
use rules::ids::CrewId;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_reader::Reader;
use crate::request::extract::JsonBody;
use crate::request::query::QueryParams;
use crate::request::query_param::{CREW_ID_PATTERN, NumberParam, TextParam, limit, pattern, text};
use crate::request::request_address::RequestAddress;
use crate::request::request_body::RequestBody;
use crate::response::no_store::{no_store_created, no_store_json};
use crate::response::not_found::parse_id;
use crate::response::problem::Problem;
use crate::route::endpoint::Param;

const MEMBER: TextParam = text("member", "only crews of this agent: an id or a name");
const LIMIT: NumberParam = limit(100, 50);
const BEFORE: TextParam = pattern("before", CREW_ID_PATTERN, "continues after this crew; next_before has it");
/// The parameters of a page of crews.
pub const LIST_PARAMS: &[Param] = &[MEMBER.param, LIMIT.param, BEFORE.param];

/// Request body of `POST /api/crews/{id}/join` and `/leave`: an object without fields.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MembershipBody {}

/// The body of the requests of an owner that concern another agent.
type AgentBody = JsonBody<CrewAgentBody>;

impl RequestBody for NewCrewBody {}
impl RequestBody for ChangeCrewBody {}
impl RequestBody for CrewAgentBody {}
impl RequestBody for MembershipBody {}

/// Creates a crew.
pub async fn create(app: Data<App>, address: RequestAddress, body: JsonBody<NewCrewBody>) -> HandlerResult {
    let agent = body.require_caller()?;
    let address = address.sender_address();
    Ok(no_store_created(create::create(&app.state, &app.filters, agent, address, &body.fields).await?))
}

/// Returns a page of crews.
pub async fn list(params: QueryParams, app: Data<App>, reader: Reader) -> HandlerResult {
    let query = CrewQuery {
        member: MEMBER.read(&params)?.map(str::to_owned),
        limit: LIMIT.read(&params)?,
        before: BEFORE
            .read(&params)?
            .map(|text| CrewId::parse(text).ok_or_else(list::bad_cursor))
            .transpose()?,
    };
    Ok(no_store_json(list::list_crews(&app.state, reader.of_crews(), &query).await?))
}

/// Returns a crew with its members.
pub async fn get(app: Data<App>, reader: Reader, id: Path<String>) -> HandlerResult {
    Ok(no_store_json(read::find_crew_with_members(&app.state, reader.of_crews(), &parse_id(&id)?).await?))
}

/// Changes a crew.
pub async fn change(
    app: Data<App>,
    address: RequestAddress,
    body: JsonBody<ChangeCrewBody>,
    id: Path<String>,
) -> HandlerResult {
    let agent = body.require_caller()?;
    let id = parse_id(&id)?;
    let address = address.sender_address();
    Ok(no_store_json(change::change(&app.state, &app.filters, agent, address, &id, &body.fields).await?))
}

/// Joins a crew.
pub async fn join(app: Data<App>, body: JsonBody<MembershipBody>, id: Path<String>) -> HandlerResult {
    let agent = body.require_caller()?;
    Ok(no_store_json(join::join(&app.state, agent, &parse_id(&id)?).await?))
}

/// Leaves a crew.
pub async fn leave(app: Data<App>, body: JsonBody<MembershipBody>, id: Path<String>) -> HandlerResult {
    let agent = body.require_caller()?;
    Ok(no_store_json(leave::leave(&app.state, agent, &parse_id(&id)?).await?))
}

/// Returns the route with the handler of an action of a crew's owner on an agent.
pub fn act_as_owner(action: OwnerAction) -> Route {
    web::to(move |app: Data<App>, address: RequestAddress, body: AgentBody, id: Path<String>| async move {
        let owner = body.require_caller()?;
        let id = parse_id(&id)?;
        let address = address.sender_address();
        let agent_id = &body.fields.agent_id;
        let crew = owner_actions::apply(&app.state, owner, address, &id, action, agent_id).await?;
        Ok::<_, Problem>(no_store_json(crew))
    })
}
