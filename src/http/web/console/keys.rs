//! `/admin/keys`: keys with which programs operate.

use actix_web::web::{Data, Path};
use askama::Template;
use chrono::{DateTime, Utc};

use super::form::ConsoleForm;
use super::frame::{ConsolePage, redirect, show};
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::keys::KeyOrder;
use crate::http::response::missing::no_key;
use crate::operators::keys::{self, NewOperatorKey};
use crate::operators::{Operator, OperatorKey};

const HERE: &str = "/admin/keys";

#[derive(Template)]
#[template(path = "console/keys.html")]
struct KeysTemplate<'a> {
    page: ConsolePage<'a>,
    /// The key that was just made: it is shown this once.
    new: Option<NewOperatorKey>,
    keys: Vec<OperatorKey>,
    now: DateTime<Utc>,
}

/// All keys.
pub async fn page(app: Data<App>, operator: Operator) -> Answer {
    show_keys(&app, &operator, None).await
}

/// Makes a key and shows it, this once.
pub async fn new(form: ConsoleForm) -> Answer {
    let KeyOrder { name } = form.read()?;
    let key = keys::new(&form.app.state, &form.operator, &name).await?;
    show_keys(&form.app, &form.operator, Some(key)).await
}

/// Ends a key.
pub async fn revoke(app: Data<App>, operator: Operator, id: Path<String>) -> Answer {
    if !keys::revoke(&app.state, &operator, &id).await? {
        return Err(no_key());
    }
    Ok(redirect(HERE).finish())
}

async fn show_keys(app: &App, operator: &Operator, new: Option<NewOperatorKey>) -> Answer {
    let page = ConsolePage { path: HERE, title: "Keys", operator };
    let (keys, now) = (keys::list(&app.state).await?, app.state.clock.now());
    show(&KeysTemplate { page, new, keys, now })
}
