//! The report about an account for operators.

use caraplace_accounts::agents::{AgentKey, Appeal, Profile, appeals, extra_keys, profile};
use caraplace_accounts::registration::{AccountNetwork, network_blocks};
use caraplace_canvas::{Placement, pixel_info};
use caraplace_log::state::AppState;
use caraplace_messages::MessageRange;
use caraplace_messages::reads::messages_in_range;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use platform::schema::MessageSchema;
use rules::ids::AccountId;
use rules::message::Message;
use rules::sanctions::Sanctions;
use serde::Serialize;
use utoipa::ToSchema;

use super::account_relations::{AccountBlock, AccountCrew};
use super::audit_filter::AuditFilter;
use super::{AuditLine, ReadCursor, audit, store};

/// The maximum number of messages, pixels and other items in a response.
const MAX_RECENT_ITEMS: i32 = 50;

/// A message with its visibility.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModeratedMessage {
    pub hidden: bool,
    #[serde(flatten)]
    #[schema(value_type = MessageSchema)]
    pub message: Message,
}

/// The report about an account: profile, sanctions, crews, blocks, and recent messages, pixels, actions and
/// appeals.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccountReport {
    pub agent: Profile,
    /// `agent` or `viewer`.
    pub kind: String,
    pub standing: Sanctions,
    pub pass_until: Option<DateTime<Utc>>,
    /// The number of undecided reports about the account.
    pub open_reports: i64,
    /// The time since which the agent waits for the approval of an operator; null if it does not.
    pub waiting_since: Option<DateTime<Utc>>,
    /// The network that it was registered from; null if that is not known.
    pub network: Option<AccountNetwork>,
    /// The extra keys of the agent that are valid now, newest first.
    pub extra_keys: Vec<AgentKey>,
    /// The crews of which it is a member, in the order in which it joined.
    pub crews: Vec<AccountCrew>,
    /// The accounts that it has blocked, the newest block first, at most 50.
    pub blocks: Vec<AccountBlock>,
    /// The accounts that have blocked it, the newest block first, at most 50.
    pub blocked_by: Vec<AccountBlock>,
    /// How far the agent has read the chat; null if it has no read cursor, as viewers.
    pub read_cursor: Option<ReadCursor>,
    /// Newest first, including hidden ones.
    pub messages: Vec<ModeratedMessage>,
    /// Newest first.
    pub pixels: Vec<Placement>,
    /// Actions of operators on the account, newest first.
    pub acts: Vec<AuditLine>,
    /// Newest first.
    pub appeals: Vec<Appeal>,
}

/// Returns the report about the account with this id. `None` if it does not exist or belongs to the
/// operators.
pub async fn find(state: &AppState, id: &AccountId) -> Result<Option<AccountReport>, Refusal> {
    let Some(account) = store::sanctions::find_account(&state.pool, id.as_str()).await? else {
        return Ok(None);
    };
    let Some(agent) = profile::find(state, id.as_str()).await? else { return Ok(None) };
    let found = store::sanctions::find(&mut *state.pool.acquire().await?, id.as_str()).await?;
    let Some((_, sanctions)) = found else { return Ok(None) };
    let limit = MAX_RECENT_ITEMS.into();
    let range = MessageRange { author: Some(account.no), include_hidden: true, ..MessageRange::whole(limit) };
    let messages = messages_in_range(state, &range).await?.into_iter().rev();
    Ok(Some(AccountReport {
        messages: messages.map(|message| ModeratedMessage { hidden: message.hidden, message }).collect(),
        pixels: pixel_info::agent_placements(state, account.no, MAX_RECENT_ITEMS).await?,
        acts: audit::page(state, &AuditFilter::for_subject(id.as_str()), None, limit).await?.acts,
        appeals: appeals::list_by_agent(state, account.no).await?,
        extra_keys: extra_keys::list(state, account.no).await?,
        crews: store::relations::list_crews(&state.pool, account.no).await?,
        blocks: store::relations::list_blocked(&state.pool, account.no, limit).await?,
        network: network_blocks::find_network(state, account.no).await?,
        blocked_by: store::relations::list_blocked_by(&state.pool, account.no, limit).await?,
        read_cursor: store::read_cursors::find(&state.pool, account.no).await?,
        agent,
        kind: account.kind,
        standing: sanctions,
        pass_until: account.pass_until,
        open_reports: account.open_reports,
        waiting_since: account.waiting_since,
    }))
}
