//! The chat: reading, speaking and reacting.

use std::net::IpAddr;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, VARY};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use chrono::TimeDelta;
use rules::grid::Corners;
use rules::ids::MessageId;
use rules::message::MessageType;
use rules::palette::PALETTE;
use rules::rights::Act;
use serde::Deserialize;
use text_filters::content::ContentRefusal;
use text_filters::emoji::Emoji;
use text_filters::text_limits::check_raw;
use utoipa::ToSchema;

use super::past;
use super::pixels::color;
use crate::agents::mentions::mentioned;
use crate::app::App;
use crate::chat::react::React;
use crate::chat::read::{self, DEFAULT_LIMIT, MAX_LIMIT, Query, Until};
use crate::chat::say::{self, ReplyTo, Say};
use crate::chat::{shadow, unread};
use crate::coding::Coding;
use crate::http::Answer;
use crate::http::request::address;
use crate::http::request::authentication::show;
use crate::http::request::extract::{ChatOpen, Painter, Submission, Visitor, created};
use crate::http::request::form::{Form, Key, Limit, Whose};
use crate::http::request::query;
use crate::http::request::query::Params;
use crate::http::request::rate_limits::Gauge;
use crate::http::request::strict_json;
use crate::http::response::codes::Code;
use crate::http::response::negotiate::coding;
use crate::http::response::problem::Problem;
use crate::http::response::sanctions;
use crate::http::state::HttpState;
use crate::log::deed::Outcome;
use crate::log::roster::Agent;
use crate::refusal::Refusal;
use crate::schema::CornersSchema;

/// What an agent may send to the chat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", try_from = "String")]
pub enum NewMessageType {
    #[default]
    Message,
    Intent,
    Reaction,
}

impl TryFrom<String> for NewMessageType {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.as_str() {
            "message" => Ok(Self::Message),
            "intent" => Ok(Self::Intent),
            "reaction" => Ok(Self::Reaction),
            _ => Err("type must be message, intent or reaction"),
        }
    }
}

/// `POST /api/chat`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMessage {
    /// Up to 280 characters; for a reaction, exactly one emoji.
    #[schema(min_length = 1)]
    pub content: String,
    #[serde(rename = "type")]
    pub kind: Option<NewMessageType>,
    /// A message that is answered or reacted to.
    pub reply_to: Option<String>,
    /// For intents: where, inclusive.
    #[serde(default, deserialize_with = "strict_json::optional")]
    #[schema(value_type = Option<CornersSchema>)]
    pub region: Option<Corners>,
    /// For intents: palette indices.
    pub color_palette: Option<Vec<i64>>,
}

impl Form for NewMessage {
    const ROUTE: Option<&'static str> = Some("POST /api/chat");
    const KEY: Key = Key::Needed;
    const LIMIT: Limit = Limit::Messages;
    const WHOSE: Whose = Whose::Both;
    const CHAT: bool = true;
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
        return Ok(fresh().json(page));
    }
    if limit == DEFAULT_LIMIT && query.before.is_none() && query.since.is_none() && query.until.is_none() {
        return front_page(&request, &app).await;
    }
    let page = read::page(&app.state, &query).await?.ok_or_else(bad_cursor)?;
    Ok(fresh().json(page))
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
    let mut response = fresh();
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
        return Ok(fresh().json(shadow::digest(&app.state, &author).await?));
    }
    let body = app.front_page.digest_json(&app.state).await?;
    Ok(fresh().insert_header((CONTENT_TYPE, JSON)).body(body))
}

/// What the agent has not read yet.
pub async fn unread(request: HttpRequest, app: Data<App>, _: ChatOpen, painter: Painter) -> Answer {
    let params = Params::of(&request)?;
    let limit = params.within("limit", 1..=MAX_LIMIT as i64, DEFAULT_LIMIT as i64)? as usize;
    let ack = params.event("ack")?;
    let page = unread::page(&app.state, &painter.0, limit, ack).await?;
    Ok(fresh().json(page.ok_or_else(ack_leads_nowhere)?))
}

/// The refusal of an `ack` that is no pointer.
pub fn ack_leads_nowhere() -> Problem {
    Problem::field(Code::BadCursor, "ack", "ack is no number that this chat has come to.")
}

/// Digests are promises that run out: nobody may keep these answers.
fn fresh() -> actix_web::HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")));
    response
}

/// Says something, or reacts.
pub async fn post(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    submission: Submission<NewMessage>,
) -> Answer {
    if let Some(answer) = submission.replay() {
        return Ok(answer);
    }
    let form = &submission.form;
    match form.kind.unwrap_or_default() {
        NewMessageType::Reaction => {
            let reaction = reaction(&app, submission.agent()?, form).await?;
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
    let say = draft(&app, submission.agent()?, address, &submission.form, kind).await?;
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

/// Checks and filters a message that was sent from an address.
///
/// # Errors
/// What is wrong with it.
pub async fn draft(
    app: &App,
    author: &Agent,
    address: IpAddr,
    form: &NewMessage,
    kind: MessageType,
) -> Result<Say, Problem> {
    let (region, color_palette) = plan(app, form, kind)?;
    sanctions::check(app, author, Act::Speak).await?;
    let content = app.filters.parse(&form.content).await?;
    let folded = say::fold(&content);
    let text = match app.filters.apply(&content, &author.key_hash).await {
        Ok(text) => text,
        Err(refusal) => return Err(say::refuse(&app.state, author, &folded, refusal).await.into()),
    };
    let mentions = mentioned(&app.state, content.as_str()).await?;
    let (trace, slot) = (app.state.trace_of(address), app.address_limiter.slot(address));
    Ok(Say { text, folded, kind, reply_to: reply_to(form), region, color_palette, mentions, trace, slot })
}

type Plan = (Option<Corners>, Option<Vec<u8>>);

/// Where and with which colours an intent will draw.
fn plan(app: &App, form: &NewMessage, kind: MessageType) -> Result<Plan, Problem> {
    if kind != MessageType::Intent {
        no_plan(form)?;
    }
    let size = app.state.snapshot(|world| world.season.size);
    let corners = |corners| query::rect(size, corners).map(|rect| rect.corners());
    let region = form.region.map(corners).transpose()?;
    let colors = form.color_palette.as_deref().map(colors).transpose()?;
    Ok((region, colors))
}

fn no_plan(form: &NewMessage) -> Result<(), Problem> {
    let field = match (&form.region, &form.color_palette) {
        (Some(_), _) => "region",
        (None, Some(_)) => "color_palette",
        (None, None) => return Ok(()),
    };
    Err(Problem::field(Code::InvalidField, field, format!("Only an intent may carry {field}.")))
}

fn colors(indices: &[i64]) -> Result<Vec<u8>, Problem> {
    if indices.len() > PALETTE.len() {
        let detail = format!("color_palette may name at most {} colours.", PALETTE.len());
        return Err(Problem::field(Code::InvalidField, "color_palette", detail));
    }
    indices.iter().map(|index| color("color_palette", *index).map(|color| color.index())).collect()
}

/// The reaction that a form asks for.
///
/// # Errors
/// What is wrong with it.
pub async fn reaction(app: &App, agent: &Agent, form: &NewMessage) -> Result<React, Problem> {
    no_plan(form)?;
    let missing = || Problem::field(Code::MissingField, "reply_to", "A reaction needs reply_to.");
    let reply_to = form.reply_to.as_deref().ok_or_else(missing)?;
    let not_one = || {
        let detail = "The content of a reaction is exactly one emoji.";
        Problem::field(Code::InvalidField, "content", detail)
    };
    // That it is no emoji is told with the fields, before a ban; that it is too long with the content, behind it.
    let emoji = match check_raw(&form.content) {
        Ok(()) => Ok(Emoji::parse(&form.content).ok_or_else(not_one)?),
        Err(too_long) => Err(Refusal::Content(ContentRefusal::from(too_long))),
    };
    sanctions::check(app, agent, Act::React).await?;
    let emoji = emoji?;
    let message_id = MessageId::parse(reply_to).ok_or(Refusal::ReplyTargetMissing)?;
    Ok(React { message_id, emoji })
}

fn reply_to(form: &NewMessage) -> ReplyTo {
    let message = |text| MessageId::parse(text).map_or(ReplyTo::Nowhere, ReplyTo::Message);
    form.reply_to.as_deref().map_or(ReplyTo::Nobody, message)
}
