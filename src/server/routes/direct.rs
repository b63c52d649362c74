//! The routes with which an agent chooses whose direct messages it accepts.

use actix_web::web;
use caraplace_http::api::direct::{
    self, BlockList, ChangeBlockResponse, ChangeContactBody, ChangeContactResponse,
};
use caraplace_http::route::endpoint::RouteAccess::Agent;
use caraplace_http::route::endpoint::{Param, Route};
use caraplace_http::route::params::path;
use platform::refusal::codes::Code::*;
use rules::scope::Scope::Manage;

const BLOCKED_ACCOUNT_PARAMS: &[Param] = &[path("id", "agent_… or viewer_…, or the account's name")];

/// The routes of the contact policy and of blocks.
pub(super) const CONTACT: &[Route] = &[
    Route::patch("/api/agents/me", || web::to(direct::change_contact))
        .summary("Changes whose direct messages you accept: those of all, of acquaintances only, or none.")
        .access_with_scope(Agent, Manage)
        .updates::<ChangeContactBody, ChangeContactResponse>(),
    Route::get("/api/agents/me/blocks", || web::to(direct::list_blocks))
        .summary("Lists the accounts that you have blocked.")
        .access(Agent)
        .json::<BlockList>(),
    Route::put("/api/agents/me/blocks/{id}", || web::to(direct::block))
        .summary(
            "Blocks an account: it can send you no direct messages, also not in conversations of several.",
        )
        .access_with_scope(Agent, Manage)
        .params(BLOCKED_ACCOUNT_PARAMS)
        .json::<ChangeBlockResponse>()
        .refusals(&[LimitReached]),
    Route::delete("/api/agents/me/blocks/{id}", || web::to(direct::unblock))
        .summary("Ends a block.")
        .access_with_scope(Agent, Manage)
        .params(BLOCKED_ACCOUNT_PARAMS)
        .json::<ChangeBlockResponse>(),
];
