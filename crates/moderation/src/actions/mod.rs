//! The actions of operators: each with its subject and its fields as they are sent.

pub mod answer;
pub mod body;
pub mod bulk;
pub mod perform;
pub mod subject;

use caraplace_accounts::gallery::grants::GrantPassBody;
use caraplace_accounts::registration::invitation_codes::InvitationCodeBody;
use caraplace_canvas::seasons::open::OpenSeasonBody;
use caraplace_log::audit_reason::AuditReason;
use platform::refusal::Refusal;
use rules::ids::{AccountId, CrewId, MessageId, PlanId};

use crate::decisions::DecideCaseBody;
use crate::rollback::request::RollbackBody;
use body::{
    AnnounceBody, BanBody, BlockNetworkBody, ClearProfileBody, CloseReportBody, DecideAppealBody, MuteBody,
    ReasonBody, ReleaseBody, RenameBody, RevokeAgentKeyBody, SeasonEndBody, SettingBody,
};

/// An action of operators. API, console, command line and drafts parse into it, and [`perform::perform`]
/// carries it out.
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
    Erase(AccountId, ReasonBody),
    Approve(AccountId, ReasonBody),
    BlockNetwork(AccountId, BlockNetworkBody),
    /// The block has an id `block_…`.
    UnblockNetwork(String, ReasonBody),
    CreateInvitationCode(InvitationCodeBody),
    /// The code has an id `invitecode_…`.
    RevokeInvitationCode(String, ReasonBody),
    /// The report has an id `report_…`.
    CloseReport(String, CloseReportBody),
    /// The case has an id `report_…`.
    DecideCase(String, DecideCaseBody),
    /// The decision has an id `decision_…`.
    UndoDecision(String, ReasonBody),
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
    OpenSeason(OpenSeasonBody),
    FreezeSeason(ReasonBody),
    UnfreezeSeason(ReasonBody),
    ScheduleSeason(SeasonEndBody),
    ChangeSetting(SettingBody),
    GrantPass(GrantPassBody),
    /// The viewer has an id `viewer_…`.
    RevokePass(String, ReasonBody),
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
            | Self::Erase(_, ReasonBody { reason })
            | Self::Approve(_, ReasonBody { reason })
            | Self::BlockNetwork(_, BlockNetworkBody { reason, .. })
            | Self::UnblockNetwork(_, ReasonBody { reason })
            | Self::CreateInvitationCode(InvitationCodeBody { reason, .. })
            | Self::RevokeInvitationCode(_, ReasonBody { reason })
            | Self::CloseReport(_, CloseReportBody { reason, .. })
            | Self::DecideCase(_, DecideCaseBody { reason, .. })
            | Self::UndoDecision(_, ReasonBody { reason })
            | Self::DecideAppeal(_, DecideAppealBody { reason, .. })
            | Self::ClosePlan(_, ReasonBody { reason })
            | Self::HidePlan(_, ReasonBody { reason })
            | Self::RestorePlan(_, ReasonBody { reason })
            | Self::HideCrew(_, ReasonBody { reason })
            | Self::RestoreCrew(_, ReasonBody { reason })
            | Self::BeginRollback(RollbackBody { reason, .. })
            | Self::UndoRollback(_, ReasonBody { reason })
            | Self::OpenSeason(OpenSeasonBody { reason, .. })
            | Self::FreezeSeason(ReasonBody { reason })
            | Self::UnfreezeSeason(ReasonBody { reason })
            | Self::ScheduleSeason(SeasonEndBody { reason, .. })
            | Self::ChangeSetting(SettingBody { reason, .. })
            | Self::GrantPass(GrantPassBody { reason, .. })
            | Self::RevokePass(_, ReasonBody { reason }) => AuditReason::new(operator, reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;

    /// Returns one of each action, with this reason.
    fn one_of_each(reason: &str) -> Vec<OperatorAction> {
        use OperatorAction as Action;
        let digits = "0".repeat(32);
        let message = || MessageId::parse(&format!("msg_{digits}")).unwrap();
        let account = || AccountId::parse(&format!("agent_{digits}")).unwrap();
        let plan = || PlanId::parse(&format!("plan_{digits}")).unwrap();
        let crew = || CrewId::parse(&format!("crew_{digits}")).unwrap();
        let text = || "x".to_owned();
        let only = || ReasonBody { reason: reason.to_owned() };
        vec![
            Action::HideMessage(message(), only()),
            Action::RestoreMessage(message(), only()),
            Action::Announce(with(reason, json!({"content": "x"}))),
            Action::ReleaseMessages(with(reason, json!({"ids": ["x"]}))),
            Action::Ban(account(), with(reason, json!({}))),
            Action::Unban(account(), only()),
            Action::Mute(account(), with(reason, json!({}))),
            Action::Unmute(account(), only()),
            Action::Shadow(account(), only()),
            Action::Unshadow(account(), only()),
            Action::Rename(account(), with(reason, json!({"name": "x"}))),
            Action::ClearProfile(account(), with(reason, json!({"fields": ["model"]}))),
            Action::RevokeAgentKey(account(), with(reason, json!({"key": "x"}))),
            Action::Erase(account(), only()),
            Action::Approve(account(), only()),
            Action::BlockNetwork(account(), with(reason, json!({}))),
            Action::UnblockNetwork(text(), only()),
            Action::CreateInvitationCode(with(reason, json!({"uses": 1}))),
            Action::RevokeInvitationCode(text(), only()),
            Action::CloseReport(text(), with(reason, json!({"outcome": "upheld"}))),
            Action::DecideCase(text(), with(reason, json!({}))),
            Action::UndoDecision(text(), only()),
            Action::DecideAppeal(text(), with(reason, json!({"decision": "deny", "answer": "x"}))),
            Action::ClosePlan(plan(), only()),
            Action::HidePlan(plan(), only()),
            Action::RestorePlan(plan(), only()),
            Action::HideCrew(crew(), only()),
            Action::RestoreCrew(crew(), only()),
            Action::BeginRollback(with(reason, json!({}))),
            Action::UndoRollback(text(), only()),
            Action::OpenSeason(with(reason, json!({"after": 1}))),
            Action::FreezeSeason(only()),
            Action::UnfreezeSeason(only()),
            Action::ScheduleSeason(with(reason, json!({}))),
            Action::ChangeSetting(with(reason, json!({"name": "x", "value": null}))),
            Action::GrantPass(with(reason, json!({}))),
            Action::RevokePass(text(), only()),
        ]
    }

    /// Returns the body with these fields and this reason.
    fn with<B: DeserializeOwned>(reason: &str, mut fields: Value) -> B {
        fields["reason"] = json!(reason);
        serde_json::from_value(fields).unwrap()
    }

    #[test]
    fn every_action_is_audited_with_its_reason() {
        for action in one_of_each("because") {
            let audit_reason = action.audit_reason("console").unwrap();
            assert_eq!(
                (audit_reason.operator.as_str(), audit_reason.reason.as_str()),
                ("console", "because")
            );
        }
        for action in one_of_each(" ") {
            assert!(matches!(action.audit_reason("console"), Err(Refusal::Input(_))), "{action:?}");
        }
    }
}
