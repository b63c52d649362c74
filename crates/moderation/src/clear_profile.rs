//! Clears texts of a profile that insult or deceive.

use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use caraplace_log::{audit, control};
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::ids::AccountId;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{ProfileTexts, store};

/// A text of a profile that operators can clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProfileField {
    Description,
    Model,
}

/// Clears texts of an account's profile, and returns those that are left. `None` if the account does not
/// exist or belongs to the operators. Texts that are already empty leave no entry in the audit log.
///
/// # Errors
/// `Input` if no field is named.
pub(crate) async fn clear(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &AccountId,
    fields: &[ProfileField],
) -> Result<Option<ProfileTexts>, Refusal> {
    if fields.is_empty() {
        let detail = "fields must name description, model or both.";
        return Err(InputError::for_field(InputErrorKind::Invalid, "fields", detail).into());
    }
    let mut transaction = state.pool.begin().await?;
    control::lock_head(&mut transaction).await?;
    let Some((no, before)) = store::profiles::find_texts(&mut transaction, id.as_str()).await? else {
        return Ok(None);
    };
    let kept = |field, text: &Option<String>| text.clone().filter(|_| !fields.contains(&field));
    let after = ProfileTexts {
        description: kept(ProfileField::Description, &before.description),
        model: kept(ProfileField::Model, &before.model),
    };
    if after != before {
        store::profiles::save_texts(&mut transaction, no, &after).await?;
        let entry = audit_reason.audit_entry("clear_profile", id.as_str(), json!(before), json!(after));
        audit::record(&mut transaction, &entry, state.clock.offset()).await?;
        state.log.commit(transaction).await?;
    }
    Ok(Some(after))
}
