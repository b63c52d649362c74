//! `/api/admin/agents`: whoever holds a name, and what is imposed on it.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use rules::measures::{Judged, Measure};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::NEVER_STORED;
use super::order::{self, WhyOrder};
use crate::app::App;
use crate::http::Answer;
use crate::http::api::reports::said;
use crate::http::request::auth_operator::Order;
use crate::moderation::{Cause, sheet, standing};
use crate::schema::JudgedSchema;

/// `POST /api/admin/agents/{id}/ban`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BanOrder {
    /// When it ends; null is never.
    pub until: Option<DateTime<Utc>>,
    /// What the banned are told; `why` where it is left out.
    #[schema(min_length = 1)]
    pub reason: Option<String>,
    /// For the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub why: String,
}

/// `POST /api/admin/agents/{id}/mute`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MuteOrder {
    /// When it ends; null is never.
    pub until: Option<DateTime<Utc>>,
    /// For the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub why: String,
}

/// `POST /api/admin/agents/{id}/rename`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameOrder {
    /// 2–32 letters, digits, spaces and `_ - .`.
    #[schema(min_length = 2, max_length = 32)]
    pub name: String,
    /// For the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub why: String,
}

/// How somebody stands now.
#[derive(Debug, Serialize, ToSchema)]
pub struct Taken {
    pub success: bool,
    pub agent_id: String,
    #[schema(value_type = JudgedSchema)]
    pub standing: Judged,
}

/// All that operators see of it.
pub async fn sheet(app: Data<App>, id: Path<String>) -> Answer {
    let sheet = sheet::of(&app.state, &order::holder(&id)?).await?.ok_or_else(order::nobody)?;
    Ok(HttpResponse::Ok().insert_header(NEVER_STORED).json(sheet))
}

/// Lets it do nothing until a time.
pub async fn ban(app: Data<App>, order: Order<BanOrder>, id: Path<String>) -> Answer {
    let cause = order::cause(&order.operator, &order.form.why)?;
    let reason = order.form.reason.as_deref().map(|reason| said("reason", reason)).transpose()?;
    let reason = reason.unwrap_or_else(|| cause.why.clone());
    let measure = Measure::Ban { until: order::end(&app, order.form.until)?, reason };
    take(&app, &cause, &id, &measure).await
}

/// Lets it say nothing until a time.
pub async fn mute(app: Data<App>, order: Order<MuteOrder>, id: Path<String>) -> Answer {
    let cause = order::cause(&order.operator, &order.form.why)?;
    let measure = Measure::Mute { until: order::end(&app, order.form.until)? };
    take(&app, &cause, &id, &measure).await
}

/// Gives it another name.
pub async fn rename(app: Data<App>, order: Order<RenameOrder>, id: Path<String>) -> Answer {
    let cause = order::cause(&order.operator, &order.form.why)?;
    let name = app.filters.parse_name(&order.form.name).await?;
    take(&app, &cause, &id, &Measure::Rename(name)).await
}

/// Ends a ban.
pub async fn unban(app: Data<App>, order: Order<WhyOrder>, id: Path<String>) -> Answer {
    simply(&app, &order, &id, &Measure::Unban).await
}

/// Lets it speak again.
pub async fn unmute(app: Data<App>, order: Order<WhyOrder>, id: Path<String>) -> Answer {
    simply(&app, &order, &id, &Measure::Unmute).await
}

/// Shows what it says to itself alone.
pub async fn shadow(app: Data<App>, order: Order<WhyOrder>, id: Path<String>) -> Answer {
    simply(&app, &order, &id, &Measure::Shadow).await
}

/// Shows what it says to everyone again.
pub async fn unshadow(app: Data<App>, order: Order<WhyOrder>, id: Path<String>) -> Answer {
    simply(&app, &order, &id, &Measure::Unshadow).await
}

async fn simply(app: &App, order: &Order<WhyOrder>, id: &str, measure: &Measure) -> Answer {
    let cause = order::cause(&order.operator, &order.form.why)?;
    take(app, &cause, id, measure).await
}

async fn take(app: &App, cause: &Cause, id: &str, measure: &Measure) -> Answer {
    let taken = standing::take(&app.state, cause, &order::holder(id)?, measure).await?;
    let standing = taken.ok_or_else(order::nobody)?;
    let taken = Taken { success: true, agent_id: id.to_owned(), standing };
    Ok(HttpResponse::Ok().insert_header(NEVER_STORED).json(taken))
}
