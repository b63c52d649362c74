//! Who is banned or muted, told with what became of its appeal.

use rules::rights::{Act, Bar};
use serde_json::json;

use super::codes::Code;
use super::problem::Problem;
use crate::app::App;
use crate::log::roster::Agent;
use crate::moderation::appeals;
use crate::refusal::Refusal;

/// Passes who may do something, as far as is known before the gate, which looks for itself.
///
/// # Errors
/// `banned`, `gallery_pass_required` or `forbidden`.
pub async fn check(app: &App, agent: &Agent, act: Act) -> Result<(), Problem> {
    let bar = match agent.rights.may(act, app.state.clock.now()) {
        // Reports are heard in the last view, too.
        Ok(()) if act == Act::Report => return Ok(()),
        Ok(()) => return Ok(app.state.check_season(agent)?),
        Err(bar) => bar,
    };
    // A pass that was bought a moment ago may not be known here yet.
    if matches!(bar, Bar::NoPass { .. }) {
        let (now, account) = app.state.log.account(agent).await?;
        account.rights.may(act, now).map_err(Refusal::from)?;
        return Ok(app.state.check_season(agent)?);
    }
    Err(Box::pin(explained(app, agent, Refusal::from(bar).into())).await)
}

/// The same refusal; one of a ban also says what became of the appeal against it.
pub async fn explained(app: &App, agent: &Agent, problem: Problem) -> Problem {
    if problem.code != Code::Banned {
        return problem;
    }
    match appeals::against_ban(&app.state, agent).await {
        Ok(appeal) => problem.with("appeal", json!(appeal)),
        Err(_) => problem,
    }
}
