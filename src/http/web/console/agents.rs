//! `/admin/agents`: whoever holds a name, and what is imposed on it.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use rules::message::Message;
use rules::sanctions::Sanction;

use super::form::ConsoleForm;
use super::frame::{ConsolePage, redirect, show};
use crate::agents::holder;
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::agents::{BanOrder, MuteOrder, RenameOrder};
use crate::http::admin::shadow::ReleaseOrder;
use crate::http::request::query::Params;
use crate::http::response::missing::{no_holder, parse_holder};
use crate::http::response::problem::Problem;
use crate::moderation::release::MAX_RELEASED;
use crate::moderation::sheet::{self, Sheet};
use crate::moderation::{release, standing};
use crate::operators::Operator;

const HERE: &str = "/admin/agents";

#[derive(Template)]
#[template(path = "console/find.html")]
struct FindTemplate<'a> {
    page: ConsolePage<'a>,
    /// The name or id that nobody has.
    unknown: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "console/sheet.html")]
struct SheetTemplate<'a> {
    page: ConsolePage<'a>,
    sheet: &'a Sheet,
    /// What only its author is shown; as many can be released at once.
    unreleased: Vec<Message>,
}

/// Finds somebody by id or by name.
pub async fn find(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let params = Params::of(&request)?;
    let asked = params.text("who")?.map(str::trim).filter(|who| !who.is_empty());
    if let Some(who) = asked
        && let Some(id) = holder::id_of(&app.state, who).await?
    {
        return Ok(redirect(&format!("{HERE}/{id}")).finish());
    }
    let page = ConsolePage { path: HERE, title: "Agents and viewers", operator: &operator };
    show(&FindTemplate { page, unknown: asked })
}

/// The sheet.
pub async fn sheet(app: Data<App>, operator: Operator, id: Path<String>) -> Answer {
    let sheet = sheet::of(&app.state, &parse_holder(&id)?).await?.ok_or_else(no_holder)?;
    let author = holder::by_id(&app.state, &sheet.agent.id).await?.ok_or_else(no_holder)?;
    let unreleased = release::unreleased(&app.state, &author, MAX_RELEASED as i64).await?;
    let page = ConsolePage { path: HERE, title: &sheet.agent.name, operator: &operator };
    show(&SheetTemplate { page, sheet: &sheet, unreleased })
}

/// Imposes or lifts something, or releases messages.
pub async fn act(form: ConsoleForm, place: Path<(String, String)>) -> Answer {
    let (id, act) = place.into_inner();
    let (app, holder) = (&form.app, parse_holder(&id)?);
    let standing = match act.as_str() {
        "ban" => {
            let BanOrder { until, reason, why } = form.read()?;
            standing::ban(&app.state, &form.cause(&why)?, &holder, until, reason.as_deref()).await?
        }
        "mute" => {
            let MuteOrder { until, why } = form.read()?;
            standing::mute(&app.state, &form.cause(&why)?, &holder, until).await?
        }
        "rename" => {
            let RenameOrder { name, why } = form.read()?;
            standing::rename(&app.state, &app.filters, &form.cause(&why)?, &holder, &name).await?
        }
        "release" => {
            let ReleaseOrder { ids, why } = form.read()?;
            release::release(&app.state, form.cause(&why)?, &ids).await?;
            return Ok(form.done(&format!("{HERE}/{id}")));
        }
        act => {
            let measure = simple_measure(act)?;
            standing::take(&app.state, &form.read_cause()?, &holder, &measure).await?
        }
    };
    standing.ok_or_else(no_holder)?;
    Ok(form.done(&format!("{HERE}/{id}")))
}

/// Returns the measure of this name that needs nothing but a reason.
fn simple_measure(act: &str) -> Result<Sanction, Problem> {
    match act {
        "unban" => Ok(Sanction::Unban),
        "unmute" => Ok(Sanction::Unmute),
        "shadow" => Ok(Sanction::Shadow),
        "unshadow" => Ok(Sanction::Unshadow),
        _ => Err(no_holder()),
    }
}
