//! The settings that can change while the server runs: lists them, and changes one on every instance.

mod info;
mod store;

use caraplace_log::audit_reason::AuditReason;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::state::AppState;
use caraplace_log::{audit, control};
use caraplace_messages::system_message::post_system_message_locked;
use platform::config::{AdjustableSetting, AdjustableValues};
use platform::refusal::Refusal;
use serde_json::{Value, json};
use sqlx::PgConnection;
use text_filters::redact::{SecretRuleError, SecretRules};

pub use info::{SettingInfo, SettingSource, StartSettingInfo, list, list_start};

/// The name of the setting with the rules for secrets.
const SECRET_RULES: &str = "secret_rules";
/// The last message before the chat is switched off.
const CHAT_OFF_MESSAGE: &str = "The chat is switched off now. Painting goes on, and needs no digest.";
/// The first message after the chat was switched on.
const CHAT_ON_MESSAGE: &str = "The chat is on again.";

/// Returns the setting with this name.
///
/// # Errors
/// `Input` if there is no such setting that can change while the server runs.
pub fn find(name: &str) -> Result<&'static AdjustableSetting, Refusal> {
    let detail =
        "name is not a setting that can change while the server runs. GET /api/admin/settings lists them.";
    AdjustableSetting::find(name).ok_or_else(|| Refusal::invalid("name", detail))
}

/// Sets the setting with this name, as an operator requests it. Null resets it to the value of the start.
///
/// # Errors
/// `Input` if there is no such setting or the value is invalid; `Unavailable` if the database cannot be
/// written.
pub(crate) async fn set(
    state: &AppState,
    audit_reason: &AuditReason,
    name: &str,
    value: &Value,
) -> Result<SettingInfo, Refusal> {
    let setting = find(name)?;
    let changed = change(state, audit_reason, setting, value).await?;
    changed.ok_or_else(|| invalid_value(setting, value))
}

/// Checks a change of the setting with this name without making it.
///
/// # Errors
/// `Input` if there is no such setting or the value is invalid.
pub fn check(state: &AppState, name: &str, value: &Value) -> Result<(), Refusal> {
    let setting = find(name)?;
    let mut candidate = state.settings.initial.clone();
    let is_valid = value.is_null() || setting.set(&mut candidate, value).is_some();
    if is_valid { Ok(()) } else { Err(invalid_value(setting, value)) }
}

fn invalid_value(setting: &AdjustableSetting, value: &Value) -> Refusal {
    let place = describe_wrong_line(setting, value).unwrap_or_default();
    let detail = format!("{} is {value}, but must be {}.{place}", setting.name, setting.expected());
    Refusal::invalid("value", detail)
}

/// Returns the sentence about the first wrong line, with a space before it. `None` if the setting has no
/// rules for secrets, or if no line is wrong.
fn describe_wrong_line(setting: &AdjustableSetting, value: &Value) -> Option<String> {
    let rules = value.as_str().filter(|_| setting.name == SECRET_RULES)?;
    let SecretRuleError { line, problem } = SecretRules::parse(rules).err()?;
    Some(format!(" Line {line} is wrong: {problem}."))
}

/// Sets a setting, or resets it to the value of the start with null. Returns `None` if the value is invalid.
async fn change(
    state: &AppState,
    audit_reason: &AuditReason,
    setting: &'static AdjustableSetting,
    value: &Value,
) -> Result<Option<SettingInfo>, Refusal> {
    let mut candidate = state.settings.initial.clone();
    if !value.is_null() && setting.set(&mut candidate, value).is_none() {
        return Ok(None);
    }
    let offset = state.clock.offset();
    let mut transaction = state.pool.begin().await?;
    let mut head_lock = HeadLock::acquire(&mut transaction, &state.clock).await?;
    let before = store::stored_value(&mut transaction, setting.name).await?;
    let mut previous = state.settings.initial.clone();
    let _ = before.as_ref().and_then(|before| setting.set(&mut previous, before));
    announce_chat_switch(state, &mut transaction, &mut head_lock, &previous, &candidate).await?;
    if value.is_null() {
        store::reset(&mut transaction, setting.name).await?;
    } else {
        store::set(&mut transaction, setting.name, value, state.clock.now()).await?;
    }
    let to_json = |value: Option<&Value>| json!({"value": value});
    let act = audit_reason.audit_entry("set", setting.name, to_json(before.as_ref()), to_json(Some(value)));
    audit::record(&mut transaction, &act, offset).await?;
    control::append(&mut transaction, ControlEntry::SettingsChanged, offset).await?;
    state.log.commit(transaction).await?;
    Ok(list(state).await?.into_iter().find(|info| info.name == setting.name))
}

/// Posts a message if a change switches the chat off or on: the last one before, or the first one after.
async fn announce_chat_switch(
    state: &AppState,
    connection: &mut PgConnection,
    head_lock: &mut HeadLock,
    previous: &AdjustableValues,
    next: &AdjustableValues,
) -> Result<(), Refusal> {
    let is_enabled = next.game.chat_enabled;
    if is_enabled == previous.game.chat_enabled || !state.game().system_messages {
        return Ok(());
    }
    let content = if is_enabled { CHAT_ON_MESSAGE } else { CHAT_OFF_MESSAGE };
    Ok(post_system_message_locked(head_lock, connection, content.to_owned(), None).await?)
}
