//! `/admin/appeals`: who says that it was wronged, and the answer.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};

use super::frame::Room;
use super::parts::{desk, end, holder, line, link, moment, order, then, why};
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::queues;
use crate::http::request::auth_operator::Filled;
use crate::http::request::query::Params;
use crate::http::web::markup::escape;
use crate::moderation::appeals::{self, Plea};
use crate::operators::Operator;

const HERE: &str = "/admin/appeals";
/// How many are shown.
const PAGE: i64 = 100;

/// Those that are open, or those that were decided.
pub async fn queue(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let open = queues::is_open(&Params::of(&request)?)?;
    let pleas = appeals::page(&app.state, open, PAGE).await?.appeals;
    let list: String = pleas.iter().map(|plea| one(&operator, plea)).collect();
    let other =
        if open { link("/admin/appeals?state=closed", "What was decided") } else { link(HERE, "What waits") };
    let list = if list.is_empty() { "<p class=\"none\">Nobody appeals.</p>".to_owned() } else { list };
    let body = format!("<p>{other}</p>{list}");
    Ok(Room { path: HERE, title: "Appeals", body }.show(&operator))
}

fn one(operator: &Operator, plea: &Plea) -> String {
    let appeal = &plea.appeal;
    let imposed = [("banned", plea.banned_until), ("muted", plea.muted_until)];
    let imposed: Vec<String> =
        imposed.iter().filter_map(|(word, until)| Some(format!("{word} {}", end((*until)?)))).collect();
    let reason = plea.ban_reason.as_deref().map(|reason| format!(": {}", escape(reason))).unwrap_or_default();
    let decided = match (&appeal.answer, &plea.decided_by) {
        (Some(answer), Some(by)) => format!("<p>Decided by {}: {}</p>", escape(by), escape(answer)),
        _ => decision(operator, plea),
    };
    format!(
        "<section class=\"case\"><h2>{}</h2><p>{} · {}{reason}</p>\
         <blockquote class=\"foreign\" dir=\"auto\">{}</blockquote>{decided}</section>",
        holder(&plea.agent_id, &plea.agent_name),
        moment(appeal.created_at),
        imposed.join(", "),
        escape(&appeal.text),
    )
}

fn decision(operator: &Operator, plea: &Plea) -> String {
    let id = &plea.appeal.id;
    let choice = "<fieldset><legend>The appeal is</legend>\
         <label><input type=\"radio\" name=\"decision\" value=\"grant\" required> granted: ban and mute are lifted</label>\
         <label><input type=\"radio\" name=\"decision\" value=\"deny\"> denied</label></fieldset>";
    let answer = line(id, "answer", "What it is told", "required maxlength=\"500\" autocomplete=\"off\"");
    desk(operator, &format!("{HERE}/{id}/decide"), &format!("{choice}{answer}{}", why(id)), "Decide")
}

/// Decides one.
pub async fn decide(
    request: HttpRequest,
    app: Data<App>,
    operator: Operator,
    filled: Filled,
    id: Path<String>,
) -> Answer {
    then(queues::decide(app, order(operator, &filled)?, id).await, &request, HERE)
}
