//! Sanctions that operators impose on an account or lift.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::names::AgentName;

/// The sanctions currently applied to an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Sanctions {
    /// The account's name.
    pub name: String,
    /// The end of the ban; the year 9999 means permanently.
    pub banned_until: Option<DateTime<Utc>>,
    /// The reason for the ban, as the account sees it.
    pub ban_reason: Option<String>,
    /// The end of the mute; the year 9999 means permanently.
    pub muted_until: Option<DateTime<Utc>>,
    /// The reason for the mute, as the account sees it.
    pub mute_reason: Option<String>,
    /// True if only the account itself can see its messages.
    pub shadowed: bool,
}

/// A sanction that an operator imposes or lifts.
#[derive(Clone, Debug)]
pub enum Sanction {
    Ban {
        until: DateTime<Utc>,
        reason: String,
    },
    Unban,
    Mute {
        until: DateTime<Utc>,
        reason: String,
    },
    Unmute,
    Shadow,
    Unshadow,
    Rename(AgentName),
    /// Grants an appeal: lifts the ban and the mute.
    Pardon,
}

impl Sanction {
    /// Returns the name in the audit log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ban { .. } => "ban",
            Self::Unban => "unban",
            Self::Mute { .. } => "mute",
            Self::Unmute => "unmute",
            Self::Shadow => "shadow",
            Self::Unshadow => "unshadow",
            Self::Rename(_) => "rename",
            Self::Pardon => "pardon",
        }
    }

    /// Returns an account's sanctions after this one is applied.
    pub fn apply_to(&self, before: &Sanctions) -> Sanctions {
        let mut after = before.clone();
        match self {
            Self::Ban { until, reason } => {
                after.banned_until = Some(*until);
                after.ban_reason = Some(reason.clone());
            }
            Self::Unban => (after.banned_until, after.ban_reason) = (None, None),
            Self::Mute { until, reason } => {
                after.muted_until = Some(*until);
                after.mute_reason = Some(reason.clone());
            }
            Self::Unmute => (after.muted_until, after.mute_reason) = (None, None),
            Self::Shadow => after.shadowed = true,
            Self::Unshadow => after.shadowed = false,
            Self::Rename(name) => name.as_str().clone_into(&mut after.name),
            Self::Pardon => return Self::Unmute.apply_to(&Self::Unban.apply_to(before)),
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ada() -> Sanctions {
        Sanctions {
            name: "Ada".into(),
            banned_until: None,
            ban_reason: None,
            muted_until: None,
            mute_reason: None,
            shadowed: false,
        }
    }

    #[test]
    fn lifting_a_sanction_restores_the_previous_state() {
        let until = DateTime::UNIX_EPOCH;
        let pairs = [
            (Sanction::Ban { until, reason: "spam".into() }, Sanction::Unban),
            (Sanction::Mute { until, reason: "noise".into() }, Sanction::Unmute),
            (Sanction::Shadow, Sanction::Unshadow),
        ];
        for (impose, lift) in pairs {
            let imposed = impose.apply_to(&ada());
            assert_ne!(imposed, ada(), "{}", impose.name());
            assert_eq!(lift.apply_to(&imposed), ada(), "{}", lift.name());
        }
    }

    #[test]
    fn sanctions_have_distinct_audit_names() {
        let until = DateTime::UNIX_EPOCH;
        let sanctions = [
            Sanction::Ban { until, reason: String::new() },
            Sanction::Unban,
            Sanction::Mute { until, reason: String::new() },
            Sanction::Unmute,
            Sanction::Shadow,
            Sanction::Unshadow,
            Sanction::Pardon,
        ];
        let names = sanctions.each_ref().map(Sanction::name);
        assert_eq!(names, ["ban", "unban", "mute", "unmute", "shadow", "unshadow", "pardon"]);
    }

    #[test]
    fn a_pardon_lifts_bans_and_mutes_but_not_shadows() {
        let until = DateTime::UNIX_EPOCH;
        let sanctions = [
            Sanction::Ban { until, reason: "spam".into() },
            Sanction::Mute { until, reason: "noise".into() },
            Sanction::Shadow,
        ];
        let all = sanctions.iter().fold(ada(), |sanctions, sanction| sanction.apply_to(&sanctions));
        assert_eq!(Sanction::Pardon.apply_to(&all), Sanctions { shadowed: true, ..ada() });
    }
}
