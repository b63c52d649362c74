//! `caraplace admin accounts`, `messages`, `crews`, `plans`, `webhooks` and `clients`.

use caraplace_moderation::crew_review::{self, CREW_STATES, CrewReviewFilter};
use caraplace_moderation::lists::accounts::{
    self, ACCOUNT_KINDS, ACCOUNT_SORTS, ACCOUNT_STATES, AccountCursor, AccountFilter, MAX_DAYS,
};
use caraplace_moderation::lists::messages::{self, MESSAGE_STATES, MessageFilter};
use caraplace_moderation::lists::{clients, webhooks};
use caraplace_moderation::plan_review::{self, PLAN_STATES, PlanReviewFilter, ReviewedPlan};
use clap::builder::PossibleValuesParser;
use clap::{Args, value_parser};
use rules::ids::{MessageId, PlanId};
use serde_json::json;

use super::arguments::LimitArgs;
use super::context::{CliContext, CliOutput, CliOutputResult, format_table, format_time};

#[derive(Debug, Args)]
pub(super) struct AccountsArgs {
    #[command(flatten)]
    page: LimitArgs,
    /// Only accounts with this part in their names
    #[arg(long)]
    name: Option<String>,
    /// Only agents, or only viewers
    #[arg(long, value_parser = PossibleValuesParser::new(ACCOUNT_KINDS))]
    kind: Option<String>,
    /// Only accounts in this state; reported ones have undecided reports, waiting ones are to be approved
    #[arg(long, value_parser = PossibleValuesParser::new(ACCOUNT_STATES))]
    state: Option<String>,
    /// Only accounts that registered from the network with this label, as the list shows it
    #[arg(long)]
    network: Option<String>,
    /// Only accounts that registered within this many days
    #[arg(long, value_name = "DAYS", value_parser = value_parser!(i64).range(0..=MAX_DAYS))]
    age_days: Option<i64>,
    /// Only accounts that were seen within this many days
    #[arg(long, value_name = "DAYS", value_parser = value_parser!(i64).range(0..=MAX_DAYS))]
    active_days: Option<i64>,
    /// Order of the list
    #[arg(long, default_value = ACCOUNT_SORTS[0], value_parser = PossibleValuesParser::new(ACCOUNT_SORTS))]
    sort: String,
    /// Continue after this position; the last line of a list has it
    #[arg(long, value_name = "POSITION", value_parser = parse_cursor, allow_hyphen_values = true)]
    before: Option<AccountCursor>,
}

#[derive(Debug, Args)]
pub(super) struct MessagesArgs {
    #[command(flatten)]
    page: LimitArgs,
    /// Only messages with this part in their texts, or the one with this id
    #[arg(long)]
    text: Option<String>,
    /// Only messages of this account: its name, or its id agent_… or viewer_…
    #[arg(long)]
    author: Option<String>,
    /// Only messages in this state
    #[arg(long, value_parser = PossibleValuesParser::new(MESSAGE_STATES))]
    state: Option<String>,
    /// Only messages older than this one, msg_…
    #[arg(long, value_name = "ID", value_parser = parse_message_id)]
    before: Option<MessageId>,
}

#[derive(Debug, Args)]
pub(super) struct CrewsArgs {
    #[command(flatten)]
    page: LimitArgs,
    /// Only crews with this part in their names
    #[arg(long)]
    name: Option<String>,
    /// Only crews in this state
    #[arg(long, value_parser = PossibleValuesParser::new(CREW_STATES))]
    state: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct PlansArgs {
    #[command(flatten)]
    page: LimitArgs,
    /// Only plans with this part in their titles
    #[arg(long)]
    title: Option<String>,
    /// Only plans in this state; live ones have neither ended nor been hidden
    #[arg(long, value_parser = PossibleValuesParser::new(PLAN_STATES))]
    state: Option<String>,
    /// Only plans older than this one, plan_…
    #[arg(long, value_name = "ID", value_parser = parse_plan_id)]
    before: Option<PlanId>,
}

fn parse_cursor(text: &str) -> Result<AccountCursor, &'static str> {
    AccountCursor::parse(text).ok_or("write the position from the last line of a list")
}

fn parse_message_id(text: &str) -> Result<MessageId, &'static str> {
    MessageId::parse(text).ok_or("write msg_… with 32 digits from 0 to f")
}

fn parse_plan_id(text: &str) -> Result<PlanId, &'static str> {
    PlanId::parse(text).ok_or("write plan_… with 32 digits from 0 to f")
}

/// Lists accounts.
pub(super) async fn accounts(args: AccountsArgs, context: &CliContext) -> CliOutputResult {
    let filter = AccountFilter {
        name: args.name.as_deref(),
        kind: args.kind.as_deref(),
        state: args.state.as_deref(),
        network: args.network.as_deref(),
        age_days: args.age_days,
        active_days: args.active_days,
        sort: &args.sort,
    };
    let page = accounts::list(&context.state, &filter, args.before, args.page.limit).await?;
    let rows = page.accounts.iter().map(|account| {
        [
            account.id.clone(),
            account.name.clone(),
            account.state_names(),
            format_time(account.created_at),
            account.pixels.to_string(),
            account.messages.to_string(),
            account.open_reports.to_string(),
            account.network.clone().unwrap_or_default(),
        ]
    });
    let header = ["ID", "NAME", "STATE", "REGISTERED", "PIXELS", "MESSAGES", "OPEN REPORTS", "NETWORK"];
    let text = with_next(format_table(header, rows), page.next_before.as_deref());
    Ok(CliOutput::new(text, &page))
}

/// Lists messages.
pub(super) async fn messages(args: MessagesArgs, context: &CliContext) -> CliOutputResult {
    let filter = MessageFilter {
        text: args.text.as_deref(),
        author: args.author.as_deref(),
        state: args.state.as_deref(),
    };
    let page = messages::list(&context.state, &filter, args.before.as_ref(), args.page.limit).await?;
    let rows = page.messages.iter().map(|message| {
        let private = "(private; its text is in the report)".to_owned();
        let text = if message.private { private } else { message.content.clone().unwrap_or_default() };
        let report = message.report_id.clone().unwrap_or_default();
        [
            message.id.clone(),
            format_time(message.timestamp),
            message.state.name().to_owned(),
            message.agent_name.clone(),
            report,
            text,
        ]
    });
    let text = format_table(["ID", "TIME", "STATE", "AUTHOR", "REPORT", "TEXT"], rows);
    Ok(CliOutput::new(with_next(text, page.next_before.as_deref()), &page))
}

/// Lists crews.
pub(super) async fn crews(args: CrewsArgs, context: &CliContext) -> CliOutputResult {
    let filter = CrewReviewFilter { name: args.name.as_deref(), state: args.state.as_deref() };
    let page = crew_review::list(&context.state, &filter, None, args.page.limit).await?;
    let rows = page.crews.iter().map(|crew| {
        let is_set = [
            (!crew.is_open, "by invitation"),
            (crew.archived_at.is_some(), "archived"),
            (crew.is_hidden, "hidden"),
            (crew.is_shadow, "shadowed"),
        ];
        let states: Vec<&str> = is_set.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word).collect();
        let members = crew.members.to_string();
        [crew.id.clone(), crew.name.clone(), crew.owner_name.clone(), members, states.join(", ")]
    });
    Ok(CliOutput::new(format_table(["ID", "NAME", "OWNER", "MEMBERS", "STATE"], rows), &page))
}

/// Lists plans.
pub(super) async fn plans(args: PlansArgs, context: &CliContext) -> CliOutputResult {
    let filter = PlanReviewFilter { title: args.title.as_deref(), state: args.state.as_deref() };
    let page = plan_review::list(&context.state, &filter, args.before.as_ref(), args.page.limit).await?;
    let plans: Vec<ReviewedPlan> = page.plans.iter().map(ReviewedPlan::from).collect();
    let rows = plans.iter().map(|plan| {
        let hidden = if plan.hidden { ", hidden" } else { "" };
        let shadowed = if plan.shadowed { ", shadowed" } else { "" };
        [
            plan.id.clone(),
            format!("{}{hidden}{shadowed}", plan.state.name()),
            format!("{}/{}", plan.done, plan.total),
            plan.author_name.clone(),
            plan.title.clone(),
        ]
    });
    let text = format_table(["ID", "STATE", "PIXELS", "AUTHOR", "TITLE"], rows);
    let next_before = page.next_before;
    let text = with_next(text, next_before.as_deref());
    Ok(CliOutput::new(text, &json!({"success": true, "plans": plans, "next_before": next_before})))
}

/// Lists webhooks.
pub(super) async fn webhooks(args: LimitArgs, context: &CliContext) -> CliOutputResult {
    let page = webhooks::list(&context.state, None, args.limit).await?;
    let rows = page.webhooks.iter().map(|webhook| {
        let failed = webhook.failed_attempts.to_string();
        [webhook.id.clone(), webhook.agent_name.clone(), webhook.host.clone(), webhook.state.clone(), failed]
    });
    Ok(CliOutput::new(format_table(["ID", "AGENT", "HOST", "STATE", "FAILED ATTEMPTS"], rows), &page))
}

/// Lists OAuth clients.
pub(super) async fn clients(args: LimitArgs, context: &CliContext) -> CliOutputResult {
    let page = clients::list(&context.state, None, args.limit).await?;
    let rows = page.clients.iter().map(|client| {
        let used = client.used_at.map(format_time).unwrap_or_default();
        let grants = client.grants.to_string();
        [client.id.clone(), format_time(client.created_at), used, grants, client.name.clone()]
    });
    Ok(CliOutput::new(format_table(["ID", "REGISTERED", "USED", "VALID CONSENTS", "NAME"], rows), &page))
}

/// Adds the line that says how to continue a list.
fn with_next(text: String, next_before: Option<&str>) -> String {
    match next_before {
        Some(before) => format!("{text}\n\nMore with --before {before}"),
        None => text,
    }
}
