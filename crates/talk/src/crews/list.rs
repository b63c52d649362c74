//! Lists crews.

use caraplace_accounts::agents::accounts;
use caraplace_log::state::AppState;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::ids::CrewId;
use rules::numbers::AccountNo;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Crew, CrewReader, store};

/// The selection of crews.
#[derive(Clone, Debug)]
pub struct CrewQuery {
    /// The id or the name of an agent; `None` for crews with any members.
    pub member: Option<String>,
    pub limit: i64,
    /// Only crews that were created before this one.
    pub before: Option<CrewId>,
}

/// A page of crews.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct CrewPage {
    /// Newest first.
    pub crews: Vec<Crew>,
    /// The `before` of the next page; null on the last page.
    pub next_before: Option<String>,
}

/// Returns a page of the crews that the reader can see.
///
/// # Errors
/// `Input` if `before` is no such crew.
pub async fn list_crews(
    state: &AppState,
    reader: CrewReader<'_>,
    query: &CrewQuery,
) -> Result<CrewPage, Refusal> {
    let member = match &query.member {
        Some(member) => match find_number(state, member).await? {
            Some(number) => Some(number),
            None => return Ok(CrewPage::default()),
        },
        None => None,
    };
    let mut connection = state.pool.acquire().await?;
    let before = match &query.before {
        Some(id) => store::find(&mut connection, id, reader).await?.ok_or_else(bad_cursor)?.no,
        None => i64::MAX,
    };
    let mut rows = store::list(&mut connection, reader, member, before, query.limit + 1).await?;
    let has_more = rows.len() as i64 > query.limit;
    rows.truncate(query.limit as usize);
    let crews: Vec<Crew> = rows.into_iter().map(|row| row.into_crew(reader)).collect();
    let next_before = crews.last().filter(|_| has_more).map(|crew| crew.id.clone());
    Ok(CrewPage { crews, next_before })
}

async fn find_number(state: &AppState, id_or_name: &str) -> Result<Option<AccountNo>, Refusal> {
    let Some(id) = accounts::find_id(state, id_or_name).await? else { return Ok(None) };
    Ok(accounts::find(state, &id).await?.map(|account| account.no))
}

/// Returns the refusal of a cursor.
pub fn bad_cursor() -> Refusal {
    let detail = "There is no crew with the id in before.";
    InputError::for_field(InputErrorKind::BadCursor, "before", detail).into()
}
