//! What pixels can tell: the heat of all, and the story of one.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

use super::canvas_params::with_canvas;
use crate::app::App;
use crate::canvas::heat::{By, Heats};
use crate::chat::story;
use crate::http::Answer;
use crate::http::request::extract::Visitor;
use crate::http::request::query::Params;
use crate::http::response::negotiate::{cached, coding, not_modified};

/// One number for each pixel.
pub async fn heat(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    let choices = [("painter", By::Painter), ("age", By::Age), ("contested", By::Contested)];
    let by = Params::of(&request)?.choice("by", &choices)?.unwrap_or(By::Painter);
    let coding = coding(&request);
    if let Some(known) = not_modified(&request, coding, || Heats::tag(&app.state, by, coding)) {
        return Ok(known);
    }
    let body = app.heats.get(&app.state, by, coding).await?;
    Ok(cached(&request, &body.tag, coding, |response| {
        with_canvas(response, body.version, "application/json", body.bytes.clone())
    }))
}

/// What was said about a pixel.
pub async fn story(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    let size = app.state.snapshot(|world| world.season.size);
    let point = Params::of(&request)?.point(size)?;
    Ok(HttpResponse::Ok().json(story::story(&app.state, point).await?))
}
