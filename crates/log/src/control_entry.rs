//! The entries of the control log.

use rules::numbers::{AccountNo, Seq};

/// An entry of the control log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlEntry {
    /// The agent with this number has a new key.
    KeyChanged(AccountNo),
    /// The rights or the name of the account with this number have changed, or access tokens of it were
    /// revoked.
    AccountChanged(AccountNo),
    /// The agent with this number has new own events.
    ShadowPosted(AccountNo),
    /// A shadow-ban of the agent with this number has begun or ended. Unlike other changes of rights, it ends
    /// no stream.
    ShadowBanChanged(AccountNo),
    /// A setting was changed while the server was running.
    SettingsChanged,
    /// The season was frozen, or its end was set.
    SeasonChanged,
    /// The message with this number was folded or unfolded.
    FoldingChanged(Seq),
    /// The extra key with this number was created or revoked.
    ExtraKeyChanged(i64),
}

impl ControlEntry {
    /// Returns the account whose key, rights or name have changed; `None` for other entries.
    pub fn changed_account(self) -> Option<AccountNo> {
        match self {
            Self::KeyChanged(account) | Self::AccountChanged(account) => Some(account),
            Self::ShadowPosted(_)
            | Self::ShadowBanChanged(_)
            | Self::SettingsChanged
            | Self::SeasonChanged
            | Self::FoldingChanged(_)
            | Self::ExtraKeyChanged(_) => None,
        }
    }

    /// Returns the entry for stored values, or `None` for an entry of a newer version, which this version
    /// ignores.
    pub(super) fn from_stored(kind: &str, subject: i64) -> Option<Self> {
        match kind {
            "key_changed" => Some(Self::KeyChanged(AccountNo(subject))),
            "standing" => Some(Self::AccountChanged(AccountNo(subject))),
            "shadow" => Some(Self::ShadowPosted(AccountNo(subject))),
            "shadow_ban" => Some(Self::ShadowBanChanged(AccountNo(subject))),
            "settings" => Some(Self::SettingsChanged),
            "season" => Some(Self::SeasonChanged),
            "folding" => Some(Self::FoldingChanged(Seq(subject))),
            "extra_key" => Some(Self::ExtraKeyChanged(subject)),
            _ => None,
        }
    }

    /// Returns the values to store.
    pub(super) fn to_stored(self) -> (&'static str, i64) {
        match self {
            Self::KeyChanged(agent) => ("key_changed", agent.0),
            Self::AccountChanged(agent) => ("standing", agent.0),
            Self::ShadowPosted(agent) => ("shadow", agent.0),
            Self::ShadowBanChanged(agent) => ("shadow_ban", agent.0),
            Self::SettingsChanged => ("settings", 0),
            Self::SeasonChanged => ("season", 0),
            Self::FoldingChanged(message) => ("folding", message.0),
            Self::ExtraKeyChanged(key) => ("extra_key", key),
        }
    }
}
