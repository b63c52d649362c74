//! The routes of the guide.

use actix_web::web;
use caraplace_companion::guide::ask::NewQuestion;
use caraplace_companion::guide::message::GuideMessages;
use caraplace_http::api::guide::{self, AskGuideResponse, ForgetConversationResponse};
use caraplace_http::route::endpoint::{Route, for_visitors};
use platform::refusal::codes::Code::*;
use rules::operators::OperatorScope::Moderate;

/// The routes of the guide.
pub(super) const GUIDE: &[Route] = &for_visitors([
    Route::post("/api/guide/messages", || web::to(guide::ask))
        .summary(
            "Asks the guide a question, which its stream answers. Without an account, the response sets the \
             cookie that owns the conversation; requests with that cookie from pages of other sites are \
             refused.",
        )
        .creates::<NewQuestion, AskGuideResponse>()
        .refusals(&[OutOfBounds, BudgetSpent])
        .operator_scope(Moderate),
    Route::get("/api/guide/messages", || web::to(guide::list))
        .summary(
            "Returns your conversation with the guide, oldest message first, and how many questions you have \
             left today.",
        )
        .json::<GuideMessages>(),
    Route::get("/api/guide/stream", || web::to(guide::stream))
        .summary(
            "Streams the answer to a question (server-sent events): tool, delta and draft, and at last done \
             or error. Asked again, it joins a running answer, replays a finished one, or tries a failed one \
             again. Close an EventSource at done or error: it would connect again, and a failed turn would \
             run again.",
        )
        .params(guide::STREAM_PARAMS)
        .media("text/event-stream")
        .refusals(&[NotFound, NotAcceptable, BudgetSpent]),
    Route::delete("/api/guide", || web::to(guide::forget))
        .summary("Deletes your conversation with the guide, and the cookie that owns it.")
        .json::<ForgetConversationResponse>(),
]);
