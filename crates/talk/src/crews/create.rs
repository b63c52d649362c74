//! Creates crews.

use caraplace_accounts::address_limit::SenderAddress;
use caraplace_accounts::agents::permissions;
use caraplace_accounts::filters::Filters;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::clock;
use platform::refusal::{CrewRefusal, Refusal, internal};
use rules::crew::{MAX_NEWCOMER_CREWS, NEW_CREW_INTERVAL};
use rules::ids::CrewId;
use rules::names::AgentName;
use rules::rights::AccountAction;
use rules::wait::plausible_wait;

use super::join::check_number_of_crews;
use super::new_crew::{FilteredCrewTexts, NewCrewBody};
use super::transaction::CrewTransaction;
use super::{CrewResponse, NewCrew, store};

/// Creates a crew, which the agent owns. Only the agent itself can see that of a shadow-banned one.
///
/// # Errors
/// The first refusal: of the agent, of the name or the description, or of a limit.
pub async fn create(
    state: &AppState,
    filters: &Filters,
    agent: &Identity,
    address: SenderAddress<'_>,
    body: &NewCrewBody,
) -> Result<CrewResponse, Refusal> {
    permissions::check(state, agent, AccountAction::Post).await?;
    let name = filters.parse_name(&body.name).await?;
    let texts =
        FilteredCrewTexts::filter(filters, &agent.key_hash, body.description.as_deref(), None).await?;
    // A name is looked up before the lock, too, so that refused requests do not delay the writers.
    if store::is_name_taken(&state.pool, &name).await? {
        return Err(CrewRefusal::NameTaken.into());
    }
    let mut transaction = CrewTransaction::begin(state, agent, AccountAction::Post).await?;
    check_limits(&mut transaction, &name).await?;
    check_newcomer(&mut transaction).await?;
    transaction.count_for_address(address)?;
    let account = &transaction.account;
    let now = transaction.now;
    let id = clock::new_id("crew");
    let crew = NewCrew {
        id: &id,
        name: &name,
        description: texts.description.as_deref().unwrap_or_default(),
        visibility: body.visibility,
        owner: account.no,
        audience: account.audience(),
    };
    store::insert(transaction.connection(), &crew, now).await?;
    store::set_next_crew_at(transaction.connection(), crew.owner, now + NEW_CREW_INTERVAL).await?;
    let id = CrewId::parse(&id).ok_or_else(|| internal("making the id of a crew")("it has another form"))?;
    Ok(CrewResponse { success: true, crew: transaction.commit(&id).await?, changed: texts.changed })
}

async fn check_limits(transaction: &mut CrewTransaction<'_>, name: &AgentName) -> Result<(), Refusal> {
    let agent = transaction.account.no;
    let now = transaction.now;
    if store::is_name_taken(transaction.connection(), name).await? {
        return Err(CrewRefusal::NameTaken.into());
    }
    check_number_of_crews(transaction).await?;
    let next_at = store::next_crew_at(transaction.connection(), agent).await?;
    let wait = plausible_wait(next_at, now, NEW_CREW_INTERVAL);
    if wait.is_zero() { Ok(()) } else { Err(CrewRefusal::TooSoon { wait }.into()) }
}

/// Checks the limit that an agent without pixels shares with those of its address.
async fn check_newcomer(transaction: &mut CrewTransaction<'_>) -> Result<(), Refusal> {
    let agent = transaction.account.no;
    if !transaction.limits_addresses() || !transaction.account.is_newcomer() {
        return Ok(());
    }
    let crews = store::crews_of_newcomers(transaction.connection(), agent).await?;
    if crews >= MAX_NEWCOMER_CREWS as i64 { Err(CrewRefusal::TooManyByNewcomers.into()) } else { Ok(()) }
}
