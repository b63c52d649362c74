//! `/admin/passes`: who may speak, given and taken away.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};

use super::frame::Room;
use super::parts::{desk, end, holder, line, order, row, table, then, until, why};
use crate::app::App;
use crate::gallery::gifts;
use crate::gallery::passes::{Granted, Holder};
use crate::http::Answer;
use crate::http::admin::passes;
use crate::http::request::auth_operator::Filled;
use crate::http::web::markup::escape;
use crate::operators::Operator;

const HERE: &str = "/admin/passes";
/// How many are shown.
const SHOWN: i64 = 200;

/// Everyone who has or had one.
pub async fn page(app: Data<App>, operator: Operator) -> Answer {
    show(&app, &operator, None).await
}

/// Gives one; a new viewer's key is shown this once.
pub async fn grant(app: Data<App>, operator: Operator, filled: Filled) -> Answer {
    let granted = passes::give(&app, order(operator.clone(), &filled)?).await?;
    show(&app, &operator, Some(&granted)).await
}

/// Takes one away.
pub async fn revoke(
    request: HttpRequest,
    app: Data<App>,
    operator: Operator,
    filled: Filled,
    id: Path<String>,
) -> Answer {
    then(passes::revoke(app, order(operator, &filled)?, id).await, &request, HERE)
}

async fn show(app: &App, operator: &Operator, granted: Option<&Granted>) -> Answer {
    let told = granted.map_or_else(String::new, |Granted { id, key }| {
        let key = key.as_ref().map_or_else(String::new, |key| {
            format!("<p>This is its key. It is shown only now.</p><p><code>{}</code></p>", escape(key))
        });
        format!("<div role=\"status\"><p>{} may speak.</p>{key}</div>", holder(id, id))
    });
    let tier = "<label for=\"grant-tier\">Which</label><select id=\"grant-tier\" name=\"tier\">\
         <option value=\"gallery\">Gallery Pass</option><option value=\"patron\">Patron</option></select>";
    let fields = [
        tier.to_owned(),
        line("grant", "viewer_id", "Whose: a viewer’s id; somebody new if empty", "autocomplete=\"off\""),
        line(
            "grant",
            "email",
            "Where a lost key is sent to",
            "type=\"email\" autocomplete=\"off\" maxlength=\"254\"",
        ),
        until("grant", "until", "Until (UTC); for ever if empty"),
        why("grant"),
    ];
    let give = desk(operator, HERE, &fields.concat(), "Give it");
    let holders = gifts::holders(&app.state, SHOWN).await?;
    let rows = holders.iter().map(|one| entry(operator, one));
    let body = format!(
        "{told}<details><summary>Give a pass</summary>{give}</details>{}",
        table(&["Who", "May speak", "How", "Take away"], rows, "Nobody has a pass yet.")
    );
    Ok(Room { path: HERE, title: "Passes", body }.show(operator))
}

fn entry(operator: &Operator, one: &Holder) -> String {
    let id = &one.id;
    let speaks = one.pass_until.map_or_else(|| "no".to_owned(), end);
    let how = match (one.revoked, one.pays) {
        (true, _) => "taken away",
        (_, true) => "paid",
        _ => "given",
    };
    let take = if one.pass_until.is_none() {
        String::new()
    } else {
        let form = desk(operator, &format!("{HERE}/{id}/revoke"), &why(id), "Take it away");
        format!("<details><summary>Take it away</summary>{form}</details>")
    };
    row(&holder(id, &one.name), &[speaks, how.to_owned(), take])
}
