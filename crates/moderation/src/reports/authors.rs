//! The author of a case, as operators see it: earlier cases, actions on the account, and recent messages.

use std::collections::HashSet;

use caraplace_log::state::AppState;
use caraplace_messages::MessageRange;
use caraplace_messages::reads::messages_in_range;
use platform::refusal::Refusal;
use rules::message::Message;
use rules::numbers::AccountNo;
use serde::Serialize;
use utoipa::ToSchema;

use super::case::ReportCase;
use crate::audit_filter::AuditFilter;
use crate::{AuditLine, audit, store};

/// The maximum number of earlier cases, and that of actions, in a response.
const MAX_LISTED: i64 = 10;
/// The maximum number of recent messages beside a reported one.
const MAX_RECENT_MESSAGES: i64 = 20;

/// The earlier cases about the author of a case, and the actions on it.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct AuthorHistory {
    /// Other cases about the author that were upheld, newest first, at most 10.
    pub earlier_upheld: Vec<ReportCase>,
    /// Actions on the author's account, sanctions among them, newest first, at most 10.
    pub author_acts: Vec<AuditLine>,
}

/// A recent message of the author of a case.
#[derive(Debug)]
pub struct RecentMessage {
    pub message: Message,
    /// True if a case about it is open.
    pub is_reported: bool,
}

/// Returns what is known of the author of a case.
pub(super) async fn find_history(
    state: &AppState,
    author: AccountNo,
    author_id: &str,
    case: i64,
) -> Result<AuthorHistory, Refusal> {
    let about_author = AuditFilter::for_subject(author_id);
    Ok(AuthorHistory {
        earlier_upheld: store::case_authors::list_upheld(&state.pool, author, case, MAX_LISTED).await?,
        author_acts: audit::page(state, &about_author, None, MAX_LISTED).await?.acts,
    })
}

/// Returns the newest visible public messages of an account, newest first; none if there is no such account.
pub async fn list_recent_messages(state: &AppState, author_id: &str) -> Result<Vec<RecentMessage>, Refusal> {
    let Some(account) = store::sanctions::find_account(&state.pool, author_id).await? else {
        return Ok(Vec::new());
    };
    let range = MessageRange { author: Some(account.no), ..MessageRange::whole(MAX_RECENT_MESSAGES) };
    let messages = messages_in_range(state, &range).await?;
    let reported = store::case_authors::reported_message_ids(&state.pool, account.no).await?;
    let reported: HashSet<String> = reported.into_iter().collect();
    let to_recent = |message: Message| RecentMessage { is_reported: reported.contains(&message.id), message };
    Ok(messages.into_iter().rev().map(to_recent).collect())
}
