//! `/admin/keys`: keys with which programs operate.

use std::fmt::Write as _;

use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};

use super::frame::{Room, csrf, lead};
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::keys::{check_name, no_such_key};
use crate::http::request::auth_operator::Filled;
use crate::http::web::markup::escape;
use crate::http::web::pages::words::ago;
use crate::operators::keys::{self, NewOperatorKey};
use crate::operators::{Operator, OperatorKey};

const HERE: &str = "/admin/keys";

/// All keys.
pub async fn page(app: Data<App>, operator: Operator) -> Answer {
    show(&app, &operator, None).await
}

/// Makes a key and shows it, this once.
pub async fn new(app: Data<App>, operator: Operator, Filled(fields): Filled) -> Answer {
    let name = fields.text("name")?.unwrap_or_default();
    check_name(name)?;
    let key = keys::new(&app.state, &operator, name).await?;
    show(&app, &operator, Some(&key)).await
}

/// Ends a key.
pub async fn revoke(app: Data<App>, operator: Operator, id: Path<String>) -> Answer {
    if !keys::revoke(&app.state, &operator, &id).await? {
        return Err(no_such_key());
    }
    Ok(lead(HERE).finish())
}

async fn show(app: &App, operator: &Operator, new: Option<&NewOperatorKey>) -> Answer {
    let (keys, now) = (keys::list(&app.state).await?, app.state.clock.now());
    let mut body = String::new();
    if let Some(NewOperatorKey { name, api_key, .. }) = new {
        let _ = write!(
            body,
            "<div role=\"status\"><p>This is the key for {}. It is shown only now.</p><p><code>{api_key}</code></p></div>",
            escape(name)
        );
    }
    let _ = write!(
        body,
        "<form class=\"fields\" method=\"post\" action=\"{HERE}\">{}<label for=\"name\">A new key, for what</label>\
         <input id=\"name\" name=\"name\" required maxlength=\"64\" autocomplete=\"off\"><button>Make it</button></form>",
        csrf(operator)
    );
    let rows: String = keys.iter().map(|key| row(key, operator, now)).collect();
    if rows.is_empty() {
        body.push_str("<p class=\"none\">There is no key yet.</p>");
    } else {
        let _ = write!(
            body,
            "<table class=\"list\"><thead><tr><th scope=\"col\">For</th><th scope=\"col\">Made</th>\
             <th scope=\"col\">Last used</th><th scope=\"col\">State</th></tr></thead><tbody>{rows}</tbody></table>"
        );
    }
    Ok(Room { path: HERE, title: "Keys", body }.show(operator))
}

fn row(key: &OperatorKey, operator: &Operator, now: DateTime<Utc>) -> String {
    let time = |at: Option<DateTime<Utc>>| at.map_or_else(|| "never".to_owned(), |at| ago(at, now));
    let name = escape(&key.name);
    let state = match key.revoked_at {
        Some(at) => format!("revoked {}", ago(at, now)),
        None => format!(
            "<form method=\"post\" action=\"{HERE}/{}/revoke\">{}<button>Revoke<span class=\"sr-only\"> {name}</span></button></form>",
            key.id,
            csrf(operator)
        ),
    };
    format!(
        "<tr><th scope=\"row\">{name}</th><td>{}</td><td>{}</td><td>{state}</td></tr>",
        time(Some(key.created_at)),
        time(key.used_at)
    )
}
