//! The settings that change while the server runs: what they are, and changing one on every instance.

mod store;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::config::{ADJUSTABLE, Adjustable};
use crate::log::audit;
use crate::log::control::{self, Control};
use crate::moderation::Cause;
use crate::refusal::Refusal;
use crate::state::AppState;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// As this instance was started.
    Environment,
    /// Chosen while running, for every instance.
    Operator,
}

/// One setting.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Setting)]
pub struct Told {
    pub name: &'static str,
    /// A number, true or false, or text.
    #[schema(value_type = Value)]
    pub value: Value,
    /// What it goes back to.
    #[schema(value_type = Value)]
    pub default: Value,
    pub source: Source,
    /// What it must be.
    pub range: String,
    /// The environment variable that it begins with.
    pub variable: &'static str,
    /// When it was chosen; null for what comes from the environment.
    pub changed_at: Option<DateTime<Utc>>,
}

/// All settings.
///
/// # Errors
/// When the database cannot be read.
pub async fn all(state: &AppState) -> Result<Vec<Told>, Refusal> {
    let changes = store::changes(&state.pool).await?;
    let changed = |name: &str| changes.iter().find(|(changed, _)| changed == name).map(|(_, at)| *at);
    let current = state.settings.current();
    let told = ADJUSTABLE.iter().map(|setting| {
        let changed_at = changed(setting.name);
        Told {
            name: setting.name,
            value: setting.get(&current.live),
            default: setting.get(&state.settings.initial),
            source: if changed_at.is_some() { Source::Operator } else { Source::Environment },
            range: setting.expected(),
            variable: setting.variable,
            changed_at,
        }
    });
    Ok(told.collect())
}

/// Returns the setting of a name.
///
/// # Errors
/// `Input` if there is none that can change while the server runs.
pub fn named(name: &str) -> Result<&'static Adjustable, Refusal> {
    let detail = "name is no setting that can change while the server runs.";
    Adjustable::named(name).ok_or_else(|| Refusal::invalid("name", detail))
}

/// Sets the setting of a name as an operator asks for it, or with null as the environment has it.
///
/// # Errors
/// `Input` for a name or a value that cannot be; or that the database cannot be written.
pub async fn set(state: &AppState, cause: &Cause, name: &str, value: &Value) -> Result<Told, Refusal> {
    let setting = named(name)?;
    let detail = || format!("{} is {value}, but must be {}.", setting.name, setting.expected());
    let changed = change(state, cause, setting, value).await?;
    changed.ok_or_else(|| Refusal::invalid("value", detail()))
}

/// Gives a setting a value, or with null the one that the environment has. None when it cannot have this value.
///
/// # Errors
/// When the database cannot be written.
async fn change(
    state: &AppState,
    cause: &Cause,
    setting: &'static Adjustable,
    value: &Value,
) -> Result<Option<Told>, Refusal> {
    let mut tried = state.settings.initial.clone();
    if !value.is_null() && setting.set(&mut tried, value).is_none() {
        return Ok(None);
    }
    let offset = state.clock.offset();
    let mut transaction = state.pool.begin().await?;
    control::close_gate(&mut transaction).await?;
    let before = store::value(&mut transaction, setting.name).await?;
    if value.is_null() {
        store::reset(&mut transaction, setting.name).await?;
    } else {
        store::set(&mut transaction, setting.name, value, state.clock.now()).await?;
    }
    let said = |value: Option<&Value>| json!({"value": value});
    let act = cause.act("set", setting.name, said(before.as_ref()), said(Some(value)));
    audit::record(&mut transaction, &act, offset).await?;
    control::append(&mut transaction, Control::Settings, offset).await?;
    state.log.seal(transaction).await?;
    Ok(all(state).await?.into_iter().find(|told| told.name == setting.name))
}
