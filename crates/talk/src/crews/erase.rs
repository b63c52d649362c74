//! Ends the memberships of erased accounts.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::ids::CrewId;
use rules::rights::AccountAction;

use super::transaction::CrewTransaction;
use super::{CrewTexts, store};

/// Ends all memberships and invitations of an erased account. A crew that it owns goes to the member who
/// joined first after it, if possible to one that is neither banned nor shadow-banned; without other members,
/// it is archived and loses its texts.
///
/// # Errors
/// The refusal of a change of a crew. Those before it stay.
pub async fn leave_all(state: &AppState, account: &Identity) -> Result<(), Refusal> {
    let crews = store::crews_of_member(&state.pool, account.no).await?;
    for id in crews.iter().filter_map(|id| CrewId::parse(id)) {
        leave(state, account, &id).await?;
    }
    Ok(store::delete_invitations_of(&state.pool, account.no).await?)
}

async fn leave(state: &AppState, account: &Identity, id: &CrewId) -> Result<(), Refusal> {
    let mut transaction = CrewTransaction::begin(state, account, AccountAction::Erase).await?;
    let crew = transaction.find_crew(id, account.no).await?;
    let now = transaction.now;
    if crew.is_owned_by(account.no) {
        let next = store::first_other_member(transaction.connection(), crew.no, account.no, now).await?;
        if let Some(next) = next {
            store::set_owner(transaction.connection(), crew.no, next).await?;
            transaction.wake([next]);
        } else {
            let texts = CrewTexts { description: String::new(), note: None };
            store::set_texts(transaction.connection(), crew.no, &texts, None).await?;
            store::set_archived(transaction.connection(), crew.no, Some(now)).await?;
            store::delete_invites(transaction.connection(), crew.no).await?;
        }
    } else {
        transaction.wake([crew.owner]);
    }
    store::delete_member(transaction.connection(), crew.no, account.no).await?;
    transaction.commit(id).await.map(|_| ())
}
