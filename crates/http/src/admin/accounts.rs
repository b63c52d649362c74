//! `/api/admin/accounts`: lists and searches agents and viewers, and acts on several of them.

use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_moderation::actions::bulk::{AccountsActBody, act_on_accounts};
use caraplace_moderation::lists::accounts::{
    self, ACCOUNT_KINDS, ACCOUNT_SORTS, ACCOUNT_STATES, AccountCursor, AccountFilter, MAX_DAYS,
};

use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::request::query::{QueryParams, invalid};
use crate::request::query_param::{
    ChoiceParam, NumberParam, OptionalChoiceParam, OptionalNumberParam, TextParam, choice, limit, number,
    pattern, text,
};
use crate::response::no_store::no_store_json;
use crate::response::problem::Problem;
use crate::route::endpoint::Param;

/// The number of hex digits of a network's label.
const NETWORK_DIGITS: usize = 12;

const NAME: TextParam = text("name", "only accounts with this part in their names, in any case");
const KIND: OptionalChoiceParam<&str> =
    choice("kind", &ACCOUNT_KINDS, &ACCOUNT_KINDS, "only agents, or only viewers");
const STATE: OptionalChoiceParam<&str> = choice(
    "state",
    &ACCOUNT_STATES,
    &ACCOUNT_STATES,
    "only accounts in this state; reported ones have undecided reports, waiting ones are to be approved",
);
const NETWORK: TextParam =
    pattern("network", "^[0-9a-f]{12}$", "only accounts that registered from the network with this label");
const AGE_DAYS: OptionalNumberParam =
    number("age_days", 0..=MAX_DAYS, "only accounts that registered within this many days");
const ACTIVE_DAYS: OptionalNumberParam =
    number("active_days", 0..=MAX_DAYS, "only accounts that were seen within this many days");
const SORT: ChoiceParam<&str> =
    choice("sort", &ACCOUNT_SORTS, &ACCOUNT_SORTS, "the order, {default} first by default")
        .with_default("newest");
const LIMIT: NumberParam = limit(200, 50);
const BEFORE: TextParam =
    pattern("before", "^-?[0-9]{1,18},[0-9]{1,18}$", "continues after this account; next_before has it");
/// The parameters of a page of accounts.
pub const LIST_PARAMS: &[Param] = &[
    NAME.param,
    KIND.param,
    STATE.param,
    NETWORK.param,
    AGE_DAYS.param,
    ACTIVE_DAYS.param,
    SORT.param,
    LIMIT.param,
    BEFORE.param,
];

/// Lists accounts.
pub async fn list(params: QueryParams, app: Data<App>) -> HandlerResult {
    let filter = read_filter(&params)?;
    let limit = LIMIT.read(&params)?;
    Ok(no_store_json(accounts::list(&app.state, &filter, read_cursor(&params)?, limit).await?))
}

/// Acts on each of several accounts.
pub async fn act(app: Data<App>, body: AdminBody<AccountsActBody>) -> HandlerResult {
    let AdminBody { operator, fields } = body;
    Ok(no_store_json(act_on_accounts(app.get_ref(), &operator.name, &fields).await?))
}

/// Reads the conditions and the order of a list of accounts.
pub fn read_filter(params: &QueryParams) -> Result<AccountFilter<'_>, Problem> {
    Ok(AccountFilter {
        name: NAME.read(params)?,
        kind: KIND.read(params)?,
        state: STATE.read(params)?,
        network: NETWORK.read(params)?.map(parse_network).transpose()?,
        age_days: AGE_DAYS.read(params)?,
        active_days: ACTIVE_DAYS.read(params)?,
        sort: SORT.read(params)?,
    })
}

/// Reads the position in a list of accounts.
pub fn read_cursor(params: &QueryParams) -> Result<Option<AccountCursor>, Problem> {
    let refuse = || invalid("before", "must be the next_before of a page");
    BEFORE.read(params)?.map(|text| AccountCursor::parse(text).ok_or_else(refuse)).transpose()
}

fn parse_network(text: &str) -> Result<&str, Problem> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_label = text.len() == NETWORK_DIGITS && text.bytes().all(is_digit);
    is_label.then_some(text).ok_or_else(|| invalid("network", "must be 12 digits from 0 to f, as in a list"))
}
