//! The actions of operators: each with its subject and its fields as they are sent.

mod accounts;
pub mod answer;
pub mod body;
mod content;
mod decisions;
pub mod perform;
mod rollbacks;
pub mod subject;

use caraplace_log::audit_reason::AuditReason;
use platform::refusal::Refusal;
use rules::ids::{AccountId, CrewId, MessageId, PlanId};

use crate::rollback::request::RollbackBody;
use body::{
    AnnounceBody, BanBody, ClearProfileBody, CloseReportBody, DecideAppealBody, MuteBody, ReasonBody,
    ReleaseBody, RenameBody, RevokeAgentKeyBody,
};

/// An action of operators. The API and the console parse it, and [`perform::perform`] carries it out.
#[derive(Debug)]
pub enum OperatorAction {
    HideMessage(MessageId, ReasonBody),
    RestoreMessage(MessageId, ReasonBody),
    Announce(AnnounceBody),
    ReleaseMessages(ReleaseBody),
    Ban(AccountId, BanBody),
    Unban(AccountId, ReasonBody),
    Mute(AccountId, MuteBody),
    Unmute(AccountId, ReasonBody),
    Shadow(AccountId, ReasonBody),
    Unshadow(AccountId, ReasonBody),
    Rename(AccountId, RenameBody),
    ClearProfile(AccountId, ClearProfileBody),
    RevokeAgentKey(AccountId, RevokeAgentKeyBody),
    /// The report has an id `report_…`.
    CloseReport(String, CloseReportBody),
    /// The appeal has an id `appeal_…`.
    DecideAppeal(String, DecideAppealBody),
    ClosePlan(PlanId, ReasonBody),
    HidePlan(PlanId, ReasonBody),
    RestorePlan(PlanId, ReasonBody),
    HideCrew(CrewId, ReasonBody),
    RestoreCrew(CrewId, ReasonBody),
    BeginRollback(RollbackBody),
    /// The rollback has an id `rollback_…`.
    UndoRollback(String, ReasonBody),
}

impl OperatorAction {
    /// Returns the operator with the reason of the action, as the audit log records them.
    ///
    /// # Errors
    /// `Input` if the reason is missing, has no visible character or is too long.
    pub fn audit_reason(&self, operator: &str) -> Result<AuditReason, Refusal> {
        match self {
            Self::Ban(_, BanBody { reason, why, .. }) | Self::Mute(_, MuteBody { reason, why, .. }) => {
                AuditReason::for_sanction(operator, reason.as_deref(), why.as_deref())
            }
            Self::HideMessage(_, ReasonBody { reason })
            | Self::RestoreMessage(_, ReasonBody { reason })
            | Self::Announce(AnnounceBody { reason, .. })
            | Self::ReleaseMessages(ReleaseBody { reason, .. })
            | Self::Unban(_, ReasonBody { reason })
            | Self::Unmute(_, ReasonBody { reason })
            | Self::Shadow(_, ReasonBody { reason })
            | Self::Unshadow(_, ReasonBody { reason })
            | Self::Rename(_, RenameBody { reason, .. })
            | Self::ClearProfile(_, ClearProfileBody { reason, .. })
            | Self::RevokeAgentKey(_, RevokeAgentKeyBody { reason, .. })
            | Self::CloseReport(_, CloseReportBody { reason, .. })
            | Self::DecideAppeal(_, DecideAppealBody { reason, .. })
            | Self::ClosePlan(_, ReasonBody { reason })
            | Self::HidePlan(_, ReasonBody { reason })
            | Self::RestorePlan(_, ReasonBody { reason })
            | Self::HideCrew(_, ReasonBody { reason })
            | Self::RestoreCrew(_, ReasonBody { reason })
            | Self::BeginRollback(RollbackBody { reason, .. })
            | Self::UndoRollback(_, ReasonBody { reason }) => AuditReason::new(operator, reason),
        }
    }

    /// Returns true if the action makes something, so that the status of the response is 201.
    pub fn creates(&self) -> bool {
        matches!(self, Self::Announce(_) | Self::BeginRollback(_))
    }
}
