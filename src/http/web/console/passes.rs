//! `/admin/passes`: who may speak, given and taken away.

use actix_web::web::{Data, Path};
use askama::Template;

use super::form::ConsoleForm;
use super::frame::{ConsolePage, show};
use crate::app::App;
use crate::gallery::gifts::{self, PassRequest};
use crate::gallery::passes::{Granted, Holder};
use crate::http::Answer;
use crate::http::admin::passes::PassOrder;
use crate::operators::Operator;

const HERE: &str = "/admin/passes";
/// How many are shown.
const SHOWN: i64 = 200;

#[derive(Template)]
#[template(path = "console/passes.html")]
struct PassesTemplate<'a> {
    page: ConsolePage<'a>,
    /// The pass that was just given: a new viewer's key is shown this once.
    granted: Option<Granted>,
    holders: Vec<Holder>,
}

/// Everyone who has or had one.
pub async fn page(app: Data<App>, operator: Operator) -> Answer {
    show_passes(&app, &operator, None).await
}

/// Gives one; a new viewer's key is shown this once.
pub async fn grant(form: ConsoleForm) -> Answer {
    let PassOrder { viewer_id, email, tier, until, why } = form.read()?;
    let (app, cause) = (&form.app, form.cause(&why)?);
    let request = PassRequest { viewer_id, email, tier, until };
    let granted = gifts::give(&app.state, &app.gallery.tiers, &cause, request).await?;
    show_passes(app, &form.operator, Some(granted)).await
}

/// Takes one away.
pub async fn revoke(form: ConsoleForm, id: Path<String>) -> Answer {
    let (app, cause) = (&form.app, form.read_cause()?);
    gifts::revoke(&app.state, &app.gallery.tiers, &cause, &id).await?;
    Ok(form.done(HERE))
}

async fn show_passes(app: &App, operator: &Operator, granted: Option<Granted>) -> Answer {
    let page = ConsolePage { path: HERE, title: "Passes", operator };
    show(&PassesTemplate { page, granted, holders: gifts::holders(&app.state, SHOWN).await? })
}
