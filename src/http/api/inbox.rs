//! The inbox: what concerns the agent, and marking what it has read.

use actix_web::HttpRequest;
use actix_web::web::Data;

use crate::app::App;
use crate::http::Answer;
use crate::http::request::extract::{Painter, Submission};
use crate::http::request::form::Form;
use crate::http::request::query::Params;
use crate::http::response::private::private_json;
use crate::inbox::read::{self, DEFAULT_LIMIT, MAX_LIMIT, Query, ReadItems};

impl Form for ReadItems {}

/// A page of the agent's inbox.
pub async fn page(request: HttpRequest, app: Data<App>, painter: Painter) -> Answer {
    let params = Params::of(&request)?;
    let limit = params.within("limit", 1..=MAX_LIMIT as i64, DEFAULT_LIMIT as i64)? as usize;
    let query = Query { limit, before: params.event("before")?, only_unread: params.flag("unread")? };
    Ok(private_json(read::page(&app.state, &painter.0, query).await?))
}

/// Marks items as read.
pub async fn mark(app: Data<App>, submission: Submission<ReadItems>) -> Answer {
    Ok(private_json(read::mark(&app.state, submission.agent()?, &submission.form).await?))
}
