//! `/api/admin/crews`: lists and searches crews.

use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_moderation::crew_review::{self, CREW_STATES, CrewReviewFilter};

use crate::HandlerResult;
use crate::request::query::QueryParams;
use crate::request::query_param::{
    NumberParam, OptionalChoiceParam, RowNumberParam, TextParam, choice, limit, row_number, text,
};
use crate::response::no_store::no_store_json;
use crate::response::problem::Problem;
use crate::route::endpoint::Param;

const NAME: TextParam = text("name", "only crews with this part in their names, in any case");
const STATE: OptionalChoiceParam<&str> =
    choice("state", &CREW_STATES, &CREW_STATES, "only crews in this state");
const LIMIT: NumberParam = limit(200, 50);
const BEFORE: RowNumberParam = row_number("before", "continues after this number; next_before has it");
/// The parameters of a page of crews.
pub const LIST_PARAMS: &[Param] = &[NAME.param, STATE.param, LIMIT.param, BEFORE.param];

/// Lists crews.
pub async fn list(params: QueryParams, app: Data<App>) -> HandlerResult {
    let filter = read_filter(&params)?;
    let limit = LIMIT.read(&params)?;
    Ok(no_store_json(crew_review::list(&app.state, &filter, BEFORE.read(&params)?, limit).await?))
}

/// Reads the conditions of a list of crews.
pub fn read_filter(params: &QueryParams) -> Result<CrewReviewFilter<'_>, Problem> {
    Ok(CrewReviewFilter { name: NAME.read(params)?, state: STATE.read(params)? })
}
