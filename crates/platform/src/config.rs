//! The settings: `table` declares each of them once, and everything else about them follows from there.

mod api_shape;
mod declare;
mod documents;
mod file;
mod formats;
mod names;
mod sources;
mod table;

use crate::refusal::Refusal;
pub use api_shape::ApiShape;
use chrono::TimeDelta;
pub use declare::{ConfigError, SettingDeclaration};
pub use documents::help;
pub use file::ConfigFileError;
pub use formats::{Secret, SettingKind};
use names::find_declaration;
pub use names::unknown_variables;
use rules::charges::Allowance;
use rules::credits::MessagePrice;
use rules::rights::{AccountAction, AccountKind, Rights};
pub use sources::{ConfigFile, SettingOrigin, SettingSources, StartSetting};
pub use table::{
    ADJUSTABLE_SETTINGS, AdjustableSetting, AdjustableValues, Config, DuplicatePolicy, GameSettings,
    GuideSettings, NetworkSettings, NoticeSettings, OutgoingSettings, PaymentSettings, PiiPolicy,
    ProfanityPolicy, RegistrationMode, RetentionSettings, SecretPolicy,
};
use text_filters::redact::{SecretRuleError, SecretRules};

/// The maximum number of pixels in one request, whatever the charges.
const MAX_BATCH_PIXELS: u32 = 256;

/// A file of a setting that cannot be read or has a wrong line.
#[derive(Debug, thiserror::Error)]
pub enum SettingFileError {
    #[error("The word list {path} cannot be read ({error}). Check CARAPLACE_WORDS_FILE.")]
    WordsUnreadable { path: String, error: std::io::Error },
    #[error("The secret rules {path} cannot be read ({error}). Check CARAPLACE_SECRET_RULES_FILE.")]
    RulesUnreadable { path: String, error: std::io::Error },
    #[error("The secret rules {path} are wrong in {error}. Correct this line.")]
    WrongRule { path: String, error: SecretRuleError },
}

impl Config {
    /// Returns the settings with the contents of the word list and of the secret rules, if there are any.
    ///
    /// # Errors
    /// If a file cannot be read, or a rule is wrong.
    pub fn with_files(mut self) -> Result<Self, SettingFileError> {
        if let Some(file) = &self.words_file {
            let path = file.display().to_string();
            let unreadable = |error| SettingFileError::WordsUnreadable { path, error };
            self.words = std::fs::read_to_string(file).map_err(unreadable)?.into();
        }
        if let Some(file) = &self.secret_rules_file {
            let path = file.display().to_string();
            let unreadable = |error| SettingFileError::RulesUnreadable { path: path.clone(), error };
            let rules = std::fs::read_to_string(file).map_err(unreadable)?;
            SecretRules::parse(&rules).map_err(|error| SettingFileError::WrongRule { path, error })?;
            self.secret_rules = rules.into();
        }
        Ok(self)
    }
}

impl AdjustableSetting {
    /// Returns the setting with this name, or `None` if there is none that can change while the server runs.
    pub fn find(name: &str) -> Option<&'static Self> {
        ADJUSTABLE_SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// Returns the heading under which forms show the setting.
    pub fn section(&self) -> &'static str {
        let declared = || find_declaration(self.variable).map_or("", |declaration| declaration.section);
        if self.section.is_empty() { declared() } else { self.section }
    }

    /// Returns the explanation as whole sentences, in which code stands in backticks.
    pub fn explanation(&self) -> String {
        let declared = || find_declaration(self.variable).map(SettingDeclaration::explanation);
        self.own_explanation().or_else(declared).unwrap_or_default()
    }
}

impl GameSettings {
    /// Returns the maximum of charges and the time in which one comes back.
    pub fn charge_allowance(&self) -> Allowance {
        Allowance::new(self.max_charges, TimeDelta::seconds(self.charge_seconds.into()))
    }

    /// Returns the credits that a message costs.
    pub fn message_price(&self) -> MessagePrice {
        MessagePrice(self.pixels_per_message.into())
    }

    /// Returns the maximum length of a message, in grapheme clusters.
    pub fn max_message_graphemes(&self) -> usize {
        self.message_chars as usize
    }

    /// Returns the interval between two messages of one agent.
    pub fn message_interval(&self) -> TimeDelta {
        TimeDelta::seconds(self.message_seconds.into())
    }

    /// Returns the interval between two direct messages of a viewer, whatever its pass.
    pub fn whisper_interval(&self) -> TimeDelta {
        TimeDelta::seconds(self.whisper_seconds.into())
    }

    /// Returns the interval between two messages of an account with these rights.
    pub fn message_interval_for(&self, rights: &Rights) -> TimeDelta {
        let viewer_interval = || TimeDelta::seconds(self.viewer_message_seconds.into());
        match (&rights.kind, &rights.pass) {
            (AccountKind::Viewer, Some(pass)) => pass.interval.unwrap_or_else(viewer_interval),
            (AccountKind::Viewer, None) => viewer_interval(),
            _ => self.message_interval(),
        }
    }

    /// Checks that accounts may do this at present: some actions need the chat.
    ///
    /// # Errors
    /// `ChatDisabled`.
    pub fn check_action(&self, action: AccountAction) -> Result<(), Refusal> {
        let needs_chat = matches!(action, AccountAction::Post | AccountAction::React | AccountAction::Delete);
        if needs_chat { self.check_chat() } else { Ok(()) }
    }

    /// Checks that the chat is switched on.
    ///
    /// # Errors
    /// `ChatDisabled`.
    pub fn check_chat(&self) -> Result<(), Refusal> {
        if self.chat_enabled { Ok(()) } else { Err(Refusal::ChatDisabled) }
    }

    /// Returns the maximum number of pixels that one request may place.
    pub fn max_batch_pixels(&self) -> usize {
        self.max_charges.min(MAX_BATCH_PIXELS) as usize
    }
}

#[cfg(test)]
mod tests;
