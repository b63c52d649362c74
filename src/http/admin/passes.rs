//! `/api/admin/passes`: who may speak, given and taken away.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::NEVER_STORED;
use super::order::{WhyOrder, cause, end};
use crate::app::App;
use crate::gallery::gifts::{self, Giver};
use crate::gallery::passes::{Grant, Granted, Holder};
use crate::http::Answer;
use crate::http::request::auth_operator::Order;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;

/// How many viewers are listed.
const LISTED: i64 = 500;
/// The longest address that mail goes to.
const LONGEST_EMAIL: usize = 254;

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
    Ok(HttpResponse::Ok().insert_header(NEVER_STORED).json(Passes { passes }))
}

/// Gives a pass.
pub async fn grant(app: Data<App>, order: Order<PassOrder>) -> Answer {
    let Granted { id, key } = give(&app, order).await?;
    let given = Given { viewer_id: id, api_key: key };
    Ok(HttpResponse::Created().insert_header(NEVER_STORED).json(given))
}

/// The same for the console, which shows the key on its page.
///
/// # Errors
/// Why it was not given.
pub async fn give(app: &App, Order { operator, form }: Order<PassOrder>) -> Result<Granted, Problem> {
    let cause = cause(&operator, &form.why)?;
    let tier = form.tier.unwrap_or_else(|| "gallery".to_owned());
    if app.gallery.tiers.find(&tier).is_none() {
        return Err(Problem::field(Code::InvalidField, "tier", "tier must be gallery or patron."));
    }
    let is_email = |email: &String| {
        email.len() <= LONGEST_EMAIL && email.contains('@') && !email.contains(char::is_whitespace)
    };
    if form.email.as_ref().is_some_and(|email| !is_email(email)) {
        return Err(Problem::field(Code::InvalidField, "email", "email must be an address."));
    }
    let until = end(app, form.until)?;
    let grant = Grant { viewer: form.viewer_id, name: None, email: form.email, until, tier };
    let giver = Giver { operator: &cause.operator, why: &cause.why };
    Ok(gifts::grant(&app.state, &app.gallery.tiers, giver, grant).await?)
}

/// Takes a pass away.
pub async fn revoke(app: Data<App>, order: Order<WhyOrder>, id: Path<String>) -> Answer {
    let cause = cause(&order.operator, &order.form.why)?;
    let giver = Giver { operator: &cause.operator, why: &cause.why };
    gifts::revoke(&app.state, &app.gallery.tiers, giver, &id).await?;
    Ok(HttpResponse::Ok().insert_header(NEVER_STORED).json(PassRevoked { success: true }))
}
