//! `/api/admin/agents`: whoever holds a name, and what is imposed on it.

use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use rules::sanctions::{Sanction, Sanctions};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::order::WhyOrder;
use crate::app::App;
use crate::http::Answer;
use crate::http::request::auth_operator::Order;
use crate::http::response::missing::{no_holder, parse_holder};
use crate::http::response::private::private_json;
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
    pub standing: Sanctions,
}

/// All that operators see of it.
pub async fn sheet(app: Data<App>, id: Path<String>) -> Answer {
    Ok(private_json(sheet::of(&app.state, &parse_holder(&id)?).await?.ok_or_else(no_holder)?))
}

/// Lets it do nothing until a time.
pub async fn ban(app: Data<App>, order: Order<BanOrder>, id: Path<String>) -> Answer {
    let BanOrder { until, reason, why } = &order.form;
    let (cause, holder) = (Cause::new(&order.operator.name, why)?, parse_holder(&id)?);
    taken(&id, standing::ban(&app.state, &cause, &holder, *until, reason.as_deref()).await?)
}

/// Lets it say nothing until a time.
pub async fn mute(app: Data<App>, order: Order<MuteOrder>, id: Path<String>) -> Answer {
    let (cause, holder) = (Cause::new(&order.operator.name, &order.form.why)?, parse_holder(&id)?);
    taken(&id, standing::mute(&app.state, &cause, &holder, order.form.until).await?)
}

/// Gives it another name.
pub async fn rename(app: Data<App>, order: Order<RenameOrder>, id: Path<String>) -> Answer {
    let RenameOrder { name, why } = &order.form;
    let (cause, holder) = (Cause::new(&order.operator.name, why)?, parse_holder(&id)?);
    taken(&id, standing::rename(&app.state, &app.filters, &cause, &holder, name).await?)
}

/// Ends a ban.
pub async fn unban(app: Data<App>, order: Order<WhyOrder>, id: Path<String>) -> Answer {
    take(&app, &order, &id, &Sanction::Unban).await
}

/// Lets it speak again.
pub async fn unmute(app: Data<App>, order: Order<WhyOrder>, id: Path<String>) -> Answer {
    take(&app, &order, &id, &Sanction::Unmute).await
}

/// Shows what it says to itself alone.
pub async fn shadow(app: Data<App>, order: Order<WhyOrder>, id: Path<String>) -> Answer {
    take(&app, &order, &id, &Sanction::Shadow).await
}

/// Shows what it says to everyone again.
pub async fn unshadow(app: Data<App>, order: Order<WhyOrder>, id: Path<String>) -> Answer {
    take(&app, &order, &id, &Sanction::Unshadow).await
}

async fn take(app: &App, order: &Order<WhyOrder>, id: &str, measure: &Sanction) -> Answer {
    let cause = Cause::new(&order.operator.name, &order.form.why)?;
    taken(id, standing::take(&app.state, &cause, &parse_holder(id)?, measure).await?)
}

fn taken(id: &str, standing: Option<Sanctions>) -> Answer {
    let standing = standing.ok_or_else(no_holder)?;
    Ok(private_json(Taken { success: true, agent_id: id.to_owned(), standing }))
}
