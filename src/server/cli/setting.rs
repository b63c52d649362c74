//! `caraplace admin settings` and `set`: settings that can change while servers run.

use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::SettingBody;
use caraplace_moderation::settings::{self, SettingInfo, SettingSource};
use clap::Args;
use platform::config::{AdjustableSetting, SettingOrigin};
use serde_json::{Value, json};

use super::act::act;
use super::arguments::ReasonArgs;
use super::context::{CliContext, CliOutput, CliOutputResult, format_table};

#[derive(Args)]
pub(super) struct SetArgs {
    /// Name of the setting, as listed by `caraplace admin settings`
    #[arg(value_parser = find_setting)]
    name: &'static AdjustableSetting,
    /// New value; without it the setting is reset to the value of the start
    value: Option<String>,
    #[command(flatten)]
    reason: ReasonArgs,
}

fn find_setting(name: &str) -> Result<&'static AdjustableSetting, String> {
    let unknown = || {
        format!(
            "there is no setting {name} that can change while servers run; `caraplace admin settings` lists \
             them"
        )
    };
    AdjustableSetting::find(name).ok_or_else(unknown)
}

/// Changes a setting.
pub(super) async fn set(args: SetArgs, context: &CliContext) -> CliOutputResult {
    let SetArgs { name: setting, value, reason } = args;
    let value = value.map_or(Value::Null, |text| setting.read(&text));
    let body = SettingBody { name: setting.name.to_owned(), value, reason: reason.into_reason() };
    act(context, &OperatorAction::ChangeSetting(body)).await
}

/// Lists the settings.
pub(super) async fn list(context: &CliContext) -> CliOutputResult {
    let settings = settings::list(&context.state).await?;
    let row = |setting: &SettingInfo| {
        let origin = describe_origin(setting).to_owned();
        [setting.name.to_owned(), first_line(&setting.value), origin, setting.range.clone()]
    };
    let text = format_table(["NAME", "VALUE", "FROM", "ALLOWED"], settings.iter().map(row));
    Ok(CliOutput::new(text, &json!({"settings": settings})))
}

/// Returns the place from which a setting's value comes.
fn describe_origin(setting: &SettingInfo) -> &'static str {
    match (setting.source, setting.default_origin) {
        (SettingSource::Operator, _) => "operator",
        (SettingSource::Environment, SettingOrigin::Default) => "default",
        (SettingSource::Environment, SettingOrigin::Environment) => "environment",
        (SettingSource::Environment, SettingOrigin::ConfigFile) => "config file",
    }
}

/// Returns the first line of a value, because a word list is too long for a table.
fn first_line(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let line = text.lines().next().unwrap_or_default();
    if line.len() < text.len() { format!("{line}…") } else { text }
}
