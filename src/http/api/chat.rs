//! The chat: reading, speaking and reacting.

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, VARY};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use chrono::TimeDelta;
use rules::ids::MessageId;
use rules::message::MessageType;

use super::past;
use crate::app::App;
use crate::chat::new_message::{NewMessage, NewMessageType};
use crate::chat::read::{self, DEFAULT_LIMIT, MAX_LIMIT, Query, Until};
use crate::chat::{react, say, shadow, unread};
use crate::coding::Coding;
use crate::http::Answer;
use crate::http::request::address;
use crate::http::request::authentication::show;
use crate::http::request::extract::{ChatOpen, Painter, Submission, Visitor, created};
use crate::http::request::form::{Form, Limit, Whose};
use crate::http::request::query::Params;
use crate::http::request::rate_limits::Gauge;
use crate::http::response::codes::Code;
use crate::http::response::negotiate::coding;
use crate::http::response::private::{private, private_json};
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::log::deed::Outcome;

impl Form for NewMessage {
    const ROUTE: Option<&'static str> = Some("POST /api/chat");
    const LIMIT: Limit = Limit::Messages;
    const WHOSE: Whose = Whose::Both;
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A page of messages with the digest.
pub async fn page(request: HttpRequest, app: Data<App>, _: ChatOpen, visitor: Visitor) -> Answer {
    let params = Params::of(&request)?;
    let limit = params.within("limit", 1..=MAX_LIMIT as i64, DEFAULT_LIMIT as i64)? as usize;
    let query = Query {
        limit,
        before: cursor(&params)?,
        since: params.time("since")?,
        until: until(&params, &app).await?,
    };
    if let Some(author) = visitor.0.filter(|caller| caller.rights.shadowed) {
        let page = shadow::page(&app.state, &author, &query).await?.ok_or_else(bad_cursor)?;
        return Ok(private_json(page));
    }
    if limit == DEFAULT_LIMIT && query.before.is_none() && query.since.is_none() && query.until.is_none() {
        return front_page(&request, &app).await;
    }
    let page = read::page(&app.state, &query).await?.ok_or_else(bad_cursor)?;
    Ok(private_json(page))
}

async fn until(params: &Params, app: &App) -> Result<Option<Until>, Problem> {
    let Some(moment) = params.moment("at")? else { return Ok(None) };
    let seq = past::newest_at(app, "at", moment).await?;
    Ok(Some(Until { seq, opening: app.past.season(seq).await?.seq }))
}

fn cursor(params: &Params) -> Result<Option<MessageId>, Problem> {
    let parse = |text| MessageId::parse(text).ok_or_else(bad_cursor);
    params.text("before")?.map(parse).transpose()
}

fn bad_cursor() -> Problem {
    Problem::field(Code::BadCursor, "before", "before names no message of this chat.")
}

async fn front_page(request: &HttpRequest, app: &App) -> Answer {
    let coding = coding(request);
    let body = app.front_page.json(&app.state, coding).await?;
    let mut response = private(HttpResponse::Ok());
    response.insert_header((VARY, HeaderValue::from_static("Accept-Encoding")));
    if coding != Coding::Identity {
        response.insert_header((CONTENT_ENCODING, coding.name()));
    }
    response.insert_header((CONTENT_TYPE, JSON));
    Ok(response.body(body))
}

/// The digest alone.
pub async fn digest(app: Data<App>, _: ChatOpen, visitor: Visitor) -> Answer {
    if let Some(author) = visitor.0.filter(|caller| caller.rights.shadowed) {
        return Ok(private_json(shadow::digest(&app.state, &author).await?));
    }
    let body = app.front_page.digest_json(&app.state).await?;
    Ok(private(HttpResponse::Ok()).insert_header((CONTENT_TYPE, JSON)).body(body))
}

/// What the agent has not read yet.
pub async fn unread(request: HttpRequest, app: Data<App>, _: ChatOpen, painter: Painter) -> Answer {
    let params = Params::of(&request)?;
    let limit = params.within("limit", 1..=MAX_LIMIT as i64, DEFAULT_LIMIT as i64)? as usize;
    let ack = params.event("ack")?;
    let page = unread::page(&app.state, &painter.0, limit, ack).await?;
    Ok(private_json(page))
}

/// Says something, or reacts.
pub async fn post(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    _: ChatOpen,
    submission: Submission<NewMessage>,
) -> Answer {
    if let Some(answer) = submission.replay() {
        return Ok(answer);
    }
    let form = &submission.form;
    match form.kind.unwrap_or_default() {
        NewMessageType::Reaction => {
            let reaction = react::draft(&app.state, submission.agent()?, form).await?;
            created(submission.perform(&app, reaction).await?)
        }
        NewMessageType::Message => say(request, app, door, &submission, MessageType::Message).await,
        NewMessageType::Intent => say(request, app, door, &submission, MessageType::Intent).await,
    }
}

async fn say(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    submission: &Submission<NewMessage>,
    kind: MessageType,
) -> Answer {
    let address = address::of(&request, &door.trusted_proxies);
    let speaking = (&*app.state, &app.filters, &app.address_limiter);
    let say = say::draft(speaking, submission.agent()?, address, &submission.form, kind).await?;
    let interval = app.state.game().interval_of(&submission.agent()?.rights);
    let outcome = submission.perform(&app, say).await.inspect_err(|problem| {
        if problem.code == Code::TooManyMessages {
            let wait = TimeDelta::seconds(problem.seconds_to_wait());
            show(&request, Gauge::messages(interval, Some((0, wait))));
        }
    })?;
    if matches!(outcome, Outcome::Fresh(_)) {
        show(&request, Gauge::messages(interval, Some((0, interval))));
    }
    created(outcome)
}
