//! `/api/admin/operators`: operators and their invitations.

use actix_web::web::{Data, Path};
use caraplace_accounts::operators::invitations::MadeInvitation;
use caraplace_accounts::operators::{OperatorInfo, OperatorInvitation, invitations, roster};
use caraplace_companion::app::App;
use chrono::{DateTime, Utc};
use rules::operators::OperatorRole;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_operator::{AdminBody, AuthOperator};
use crate::response::no_store::{no_store_created, no_store_json};
use crate::response::not_found::not_found;
use crate::state::HttpState;

/// All operators, and the invitations that can still be accepted.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorList {
    /// The first owner first, then in the order of their names.
    pub operators: Vec<OperatorInfo>,
    /// Newest first.
    pub invitations: Vec<OperatorInvitation>,
}

/// `POST /api/admin/operators/invitations`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvitationBody {
    /// The role that the invited person gets.
    pub role: OperatorRole,
    /// A name to propose; none by default.
    #[schema(min_length = 2, max_length = 32)]
    pub name: Option<String>,
}

/// A new invitation.
#[derive(Debug, Serialize, ToSchema)]
pub struct InvitationResponse {
    /// `invitation_…`.
    pub id: String,
    pub role: OperatorRole,
    /// The proposed name; null if there is none.
    pub name: Option<String>,
    pub expires_at: DateTime<Utc>,
    /// The address of the page that accepts it, once. Only this response contains it.
    pub link: String,
}

/// `POST /api/admin/operators/{id}/role`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleBody {
    pub role: OperatorRole,
}

/// The response to the withdrawal of an invitation.
#[derive(Debug, Serialize, ToSchema)]
pub struct WithdrawInvitationResponse {
    pub withdrawn: bool,
}

impl InvitationResponse {
    /// Returns the response with the link on a server at this address.
    pub fn new(invitation: MadeInvitation, base_url: &str) -> Self {
        let MadeInvitation { id, role, name, expires_at, token } = invitation;
        Self { id, role, name, expires_at, link: format!("{base_url}{}{token}", invitations::PATH) }
    }
}

/// Lists operators and invitations.
pub async fn list(app: Data<App>) -> HandlerResult {
    let operators = roster::list(&app.state).await?;
    Ok(no_store_json(OperatorList { operators, invitations: invitations::list(&app.state).await? }))
}

/// Invites a person.
pub async fn invite(
    app: Data<App>,
    http_state: Data<HttpState>,
    body: AdminBody<InvitationBody>,
) -> HandlerResult {
    let InvitationBody { role, name } = body.fields;
    let invitation = invitations::invite(&app.state, &body.operator, role, name).await?;
    Ok(no_store_created(InvitationResponse::new(invitation, &http_state.base_url)))
}

/// Withdraws an invitation.
pub async fn withdraw(
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
    id: Path<String>,
) -> HandlerResult {
    if !invitations::withdraw(&app.state, &operator, &id).await? {
        return Err(not_found("There is no open invitation with this id."));
    }
    Ok(no_store_json(WithdrawInvitationResponse { withdrawn: true }))
}

/// Changes the role of an operator.
pub async fn change_role(app: Data<App>, body: AdminBody<RoleBody>, id: Path<String>) -> HandlerResult {
    Ok(no_store_json(roster::change_role(&app.state, &body.operator, &id, body.fields.role).await?))
}

/// Disables an operator.
pub async fn disable(
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
    id: Path<String>,
) -> HandlerResult {
    Ok(no_store_json(roster::disable(&app.state, &operator, &id).await?))
}

/// Enables an operator.
pub async fn enable(app: Data<App>, AuthOperator(operator): AuthOperator, id: Path<String>) -> HandlerResult {
    Ok(no_store_json(roster::enable(&app.state, &operator, &id).await?))
}

/// Switches off the codes of an operator.
pub async fn reset_codes(
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
    id: Path<String>,
) -> HandlerResult {
    Ok(no_store_json(roster::reset_codes(&app.state, &operator, &id).await?))
}
