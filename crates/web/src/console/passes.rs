//! `/admin/passes`: lists, grants and revokes Gallery Passes.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_accounts::gallery::{PassHolder, grants};
use caraplace_accounts::operators::Operator;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::answer::{ActionAnswer, GrantPassResponse};

use platform::refusal::internal;

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
    granted: Option<GrantPassResponse>,
    viewers: Vec<PassHolder>,
}

/// Lists the viewers who have or had a pass.
pub async fn page(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    render_passes(&app, &operator, None).await
}

/// Grants a pass, and shows a new viewer's key once.
pub async fn grant(form: ConsoleForm) -> HandlerResult {
    let ActionAnswer::PassGranted(granted) = form.act(OperatorAction::GrantPass).await? else {
        return Err(internal("granting a pass")("an answer of another kind").into());
    };
    render_passes(&form.app, &form.operator, Some(granted)).await
}

/// Revokes a pass.
pub async fn revoke(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    form.act_on(&id, OperatorAction::RevokePass).await?;
    Ok(form.redirect_back(PATH))
}

async fn render_passes(app: &App, operator: &Operator, granted: Option<GrantPassResponse>) -> HandlerResult {
    let page = ConsolePage { path: PATH, title: "Passes", operator };
    render_page(&PassesTemplate {
        page,
        granted,
        viewers: grants::list_pass_holders(&app.state, MAX_LISTED).await?,
    })
}
