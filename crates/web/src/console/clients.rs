//! `/admin/clients`: lists the OAuth clients.

use actix_web::web::Data;
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_moderation::lists::clients::{self, ListedClient};

use super::layout::{ConsolePage, render_page};
use super::search::next_page;

const PATH: &str = "/admin/clients";
/// The number of clients on a page.
const PAGE_SIZE: i64 = 50;

#[derive(Template)]
#[template(path = "console/clients.html")]
struct ClientsTemplate<'a> {
    page: ConsolePage<'a>,
    clients: Vec<ListedClient>,
    /// The address of the next page; `None` on the last page.
    next_page: Option<String>,
}

/// Lists OAuth clients, newest first.
pub async fn page(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let found = clients::list(&app.state, params.text("before")?, PAGE_SIZE).await?;
    let next_page = found.next_before.map(|before| next_page(PATH, &params, &before));
    let page = ConsolePage { path: PATH, title: "OAuth clients", operator: &operator };
    render_page(&ClientsTemplate { page, clients: found.clients, next_page })
}
