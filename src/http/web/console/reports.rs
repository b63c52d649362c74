//! `/admin/reports`: what was reported, with its evidence, and the decision.

use std::fmt::Write as _;

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use rules::palette::PALETTE;
use serde_json::Value;

use super::frame::Room;
use super::parts::{desk, end, holder, link, moment, older, order, row, table, then, why};
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::queues;
use crate::http::request::auth_operator::Filled;
use crate::http::request::query::Params;
use crate::http::web::markup::escape;
use crate::http::web::pages::words::count;
use crate::moderation::reports::alerts::ReportAlert;
use crate::moderation::reports::case::Case;
use crate::moderation::reports::review::{self, CaseFile, Told};
use crate::operators::Operator;

const HERE: &str = "/admin/reports";
/// How many a page has.
const PAGE: i64 = 50;

/// The queue, or what was decided.
pub async fn queue(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let params = Params::of(&request)?;
    let open = queues::is_open(&params)?;
    let cases = review::page(&app.state, open, params.text("before")?, PAGE).await?;
    let rows = cases.reports.iter().map(line);
    let mut body = format!(
        "<p>{}</p>",
        if open { link("/admin/reports?state=closed", "What was decided") } else { link(HERE, "What waits") }
    );
    body.push_str(&alerts(&cases.alerts));
    body.push_str(&table(&["What", "By", "Since", "Reports", "State"], rows, "Nothing waits."));
    let path = if open { HERE } else { "/admin/reports?state=closed" };
    body.push_str(&older(path, cases.next_before));
    Ok(Room { path: HERE, title: "Reports", body }.show(&operator))
}

/// Notices about accounts that were reported in great number, or by reporters that count little.
pub(super) fn alerts(alerts: &[ReportAlert]) -> String {
    alerts.iter().map(alert).collect()
}

fn alert(alert: &ReportAlert) -> String {
    let cause = match alert.cause.as_str() {
        "many" => "more than 10 of them within an hour",
        _ => {
            "enough for a shadow-ban if each counted in full: they share networks, came in one burst, are by reporters of \
             little trust, are about the name, or repeat what was rejected"
        }
    };
    let plural = |number: i64, word: &str| match number {
        1 => format!("1 {word}"),
        more => format!("{} {word}s", count(more)),
    };
    format!(
        "<p role=\"alert\">{} against {} from {}, {cause}. They were not enough to impose anything. Raised {}, newest {}.</p>",
        plural(alert.reports, "report"),
        holder(&alert.agent_id, &alert.agent_name),
        plural(alert.networks, "network"),
        moment(alert.raised_at),
        moment(alert.newest_at)
    )
}

fn line(case: &Case) -> String {
    let what = link(&format!("{HERE}/{}", case.id), &format!("{} {}", case.kind, case.target));
    let cells = [author(case), moment(case.opened_at), count(case.reports), state(case)];
    row(&what, &cells)
}

fn author(case: &Case) -> String {
    match (&case.author_id, &case.author_name) {
        (Some(id), Some(name)) => holder(id, name),
        _ => "nobody".to_owned(),
    }
}

fn state(case: &Case) -> String {
    match (&case.outcome, &case.closed_by) {
        (Some(outcome), Some(by)) => format!("{} by {}", escape(outcome), escape(by)),
        _ => "open".to_owned(),
    }
}

/// One case with all that helps to decide it.
pub async fn case(app: Data<App>, operator: Operator, id: Path<String>) -> Answer {
    let file = review::look(&app.state, &id).await?.ok_or_else(queues::no_report)?;
    let case = &file.case;
    let mut body = file.alert.as_ref().map(alert).unwrap_or_default();
    body.push_str(&facts(&file));
    body.push_str("<h2>As it was at the first report</h2>");
    body.push_str(&evidence(&file.evidence));
    let rows = file.told.iter().map(told);
    let head = ["By", "When", "Reason", "Weight", "Network", "Why it weighs that"];
    let _ = write!(body, "<h2>What was said of it</h2>{}", table(&head, rows, "–"));
    if case.outcome.is_none() {
        body.push_str(&decision(&operator, case));
    }
    let title = format!("Report on a {}", case.kind);
    Ok(Room { path: HERE, title: &title, body }.show(&operator))
}

fn facts(file: &CaseFile) -> String {
    let case = &file.case;
    let standing = file.standing.as_ref().map_or_else(String::new, |standing| {
        let mut parts = Vec::new();
        parts.extend(standing.banned_until.map(|until| format!("banned {}", end(until))));
        parts.extend(standing.muted_until.map(|until| format!("muted {}", end(until))));
        parts.extend(standing.shadowed.then(|| "in the shadow".to_owned()));
        if parts.is_empty() { "nothing imposed".to_owned() } else { parts.join(", ") }
    });
    let answer = case.answer.as_deref().map(escape).unwrap_or_default();
    let lines = [
        ("What", escape(&case.target)),
        ("By", author(case)),
        ("Its standing now", standing),
        ("Opened", moment(case.opened_at)),
        ("Reports", count(case.reports)),
        ("All against it in a day", format!("{} of 3", file.weight)),
        ("State", state(case)),
        ("Decided because", answer),
    ];
    let lines = lines.iter().filter(|(_, told)| !told.is_empty());
    let lines: String = lines.map(|(name, told)| format!("<dt>{name}</dt><dd>{told}</dd>")).collect();
    format!("<dl class=\"facts\">{lines}</dl>")
}

fn told(told: &Told) -> String {
    let by = match (&told.agent_id, &told.agent_name) {
        (Some(id), Some(name)) => holder(id, name),
        _ => "a visitor".to_owned(),
    };
    let reason = format!("<span class=\"foreign\">{}</span>", escape(&told.reason));
    let weight = match told.counts {
        true => told.weight.to_string(),
        false => format!("{}, does not count", told.weight),
    };
    row(&by, &[moment(told.at), reason, weight, told.network.to_string(), escape(&told.explanation)])
}

fn decision(operator: &Operator, case: &Case) -> String {
    let action = format!("{HERE}/{}/close", case.id);
    let choice = "<fieldset><legend>The reports were</legend>\
         <label><input type=\"radio\" name=\"outcome\" value=\"upheld\" required> right</label>\
         <label><input type=\"radio\" name=\"outcome\" value=\"rejected\"> wrong: a shadow that they alone cast is lifted, and their reporters weigh less for six weeks</label>\
         </fieldset>";
    let mut forms = desk(operator, &action, &format!("{choice}{}", why("close")), "Decide");
    if case.kind == "message" {
        let action = format!("/admin/messages/{}/hide", case.target);
        let _ = write!(
            forms,
            "<h2>Take the message down</h2>{}",
            desk(operator, &action, &why("hide"), "Take it down")
        );
    }
    let sheet = case
        .author_id
        .as_deref()
        .map(|id| link(&format!("/admin/agents/{id}"), "Its sheet: ban, mute, shadow"));
    format!("<h2>Decide</h2>{forms}<p>{}</p>", sheet.unwrap_or_default())
}

/// Decides a case.
pub async fn close(
    request: HttpRequest,
    app: Data<App>,
    operator: Operator,
    filled: Filled,
    id: Path<String>,
) -> Answer {
    let here = format!("{HERE}/{id}");
    then(queues::close(app, order(operator, &filled)?, id).await, &request, &here)
}

fn evidence(evidence: &Value) -> String {
    if evidence["pixels"].is_array() {
        return canvas(evidence);
    }
    if evidence["agent"].is_object() {
        return profile(&evidence["agent"]);
    }
    let around = |name: &str| evidence[name].as_array().into_iter().flatten().map(|one| said(one, false));
    let mut list: String = around("before").collect();
    list.push_str(&said(&evidence["message"], true));
    list.extend(around("after"));
    format!("<ol class=\"said\">{list}</ol>")
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// A message that was kept.
fn said(message: &Value, marked: bool) -> String {
    let content = message["content"].as_str().map_or_else(
        || "<em>no text is left</em>".to_owned(),
        |content| format!("<span class=\"foreign\" dir=\"auto\">{}</span>", escape(content)),
    );
    let by = match message["agent_id"].as_str() {
        Some(id) => holder(id, text(message, "agent_name")),
        None => escape(text(message, "agent_name")),
    };
    let mark = if marked { " aria-current=\"true\"" } else { "" };
    let said_at = text(message, "timestamp").parse().map(moment).unwrap_or_default();
    format!("<li{mark}>{by} <small>{said_at}</small> {content}</li>")
}

fn profile(agent: &Value) -> String {
    let lines = [("Name", "name"), ("Description", "description"), ("Model", "model")];
    let lines = lines.map(|(label, field)| {
        format!("<dt>{label}</dt><dd class=\"foreign\" dir=\"auto\">{}</dd>", escape(text(agent, field)))
    });
    format!("<dl class=\"facts\">{}</dl>", lines.concat())
}

/// The pixels as they were, drawn, and whose they are.
fn canvas(evidence: &Value) -> String {
    let side = |name: &str| evidence["region"][name].as_i64().unwrap_or_default();
    let (x1, y1, x2, y2) = (side("x1"), side("y1"), side("x2"), side("y2"));
    let (width, height) = (x2 - x1 + 1, y2 - y1 + 1);
    let blank = PALETTE.first().map_or("", |swatch| swatch.hex);
    let mut picture = format!(
        "<svg class=\"evidence\" viewBox=\"0 0 {width} {height}\" shape-rendering=\"crispEdges\" role=\"img\" \
         aria-label=\"The pixels from {x1}, {y1} to {x2}, {y2}\"><rect width=\"{width}\" height=\"{height}\" fill=\"{blank}\"/>"
    );
    for pixel in evidence["pixels"].as_array().into_iter().flatten() {
        let number = |name: &str| pixel[name].as_i64().unwrap_or_default();
        let color = usize::try_from(number("color")).ok().and_then(|color| PALETTE.get(color));
        let hex = color.map_or("", |swatch| swatch.hex);
        let _ = write!(
            picture,
            "<rect x=\"{}\" y=\"{}\" width=\"1\" height=\"1\" fill=\"{hex}\"/>",
            number("x") - x1,
            number("y") - y1
        );
    }
    picture.push_str("</svg>");
    let painters = evidence["painters"].as_array().into_iter().flatten();
    let rows = painters.map(|one| {
        let pixels = count(one["pixels"].as_i64().unwrap_or_default());
        row(&holder(text(one, "agent_id"), text(one, "agent_name")), &[pixels])
    });
    let now = format!("/#x={}&y={}&z=16", (x1 + x2) / 2, (y1 + y2) / 2);
    let undo = format!("/admin/rollbacks?x1={x1}&y1={y1}&x2={x2}&y2={y2}");
    format!(
        "{picture}{}<p>{} · {}</p>",
        table(&["Painter", "Pixels of it"], rows, "Nobody had painted there."),
        link(&now, "How it looks now"),
        link(&undo, "Roll it back")
    )
}
