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
use rules::operators::OperatorScope;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, redirect, render_page};

const PATH: &str = "/admin/keys";

#[derive(Template)]
#[template(path = "console/keys.html")]
struct KeysTemplate<'a> {
    page: ConsolePage<'a>,
    /// The key that was just created; it is shown only once.
    new: Option<NewOperatorKey>,
    /// The scopes that a new key can have: those of the operator.
    choices: Vec<ScopeChoice>,
    keys: Vec<OperatorKey>,
    now: DateTime<Utc>,
}

/// A scope that a new key can have.
struct ScopeChoice {
    name: &'static str,
    /// The description of the scope.
    label: &'static str,
    is_chosen: bool,
}

impl ScopeChoice {
    fn new(scope: OperatorScope) -> Self {
        let label = match scope {
            OperatorScope::Read => "Read everything but reported private messages",
            OperatorScope::Moderate => "Moderate: reports, appeals, sanctions, rollbacks",
            OperatorScope::Manage => "Manage: settings, seasons, passes, drafts, names and announcements",
            OperatorScope::Own => "Own: operators and all keys",
        };
        Self { name: scope.name(), label, is_chosen: scope == OperatorScope::Read }
    }
}

/// Lists keys.
pub async fn page(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    render_keys(&app, &operator, None).await
}

/// Creates a key and shows it once. Without a scope it may only read.
pub async fn create(form: ConsoleForm) -> HandlerResult {
    let OperatorKeyBody { name, scopes } = form.read()?;
    let scopes = scopes.unwrap_or_else(|| vec![OperatorScope::Read.name().to_owned()]);
    let key = keys::create(&form.app.state, &form.operator, &name, Some(&scopes)).await?;
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
    let keys = keys::list(&app.state, operator).await?;
    let now = app.state.clock.now();
    let choices = operator.scopes.iter().map(ScopeChoice::new).collect();
    render_page(&KeysTemplate { page, new, choices, keys, now })
}
