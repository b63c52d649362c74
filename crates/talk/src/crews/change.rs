//! Changes the texts of a crew and how it can be read: its owner may.

use caraplace_accounts::address_limit::SenderAddress;
use caraplace_accounts::agents::permissions;
use caraplace_accounts::filters::Filters;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::{CrewRefusal, InputError, InputErrorKind, Refusal};
use rules::audience::Audience;
use rules::crew::CrewVisibility;
use rules::ids::CrewId;
use rules::rights::AccountAction;
use sqlx::PgConnection;

use super::access::CrewAccess;
use super::new_crew::{ChangeCrewBody, FilteredCrewTexts};
use super::owner_actions::check_owner;
use super::transaction::CrewTransaction;
use super::{CrewResponse, CrewTexts, read, store};

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

/// The changes of a crew that a request asks for.
struct RequestedChange<'a> {
    texts: &'a FilteredCrewTexts,
    visibility: Option<CrewVisibility>,
    is_archived: Option<bool>,
}

/// A change that makes a difference.
struct CrewChange {
    /// The texts, and those that only the shadow-banned owner sees; `None` if they stay.
    texts: Option<(CrewTexts, Option<CrewTexts>)>,
    visibility: CrewVisibility,
    is_archived: bool,
}

/// Changes a crew. Without any difference nothing is counted.
///
/// # Errors
/// The first refusal: of the fields, of the agent, of a text, or of the crew.
pub async fn change(
    state: &AppState,
    filters: &Filters,
    owner: &Identity,
    address: SenderAddress<'_>,
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
    let crew = found.ok_or(CrewRefusal::NotFound)?;
    check_owner(&crew, owner.no)?;
    let texts =
        FilteredCrewTexts::filter(filters, &owner.key_hash, description.as_deref(), note.as_deref()).await?;
    let requested = RequestedChange { texts: &texts, visibility: *visibility, is_archived: *archived };
    // Requests that are refused or change nothing do not lock the head, so that they do not delay the
    // writers.
    let mut connection = state.pool.acquire().await?;
    let now = state.clock.now();
    let audience = owner.rights.audience(owner.no);
    let found = find_change(&mut connection, &crew, audience, &requested, now).await?;
    let is_change = found.is_some();
    drop(connection);
    let crew = if is_change {
        let mut transaction = CrewTransaction::begin(state, owner, AccountAction::Post).await?;
        apply(&mut transaction, address, id, &requested).await?;
        transaction.commit(id).await?
    } else {
        read::find_crew(state, owner, id).await?
    };
    Ok(CrewResponse { success: true, crew, changed: texts.changed })
}

async fn apply(
    transaction: &mut CrewTransaction<'_>,
    address: SenderAddress<'_>,
    id: &CrewId,
    requested: &RequestedChange<'_>,
) -> Result<(), Refusal> {
    let owner = transaction.account.no;
    let now = transaction.now;
    let audience = transaction.account.audience();
    let crew = transaction.find_crew(id, owner).await?;
    check_owner(&crew, owner)?;
    let change = find_change(transaction.connection(), &crew, audience, requested, now).await?;
    let Some(CrewChange { texts, visibility, is_archived }) = change else { return Ok(()) };
    transaction.count_change().await?;
    transaction.count_for_address(address)?;
    if let Some((public, own)) = texts {
        store::set_texts(transaction.connection(), crew.no, &public, own.as_ref()).await?;
    }
    store::set_visibility(transaction.connection(), crew.no, visibility).await?;
    if is_archived != crew.is_archived {
        store::set_archived(transaction.connection(), crew.no, is_archived.then_some(now)).await?;
    }
    let members = store::member_numbers(transaction.connection(), crew.no).await?;
    transaction.wake(members);
    Ok(())
}

/// Returns the difference that a request of the owner makes, who writes for this audience; `None` if it makes
/// none.
///
/// # Errors
/// `Crew` if messages for members would become public, or public plans would stay so.
async fn find_change(
    connection: &mut PgConnection,
    crew: &CrewAccess,
    audience: Audience,
    requested: &RequestedChange<'_>,
    now: DateTime<Utc>,
) -> Result<Option<CrewChange>, Refusal> {
    let visibility = requested.visibility.unwrap_or(crew.visibility);
    let is_opened = visibility == CrewVisibility::Open && crew.visibility == CrewVisibility::Invite;
    if is_opened && store::has_messages(connection, crew.no, crew.owner).await? {
        return Err(CrewRefusal::HasMessages.into());
    }
    // Everyone has seen them, and their events stay in the log, so they cannot become private.
    let is_closed = visibility == CrewVisibility::Invite && crew.visibility == CrewVisibility::Open;
    if is_closed && store::has_public_plans(connection, crew.no, crew.owner, now).await? {
        return Err(CrewRefusal::HasPublicPlans.into());
    }
    let (public, own) = store::texts(connection, crew.no).await?;
    let seen = own.filter(|_| !audience.is_everyone()).unwrap_or_else(|| public.clone());
    let changed = seen.changed_by(requested.texts);
    // Others must not see what a shadow-banned agent writes, so the texts stay for them.
    let is_own = !audience.is_everyone() && crew.audience.is_everyone();
    let new_texts = || if is_own { (public, Some(changed.clone())) } else { (changed.clone(), None) };
    let texts = (changed != seen).then(new_texts);
    let is_archived = requested.is_archived.unwrap_or(crew.is_archived);
    let is_same = texts.is_none() && visibility == crew.visibility && is_archived == crew.is_archived;
    Ok((!is_same).then_some(CrewChange { texts, visibility, is_archived }))
}
