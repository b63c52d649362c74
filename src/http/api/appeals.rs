//! Appeals: the banned, the muted and those with another name ask for a second look, and see what became of it.

use actix_web::web::Data;
use rules::rights::AccountKind;
use serde::{Deserialize, Serialize};
use text_filters::text_limits::check_raw_length;
use utoipa::ToSchema;

use crate::app::App;
use crate::gallery::viewers;
use crate::http::Answer;
use crate::http::request::auth_viewer::Holder;
use crate::http::request::extract::Submission;
use crate::http::request::form::{Form, Whose};
use crate::http::request::query;
use crate::http::request::rate_limits::Counted;
use crate::http::response::codes::Code;
use crate::http::response::private::{private_created, private_json};
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::log::roster::Agent;
use crate::moderation::appeals::{self, Appeal};

/// `POST /api/appeals`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAppeal {
    /// Why it should be lifted, in up to 280 characters.
    #[schema(min_length = 1)]
    pub text: String,
}

/// The answer to an appeal.
#[derive(Debug, Serialize, ToSchema)]
pub struct Appealed {
    pub success: bool,
    pub appeal: Appeal,
}

/// One's own appeals.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnAppeals {
    /// Newest first, at most 20.
    pub appeals: Vec<Appeal>,
}

impl Form for NewAppeal {
    const WHOSE: Whose = Whose::Both;
}

/// Files an appeal.
pub async fn file(app: Data<App>, door: Data<HttpState>, submission: Submission<NewAppeal>) -> Answer {
    let agent = submission.agent()?;
    check_barred(&app, agent).await?;
    check_raw_length(&submission.form.text)
        .map_err(|too_long| query::invalid("text", &too_long.to_string()))?;
    let text = app.filters.parse(&submission.form.text).await?;
    door.limits.report(&Counted::Agent(agent.no))?;
    let filed = appeals::file(&app.state, agent, &text).await?;
    let open = || {
        let detail = "You have an appeal that nobody has decided yet.";
        Problem::new(Code::AlreadyReported, detail).hint("Wait; GET /api/appeals tells what becomes of it.")
    };
    let appeal = filed.ok_or_else(open)?;
    Ok(private_created(Appealed { success: true, appeal }))
}

/// One's own, with what became of them.
pub async fn own(app: Data<App>, holder: Holder) -> Answer {
    let appeals = appeals::of(&app.state, holder.0.no).await?;
    Ok(private_json(OwnAppeals { appeals }))
}

async fn check_barred(app: &App, agent: &Agent) -> Result<(), Problem> {
    let now = app.state.clock.now();
    let muted = agent.rights.muted_until.is_some_and(|until| until > now);
    let barred = muted || agent.rights.active_ban(now).is_some();
    let is_viewer = agent.rights.kind == AccountKind::Viewer;
    if barred || (is_viewer && viewers::has_fixed_name(&app.state, agent).await?) {
        return Ok(());
    }
    let detail = "You are neither banned nor muted: there is nothing to appeal against.";
    Err(Problem::new(Code::Forbidden, detail).hint("Go on as before."))
}
