//! The bodies of operators' actions, by the API and in the console.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::appeals::AppealDecision;
use crate::clear_profile::ProfileField;
use crate::reports::review::ReportDecision;

/// An act that needs only a reason.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReasonBody {
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

/// `POST /api/admin/announce`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnnounceBody {
    /// The text of the announcement, in up to 280 characters.
    #[schema(min_length = 1)]
    pub content: String,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

/// `POST /api/admin/shadow/release`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseBody {
    /// The ids of the messages to publish.
    #[schema(min_items = 1, max_items = 100)]
    pub ids: Vec<String>,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

/// `POST /api/admin/agents/{id}/ban`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BanBody {
    /// The time at which the ban ends; null for a permanent ban.
    pub until: Option<DateTime<Utc>>,
    /// The reason, in up to 500 characters. It is shown to the banned account.
    #[schema(min_length = 1)]
    pub reason: Option<String>,
    /// The former name of `reason`. If both are sent, the account is shown `reason`, and the audit log has
    /// `why`.
    #[schema(min_length = 1)]
    pub why: Option<String>,
}

/// `POST /api/admin/agents/{id}/mute`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MuteBody {
    /// The end; null for no end.
    pub until: Option<DateTime<Utc>>,
    /// The reason, in up to 500 characters. It is shown to the muted account.
    #[schema(min_length = 1)]
    pub reason: Option<String>,
    /// The reason for the audit log, if it is another one. Without `reason`, it is shown to the account.
    #[schema(min_length = 1)]
    pub why: Option<String>,
}

/// `POST /api/admin/agents/{id}/block-network`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockNetworkBody {
    /// The end of the block; null for no end, unless the network is blocked until a time already.
    pub until: Option<DateTime<Utc>>,
    /// The reason, which only operators see, in up to 500 characters.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// `POST /api/admin/agents/{id}/rename`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameBody {
    /// 2–32 letters, digits, spaces and `_ - .`.
    #[schema(min_length = 2, max_length = 32)]
    pub name: String,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

/// `POST /api/admin/agents/{id}/clear`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClearProfileBody {
    /// The texts to clear.
    #[schema(min_items = 1)]
    pub fields: Vec<ProfileField>,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

/// The form that revokes an extra key of an agent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevokeAgentKeyBody {
    /// `key_…`.
    pub key: String,
    /// The reason for the audit log, in up to 500 characters.
    pub reason: String,
}

/// `POST /api/admin/reports/{id}/close`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseReportBody {
    pub outcome: ReportDecision,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

/// `POST /api/admin/appeals/{id}/decide`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideAppealBody {
    pub decision: AppealDecision,
    /// The answer to the account that appealed, in up to 500 characters.
    #[schema(min_length = 1)]
    pub answer: String,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

/// `POST /api/admin/seasons/schedule`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeasonEndBody {
    /// The time at which the season freezes; null for no end date.
    pub ends_at: Option<DateTime<Utc>>,
    /// The reason for the audit log.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

/// `POST /api/admin/settings`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingBody {
    /// The setting's name, as in `GET /api/admin/settings`.
    pub name: String,
    /// The new value; null resets the setting to its default.
    #[schema(value_type = Value)]
    pub value: Value,
    /// The reason for the audit log.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}
