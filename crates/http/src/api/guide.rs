//! `/api/guide`: a visitor's conversation with the guide.

use std::convert::Infallible;

use actix_web::http::Method;
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use caraplace_accounts::visitor::ConversationOwner;
use caraplace_companion::app::App;
use caraplace_companion::guide::ask::NewQuestion;
use caraplace_companion::guide::events::TurnEvent;
use caraplace_companion::guide::{ask, conversation, stream as turn_stream};
use caraplace_live::frame::{KEEP_ALIVE_FRAME, SHUTDOWN_FRAME};
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use futures_util::stream::{LocalBoxStream, StreamExt as _};
use futures_util::{Stream, stream};
use platform::address_slots::AddressSlot;
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_visitor::{AuthVisitor, GuideEnabled, VisitorBody};
use crate::request::query::QueryParams;
use crate::request::query_param::{TextParam, pattern};
use crate::request::stream_slots::acquire_slot;
use crate::request::visitor_cookie::VisitorCookie;
use crate::response::event_stream::{HEARTBEAT_INTERVAL, event_stream, stream_head};
use crate::response::no_store::{no_store, no_store_json};
use crate::route::endpoint::Param;
use crate::state::HttpState;
use crate::tool_context::tool_context;

const MESSAGE: TextParam =
    pattern("message", "^guidemsg_[0-9a-f]{32}$", "the message_id of your question").required();
/// The parameters of the stream of an answer.
pub const STREAM_PARAMS: &[Param] = &[MESSAGE.param];

/// A stored question.
#[derive(Debug, Serialize, ToSchema)]
pub struct AskGuideResponse {
    pub success: bool,
    /// `guidemsg_…`. Its stream answers the question.
    pub message_id: String,
}

/// A deleted conversation.
#[derive(Debug, Serialize, ToSchema)]
pub struct ForgetConversationResponse {
    pub success: bool,
}

/// Stores a question, and sets the cookie of a browser without an account.
pub async fn ask(
    app: Data<App>,
    http_state: Data<HttpState>,
    guide: GuideEnabled,
    body: VisitorBody<NewQuestion>,
) -> HandlerResult {
    let VisitorBody { visitor, fields, cookie } = body;
    let message_id = ask::ask(&app, &guide.0, &visitor, fields).await?;
    let mut response = no_store(HttpResponse::Created());
    if let Some(cookie) = cookie {
        cookie.set(&http_state, &mut response);
    }
    Ok(response.json(AskGuideResponse { success: true, message_id }))
}

/// Streams the events of the turn that answers a question.
pub async fn stream(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    guide: GuideEnabled,
    visitor: AuthVisitor,
) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let message_id = MESSAGE.read_required(&params)?;
    let mut response = event_stream(&request)?;
    if request.method() == Method::HEAD {
        return Ok(stream_head(response));
    }
    let slot = acquire_slot(&request, &app)?;
    let ended = app.state.hub.ended().boxed_local();
    let tools = tool_context(&app.into_inner(), &http_state.into_inner());
    let events = turn_stream::stream(tools, guide.0, visitor.0, message_id).await?.boxed_local();
    let turn = TurnStream { events, ended, is_ended: false, _slot: slot };
    Ok(response.streaming(turn.into_stream()))
}

/// Returns the visitor's conversation.
pub async fn list(app: Data<App>, guide: GuideEnabled, visitor: AuthVisitor) -> HandlerResult {
    Ok(no_store_json(conversation::list(&app, &guide.0, &visitor.0).await?))
}

/// Deletes the visitor's conversation, and the cookie of a browser without an account.
pub async fn forget(app: Data<App>, http_state: Data<HttpState>, visitor: AuthVisitor) -> HandlerResult {
    conversation::forget(&app, visitor.0.owner).await?;
    let mut response = no_store(HttpResponse::Ok());
    if let ConversationOwner::Browser(_) = visitor.0.owner {
        VisitorCookie::delete(&http_state, &mut response);
    }
    Ok(response.json(ForgetConversationResponse { success: true }))
}

/// An open stream of a turn.
struct TurnStream {
    events: LocalBoxStream<'static, TurnEvent>,
    /// Completes when the server stops.
    ended: LocalBoxFuture<'static, ()>,
    is_ended: bool,
    /// The slot, which is released when the stream is dropped.
    _slot: AddressSlot,
}

impl TurnStream {
    fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, |mut turn| async move {
            let bytes = turn.next().await?;
            Some((Ok(bytes), turn))
        })
    }

    async fn next(&mut self) -> Option<Bytes> {
        if self.is_ended {
            return None;
        }
        tokio::select! {
            biased;
            // The client asks for the stream again, here or on another instance. It is not told how the
            // server ends the turn.
            () = &mut self.ended => {
                self.is_ended = true;
                Some(SHUTDOWN_FRAME)
            }
            event = self.events.next() => event.as_ref().map(frame),
            () = tokio::time::sleep(HEARTBEAT_INTERVAL) => Some(KEEP_ALIVE_FRAME),
        }
    }
}

/// Returns the frame of an event.
fn frame(event: &TurnEvent) -> Bytes {
    let data = serde_json::to_string(event).unwrap_or_default();
    format!("event: {}\ndata: {data}\n\n", event.name()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_line_breaks_is_one_frame() {
        let event = TurnEvent::Delta { text: "a\n\nevent: done\n".to_owned() };
        assert_eq!(frame(&event), "event: delta\ndata: {\"text\":\"a\\n\\nevent: done\\n\"}\n\n");
    }
}
