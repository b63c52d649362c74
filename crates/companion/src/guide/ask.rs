//! Stores a question, and counts it.

use caraplace_accounts::visitor::Visitor;
use platform::input::strict_json;
use platform::refusal::{GuideRefusal, Refusal, internal};
use platform::{clock, database};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Guide;
use super::budget::Budgets;
use super::store::ask::{self as store, NewQuestionRow};
use crate::app::App;
use crate::tools::guide::context::GuideContext;

/// The maximum length of a question, in characters.
const MAX_QUESTION_CHARS: usize = 2_000;

/// A question to the guide.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewQuestion {
    /// The question in one line. Keys, links and profanity are replaced before the model reads it.
    #[schema(min_length = 1, max_length = 2000)]
    pub content: String,
    /// The place, the moment and the selection that you look at.
    #[serde(default, deserialize_with = "strict_json::optional")]
    pub context: Option<GuideContext>,
}

/// Stores a question and returns its id. It is answered when its stream is asked for.
///
/// # Errors
/// `Input` for a wrong field, `TurnRunning`, `BudgetSpent`, or `Overloaded`. Nothing is counted then.
pub async fn ask(
    app: &App,
    guide: &Guide,
    visitor: &Visitor,
    question: NewQuestion,
) -> Result<String, Refusal> {
    let content = parse_content(app, &question.content).await?;
    let context = question.context.as_ref();
    context.map_or(Ok(()), |context| context.check(&app.state))?;
    let context = context.map(serde_json::to_value).transpose().map_err(internal("writing a context"))?;
    let id = clock::new_id("guidemsg");
    let _permit = guide.acquire_database_permit().await?;
    // One time for the question and its count, or one asked at midnight would count on two days.
    let now = app.state.clock.now();
    let mut transaction = app.state.pool.begin().await?;
    let conversation = store::open_conversation(&mut transaction, &visitor.owner, now).await?;
    if store::is_answering(&mut transaction, conversation, now).await? {
        return Err(GuideRefusal::TurnRunning.into());
    }
    let budgets = Budgets::new(&guide.settings, &app.state, visitor, now);
    budgets.count_turn(&mut transaction).await?;
    let row = NewQuestionRow { id: &id, conversation, content: &content, context: context.as_ref(), now };
    store::insert_question(&mut transaction, &row).await?;
    database::commit(transaction).await?;
    Ok(id)
}

/// Cleans a question and replaces keys in it, because it is sent to the provider of the model.
async fn parse_content(app: &App, raw: &str) -> Result<String, Refusal> {
    let too_long = || {
        Refusal::invalid("content", format!("A question may have at most {MAX_QUESTION_CHARS} characters."))
    };
    let content = app.filters.filter_description(raw, MAX_QUESTION_CHARS).await?.ok_or_else(too_long)?;
    if content.is_empty() {
        return Err(Refusal::invalid("content", "The question has no visible characters."));
    }
    Ok(content)
}
