//! `caraplace admin reports`, `appeals` and `audit`: what waits to be decided, and what was done.

use chrono::{DateTime, Utc};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use futures_util::FutureExt as _;
use serde_json::to_string_pretty;
use text_filters::text_limits::MAX_REASON_CHARS;

use super::cause::{about_an_id, cause, id, word};
use super::{Act, Desk, Done, Failure, Said, Verb, table};
use crate::moderation::appeals::{self, Decision};
use crate::moderation::reports::review::{self, Finding};
use crate::moderation::{audit, reason};

pub(super) const REPORTS: Verb =
    Verb { name: "reports", command: reporting, act: Act::At(|asked, desk| reports(asked, desk).boxed()) };
pub(super) const APPEALS: Verb =
    Verb { name: "appeals", command: appealing, act: Act::At(|asked, desk| appeals(asked, desk).boxed()) };
pub(super) const AUDIT: Verb =
    Verb { name: "audit", command: auditing, act: Act::At(|asked, desk| audit(asked, desk).boxed()) };

const CLOSED: &str = "closed";
const UPHOLD: &str = "uphold";
const REJECT: &str = "reject";
const GRANT: &str = "grant";
const DENY: &str = "deny";
const ANSWER: &str = "answer";
const SUBJECT: &str = "subject";
const LIMIT: &str = "limit";
/// How many are listed when nobody says otherwise.
const USUAL: &str = "50";

fn limited(verb: Command) -> Command {
    let limit =
        Arg::new(LIMIT).long(LIMIT).default_value(USUAL).value_parser(value_parser!(i64).range(1..=1_000));
    verb.arg(limit.help("How many are listed"))
}

fn with_state(verb: Command) -> Command {
    let closed = Arg::new(CLOSED).long(CLOSED).action(ArgAction::SetTrue);
    limited(verb).arg(closed.help("Lists what was decided, instead of what waits"))
}

fn reporting(verb: Command) -> Command {
    let one =
        |name: &'static str, about: &'static str| about_an_id(Command::new(name).about(about), "report_…");
    let show = Arg::new("ID").required(true).help("report_…");
    with_state(verb.about("Lists what was reported; shows and decides it."))
        .subcommand(Command::new("show").about("Shows a report with its evidence.").arg(show))
        .subcommand(one(UPHOLD, "Finds a report right."))
        .subcommand(one(REJECT, "Finds a report wrong, and ends the shadow that reports alone have cast."))
}

fn appealing(verb: Command) -> Command {
    let answer = || Arg::new(ANSWER).long(ANSWER).required(true).help("What who appealed is told");
    let one = |name: &'static str, about: &'static str| {
        about_an_id(Command::new(name).about(about), "appeal_…").arg(answer())
    };
    with_state(verb.about("Lists appeals, and decides them."))
        .subcommand(one(GRANT, "Ends ban and mute."))
        .subcommand(one(DENY, "Leaves it as it is."))
}

fn auditing(verb: Command) -> Command {
    let subject = Arg::new(SUBJECT).long(SUBJECT).value_name("ID").help("Only what was done to this id");
    limited(verb.about("Lists what operators did, newest first.")).arg(subject)
}

fn limit(asked: &ArgMatches) -> i64 {
    asked.get_one::<i64>(LIMIT).copied().unwrap_or_default()
}

fn time(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M").to_string()
}

fn none(id: &str) -> Failure {
    Failure::new(format!("There is nothing with the id {id}."))
}

async fn reports(asked: &ArgMatches, desk: &Desk) -> Done {
    match asked.subcommand() {
        Some(("show", options)) => show(id(options), desk).await,
        Some((UPHOLD, options)) => close(options, desk, Finding::Upheld).await,
        Some((REJECT, options)) => close(options, desk, Finding::Rejected).await,
        _ => list(asked, desk).await,
    }
}

async fn list(asked: &ArgMatches, desk: &Desk) -> Done {
    let page = review::page(&desk.state, !asked.get_flag(CLOSED), None, limit(asked)).await?;
    let rows = page.reports.iter().map(|case| {
        let author = case.author_name.clone().unwrap_or_default();
        let outcome = case.outcome.clone().unwrap_or_default();
        [
            case.id.clone(),
            time(case.opened_at),
            case.reports.to_string(),
            case.target.clone(),
            author,
            outcome,
        ]
    });
    let text = table(["ID", "SINCE", "REPORTS", "WHAT", "WHOSE", "OUTCOME"], rows.collect());
    Ok(Said::new(text, &page))
}

async fn show(id: &str, desk: &Desk) -> Done {
    let case = review::look(&desk.state, id).await?.ok_or_else(|| none(id))?;
    Ok(Said::new(to_string_pretty(&case).unwrap_or_default(), &case))
}

async fn close(asked: &ArgMatches, desk: &Desk, finding: Finding) -> Done {
    let cause = cause(asked, desk)?;
    let closed = review::close(&desk.state, &cause, id(asked), finding).await?;
    let case = closed.ok_or_else(|| none(id(asked)))?;
    let outcome = case.outcome.clone().unwrap_or_default();
    Ok(Said::new(format!("{} is closed: {outcome}.", case.id), &case))
}

async fn appeals(asked: &ArgMatches, desk: &Desk) -> Done {
    match asked.subcommand() {
        Some((GRANT, options)) => decide(options, desk, Decision::Grant).await,
        Some((DENY, options)) => decide(options, desk, Decision::Deny).await,
        _ => pleas(asked, desk).await,
    }
}

async fn pleas(asked: &ArgMatches, desk: &Desk) -> Done {
    let page = appeals::page(&desk.state, !asked.get_flag(CLOSED), limit(asked)).await?;
    let rows = page.appeals.iter().map(|plea| {
        let appeal = &plea.appeal;
        [appeal.id.clone(), time(appeal.created_at), plea.agent_name.clone(), appeal.text.clone()]
    });
    Ok(Said::new(table(["ID", "SINCE", "WHO", "WHAT"], rows.collect()), &page))
}

async fn decide(asked: &ArgMatches, desk: &Desk, decision: Decision) -> Done {
    let cause = cause(asked, desk)?;
    let empty =
        || Failure::new(format!("--answer must have 1 to {MAX_REASON_CHARS} characters that can be seen."));
    let answer = reason(word(asked, ANSWER)).ok_or_else(empty)?;
    let decided = appeals::decide(&desk.state, &cause, id(asked), decision, &answer).await?;
    let appeal = decided.ok_or_else(|| none(id(asked)))?;
    Ok(Said::new(format!("{} is decided.", appeal.id), &appeal))
}

async fn audit(asked: &ArgMatches, desk: &Desk) -> Done {
    let subject = asked.get_one::<String>(SUBJECT).map(String::as_str);
    let page = audit::page(&desk.state, None, limit(asked), subject).await?;
    let rows = page.acts.iter().map(|line| {
        [time(line.at), line.operator.clone(), line.act.clone(), line.subject.clone(), line.why.clone()]
    });
    Ok(Said::new(table(["WHEN", "WHO", "WHAT", "TO WHAT", "WHY"], rows.collect()), &page))
}
