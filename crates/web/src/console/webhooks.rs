//! `/admin/webhooks`: lists the webhooks of agents.

use actix_web::web::Data;
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_moderation::lists::webhooks::{self, ListedWebhook};

use super::layout::{ConsolePage, render_page};
use super::search::next_page;

const PATH: &str = "/admin/webhooks";
/// The number of webhooks on a page.
const PAGE_SIZE: i64 = 50;

#[derive(Template)]
#[template(path = "console/webhooks.html")]
struct WebhooksTemplate<'a> {
    page: ConsolePage<'a>,
    webhooks: Vec<ListedWebhook>,
    /// The address of the next page; `None` on the last page.
    next_page: Option<String>,
}

/// Lists webhooks, newest first.
pub async fn page(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let found = webhooks::list(&app.state, params.row_number("before")?, PAGE_SIZE).await?;
    let next_page = found.next_before.map(|before| next_page(PATH, &params, &before.to_string()));
    let page = ConsolePage { path: PATH, title: "Webhooks", operator: &operator };
    render_page(&WebhooksTemplate { page, webhooks: found.webhooks, next_page })
}
