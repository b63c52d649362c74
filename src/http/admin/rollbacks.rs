//! `/api/admin/rollbacks`: what a painter or a part of the canvas did between two moments, undone and done again.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use rules::grid::Corners;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::order::WhyOrder;
use crate::app::App;
use crate::concurrency::run_blocking;
use crate::http::Answer;
use crate::http::api::canvas_params::scale;
use crate::http::request::auth_operator::Order as Ordered;
use crate::http::request::query;
use crate::http::request::query::Params;
use crate::http::response::missing::no_rollback;
use crate::http::response::private::{private, private_created, private_json};
use crate::http::response::problem::Problem;
use crate::input;
use crate::input::strict_json;
use crate::moderation::Cause;
use crate::moderation::rollback::plan::{RollbackRequest, plan};
use crate::moderation::rollback::preview::{Preview, preview};
use crate::moderation::rollback::{self, Rollback};
use crate::schema::CornersSchema;

/// How many rollbacks are listed at most, and when nobody says otherwise.
const MOST: i64 = 200;
const USUAL: i64 = 50;

/// `POST /api/admin/rollbacks`: `agent_id`, `region` or both say what.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollbackOrder {
    /// Whose placements; anyone's in the region by default.
    pub agent_id: Option<String>,
    /// Where, inclusive; the whole canvas by default.
    #[serde(default, deserialize_with = "strict_json::optional")]
    #[schema(value_type = Option<CornersSchema>)]
    pub region: Option<Corners>,
    /// The first moment: an event's number, or a time.
    pub from: String,
    /// The last moment; now by default.
    pub to: Option<String>,
    /// For the audit log.
    #[schema(min_length = 1)]
    pub why: String,
}

/// The newest rollbacks, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Rollbacks {
    pub rollbacks: Vec<Rollback>,
}

/// What a rollback would do.
#[derive(Debug, Serialize, ToSchema)]
pub struct Outlook {
    /// How many placements it would strike.
    pub placements: usize,
    /// How many pixels would change.
    pub pixels: usize,
}

/// The newest ones.
pub async fn list(request: HttpRequest, app: Data<App>) -> Answer {
    let limit = Params::of(&request)?.within("limit", 1..=MOST, USUAL)?;
    let rollbacks = rollback::newest(&app.state, limit).await?;
    Ok(private_json(Rollbacks { rollbacks }))
}

/// One, with how far it has come.
pub async fn look(app: Data<App>, id: Path<String>) -> Answer {
    Ok(private_json(rollback::look_up(&app.state, &id).await?.ok_or_else(no_rollback)?))
}

/// How much a rollback would change.
pub async fn outlook(request: HttpRequest, app: Data<App>) -> Answer {
    let Preview { placements, pixels, .. } = asked(&request, &app).await?;
    Ok(private_json(Outlook { placements, pixels }))
}

/// The canvas as a rollback would leave it.
pub async fn picture(request: HttpRequest, app: Data<App>) -> Answer {
    let scale = scale(&request, app.state.snapshot(|world| world.season.size))?;
    let after = asked(&request, &app).await?.after;
    let png = run_blocking("drawing a rollback", move || after.png(scale)).await?;
    Ok(private(HttpResponse::Ok()).content_type("image/png").body(png))
}

/// Begins one.
pub async fn begin(app: Data<App>, ordered: Ordered<RollbackOrder>) -> Answer {
    let Ordered { operator, form: RollbackOrder { agent_id, region, from, to, why } } = ordered;
    let size = app.state.snapshot(|world| world.season.size);
    let request = RollbackRequest {
        agent_id,
        region: region.map(|corners| input::rect(size, corners)).transpose()?,
        from: query::moment("from", &from)?,
        to: to.as_deref().map(|to| query::moment("to", to)).transpose()?,
    };
    let cause = Cause::new(&operator.name, &why)?;
    let begun = rollback::begin(&app.state, &plan(&app.state, &app.past, &request).await?, &cause).await?;
    Ok(private_created(begun))
}

/// Undoes one.
pub async fn undo(app: Data<App>, ordered: Ordered<WhyOrder>, id: Path<String>) -> Answer {
    let cause = Cause::new(&ordered.operator.name, &ordered.form.why)?;
    Ok(private_json(rollback::undo(&app.state, &id, &cause).await?.ok_or_else(no_rollback)?))
}

async fn asked(request: &HttpRequest, app: &App) -> Result<Preview, Problem> {
    let request = Params::of(request)?.rollback(app.state.snapshot(|world| world.season.size))?;
    Ok(preview(&app.state, &plan(&app.state, &app.past, &request).await?).await?)
}
