//! `/api/admin/reports` and `/appeals`: the queues for operators' decisions.

use actix_web::web::{Data, Path};
use caraplace_companion::app::App;
use caraplace_moderation::actions::subject::report_not_found;
use caraplace_moderation::appeals;
use caraplace_moderation::reports::case::{CASE_KINDS, CaseFilter};
use caraplace_moderation::reports::review;

use crate::HandlerResult;
use crate::request::auth_operator::AuthOperator;
use crate::request::query::QueryParams;
use crate::request::query_param::{
    ChoiceParam, NumberParam, OptionalChoiceParam, OptionalNumberParam, TextParam, choice, limit, number,
    text,
};
use crate::response::no_store::no_store_json;
use crate::response::problem::Problem;
use crate::route::endpoint::Param;

/// The state of a queue's entries; true for open ones.
pub const STATE: ChoiceParam<bool> =
    choice("state", &["open", "closed"], &[true, false], "{default} by default").with_default("open");
const LIMIT: NumberParam = limit(200, 50);
const BEFORE_REPORT: TextParam = text("before", "only reports older than this id; next_before has it");
const KIND: OptionalChoiceParam<&str> =
    choice("kind", &CASE_KINDS, &CASE_KINDS, "only reports of this kind of target");
const AUTHOR: TextParam = text("author", "only reports about the account with this id or name");
const MIN_AGE_HOURS: OptionalNumberParam =
    number("min_age_hours", 0..=87_600, "only reports that were opened this many hours ago or earlier");
/// The parameters of a page of reports.
pub const REPORTS_PARAMS: &[Param] =
    &[STATE.param, KIND.param, AUTHOR.param, MIN_AGE_HOURS.param, BEFORE_REPORT.param, LIMIT.param];
/// The parameters of a list of appeals.
pub const APPEALS_PARAMS: &[Param] = &[STATE.param, LIMIT.param];

/// Lists reports.
pub async fn reports(params: QueryParams, app: Data<App>) -> HandlerResult {
    let filter = read_case_filter(&params)?;
    let limit = LIMIT.read(&params)?;
    Ok(no_store_json(review::page(&app.state, &filter, BEFORE_REPORT.read(&params)?, limit).await?))
}

/// Reads the conditions of a list of reports.
pub fn read_case_filter(params: &QueryParams) -> Result<CaseFilter<'_>, Problem> {
    Ok(CaseFilter {
        is_open: STATE.read(params)?,
        kind: KIND.read(params)?,
        author: AUTHOR.read(params)?,
        min_age_hours: MIN_AGE_HOURS.read(params)?,
    })
}

/// Returns a report with its evidence.
pub async fn report(app: Data<App>, AuthOperator(operator): AuthOperator, id: Path<String>) -> HandlerResult {
    let found = review::find(&app.state, &operator.name, &id).await?;
    Ok(no_store_json(found.ok_or_else(report_not_found)?))
}

/// Lists appeals.
pub async fn appeals(params: QueryParams, app: Data<App>) -> HandlerResult {
    let open = STATE.read(&params)?;
    let limit = LIMIT.read(&params)?;
    Ok(no_store_json(appeals::page(&app.state, open, limit).await?))
}
