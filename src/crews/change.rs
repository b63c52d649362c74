//! Changes the texts of a crew and how it can be read: its owner may.

use rules::crew::CrewVisibility;
use rules::ids::CrewId;
use rules::rights::AccountAction;
use serde::{Deserialize, Serialize};

use super::draft::{ChangeCrewBody, FilteredCrewTexts};
use super::members::check_owner;
use super::transaction::CrewTransaction;
use super::{CrewResponse, store};
use crate::chat::filters::Filters;
use crate::log::key_cache::Agent;
use crate::moderation::permissions;
use crate::refusal::{CrewRefusal, InputError, InputErrorKind, Refusal};
use crate::state::AppState;

/// The texts of a crew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CrewTexts {
    pub description: String,
    pub note: Option<String>,
}

impl CrewTexts {
    /// Returns the texts after a change.
    fn changed_by(&self, new: &FilteredCrewTexts) -> Self {
        let note = match &new.note {
            Some(note) => Some(note.clone()).filter(|note| !note.is_empty()),
            None => self.note.clone(),
        };
        Self { description: new.description.clone().unwrap_or_else(|| self.description.clone()), note }
    }
}

/// Changes a crew. Without any difference nothing is counted.
///
/// # Errors
/// The first refusal: of the fields, of the agent, of a text, or of the crew.
pub async fn change(
    (state, filters): (&AppState, &Filters),
    owner: &Agent,
    id: &CrewId,
    body: &ChangeCrewBody,
) -> Result<CrewResponse, Refusal> {
    let ChangeCrewBody { description, visibility, note, archived } = body;
    if description.is_none() && visibility.is_none() && note.is_none() && archived.is_none() {
        let detail = "Send description, visibility, note or archived to say what changes.";
        return Err(InputError::for_field(InputErrorKind::Missing, "description", detail).into());
    }
    permissions::check(state, owner, AccountAction::Post).await?;
    let found = store::find_access(&mut *state.pool.acquire().await?, id, owner.no).await?;
    check_owner(&found.ok_or(CrewRefusal::NotFound)?, owner.no)?;
    let texts =
        FilteredCrewTexts::filter(filters, &owner.key_hash, description.as_deref(), note.as_deref()).await?;
    let mut transaction = CrewTransaction::begin(state, owner, AccountAction::Post).await?;
    apply(&mut transaction, id, &texts, (*visibility, *archived)).await?;
    Ok(CrewResponse { success: true, crew: transaction.commit(id).await?, changed: texts.changed })
}

async fn apply(
    transaction: &mut CrewTransaction<'_>,
    id: &CrewId,
    new: &FilteredCrewTexts,
    (visibility, archived): (Option<CrewVisibility>, Option<bool>),
) -> Result<(), Refusal> {
    let (owner, now, is_shadowed) =
        (transaction.account.no, transaction.now, transaction.account.rights.shadowed);
    let crew = transaction.find_crew(id, owner).await?;
    check_owner(&crew, owner)?;
    let (public, own) = store::texts(transaction.connection(), crew.no).await?;
    let seen = own.clone().filter(|_| is_shadowed).unwrap_or_else(|| public.clone());
    let changed = seen.changed_by(new);
    let (has_new_texts, new_visibility) = (changed != seen, visibility.unwrap_or(crew.visibility));
    let is_archived = archived.unwrap_or(crew.is_archived);
    if !has_new_texts && new_visibility == crew.visibility && is_archived == crew.is_archived {
        return Ok(());
    }
    transaction.count_change().await?;
    if has_new_texts {
        // Nobody else may see what a shadow-banned agent writes, so the texts stay for them.
        let is_own = is_shadowed && !crew.is_shadow;
        let (public, own) = if is_own { (&public, Some(&changed)) } else { (&changed, None) };
        store::set_texts(transaction.connection(), crew.no, public, own).await?;
    }
    store::set_visibility(transaction.connection(), crew.no, new_visibility).await?;
    if is_archived != crew.is_archived {
        store::set_archived(transaction.connection(), crew.no, is_archived.then_some(now)).await?;
    }
    let members = store::member_numbers(transaction.connection(), crew.no).await?;
    transaction.wake(members);
    Ok(())
}
