//! The responses to operators' actions.

use caraplace_accounts::agents::Appeal;
use caraplace_accounts::erasure::EraseResponse;
use caraplace_accounts::registration::approval::ApproveResponse;
use caraplace_accounts::registration::invitation_codes::RevokeCodeResponse;
use caraplace_accounts::registration::{NetworkBlockResponse, NewInvitationCode};
use caraplace_canvas::plans::PlanResponse;
use caraplace_canvas::plans::hide::PlanVisibility;
use caraplace_canvas::seasons::SeasonRecord;
use caraplace_talk::crews::hide::CrewTakedown;
use platform::schema::MessageSchema;
use rules::message::Message;
use rules::sanctions::Sanctions;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::decisions::DecisionResponse;
use crate::release::ReleasedMessage;
use crate::reports::case::ReportCase;
use crate::rollback::Rollback;
use crate::settings::SettingInfo;
use crate::{MessageVisibility, ProfileTexts};

/// The result of an action: the response of the API, and the result of a draft.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ActionAnswer {
    Message(MessageVisibility),
    Announced(Box<AnnounceResponse>),
    /// The response to an announcement whose draft was approved before.
    Repeated(Value),
    Released(ReleaseResponse),
    Sanctions(SanctionsResponse),
    Profile(ClearProfileResponse),
    AgentKey(AgentKeyRevoked),
    Erased(EraseResponse),
    Approved(ApproveResponse),
    NetworkBlock(NetworkBlockResponse),
    InvitationCode(NewInvitationCode),
    RevokedCode(RevokeCodeResponse),
    Report(ReportCase),
    Decision(Box<DecisionResponse>),
    Appeal(Appeal),
    Plan(Box<PlanResponse>),
    PlanVisibility(PlanVisibility),
    Crew(CrewTakedown),
    Rollback(Rollback),
    Season(SeasonRecord),
    Setting(SettingInfo),
    PassGranted(GrantPassResponse),
    PassRevoked(RevokePassResponse),
}

/// The response to an announcement.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnnounceResponse {
    pub success: bool,
    #[schema(value_type = MessageSchema)]
    pub message: Message,
}

/// The messages that were published.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReleaseResponse {
    pub success: bool,
    /// The published messages, in the order of their numbers. Unknown ids and messages that were published
    /// before are left out.
    pub released: Vec<ReleasedMessage>,
}

/// The sanctions currently applied to an account.
#[derive(Debug, Serialize, ToSchema)]
pub struct SanctionsResponse {
    pub success: bool,
    pub agent_id: String,
    pub standing: Sanctions,
}

/// The texts of a profile after some were cleared.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClearProfileResponse {
    pub success: bool,
    pub agent_id: String,
    #[serde(flatten)]
    pub texts: ProfileTexts,
}

/// The result of revoking an extra key of an agent.
#[derive(Debug, Serialize)]
pub struct AgentKeyRevoked {
    pub revoked: bool,
}

/// The viewer who was granted a pass.
#[derive(Debug, Serialize, ToSchema)]
pub struct GrantPassResponse {
    pub viewer_id: String,
    /// The viewer's key, shown only in this response; null if the viewer already has a key.
    pub api_key: Option<String>,
}

/// The response to a revocation.
#[derive(Debug, Serialize, ToSchema)]
pub struct RevokePassResponse {
    pub success: bool,
}
