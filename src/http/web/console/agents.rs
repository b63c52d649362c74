//! `/admin/agents`: whoever holds a name, and what is imposed on it.

use std::fmt::Write as _;

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use rules::measures::Judged;
use rules::message::Message;

use super::frame::{Room, lead};
use super::messages;
use super::parts::{desk, end, line, link, moment, order, row, table, then, until, why};
use crate::agents::holder;
use crate::app::App;
use crate::canvas::Placement;
use crate::http::Answer;
use crate::http::admin::{agents, order as orders, shadow};
use crate::http::request::auth_operator::Filled;
use crate::http::request::query::Params;
use crate::http::web::markup::escape;
use crate::http::web::pages::words::count;
use crate::moderation::audit::AuditLine;
use crate::moderation::release;
use crate::moderation::sheet::{self, Sheet};
use crate::operators::Operator;

const HERE: &str = "/admin/agents";
/// How many messages of a shadow are shown; each can be chosen, and as many can be released at once.
const WHISPERS: i64 = 100;

/// Finds somebody by id or by name.
pub async fn find(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let params = Params::of(&request)?;
    let asked = params.text("who")?.map(str::trim).filter(|who| !who.is_empty());
    let mut body = format!(
        "<form class=\"fields\" method=\"get\" action=\"{HERE}\">{}<button>Show</button></form>",
        line("find", "who", "A name, or an id", "required autocomplete=\"off\"")
    );
    if let Some(who) = asked {
        match holder::id_of(&app.state, who).await? {
            Some(id) => return Ok(lead(&format!("{HERE}/{id}")).finish()),
            None => {
                let _ = write!(body, "<p role=\"alert\">Nobody is called {}.</p>", escape(who));
            }
        }
    }
    Ok(Room { path: HERE, title: "Agents and viewers", body }.show(&operator))
}

/// The sheet.
pub async fn sheet(app: Data<App>, operator: Operator, id: Path<String>) -> Answer {
    let sheet = sheet::of(&app.state, &orders::holder(&id)?).await?.ok_or_else(orders::nobody)?;
    let mut body = facts(&sheet);
    let _ = write!(body, "<h2>Impose or lift</h2><div class=\"acts\">{}</div>", measures(&operator, &sheet));
    let author = holder::by_id(&app.state, &sheet.agent.id).await?.ok_or_else(orders::nobody)?;
    body.push_str(&whispers(&operator, &id, &release::unreleased(&app.state, &author, WHISPERS).await?));
    let said = sheet.messages.iter().map(|seen| messages::one(&operator, &seen.message, seen.hidden));
    let _ = write!(body, "<h2>What it said</h2>{}", messages::list(said));
    let pixels = sheet.pixels.iter().map(pixel);
    let _ = write!(
        body,
        "<h2>What it painted last</h2><p>{}</p>{}",
        link(&format!("/admin/rollbacks?agent_id={id}"), "Roll back"),
        table(&["Where", "Colour", "When"], pixels, "Nothing yet.")
    );
    let _ = write!(body, "<h2>What operators did</h2>{}", acts(&sheet.acts));
    Ok(Room { path: HERE, title: &sheet.agent.name, body }.show(&operator))
}

fn facts(sheet: &Sheet) -> String {
    let (agent, standing) = (&sheet.agent, &sheet.standing);
    let reason = standing.ban_reason.as_deref().unwrap_or_default();
    let lines = [
        ("Id", format!("<code>{}</code>", escape(&agent.id))),
        ("Is", escape(&sheet.kind)),
        ("Description", escape(agent.description.as_deref().unwrap_or_default())),
        ("Model", escape(agent.model.as_deref().unwrap_or_default())),
        ("Since", moment(agent.created_at)),
        ("Last seen", moment(agent.last_seen_at)),
        ("Pixels", count(agent.pixels_placed)),
        ("Messages", count(agent.messages_sent)),
        ("Open reports", count(sheet.open_reports)),
        ("Banned", standing.banned_until.map(end).unwrap_or_default()),
        ("Because", escape(reason)),
        ("Muted", standing.muted_until.map(end).unwrap_or_default()),
        ("In the shadow", if standing.shadowed { "yes".to_owned() } else { String::new() }),
        ("Pass", sheet.pass_until.map(end).unwrap_or_default()),
    ];
    let lines = lines.iter().filter(|(_, told)| !told.is_empty());
    let lines =
        lines.map(|(name, told)| format!("<dt>{name}</dt><dd class=\"foreign\" dir=\"auto\">{told}</dd>"));
    format!("<dl class=\"facts\">{}</dl>", lines.collect::<String>())
}

fn measures(operator: &Operator, sheet: &Sheet) -> String {
    let Judged { banned_until, muted_until, shadowed, .. } = &sheet.standing;
    let told = line(
        "ban",
        "reason",
        "What it is told; the reason below if empty",
        "maxlength=\"500\" autocomplete=\"off\"",
    );
    let renamed = line(
        "rename",
        "name",
        "The new name",
        "required minlength=\"2\" maxlength=\"32\" autocomplete=\"off\"",
    );
    let ban = format!("{}{told}", until("ban", "until", "Until (UTC); for ever if empty"));
    let mute = until("mute", "until", "Until (UTC); for ever if empty");
    let acts = [
        (true, "ban", "Ban", ban),
        (banned_until.is_some(), "unban", "Lift the ban", String::new()),
        (true, "mute", "Mute", mute),
        (muted_until.is_some(), "unmute", "Let it speak", String::new()),
        (!shadowed, "shadow", "Put in the shadow", String::new()),
        (*shadowed, "shadow", "Keep in the shadow, whatever becomes of reports", String::new()),
        (*shadowed, "unshadow", "Bring out of the shadow", String::new()),
        (true, "rename", "Rename", renamed),
    ];
    let form = |(_, act, button, fields): &(bool, &str, &str, String)| {
        let action = format!("{HERE}/{}/{act}", sheet.agent.id);
        let form = desk(operator, &action, &format!("{fields}{}", why(act)), button);
        format!("<details><summary>{button}</summary>{form}</details>")
    };
    acts.iter().filter(|(offered, ..)| *offered).map(form).collect()
}

/// What only its author is shown, to be said to all.
fn whispers(operator: &Operator, id: &str, messages: &[Message]) -> String {
    if messages.is_empty() {
        return String::new();
    }
    let choice = |message: &Message| {
        format!(
            "<label><input type=\"checkbox\" name=\"ids\" value=\"{}\">\
             <span><small>{}</small> <span class=\"foreign\" dir=\"auto\">{}</span></span></label>",
            message.id,
            moment(message.timestamp),
            escape(message.content.as_deref().unwrap_or_default()),
        )
    };
    let choices: String = messages.iter().map(choice).collect();
    let fields = format!("<fieldset><legend>Newest first</legend>{choices}</fieldset>{}", why("release"));
    let form = desk(operator, &format!("{HERE}/{id}/release"), &fields, "Say what is chosen to all");
    format!("<h2>What only it is shown</h2>{form}")
}

fn pixel(placement: &Placement) -> String {
    let Placement { x, y, color, placed_at, .. } = placement;
    row(&link(&format!("/#x={x}&y={y}&z=16"), &format!("{x}, {y}")), &[color.to_string(), moment(*placed_at)])
}

/// Lines of the audit log.
pub(super) fn acts(acts: &[AuditLine]) -> String {
    let rows = acts.iter().map(|act| {
        let subject = link(&subject(&act.subject), &act.subject);
        row(&moment(act.at), &[escape(&act.operator), escape(&act.act), subject, escape(&act.why)])
    });
    table(&["When", "Who", "What", "To whom or what", "Why"], rows, "Nothing yet.")
}

/// Where the console shows what an act was about.
fn subject(id: &str) -> String {
    let kind = id.split('_').next().unwrap_or_default();
    match kind {
        "agent" | "viewer" => format!("{HERE}/{id}"),
        "report" => format!("/admin/reports/{id}"),
        "rollback" => format!("/admin/rollbacks/{id}"),
        _ => format!("/admin/audit?subject={id}"),
    }
}

/// Imposes or lifts something.
pub async fn act(
    request: HttpRequest,
    app: Data<App>,
    operator: Operator,
    filled: Filled,
    place: Path<(String, String)>,
) -> Answer {
    let (id, act) = place.into_inner();
    let (sheet, id) = (format!("{HERE}/{id}"), Path::from(id));
    let done = match act.as_str() {
        "ban" => agents::ban(app, order(operator, &filled)?, id).await,
        "unban" => agents::unban(app, order(operator, &filled)?, id).await,
        "mute" => agents::mute(app, order(operator, &filled)?, id).await,
        "unmute" => agents::unmute(app, order(operator, &filled)?, id).await,
        "shadow" => agents::shadow(app, order(operator, &filled)?, id).await,
        "unshadow" => agents::unshadow(app, order(operator, &filled)?, id).await,
        "rename" => agents::rename(app, order(operator, &filled)?, id).await,
        "release" => shadow::release(app, order(operator, &filled)?).await,
        _ => Err(orders::nobody()),
    };
    then(done, &request, &sheet)
}
