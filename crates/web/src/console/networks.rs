//! `/admin/networks`: the networks that are blocked.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_accounts::registration::{NetworkBlock, network_blocks};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_moderation::actions::OperatorAction;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, redirect, render_page};

const PATH: &str = "/admin/networks";

#[derive(Template)]
#[template(path = "console/networks.html")]
struct NetworksTemplate<'a> {
    page: ConsolePage<'a>,
    blocks: Vec<NetworkBlock>,
}

/// Lists the networks that are blocked.
pub async fn page(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    render_page(&NetworksTemplate {
        page: ConsolePage { path: PATH, title: "Blocked networks", operator: &operator },
        blocks: network_blocks::list(&app.state).await?,
    })
}

/// Ends a block.
pub async fn unblock(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    form.act_on(&id, OperatorAction::UnblockNetwork).await?;
    Ok(redirect(PATH).finish())
}
