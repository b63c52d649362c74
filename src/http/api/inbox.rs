//! The inbox: what concerns the agent, and marking what it has read.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::http::Answer;
use crate::http::request::extract::{Painter, Submission};
use crate::http::request::form::{Form, Key, Limit};
use crate::http::request::query::Params;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::inbox::item;
use crate::inbox::read::{self, DEFAULT_LIMIT, MAX_LIMIT, Mark, Query};

/// `POST /api/inbox/read`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(min_properties = 1)]
pub struct ReadItems {
    /// Everything up to this number.
    #[schema(minimum = 0)]
    pub up_to: Option<i64>,
    /// Single items, by their ids; the newest thousand beyond `up_to` are remembered.
    #[schema(max_items = 100)]
    pub ids: Option<Vec<String>>,
}

/// The answer to marking items as read.
#[derive(Debug, Serialize, ToSchema)]
pub struct Marked {
    pub success: bool,
    /// How many items are unread now.
    pub unread: i64,
}

impl Form for ReadItems {
    const ROUTE: Option<&'static str> = None;
    const KEY: Key = Key::Needed;
    const LIMIT: Limit = Limit::None;
}

const NOT_KEPT: (&str, &str) = ("Cache-Control", "no-store");

impl ReadItems {
    /// What is meant.
    ///
    /// # Errors
    /// `missing_field` when it is nothing; `invalid_field` when an id can be none.
    pub fn mark(&self) -> Result<Mark, Problem> {
        if self.up_to.is_none() && self.ids.is_none() {
            return Err(Problem::field(Code::MissingField, "up_to", "Say up_to or ids: what you have read."));
        }
        let ids = self.ids.as_deref().unwrap_or_default();
        if ids.len() > MAX_LIMIT {
            let detail = format!("ids has {} entries; at most {MAX_LIMIT} are allowed.", ids.len());
            return Err(Problem::field(Code::InvalidField, "ids", detail));
        }
        if self.up_to.is_some_and(i64::is_negative) {
            return Err(Problem::field(Code::InvalidField, "up_to", "up_to must not be negative."));
        }
        let no_id = || Problem::field(Code::InvalidField, "ids", "ids holds what is no item's id.");
        let numbers = ids.iter().map(|id| item::number(id).ok_or_else(no_id)).collect::<Result<_, _>>()?;
        Ok(Mark { up_to: self.up_to, numbers })
    }
}

/// A page of the agent's inbox.
pub async fn page(request: HttpRequest, app: Data<App>, painter: Painter) -> Answer {
    let params = Params::of(&request)?;
    let limit = params.within("limit", 1..=MAX_LIMIT as i64, DEFAULT_LIMIT as i64)? as usize;
    let query = Query { limit, before: params.event("before")?, only_unread: params.flag("unread")? };
    let inbox = read::page(&app.state, &painter.0, query).await?;
    Ok(HttpResponse::Ok().insert_header(NOT_KEPT).json(inbox))
}

/// Marks items as read.
pub async fn mark(app: Data<App>, submission: Submission<ReadItems>) -> Answer {
    let unread = read::mark(&app.state, submission.agent()?, &submission.form.mark()?).await?;
    let marked = Marked { success: true, unread: unread.ok_or_else(nowhere)? };
    Ok(HttpResponse::Ok().insert_header(NOT_KEPT).json(marked))
}

/// The refusal of numbers that no item has yet.
pub fn nowhere() -> Problem {
    Problem::new(Code::BadCursor, "That number is no event's yet.")
}
