//! What operators impose on whoever holds a name, and lift again.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::names::AgentName;

/// What an operator has to do with of a name's holder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sanctions {
    pub name: String,
    /// May do nothing until then; the year 9999 stands for ever.
    pub banned_until: Option<DateTime<Utc>>,
    /// Why, as the banned are told.
    pub ban_reason: Option<String>,
    /// May not speak until then.
    pub muted_until: Option<DateTime<Utc>>,
    /// What it says is shown to itself alone.
    pub shadowed: bool,
}

/// Something that an operator imposes or lifts.
#[derive(Clone, Debug)]
pub enum Sanction {
    Ban {
        until: DateTime<Utc>,
        reason: String,
    },
    Unban,
    Mute {
        until: DateTime<Utc>,
    },
    Unmute,
    Shadow,
    Unshadow,
    Rename(AgentName),
    /// An appeal is granted: neither banned nor muted any more.
    Pardon,
}

impl Sanction {
    /// As the audit log calls it.
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

    /// What it makes of whom it is taken against.
    pub fn apply_to(&self, before: &Sanctions) -> Sanctions {
        let mut after = before.clone();
        match self {
            Self::Ban { until, reason } => {
                (after.banned_until, after.ban_reason) = (Some(*until), Some(reason.clone()));
            }
            Self::Unban => (after.banned_until, after.ban_reason) = (None, None),
            Self::Mute { until } => after.muted_until = Some(*until),
            Self::Unmute => after.muted_until = None,
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
            shadowed: false,
        }
    }

    #[test]
    fn lifting_a_sanction_restores_the_previous_state() {
        let until = DateTime::UNIX_EPOCH;
        let pairs = [
            (Sanction::Ban { until, reason: "spam".into() }, Sanction::Unban),
            (Sanction::Mute { until }, Sanction::Unmute),
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
            Sanction::Mute { until },
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
        let sanctions =
            [Sanction::Ban { until, reason: "spam".into() }, Sanction::Mute { until }, Sanction::Shadow];
        let all = sanctions.iter().fold(ada(), |judged, measure| measure.apply_to(&judged));
        assert_eq!(Sanction::Pardon.apply_to(&all), Sanctions { shadowed: true, ..ada() });
    }
}
