//! What waits for an operator's decision, and what was decided: reports, appeals, and the audit log.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::http::Answer;
use crate::http::request::auth_operator::Order;
use crate::http::request::query::Params;
use crate::http::response::missing::{no_appeal, no_report};
use crate::http::response::private::private_json;
use crate::moderation::Cause;
use crate::moderation::appeals::{self, Decision};
use crate::moderation::audit;
use crate::moderation::reports::review::{self, Finding};

/// How many a page has when nobody says otherwise, and at most.
const USUAL: i64 = 50;
const MOST: i64 = 200;

/// `POST /api/admin/reports/{id}/close`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseOrder {
    pub outcome: Finding,
    /// For the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub why: String,
}

/// `POST /api/admin/appeals/{id}/decide`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideOrder {
    pub decision: Decision,
    /// What who appealed is told, in up to 500 characters.
    #[schema(min_length = 1)]
    pub answer: String,
    /// For the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub why: String,
}

/// What was reported.
pub async fn reports(request: HttpRequest, app: Data<App>) -> Answer {
    let params = Params::of(&request)?;
    let (open, limit) = (params.is_open()?, params.within("limit", 1..=MOST, USUAL)?);
    Ok(private_json(review::page(&app.state, open, params.text("before")?, limit).await?))
}

/// One of them, with its evidence.
pub async fn report(app: Data<App>, id: Path<String>) -> Answer {
    Ok(private_json(review::look(&app.state, &id).await?.ok_or_else(no_report)?))
}

/// Decides one of them.
pub async fn close(app: Data<App>, order: Order<CloseOrder>, id: Path<String>) -> Answer {
    let cause = Cause::new(&order.operator.name, &order.form.why)?;
    Ok(private_json(review::close(&app.state, &cause, &id, order.form.outcome).await?.ok_or_else(no_report)?))
}

/// Who appeals.
pub async fn appeals(request: HttpRequest, app: Data<App>) -> Answer {
    let params = Params::of(&request)?;
    let (open, limit) = (params.is_open()?, params.within("limit", 1..=MOST, USUAL)?);
    Ok(private_json(appeals::page(&app.state, open, limit).await?))
}

/// Decides an appeal.
pub async fn decide(app: Data<App>, order: Order<DecideOrder>, id: Path<String>) -> Answer {
    let cause = Cause::new(&order.operator.name, &order.form.why)?;
    let DecideOrder { decision, ref answer, .. } = order.form;
    let decided = appeals::decide(&app.state, &cause, &id, decision, answer).await?;
    Ok(private_json(decided.ok_or_else(no_appeal)?))
}

/// The audit log.
pub async fn audit(request: HttpRequest, app: Data<App>) -> Answer {
    let params = Params::of(&request)?;
    let (before, limit) = (params.event("before")?, params.within("limit", 1..=MOST, USUAL)?);
    Ok(private_json(audit::page(&app.state, before, limit, params.text("subject")?).await?))
}
