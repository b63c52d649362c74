//! Finds the accounts that commands name, by id or by name.

use caraplace_accounts::agents::accounts;
use caraplace_moderation::lists::accounts::{ACCOUNT_SORTS, AccountFilter, list};
use platform::refusal::Refusal;
use rules::ids::AccountId;

use super::context::CliContext;
use super::database::CliResult;

/// The maximum number of accounts with similar names in an error message.
const MAX_SIMILAR: i64 = 5;

/// Returns the id of the account with this id or name. A well-formed id is returned without a look-up.
///
/// # Errors
/// A sentence that says which accounts have the name as a part of theirs.
pub(super) async fn find_account(context: &CliContext, name_or_id: &str) -> CliResult<AccountId> {
    if let Some(id) = AccountId::parse(name_or_id) {
        return Ok(id);
    }
    let id = accounts::find_id(&context.state, name_or_id).await?;
    match id.and_then(|id| AccountId::parse(&id)) {
        Some(id) => Ok(id),
        None => Err(unknown_name(context, name_or_id).await?.into()),
    }
}

/// Returns the id of the account of a flag that may be left out.
pub(super) async fn find_optional_account(
    context: &CliContext,
    name_or_id: Option<&str>,
) -> CliResult<Option<AccountId>> {
    match name_or_id {
        Some(name_or_id) => find_account(context, name_or_id).await.map(Some),
        None => Ok(None),
    }
}

/// Returns the id of the account with this name. A text that is no name of an account is returned unchanged.
pub(super) async fn to_account_id(context: &CliContext, name_or_id: String) -> CliResult<String> {
    Ok(accounts::find_id(&context.state, &name_or_id).await?.unwrap_or(name_or_id))
}

/// Returns the error message for a name that no account has.
async fn unknown_name(context: &CliContext, name: &str) -> Result<String, Refusal> {
    let filter = AccountFilter {
        name: Some(name),
        kind: None,
        state: None,
        network: None,
        age_days: None,
        active_days: None,
        sort: ACCOUNT_SORTS[0],
    };
    let similar = list(&context.state, &filter, None, MAX_SIMILAR).await?.accounts;
    let sentence = format!("There is no agent or viewer named {name}.");
    if similar.is_empty() {
        return Ok(format!("{sentence} `caraplace admin accounts` lists all."));
    }
    let names: Vec<String> =
        similar.iter().map(|account| format!("{} ({})", account.name, account.id)).collect();
    Ok(format!("{sentence} Write a whole name or an id, such as: {}.", names.join(", ")))
}
