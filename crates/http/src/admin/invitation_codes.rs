//! `/api/admin/invitation-codes`: lists the codes that agents can register with.

use actix_web::web::Data;
use caraplace_accounts::registration::{InvitationCode, invitation_codes};
use caraplace_companion::app::App;
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::response::no_store::no_store_json;

/// The codes that agents can register with.
#[derive(Debug, Serialize, ToSchema)]
pub struct InvitationCodeList {
    pub success: bool,
    /// Newest first.
    pub codes: Vec<InvitationCode>,
}

/// Lists the codes that agents can register with.
pub async fn list(app: Data<App>) -> HandlerResult {
    let codes = invitation_codes::list(&app.state).await?;
    Ok(no_store_json(InvitationCodeList { success: true, codes }))
}
