//! `/api/admin/audit`: the audit log, as JSON and as CSV.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_moderation::audit_csv::MAX_CSV_ENTRIES;
use caraplace_moderation::audit_filter::AuditFilter;
use caraplace_moderation::{audit, audit_csv};

use crate::HandlerResult;
use crate::request::query::QueryParams;
use crate::request::query_param::{
    NumberParam, RowNumberParam, TextParam, TimeParam, limit, row_number, text, time,
};
use crate::response::no_store::{no_store, no_store_json};
use crate::response::problem::Problem;
use crate::route::endpoint::Param;

const BEFORE: RowNumberParam = row_number("before", "only actions before this number; next_before has it");
const LIMIT: NumberParam = limit(200, 50);
const OPERATOR: TextParam = text("operator", "only actions of this operator, as the entries name it");
const ACT: TextParam = text("act", "only this action, such as ban");
const SUBJECT: TextParam = text("subject", "only actions on this id, or on the account with this name");
const SINCE: TimeParam = time("since", "only actions at this time or later");
const UNTIL: TimeParam = time("until", "only actions at this time or earlier");
/// The parameters of a page of the audit log.
pub const PARAMS: &[Param] =
    &[BEFORE.param, LIMIT.param, OPERATOR.param, ACT.param, SUBJECT.param, SINCE.param, UNTIL.param];
/// The parameters of the file with the audit log.
pub const CSV_PARAMS: &[Param] = &[OPERATOR.param, ACT.param, SUBJECT.param, SINCE.param, UNTIL.param];

/// Lists the audit log.
pub async fn list(params: QueryParams, app: Data<App>) -> HandlerResult {
    let before = BEFORE.read(&params)?;
    let limit = LIMIT.read(&params)?;
    let filter = read_filter(&params)?;
    Ok(no_store_json(audit::page(&app.state, &filter, before, limit).await?))
}

/// Responds with the newest entries of the audit log as a file.
pub async fn csv(params: QueryParams, app: Data<App>) -> HandlerResult {
    respond_with_csv(&app, &read_filter(&params)?).await
}

/// Responds with the newest entries of a filter as a file.
pub async fn respond_with_csv(app: &App, filter: &AuditFilter) -> HandlerResult {
    let page = audit::page(&app.state, filter, None, MAX_CSV_ENTRIES).await?;
    Ok(no_store(HttpResponse::Ok())
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"caraplace-audit.csv\""))
        .body(audit_csv::render(&page.acts)))
}

fn read_filter(params: &QueryParams) -> Result<AuditFilter, Problem> {
    Ok(AuditFilter {
        operator: OPERATOR.read(params)?.map(str::to_owned),
        act: ACT.read(params)?.map(str::to_owned),
        subject: SUBJECT.read(params)?.map(str::to_owned),
        since: SINCE.read(params)?,
        until: UNTIL.read(params)?,
    })
}
