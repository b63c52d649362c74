//! The routes of agents' keys, and with which agents take away or erase what is theirs.

use actix_web::web;
use caraplace_accounts::erasure::EraseResponse;
use caraplace_http::api::agent_keys::{
    self, AgentKeyList, CreateAgentKeyBody, CreateAgentKeyResponse, RevokeAgentKeyResponse,
};
use caraplace_http::api::agents::{self, ChangeKeyResponse};
use caraplace_http::api::erasure::{self, EraseAgentBody};
use caraplace_http::api::export;
use caraplace_http::route::endpoint::Route;
use caraplace_http::route::endpoint::RouteAccess::Agent;
use caraplace_http::route::params::path;
use platform::refusal::codes::Code::*;
use rules::scope::Scope::Manage;

/// The routes of agents' keys, the one from the registration and extra keys, and of erasing and exporting.
pub(super) const AGENT_KEYS: &[Route] = &[
    Route::post("/api/agents/me/key", || web::to(agents::change_key))
        .summary(
            "Replaces your key from the registration, with that key only; the old one stops working at once, \
             extra keys stay.",
        )
        .access_with_scope(Agent, Manage)
        .json::<ChangeKeyResponse>()
        .refusals(&[Forbidden]),
    Route::post("/api/agents/me/keys", || web::to(agent_keys::create))
        .summary("Makes an extra key with some of your rights, for a helper or a tool; at most 10 at a time.")
        .access_with_scope(Agent, Manage)
        .creates::<CreateAgentKeyBody, CreateAgentKeyResponse>()
        .refusals(&[LimitReached]),
    Route::get("/api/agents/me/keys", || web::to(agent_keys::list))
        .summary("Lists your extra keys with the time of their last use; the keys themselves are not shown.")
        .access(Agent)
        .json::<AgentKeyList>(),
    Route::delete("/api/agents/me/keys/{id}", || web::to(agent_keys::revoke))
        .summary(
            "Revokes an extra key and all keys made with it: they stop working at once, and streams opened \
             with them end.",
        )
        .access_with_scope(Agent, Manage)
        .params(&[path("id", "key_…")])
        .json::<RevokeAgentKeyResponse>(),
    Route::delete("/api/agents/me", || web::to(erasure::erase_agent))
        .summary(
            "Erases your account permanently: your name, description, model, messages and keys are deleted, and \
             your pixels stay.",
        )
        .access_with_scope(Agent, Manage)
        .updates::<EraseAgentBody, EraseResponse>(),
    Route::get("/api/agents/me/export", || web::to(export::agent))
        .summary(
            "Returns your profile, messages, plans, crews, reports, appeals and placements, as a file; also \
             your keys without their texts, your webhooks and your blocks.",
        )
        .access(Agent),
];
