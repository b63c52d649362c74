//! Changes and ends intents. Only the author may, and neither text nor digest changes.

use caraplace_accounts::agents::permissions;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::batch::change_intent;
use caraplace_messages::known::StoredIntent;
use caraplace_messages::part::Messages;
use chrono::TimeDelta;
use platform::input;
use platform::input::strict_json;
use platform::refusal::{InputError, InputErrorKind, IntentRefusal, Refusal};
use platform::schema::MessageSchema;
use rules::grid::{Corners, Size};
use rules::ids::MessageId;
use rules::intent::{IntentDetails, IntentState, MAX_LIFETIME_SECONDS, MAX_REGIONS, MIN_LIFETIME_SECONDS};
use rules::message::Message;
use rules::rights::AccountAction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::react;

/// The state in which an author ends an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", try_from = "String")]
pub enum EndedState {
    /// The drawing is finished.
    Done,
    /// The drawing was given up.
    Withdrawn,
}

impl TryFrom<String> for EndedState {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.as_str() {
            "done" => Ok(Self::Done),
            "withdrawn" => Ok(Self::Withdrawn),
            _ => Err("state must be done or withdrawn"),
        }
    }
}

impl From<EndedState> for IntentState {
    fn from(state: EndedState) -> Self {
        match state {
            EndedState::Done => Self::Done,
            EndedState::Withdrawn => Self::Withdrawn,
        }
    }
}

/// Request body of `POST /api/intents/{id}`. At least one field is needed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(min_properties = 1)]
pub struct ChangeIntentBody {
    /// Ends the intent.
    pub state: Option<EndedState>,
    /// The area to paint from now on, corners inclusive.
    #[serde(default, deserialize_with = "strict_json::optional")]
    pub region: Option<Corners>,
    /// In place of `region`: up to four areas.
    #[serde(default, deserialize_with = "strict_json::optional_list")]
    #[schema(min_items = 1, max_items = 4)]
    pub regions: Option<Vec<Corners>>,
    /// Seconds from now until the intent expires.
    #[schema(minimum = 60, maximum = 86_400)]
    pub expires_in: Option<i64>,
}

/// Response to changing an intent.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ChangeIntentResponse {
    pub success: bool,
    /// The intent after the change.
    #[schema(value_type = MessageSchema)]
    pub message: Message,
}

/// Changes an intent, or ends it.
pub struct ChangeIntent {
    message_id: MessageId,
    state: Option<EndedState>,
    regions: Option<Vec<Corners>>,
    lifetime: Option<TimeDelta>,
}

/// Validates a change of an intent.
///
/// # Errors
/// Returns the first refusal: of the fields, or of the account.
pub async fn prepare(
    state: &AppState,
    author: &Identity,
    message_id: MessageId,
    body: &ChangeIntentBody,
) -> Result<ChangeIntent, Refusal> {
    let size = state.read_world(|world| world.season.size);
    let regions = parse_regions(size, body.region, body.regions.as_deref())?;
    let lifetime = parse_lifetime(body.expires_in)?;
    if body.state.is_none() && regions.is_none() && lifetime.is_none() {
        let detail = "Send state, region, regions or expires_in to say what changes.";
        return Err(InputError::for_field(InputErrorKind::Missing, "state", detail).into());
    }
    permissions::check(state, author, AccountAction::Post).await?;
    Ok(ChangeIntent { message_id, state: body.state, regions, lifetime })
}

/// Returns the regions that `region` or `regions` names, or `None` if both are absent.
///
/// # Errors
/// `Input` if both are there, there are too many, or one of them is not on the canvas.
pub(super) fn parse_regions(
    size: Size,
    region: Option<Corners>,
    regions: Option<&[Corners]>,
) -> Result<Option<Vec<Corners>>, Refusal> {
    let Some(regions) = regions else {
        let corners = region.map(|corners| input::rect(size, corners)).transpose()?;
        return Ok(corners.map(|rect| vec![rect.corners()]));
    };
    if region.is_some() {
        let detail = "Send either region or regions, not both.";
        return Err(Refusal::invalid("regions", detail));
    }
    if !(1..=MAX_REGIONS).contains(&regions.len()) {
        let detail = format!("regions has {} entries. Send 1 to {MAX_REGIONS}.", regions.len());
        return Err(Refusal::invalid("regions", detail));
    }
    let parse_entry = |(index, corners): (usize, &Corners)| {
        let rect = input::rect(size, *corners).map_err(|error| error.at_index(index))?;
        Ok(rect.corners())
    };
    regions.iter().enumerate().map(parse_entry).collect::<Result<_, Refusal>>().map(Some)
}

/// Returns the lifetime that `expires_in` names, or `None` if it is absent.
///
/// # Errors
/// `Input` if it is out of range.
pub(super) fn parse_lifetime(expires_in: Option<i64>) -> Result<Option<TimeDelta>, Refusal> {
    let range = MIN_LIFETIME_SECONDS..=MAX_LIFETIME_SECONDS;
    let seconds = expires_in.map(|seconds| input::check_range("expires_in", seconds, range)).transpose()?;
    Ok(seconds.map(TimeDelta::seconds))
}

impl Command for ChangeIntent {
    type Output = ChangeIntentResponse;

    const ACTION: AccountAction = AccountAction::Post;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        needs.parts.get_mut::<Messages>().require_intent(&self.message_id);
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<ChangeIntentResponse, Refusal> {
        let (stored, details) = self.find_intent(context, account)?;
        let changed = self.apply_to(context, &details);
        let mut message = if changed == details {
            Message { intent: Some(details), ..stored.message }
        } else {
            self.change(context, account, stored, changed)?
        };
        context.part::<Messages>().apply_own_view(&mut message);
        Ok(ChangeIntentResponse { success: true, message })
    }
}

impl ChangeIntent {
    /// Returns the intent if this account may still change it, and its details as the account sees them.
    fn find_intent(
        &self,
        context: &BatchContext<'_>,
        account: &Account,
    ) -> Result<(StoredIntent, IntentDetails), Refusal> {
        let is_own = |stored: &StoredIntent| stored.message.agent_id.as_ref() == Some(&account.id);
        let stored = context
            .part::<Messages>()
            .intent(self.message_id.as_str())
            .filter(|stored| stored.audience.is_seen_by(Some(account.no)))
            .ok_or(IntentRefusal::NotFound)?;
        if !is_own(stored) {
            return Err(IntentRefusal::NotYours.into());
        }
        let message = &stored.message;
        let details = stored.own_details.as_ref().or(message.intent.as_ref());
        let details = details.ok_or(IntentRefusal::NotFound)?.clone();
        // The canvas of an archived season never changes again.
        let is_archived = message.timestamp < context.season.opened_at;
        if is_archived || !details.is_live(context.now) {
            return Err(IntentRefusal::Ended.into());
        }
        Ok((stored.clone(), details))
    }

    /// Replaces the details of an intent, and returns its message.
    fn change(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
        stored: StoredIntent,
        changed: IntentDetails,
    ) -> Result<Message, Refusal> {
        // To end an intent is always possible, and only once.
        if self.state.is_none() {
            react::spend_free_action(account, context.now)?;
        }
        let audience = stored.audience.for_change(account.audience());
        Ok(change_intent(context, audience, stored, changed))
    }

    fn apply_to(&self, context: &BatchContext<'_>, details: &IntentDetails) -> IntentDetails {
        IntentDetails {
            state: self.state.map_or(details.state, IntentState::from),
            regions: self.regions.clone().unwrap_or_else(|| details.regions.clone()),
            expires_at: self.lifetime.map_or(details.expires_at, |lifetime| context.now + lifetime),
        }
    }
}
