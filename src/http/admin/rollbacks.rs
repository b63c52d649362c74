//! `/api/admin/rollbacks`: what a painter or a part of the canvas did between two moments, undone and done again.

use actix_web::web::{self, Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use rules::grid::Corners;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::NEVER_STORED;
use super::order::{WhyOrder, cause};
use crate::agents::holder;
use crate::app::App;
use crate::http::Answer;
use crate::http::api::canvas::scale;
use crate::http::api::past::newest_at;
use crate::http::request::auth_operator::Order as Ordered;
use crate::http::request::query;
use crate::http::request::query::{Params, still_to_come};
use crate::http::request::strict_json;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::moderation::rollback::preview::{Preview, preview};
use crate::moderation::rollback::{self, Order, Rollback};
use crate::operators::Operator;
use crate::past::moment::Moment;
use crate::refusal::Refusal;
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

/// What is to be rolled back, as it is asked for.
struct Wanted<'a> {
    agent_id: Option<&'a str>,
    region: Option<Corners>,
    from: Moment,
    to: Option<Moment>,
}

/// The newest ones.
pub async fn list(request: HttpRequest, app: Data<App>) -> Answer {
    let limit = Params::of(&request)?.within("limit", 1..=MOST, USUAL)?;
    let rollbacks = rollback::newest(&app.state, limit).await?;
    Ok(HttpResponse::Ok().insert_header(NEVER_STORED).json(Rollbacks { rollbacks }))
}

/// One, with how far it has come.
pub async fn look(app: Data<App>, id: Path<String>) -> Answer {
    let found = rollback::look_up(&app.state, &id).await?.ok_or_else(nowhere)?;
    Ok(HttpResponse::Ok().insert_header(NEVER_STORED).json(found))
}

/// How much a rollback would change.
pub async fn outlook(request: HttpRequest, app: Data<App>) -> Answer {
    let Preview { placements, pixels, .. } = asked(&request, &app).await?;
    Ok(HttpResponse::Ok().insert_header(NEVER_STORED).json(Outlook { placements, pixels }))
}

/// The canvas as a rollback would leave it.
pub async fn picture(request: HttpRequest, app: Data<App>) -> Answer {
    let scale = scale(&request, app.state.snapshot(|world| world.season.size))?;
    let after = asked(&request, &app).await?.after;
    let drawn = web::block(move || after.png(scale)).await;
    let png = drawn.ok().and_then(Result::ok).ok_or(Refusal::Overloaded)?;
    Ok(HttpResponse::Ok().insert_header(NEVER_STORED).content_type("image/png").body(png))
}

/// Begins one.
pub async fn begin(app: Data<App>, ordered: Ordered<RollbackOrder>) -> Answer {
    let Ordered { operator, form } = ordered;
    let from = query::moment("from", &form.from)?;
    let to = form.to.as_deref().map(|to| query::moment("to", to)).transpose()?;
    let wanted = Wanted { agent_id: form.agent_id.as_deref(), region: form.region, from, to };
    let begun = wanted.begin(&app, &operator, &form.why).await?;
    Ok(HttpResponse::Created().insert_header(NEVER_STORED).json(begun))
}

/// Begins what a form of the console says.
///
/// # Errors
/// Why it was not begun.
pub async fn begin_as(app: &App, operator: &Operator, fields: &Params) -> Result<Rollback, Problem> {
    Wanted::of(fields, app)?.begin(app, operator, fields.text("why")?.unwrap_or_default()).await
}

/// Undoes one.
pub async fn undo(app: Data<App>, ordered: Ordered<WhyOrder>, id: Path<String>) -> Answer {
    let Ordered { operator, form } = ordered;
    let cause = cause(&operator, &form.why)?;
    let undone = rollback::undo(&app.state, &id, &cause).await?.ok_or_else(nowhere)?;
    Ok(HttpResponse::Ok().insert_header(NEVER_STORED).json(undone))
}

async fn asked(request: &HttpRequest, app: &App) -> Result<Preview, Problem> {
    foresee(&Params::of(request)?, app).await
}

/// What would be done.
///
/// # Errors
/// Why it cannot be.
pub async fn foresee(params: &Params, app: &App) -> Result<Preview, Problem> {
    Ok(preview(&app.state, &Wanted::of(params, app)?.order(app).await?).await?)
}

impl<'a> Wanted<'a> {
    fn of(params: &'a Params, app: &App) -> Result<Self, Problem> {
        let size = app.state.snapshot(|world| world.season.size);
        let missing = || Problem::field(Code::MissingField, "from", "The parameter from is missing.");
        let region = params.any_corner().then(|| params.rect(size)).transpose()?;
        Ok(Self {
            agent_id: params.text("agent_id")?,
            region: region.map(|rect| rect.corners()),
            from: params.moment("from")?.ok_or_else(missing)?,
            to: params.moment("to")?,
        })
    }

    async fn begin(&self, app: &App, operator: &Operator, why: &str) -> Result<Rollback, Problem> {
        let cause = cause(operator, why)?;
        Ok(rollback::begin(&app.state, &self.order(app).await?, &cause).await?)
    }
}

impl Wanted<'_> {
    /// Checked against the season that is played.
    async fn order(&self, app: &App) -> Result<Order, Problem> {
        if self.agent_id.is_none() && self.region.is_none() {
            let detail = "Name an agent_id, a region, or both: nobody means the whole canvas by accident.";
            return Err(Problem::field(Code::MissingField, "agent_id", detail));
        }
        let (size, opening) = app.state.snapshot(|world| (world.season.size, world.season.seq));
        let rect = self.region.map(|corners| query::rect(size, corners)).transpose()?;
        let agent = match self.agent_id {
            Some(id) => Some(holder::by_id(&app.state, id).await?.ok_or_else(nobody)?.no),
            None => None,
        };
        let from = app.past.oldest_from(self.from).await?.ok_or_else(|| still_to_come("from"))?;
        let upto = match self.to {
            Some(to) => newest_at(app, "to", to).await?,
            None => app.past.head(),
        };
        let after = (from - 1).max(opening);
        if after >= upto {
            return Err(query::invalid("to", "must be a moment of this season, and not before from"));
        }
        Ok(Order { agent, rect: rect.unwrap_or(size.whole()), after, upto })
    }
}

fn nobody() -> Problem {
    Problem::field(Code::NotFound, "agent_id", "Nobody has this id.")
}

/// The refusal to look at what is not there.
pub fn nowhere() -> Problem {
    Problem::new(Code::NotFound, "There is no such rollback, or it is undone, or its season is over.")
}
