//! The same act on several accounts or messages, with one reason. Each is an action with its own entry in the
//! audit log; one that is refused does not keep the others from being carried out.

use caraplace_log::audit_reason::parse_reason;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::ids::{AccountId, MessageId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::OperatorAction;
use super::body::{BanBody, MuteBody, ReasonBody};
use super::perform::{ActionServices, perform};
use super::subject::ActionSubject as _;

/// The maximum number of subjects of one request.
pub const MAX_SUBJECTS: usize = 100;

/// An act on each of several accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccountAct {
    Ban,
    Unban,
    Mute,
    Unmute,
    /// Shadow-bans: only the account itself sees its new messages.
    Shadow,
    Unshadow,
    /// Lets accounts act that have waited for an approval.
    Approve,
}

/// An act on each of several messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageAct {
    Hide,
    Restore,
}

/// `POST /api/admin/accounts/act`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AccountsActBody {
    /// The ids of the accounts: `agent_…` or `viewer_…`.
    #[schema(min_items = 1, max_items = 100)]
    pub ids: Vec<String>,
    pub act: AccountAct,
    /// The time at which a ban or a mute ends; null for no end, and for the other acts.
    pub until: Option<DateTime<Utc>>,
    /// The reason for the audit log, in up to 500 characters. Bans and mutes show it to the accounts.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// `POST /api/admin/messages/act`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessagesActBody {
    /// The ids of the messages: `msg_…`.
    #[schema(min_items = 1, max_items = 100)]
    pub ids: Vec<String>,
    pub act: MessageAct,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// The result of an act on one of several subjects.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubjectResult {
    pub id: String,
    /// True if the act was carried out, or had been before.
    pub ok: bool,
    /// The sentence that says why it was refused; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The results of an act on several subjects.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkActResponse {
    /// True if the acts were tried; `results` says which were carried out.
    pub success: bool,
    /// In the order of the request.
    pub results: Vec<SubjectResult>,
}

impl AccountsActBody {
    /// Returns the action on one of the accounts.
    fn action_on(&self, id: AccountId) -> OperatorAction {
        let until = self.until;
        let reason = self.reason.clone();
        match self.act {
            AccountAct::Ban => OperatorAction::Ban(id, BanBody { until, reason: Some(reason), why: None }),
            AccountAct::Mute => OperatorAction::Mute(id, MuteBody { until, reason: Some(reason), why: None }),
            AccountAct::Unban => OperatorAction::Unban(id, ReasonBody { reason }),
            AccountAct::Unmute => OperatorAction::Unmute(id, ReasonBody { reason }),
            AccountAct::Shadow => OperatorAction::Shadow(id, ReasonBody { reason }),
            AccountAct::Unshadow => OperatorAction::Unshadow(id, ReasonBody { reason }),
            AccountAct::Approve => OperatorAction::Approve(id, ReasonBody { reason }),
        }
    }
}

impl MessagesActBody {
    /// Returns the action on one of the messages.
    fn action_on(&self, id: MessageId) -> OperatorAction {
        let body = ReasonBody { reason: self.reason.clone() };
        match self.act {
            MessageAct::Hide => OperatorAction::HideMessage(id, body),
            MessageAct::Restore => OperatorAction::RestoreMessage(id, body),
        }
    }
}

/// Carries out an act on each of several accounts, in the name of an operator.
///
/// # Errors
/// `Input` if there are no ids or too many, if an act without an end has one, or if the reason is invalid.
pub async fn act_on_accounts(
    services: &impl ActionServices,
    operator: &str,
    body: &AccountsActBody,
) -> Result<BulkActResponse, Refusal> {
    if body.until.is_some() && !matches!(body.act, AccountAct::Ban | AccountAct::Mute) {
        return Err(Refusal::invalid("until", "until is only for the acts ban and mute."));
    }
    parse_reason("reason", &body.reason)?;
    let actions = body.ids.iter().map(|id| AccountId::parse_subject(id).map(|id| body.action_on(id)));
    act_on_each(services, operator, &body.ids, actions.collect()).await
}

/// Hides each of several messages or restores it, in the name of an operator.
///
/// # Errors
/// `Input` if there are no ids or too many, or if the reason is invalid.
pub async fn act_on_messages(
    services: &impl ActionServices,
    operator: &str,
    body: &MessagesActBody,
) -> Result<BulkActResponse, Refusal> {
    parse_reason("reason", &body.reason)?;
    let actions = body.ids.iter().map(|id| MessageId::parse_subject(id).map(|id| body.action_on(id)));
    act_on_each(services, operator, &body.ids, actions.collect()).await
}

/// Carries out the action of each id, one after the other.
async fn act_on_each(
    services: &impl ActionServices,
    operator: &str,
    ids: &[String],
    actions: Vec<Result<OperatorAction, Refusal>>,
) -> Result<BulkActResponse, Refusal> {
    if !(1..=MAX_SUBJECTS).contains(&ids.len()) {
        return Err(Refusal::invalid("ids", format!("ids must contain 1 to {MAX_SUBJECTS} ids.")));
    }
    let mut results = Vec::with_capacity(ids.len());
    for (id, action) in ids.iter().zip(actions) {
        let done = match action {
            Ok(action) => act(services, operator, &action).await,
            Err(refusal) => Err(refusal),
        };
        let error = done.err().map(|refusal| refusal.to_string());
        results.push(SubjectResult { id: id.clone(), ok: error.is_none(), error });
    }
    Ok(BulkActResponse { success: true, results })
}

/// Carries out one action.
async fn act(services: &impl ActionServices, operator: &str, action: &OperatorAction) -> Result<(), Refusal> {
    let audit_reason = action.audit_reason(operator)?;
    let done = Box::pin(perform(services, action, audit_reason)).await;
    if let Err(Refusal::Internal(error)) = &done {
        tracing::error!(error = %error.chain(), "an action of several failed");
    }
    done.map(|_| ())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_act_is_an_action_with_the_reason() {
        let account = || AccountId::parse(&format!("agent_{}", "0".repeat(32))).unwrap();
        for act in ["ban", "unban", "mute", "unmute", "shadow", "unshadow", "approve"] {
            let body = json!({"ids": [], "act": act, "reason": "spam"});
            let body: AccountsActBody = serde_json::from_value(body).unwrap();
            let action = body.action_on(account());
            assert!(format!("{action:?}").to_lowercase().starts_with(act), "{action:?}");
            assert_eq!(action.audit_reason("console").unwrap().reason, "spam");
        }
    }
}
