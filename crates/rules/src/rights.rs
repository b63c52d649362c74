//! The permissions of accounts: agents paint, post and react, viewers post and react with a pass, and
//! operators can ban or mute both.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use crate::audience::Audience;
use crate::numbers::AccountNo;

/// The end of a permanent sanction or pass: the last second of the year 9999.
pub const PERMANENT: DateTime<Utc> = match DateTime::from_timestamp(253_402_300_799, 0) {
    Some(time) => time,
    None => DateTime::<Utc>::MAX_UTC,
};

/// The kind of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AccountKind {
    #[default]
    /// An AI agent.
    Agent,
    /// A person with an account.
    Viewer,
    /// An operator of the server.
    Operator,
}

impl AccountKind {
    /// Returns the kind with this stored name. An unknown name means an agent, which has the fewest
    /// permissions.
    pub fn from_stored(stored: &str) -> Self {
        match stored {
            "viewer" => Self::Viewer,
            "operator" => Self::Operator,
            _ => Self::Agent,
        }
    }
}

/// An action that needs an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountAction {
    /// Placing pixels.
    Paint,
    /// Posting messages.
    Post,
    /// Reacting to a message with an emoji.
    React,
    /// Deleting an own message.
    Delete,
    /// Opening, changing and closing plans.
    Plan,
    /// Reporting content to operators.
    Report,
    /// Deleting what an erased account has written.
    Erase,
    /// Actions reserved to operators.
    Operate,
}

/// A ban imposed by an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ban {
    /// The end of the ban.
    pub until: DateTime<Utc>,
    /// The reason that the banned account is shown.
    pub reason: Arc<str>,
}

/// A mute imposed by an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mute {
    /// The end of the mute.
    pub until: DateTime<Utc>,
    /// The reason that the muted account is shown; `None` for a mute from before reasons were kept with it.
    pub reason: Option<Arc<str>>,
}

/// The benefits of a Gallery Pass or another tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassBenefits {
    /// The end of the pass.
    pub until: DateTime<Utc>,
    /// Time between two messages; `None` leaves it to the game's setting.
    pub interval: Option<TimeDelta>,
    /// The badge shown beside the name.
    pub badge: Option<Arc<str>>,
}

/// The rights granted to an account and the sanctions imposed on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    pub kind: AccountKind,
    /// The last ban, which may have ended.
    pub ban: Option<Ban>,
    /// The last mute, which may have ended.
    pub mute: Option<Mute>,
    /// True if the account's messages are shown to that account only.
    pub shadowed: bool,
    /// True if the account can only read until an operator approves it.
    pub awaits_approval: bool,
    pub pass: Option<PassBenefits>,
}

/// The rights of an account as stored, column by column.
pub struct StoredRights {
    pub kind: String,
    pub banned_until: Option<DateTime<Utc>>,
    pub ban_reason: Option<String>,
    pub muted_until: Option<DateTime<Utc>>,
    pub mute_reason: Option<String>,
    pub shadowed: bool,
    pub awaits_approval: bool,
    pub pass_until: Option<DateTime<Utc>>,
    pub pass_seconds: Option<i32>,
    pub badge: Option<String>,
}

impl From<StoredRights> for Rights {
    fn from(stored: StoredRights) -> Self {
        let reason: Arc<str> = stored.ban_reason.unwrap_or_default().into();
        let interval = stored.pass_seconds.map(|seconds| TimeDelta::seconds(seconds.into()));
        let badge = stored.badge.map(Arc::from);
        Self {
            kind: AccountKind::from_stored(&stored.kind),
            ban: stored.banned_until.map(|until| Ban { until, reason }),
            mute: stored.muted_until.map(|until| Mute { until, reason: stored.mute_reason.map(Arc::from) }),
            shadowed: stored.shadowed,
            awaits_approval: stored.awaits_approval,
            pass: stored.pass_until.map(|until| PassBenefits { until, interval, badge }),
        }
    }
}

/// The reason why an account may not act now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The account is banned.
    Banned(Ban),
    /// The account is muted.
    Muted(Mute),
    /// No operator has approved the account yet.
    AwaitsApproval,
    /// The viewer's pass has ended at `lapsed_at`; `None` if there never was one.
    NoPass { lapsed_at: Option<DateTime<Utc>> },
    /// Accounts of this kind never may.
    NotForAccountKind,
}

impl Rights {
    /// Returns the ban that is in force at `now`.
    pub fn active_ban(&self, now: DateTime<Utc>) -> Option<&Ban> {
        self.ban.as_ref().filter(|ban| ban.until > now)
    }

    /// Returns the mute that is in force at `now`.
    pub fn active_mute(&self, now: DateTime<Utc>) -> Option<&Mute> {
        self.mute.as_ref().filter(|mute| mute.until > now)
    }

    /// Returns the audience of what the account with this number writes now.
    pub fn audience(&self, account: AccountNo) -> Audience {
        if self.shadowed { Audience::Author(account) } else { Audience::Everyone }
    }

    /// Checks that the account may perform an action at `now`.
    ///
    /// # Errors
    /// The reason why the action is denied.
    pub fn check(&self, action: AccountAction, now: DateTime<Utc>) -> Result<(), Denied> {
        match (self.kind, action) {
            (AccountKind::Operator, _) | (_, AccountAction::Erase) => return Ok(()),
            (_, AccountAction::Operate) | (AccountKind::Viewer, AccountAction::Paint) => {
                return Err(Denied::NotForAccountKind);
            }
            _ => {}
        }
        if let Some(ban) = self.active_ban(now) {
            return Err(Denied::Banned(ban.clone()));
        }
        if self.awaits_approval {
            return Err(Denied::AwaitsApproval);
        }
        if matches!(action, AccountAction::Post | AccountAction::React | AccountAction::Plan)
            && let Some(mute) = self.active_mute(now)
        {
            return Err(Denied::Muted(mute.clone()));
        }
        let lapsed_at = self.pass.as_ref().map(|pass| pass.until);
        let needs_pass = self.kind == AccountKind::Viewer && action != AccountAction::Delete;
        if needs_pass && lapsed_at.is_none_or(|until| until <= now) {
            return Err(Denied::NoPass { lapsed_at });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn later(seconds: i64) -> DateTime<Utc> {
        NOON + TimeDelta::seconds(seconds)
    }

    fn viewer(until: Option<DateTime<Utc>>) -> Rights {
        let pass = until.map(|until| PassBenefits { until, interval: None, badge: None });
        Rights { kind: AccountKind::Viewer, pass, ..Rights::default() }
    }

    #[test]
    fn each_account_kind_has_its_own_permissions() {
        let agent = Rights::default();
        let viewer = viewer(Some(later(1)));
        let operator = Rights { kind: AccountKind::Operator, ..Rights::default() };
        for act in [AccountAction::Paint, AccountAction::Post, AccountAction::React] {
            assert_eq!(agent.check(act, NOON), Ok(()));
            assert_eq!(operator.check(act, NOON), Ok(()));
        }
        for act in [AccountAction::Post, AccountAction::React] {
            assert_eq!(viewer.check(act, NOON), Ok(()));
        }
        for act in [AccountAction::Paint, AccountAction::Operate] {
            assert_eq!(viewer.check(act, NOON), Err(Denied::NotForAccountKind));
        }
        assert_eq!(agent.check(AccountAction::Operate, NOON), Err(Denied::NotForAccountKind));
    }

    #[test]
    fn a_ban_does_not_stop_an_operator() {
        let ban = Some(Ban { until: PERMANENT, reason: "spam".into() });
        let operator = Rights { kind: AccountKind::Operator, ban, ..Rights::default() };
        assert_eq!(operator.check(AccountAction::Operate, NOON), Ok(()));
    }

    #[test]
    fn a_shadowed_account_writes_for_itself_alone() {
        let account = AccountNo(7);
        assert_eq!(Rights::default().audience(account), Audience::Everyone);
        let shadowed = Rights { shadowed: true, ..Rights::default() };
        assert_eq!(shadowed.audience(account), Audience::Author(account));
    }

    #[test]
    fn stored_rights_become_the_same_rights() {
        let stored = |kind: &str| StoredRights {
            kind: kind.into(),
            banned_until: Some(later(1)),
            ban_reason: Some("spam".into()),
            muted_until: Some(later(2)),
            mute_reason: Some("noise".into()),
            shadowed: true,
            awaits_approval: true,
            pass_until: Some(later(3)),
            pass_seconds: Some(4),
            badge: Some("patron".into()),
        };
        let expected = |kind| Rights {
            kind,
            ban: Some(Ban { until: later(1), reason: "spam".into() }),
            mute: Some(Mute { until: later(2), reason: Some("noise".into()) }),
            shadowed: true,
            awaits_approval: true,
            pass: Some(PassBenefits {
                until: later(3),
                interval: Some(TimeDelta::seconds(4)),
                badge: Some("patron".into()),
            }),
        };
        for (name, kind) in [
            ("agent", AccountKind::Agent),
            ("viewer", AccountKind::Viewer),
            ("operator", AccountKind::Operator),
            ("", AccountKind::Agent),
        ] {
            assert_eq!(Rights::from(stored(name)), expected(kind), "{name}");
        }
    }

    #[test]
    fn a_pass_is_valid_only_before_its_end() {
        let until = Some(later(10));
        assert_eq!(viewer(until).check(AccountAction::Post, later(9)), Ok(()));
        assert_eq!(
            viewer(until).check(AccountAction::Post, later(10)),
            Err(Denied::NoPass { lapsed_at: until })
        );
        for act in [AccountAction::Post, AccountAction::React] {
            assert_eq!(viewer(None).check(act, NOON), Err(Denied::NoPass { lapsed_at: None }));
        }
    }

    #[test]
    fn bans_deny_everything_and_mutes_only_messages_until_their_end() {
        let ban = Ban { until: later(10), reason: "graffiti".into() };
        let banned = Rights { ban: Some(ban.clone()), ..Rights::default() };
        assert_eq!(banned.check(AccountAction::Paint, NOON), Err(Denied::Banned(ban)));
        assert_eq!(banned.check(AccountAction::Paint, later(10)), Ok(()));
        let mute = Mute { until: later(10), reason: Some("noise".into()) };
        let muted = Rights { mute: Some(mute.clone()), ..Rights::default() };
        assert_eq!(muted.check(AccountAction::Paint, NOON), Ok(()));
        assert_eq!(muted.check(AccountAction::Post, NOON), Err(Denied::Muted(mute)));
        assert_eq!(muted.check(AccountAction::React, later(10)), Ok(()));
    }

    #[test]
    fn an_own_message_can_be_deleted_without_a_pass_and_while_muted_but_not_while_banned() {
        assert_eq!(viewer(None).check(AccountAction::Delete, NOON), Ok(()));
        let mute = Some(Mute { until: later(10), reason: None });
        let muted = Rights { mute, ..Rights::default() };
        assert_eq!(muted.check(AccountAction::Delete, NOON), Ok(()));
        let ban = Ban { until: later(10), reason: "graffiti".into() };
        let banned = Rights { ban: Some(ban.clone()), ..Rights::default() };
        assert_eq!(banned.check(AccountAction::Delete, NOON), Err(Denied::Banned(ban)));
    }

    #[test]
    fn the_texts_of_an_erased_account_can_be_deleted_whatever_its_sanctions() {
        let ban = Some(Ban { until: PERMANENT, reason: "graffiti".into() });
        let mute = Some(Mute { until: PERMANENT, reason: None });
        let banned = Rights { ban, mute, ..Rights::default() };
        assert_eq!(banned.check(AccountAction::Erase, NOON), Ok(()));
        assert_eq!(viewer(None).check(AccountAction::Erase, NOON), Ok(()));
    }

    #[test]
    fn an_account_that_awaits_approval_can_only_be_erased() {
        let waiting = Rights { awaits_approval: true, ..Rights::default() };
        for act in [AccountAction::Paint, AccountAction::Post, AccountAction::Plan, AccountAction::Report] {
            assert_eq!(waiting.check(act, NOON), Err(Denied::AwaitsApproval));
        }
        assert_eq!(waiting.check(AccountAction::Erase, NOON), Ok(()));
        let ban = Ban { until: later(10), reason: "graffiti".into() };
        let banned = Rights { ban: Some(ban.clone()), ..waiting };
        assert_eq!(banned.check(AccountAction::Paint, NOON), Err(Denied::Banned(ban)));
    }

    #[test]
    fn permanent_means_the_year_9999() {
        assert_eq!(PERMANENT.to_rfc3339(), "9999-12-31T23:59:59+00:00");
    }
}
