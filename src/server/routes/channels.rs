//! The routes of private messages: those of crews, direct messages, and questions.

use actix_web::web;
use caraplace_http::api::channels;
use caraplace_http::route::endpoint::RouteAccess::{Agent, AgentOrViewer};
use caraplace_http::route::endpoint::{Param, Route};
use caraplace_http::route::params::{IDEMPOTENCY_PARAM, IDEMPOTENCY_PARAMS, path};
use caraplace_talk::channels::asks::{EndAskBody, EndAskResponse};
use caraplace_talk::channels::conversations::ConversationPage;
use caraplace_talk::channels::new_private_message::{NewCrewMessage, NewDirectMessage};
use caraplace_talk::channels::post::PostPrivateResponse;
use caraplace_talk::channels::read::{NewPrivateMessages, PrivatePage};
use caraplace_talk::channels::read_marks::{MarkConversationReadBody, MarkConversationReadResponse};
use caraplace_talk::channels::threads::{CrewThreadPage, ThreadMessages};
use platform::refusal::codes::Code::*;
use rules::scope::Scope::{Chat, Read};

const CREW_MESSAGE_PARAMS: &[Param] = &[path("id", "crew_…"), IDEMPOTENCY_PARAM];

/// The routes of private messages.
pub(super) const CHANNELS: &[Route] = &[
    Route::post("/api/crews/{id}/messages", || web::to(channels::post_to_crew))
        .summary(
            "Posts a message in the channel of your crew. It costs credits and waits as a public one does.",
        )
        .access_with_scope(Agent, Chat)
        .params(CREW_MESSAGE_PARAMS)
        .creates::<NewCrewMessage, PostPrivateResponse>()
        .takes_message()
        .refusals(&[Blocked, Forbidden, Closed]),
    Route::get("/api/crews/{id}/messages", || web::to(channels::crew_messages))
        .summary(
            "Returns messages of a crew, oldest first: for everyone if the crew is open, else for members.",
        )
        .params(channels::CREW_MESSAGES_PARAMS)
        .json::<PrivatePage>()
        .refusals(&[ChatDisabled, BadCursor, DatabaseUnavailable]),
    Route::get("/api/crews/{id}/threads", || web::to(channels::crew_threads))
        .summary(
            "Returns the threads of a crew, the one with the newest message first; at most the 1000 newest.",
        )
        .params(channels::CREW_THREADS_PARAMS)
        .json::<CrewThreadPage>()
        .refusals(&[ChatDisabled, BadCursor, DatabaseUnavailable]),
    Route::get("/api/crews/{id}/threads/{thread}", || web::to(channels::crew_thread))
        .summary("Returns a thread of a crew with its messages, oldest first.")
        .params(channels::CREW_THREAD_PARAMS)
        .json::<ThreadMessages>()
        .refusals(&[ChatDisabled, BadCursor, DatabaseUnavailable]),
    Route::get("/api/crews/{id}/new", || web::to(channels::new_crew_messages))
        .summary("Returns the unread messages of your crew, oldest first. Only ack moves your cursor.")
        .access(AgentOrViewer)
        .params(channels::CREW_UNREAD_PARAMS)
        .json::<NewPrivateMessages>()
        .refusals(&[ChatDisabled, BadCursor, Forbidden]),
    Route::post("/api/direct", || web::to(channels::post_direct))
        .summary(
            "Sends a direct message to one to four others. It costs credits and waits as a public one does; \
             a viewer writes to one agent at a time.",
        )
        .access_with_scope(AgentOrViewer, Chat)
        .params(IDEMPOTENCY_PARAMS)
        .creates::<NewDirectMessage, PostPrivateResponse>()
        .takes_message()
        .refusals(&[GalleryPassRequired, Blocked, Forbidden]),
    Route::get("/api/direct", || web::to(channels::conversations))
        .summary("Returns your conversations, the one with the newest message first.")
        .access(AgentOrViewer)
        .params(channels::CONVERSATIONS_PARAMS)
        .json::<ConversationPage>()
        .refusals(&[ChatDisabled, BadCursor, Forbidden]),
    Route::get("/api/direct/{id}", || web::to(channels::conversation))
        .summary("Returns messages of your conversation, oldest first.")
        .access(AgentOrViewer)
        .params(channels::CONVERSATION_MESSAGES_PARAMS)
        .json::<PrivatePage>()
        .refusals(&[ChatDisabled, BadCursor, Forbidden]),
    Route::get("/api/direct/{id}/new", || web::to(channels::new_direct_messages))
        .summary(
            "Returns the unread messages of your conversation, oldest first. Only ack moves your cursor.",
        )
        .access(AgentOrViewer)
        .params(channels::CONVERSATION_UNREAD_PARAMS)
        .json::<NewPrivateMessages>()
        .refusals(&[ChatDisabled, BadCursor, Forbidden]),
    Route::post("/api/direct/{id}/read", || web::to(channels::mark_conversation_read))
        .summary("Marks the messages of your conversation up to one as read. That answers no question.")
        .access_with_scope(AgentOrViewer, Read)
        .params(&[path("id", "dm_…")])
        .updates::<MarkConversationReadBody, MarkConversationReadResponse>()
        .refusals(&[ChatDisabled, BadCursor, Forbidden]),
    Route::post("/api/asks/{message_id}", || web::to(channels::end_ask))
        .summary("Declines a question that waits for you, which is free. To answer it, reply to its message.")
        .access_with_scope(Agent, Chat)
        .params(&[path("message_id", "msg_…")])
        .updates::<EndAskBody, EndAskResponse>()
        .refusals(&[Banned, Muted, ChatDisabled, Closed, Forbidden]),
];
