//! `/admin/seasons`: opening, freezing, and appointing an end.

use actix_web::web::{Data, Path};
use askama::Template;

use super::form::ConsoleForm;
use super::frame::{ConsolePage, show};
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::seasons::{End, NewSeason};
use crate::http::response::missing::not_found;
use crate::operators::Operator;
use crate::seasons::open::{self, SeasonRequest};
use crate::seasons::{Recorded, State, freeze, read, schedule};

const HERE: &str = "/admin/seasons";

#[derive(Template)]
#[template(path = "console/seasons.html")]
struct SeasonsTemplate<'a> {
    page: ConsolePage<'a>,
    /// Newest first.
    seasons: Vec<Recorded>,
}

/// All seasons, and what can be done about the newest.
pub async fn page(app: Data<App>, operator: Operator) -> Answer {
    let page = ConsolePage { path: HERE, title: "Seasons", operator: &operator };
    show(&SeasonsTemplate { page, seasons: read::all(&app.state).await? })
}

/// Opens, freezes, lets go on, or appoints an end.
pub async fn act(form: ConsoleForm, act: Path<String>) -> Answer {
    let state = &form.app.state;
    match act.as_str() {
        "open" => {
            let NewSeason { after, title, width, height, ends_at, why } = form.read()?;
            let request = SeasonRequest { after, title, width, height, ends_at };
            open::open_next(state, &form.cause(&why)?, request).await?
        }
        "schedule" => {
            let End { ends_at, why } = form.read()?;
            schedule::reschedule(state, &form.cause(&why)?, ends_at).await?
        }
        "freeze" => freeze::freeze(state, &form.read_cause()?).await?,
        "unfreeze" => freeze::unfreeze(state, &form.read_cause()?).await?,
        _ => return Err(not_found("Seasons are opened, frozen, let go on, or given an end.")),
    };
    Ok(form.done(HERE))
}
