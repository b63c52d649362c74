//! `/api/admin/passes`: who may speak, given and taken away.

use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::order::WhyOrder;
use crate::app::App;
use crate::gallery::gifts::{self, PassRequest};
use crate::gallery::passes::{Granted, Holder};
use crate::http::Answer;
use crate::http::request::auth_operator::Order;
use crate::http::response::private::{private_created, private_json};
use crate::moderation::Cause;

/// How many viewers are listed.
const LISTED: i64 = 500;

/// `POST /api/admin/passes`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PassOrder {
    /// `viewer_…` of somebody who is there; a new viewer by default.
    pub viewer_id: Option<String>,
    /// Where a lost key is sent to.
    pub email: Option<String>,
    /// `gallery`, the default, or `patron`.
    pub tier: Option<String>,
    /// When it ends; null is never.
    pub until: Option<DateTime<Utc>>,
    /// For the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub why: String,
}

/// Who was given a pass.
#[derive(Debug, Serialize, ToSchema)]
pub struct Given {
    pub viewer_id: String,
    /// Of a viewer who is new, or has paid and never come back; shown only here. Null for who has had one.
    pub api_key: Option<String>,
}

/// Viewers, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Passes {
    pub passes: Vec<Holder>,
}

/// The answer to a revocation.
#[derive(Debug, Serialize, ToSchema)]
pub struct PassRevoked {
    pub success: bool,
}

/// Who has a pass, and who had one.
pub async fn list(app: Data<App>) -> Answer {
    let passes = gifts::holders(&app.state, LISTED).await?;
    Ok(private_json(Passes { passes }))
}

/// Gives a pass.
pub async fn grant(app: Data<App>, order: Order<PassOrder>) -> Answer {
    let PassOrder { viewer_id, email, tier, until, why } = order.form;
    let cause = Cause::new(&order.operator.name, &why)?;
    let request = PassRequest { viewer_id, email, tier, until };
    let Granted { id, key } = gifts::give(&app.state, &app.gallery.tiers, &cause, request).await?;
    Ok(private_created(Given { viewer_id: id, api_key: key }))
}

/// Takes a pass away.
pub async fn revoke(app: Data<App>, order: Order<WhyOrder>, id: Path<String>) -> Answer {
    let cause = Cause::new(&order.operator.name, &order.form.why)?;
    gifts::revoke(&app.state, &app.gallery.tiers, &cause, &id).await?;
    Ok(private_json(PassRevoked { success: true }))
}
