//! What the shadow-banned said: read by operators, and said to all after all where they choose to.

use rules::message::Message;
use rules::rights::AccountAction;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{Cause, perform};
use crate::agents::mentions::mentioned;
use crate::log::deed::Deed;
use crate::log::ground::{Account, Ground, Needs};
use crate::log::roster::Agent;
use crate::log::shadow::Shadow;
use crate::refusal::Refusal;
use crate::state::AppState;

/// The most messages that are released at once.
pub const MAX_RELEASED: usize = 100;

/// A message that was said to all after all.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Released {
    pub message_id: String,
    /// The number that it has now.
    pub seq: i64,
}

struct Release {
    /// With the numbers of the agents whom each mentions.
    shadows: Vec<(Shadow, Vec<i64>)>,
    cause: Cause,
}

impl Deed for Release {
    type Done = Vec<Released>;

    const ACT: AccountAction = AccountAction::Operate;

    fn needs(&self, needs: &mut Needs) {
        needs.speaks = true;
        needs.shadows.extend(self.shadows.iter().map(|(shadow, _)| shadow.message.id.clone()));
    }

    fn decide(&self, ground: &mut Ground<'_>, _: &mut Account) -> Result<Vec<Released>, Refusal> {
        let mut released = Vec::new();
        for (shadow, mentions) in &self.shadows {
            let id = &shadow.message.id;
            if ground.is_shadow(id) {
                let message = ground.release(shadow);
                // The address was not kept: whose mention this is stands by itself.
                ground.mention(mentions, &message, None);
                let seq = message.seq;
                let (before, after) = (json!({"seq": null}), json!({"seq": seq}));
                ground.audit(self.cause.act("release", id, before, after));
                released.push(Released { message_id: id.clone(), seq });
            }
        }
        Ok(released)
    }
}

/// What only this author is shown, newest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn unreleased(state: &AppState, author: &Agent, limit: i64) -> Result<Vec<Message>, Refusal> {
    let shadows = state.log.shadows(author.no, 0, (i64::MAX, 0), limit).await?;
    Ok(shadows.into_iter().map(|shadow| Message::clone(&shadow.message)).collect())
}

/// Says these to all, in the order in which they were said first; what was released before is passed over.
///
/// # Errors
/// `Input` for no message or too many; or that it could not be written.
pub async fn release(state: &AppState, cause: Cause, ids: &[String]) -> Result<Vec<Released>, Refusal> {
    if !(1..=MAX_RELEASED).contains(&ids.len()) {
        return Err(Refusal::invalid("ids", format!("ids must name 1 to {MAX_RELEASED} messages.")));
    }
    let mut shadows = Vec::new();
    for shadow in state.log.shadows_with(ids).await? {
        let mentions = mentioned(state, shadow.message.content.as_deref().unwrap_or_default()).await?;
        shadows.push((shadow, mentions));
    }
    if shadows.is_empty() {
        return Ok(Vec::new());
    }
    perform(state, Release { shadows, cause }).await
}
