//! `/admin/keys`: lists, creates and revokes operators' API keys.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_accounts::operators::keys::{self, NewOperatorKey};
use caraplace_accounts::operators::{Operator, OperatorKey};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::admin::keys::OperatorKeyBody;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::response::not_found::key_not_found;
use chrono::{DateTime, Utc};

use super::form::ConsoleForm;
use super::layout::{ConsolePage, redirect, render_page};

const PATH: &str = "/admin/keys";

#[derive(Template)]
#[template(path = "console/keys.html")]
struct KeysTemplate<'a> {
    page: ConsolePage<'a>,
    /// The key that was just created; it is shown only once.
    new: Option<NewOperatorKey>,
    keys: Vec<OperatorKey>,
    now: DateTime<Utc>,
}

/// Lists all keys.
pub async fn page(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    render_keys(&app, &operator, None).await
}

/// Creates a key and shows it once.
pub async fn create(form: ConsoleForm) -> HandlerResult {
    let OperatorKeyBody { name } = form.read()?;
    let key = keys::create(&form.app.state, &form.operator, &name).await?;
    render_keys(&form.app, &form.operator, Some(key)).await
}

/// Revokes a key.
pub async fn revoke(app: Data<App>, AuthOperator(operator): AuthOperator, id: Path<String>) -> HandlerResult {
    if !keys::revoke(&app.state, &operator, &id).await? {
        return Err(key_not_found());
    }
    Ok(redirect(PATH).finish())
}

async fn render_keys(app: &App, operator: &Operator, new: Option<NewOperatorKey>) -> HandlerResult {
    let page = ConsolePage { path: PATH, title: "Keys", operator };
    let keys = keys::list(&app.state).await?;
    let now = app.state.clock.now();
    render_page(&KeysTemplate { page, new, keys, now })
}
