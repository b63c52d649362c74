//! `/admin/seasons`: opening, freezing, and appointing an end.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};

use super::frame::{Room, hidden};
use super::parts::{desk, line, moment, order, row, table, then, until, why};
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::seasons;
use crate::http::request::auth_operator::Filled;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::http::web::markup::escape;
use crate::operators::Operator;
use crate::seasons::{Recorded, State, read};

const HERE: &str = "/admin/seasons";

/// All seasons, and what can be done about the newest.
pub async fn page(app: Data<App>, operator: Operator) -> Answer {
    let all = read::all(&app.state).await?;
    let acts = all.first().map(|newest| acts(&operator, newest)).unwrap_or_default();
    let body = format!(
        "<div class=\"acts\">{acts}</div>{}",
        table(&["Season", "Size", "State", "Opened", "Ends"], all.iter().map(entry), "There is no season.")
    );
    Ok(Room { path: HERE, title: "Seasons", body }.show(&operator))
}

fn acts(operator: &Operator, newest: &Recorded) -> String {
    let act = |act: &str, button: &str, fields: &str| {
        let form = desk(operator, &format!("{HERE}/{act}"), &format!("{fields}{}", why(act)), button);
        format!("<details><summary>{button}</summary>{form}</details>")
    };
    let side = "type=\"number\" min=\"8\" max=\"4096\" step=\"1\"";
    let open = [
        hidden("after", &newest.number.to_string()),
        "<p>The canvas that is there is kept as it is, and a blank one begins.</p>".to_owned(),
        line("open", "title", "Its title; its number if empty", "maxlength=\"60\" autocomplete=\"off\""),
        line("open", "width", "Width; as set if empty", side),
        line("open", "height", "Height; as set if empty", side),
        until("open", "ends_at", "Ends (UTC); nobody knows yet if empty"),
    ];
    let open = act("open", "Open the next season", &open.concat());
    let now = match newest.state {
        State::Played => {
            let end = until("schedule", "ends_at", "Ends (UTC); no appointed end if empty");
            format!("{}{}", act("schedule", "Appoint its end", &end), act("freeze", "Freeze it now", ""))
        }
        _ => act("unfreeze", "Let it go on", ""),
    };
    format!("{now}{open}")
}

fn entry(season: &Recorded) -> String {
    let state = match season.state {
        State::Played => "played",
        State::Frozen => "frozen",
        State::Archived => "kept",
    };
    let cells = [
        format!("{} × {}", season.width, season.height),
        state.to_owned(),
        moment(season.opened_at),
        season.ends_at.map(moment).unwrap_or_default(),
    ];
    row(&escape(&season.title), &cells)
}

/// Opens, freezes, lets go on, or appoints an end.
pub async fn act(
    request: HttpRequest,
    app: Data<App>,
    operator: Operator,
    filled: Filled,
    act: Path<String>,
) -> Answer {
    let done = match act.as_str() {
        "open" => seasons::new(app, order(operator, &filled)?).await,
        "freeze" => seasons::freeze(app, order(operator, &filled)?).await,
        "unfreeze" => seasons::unfreeze(app, order(operator, &filled)?).await,
        "schedule" => seasons::schedule(app, order(operator, &filled)?).await,
        _ => Err(Problem::new(Code::NotFound, "Seasons are opened, frozen, let go on, or given an end.")),
    };
    then(done, &request, HERE)
}
