//! `/admin/passes`: lists, grants and revokes Gallery Passes.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_accounts::gallery::PassHolder;
use caraplace_accounts::gallery::grants::{self, PassRequest};
use caraplace_accounts::gallery::passes::GrantedPass;
use caraplace_accounts::operators::Operator;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_moderation::actions::body::GrantPassBody;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, render_page};

const PATH: &str = "/admin/passes";
/// The number of viewers on the page.
const MAX_LISTED: i64 = 200;

#[derive(Template)]
#[template(path = "console/passes.html")]
struct PassesTemplate<'a> {
    page: ConsolePage<'a>,
    /// The pass that was just granted; a new viewer's key is shown only once.
    granted: Option<GrantedPass>,
    viewers: Vec<PassHolder>,
}

/// Lists the viewers who have or had a pass.
pub async fn page(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    render_passes(&app, &operator, None).await
}

/// Grants a pass, and shows a new viewer's key once.
pub async fn grant(form: ConsoleForm) -> HandlerResult {
    let GrantPassBody { viewer_id, email, tier, until, reason } = form.read()?;
    let app = &form.app;
    let audit_reason = form.audit_reason(&reason)?;
    let request = PassRequest { viewer_id, email, tier, until };
    let granted = grants::grant_pass(&app.state, &app.gallery.tiers, &audit_reason, request).await?;
    render_passes(app, &form.operator, Some(granted)).await
}

/// Revokes a pass.
pub async fn revoke(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    let app = &form.app;
    let audit_reason = form.read_audit_reason()?;
    grants::revoke_pass(&app.state, &app.gallery.tiers, &audit_reason, &id).await?;
    Ok(form.redirect_back(PATH))
}

async fn render_passes(app: &App, operator: &Operator, granted: Option<GrantedPass>) -> HandlerResult {
    let page = ConsolePage { path: PATH, title: "Passes", operator };
    render_page(&PassesTemplate {
        page,
        granted,
        viewers: grants::list_pass_holders(&app.state, MAX_LISTED).await?,
    })
}
