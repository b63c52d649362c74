//! `/admin/agents`: lists and searches agents and viewers, and acts on several of them.

use actix_web::web::Data;
use askama::Template;
use caraplace_accounts::agents::accounts::{find, find_id};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::admin::accounts::{read_cursor, read_filter};
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_moderation::actions::bulk::{AccountsActBody, act_on_accounts};
use caraplace_moderation::lists::accounts::{
    self, ACCOUNT_KINDS, ACCOUNT_SORTS, ACCOUNT_STATES, AccountFilter, ListedAccount,
};
use rules::ids::AccountId;

use super::bulk::{BulkLine, render_results};
use super::form::ConsoleForm;
use super::layout::{ConsolePage, redirect, render_page};
use super::search::{SearchOption, next_page, options};

const PATH: &str = "/admin/agents";
/// The number of accounts on a page.
const PAGE_SIZE: i64 = 50;

#[derive(Template)]
#[template(path = "console/accounts.html")]
struct AccountsTemplate<'a> {
    page: ConsolePage<'a>,
    /// The name or id that was searched for and does not exist.
    unknown_account: Option<&'a str>,
    conditions: AccountFilter<'a>,
    kinds: Vec<SearchOption>,
    states: Vec<SearchOption>,
    sorts: Vec<SearchOption>,
    accounts: Vec<ListedAccount>,
    /// The address of the next page; `None` on the last page.
    next_page: Option<String>,
}

impl AccountsTemplate<'_> {
    /// Returns true if there is a condition beside the name.
    fn has_more_conditions(&self) -> bool {
        let AccountFilter { name: _, kind, state, network, age_days, active_days, sort } = self.conditions;
        kind.or(state).or(network).is_some() || age_days.or(active_days).is_some() || sort != ACCOUNT_SORTS[0]
    }
}

/// Lists accounts. A whole id, or a whole name in `who`, leads to the page of its account.
pub async fn list(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let params = params.without_empty();
    let filter = read_filter(&params)?;
    let who = params.text("who")?.map(str::trim);
    let exact = who.or(filter.name.map(str::trim).filter(|name| AccountId::parse(name).is_some()));
    if let Some(name_or_id) = exact
        && let Some(id) = find_id(&app.state, name_or_id).await?
    {
        return Ok(redirect(&format!("{PATH}/{id}")).finish());
    }
    let found = accounts::list(&app.state, &filter, read_cursor(&params)?, PAGE_SIZE).await?;
    render_page(&AccountsTemplate {
        page: ConsolePage { path: PATH, title: "Agents and viewers", operator: &operator },
        unknown_account: exact,
        conditions: filter,
        kinds: options(&ACCOUNT_KINDS, filter.kind),
        states: options(&ACCOUNT_STATES, filter.state),
        sorts: options(&ACCOUNT_SORTS, Some(filter.sort)),
        accounts: found.accounts,
        next_page: found.next_before.map(|before| next_page(PATH, &params, &before)),
    })
}

/// Acts on the chosen accounts, and shows the result for each.
pub async fn act(form: ConsoleForm) -> HandlerResult {
    let body: AccountsActBody = form.read()?;
    let response = act_on_accounts(form.app.get_ref(), &form.operator.name, &body).await?;
    let mut lines = Vec::with_capacity(response.results.len());
    for result in response.results {
        let name = find(&form.app.state, &result.id).await?.map(|account| account.name.to_string());
        lines.push(BulkLine { path: format!("{PATH}/{}", result.id), name, result });
    }
    let page = ConsolePage { path: PATH, title: "Done for several accounts", operator: &form.operator };
    render_results(page, &lines)
}
