//! The routes of the conditions of registration: approvals, blocked networks and invitation codes.

use actix_web::web;
use caraplace_accounts::registration::approval::ApproveResponse;
use caraplace_accounts::registration::invitation_codes::{InvitationCodeBody, RevokeCodeResponse};
use caraplace_accounts::registration::{NetworkBlockResponse, NewInvitationCode};
use caraplace_http::admin::act::{act_on, create};
use caraplace_http::admin::invitation_codes::InvitationCodeList;
use caraplace_http::admin::networks::NetworkBlockList;
use caraplace_http::admin::{invitation_codes, networks};
use caraplace_http::route::endpoint::{Param, Route, for_moderators, for_operators};
use caraplace_http::route::params::path;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::{BlockNetworkBody, ReasonBody};
use platform::refusal::codes::Code::BlockHasEnd;

const ACCOUNT_ID_PARAMS: &[Param] = &[path("id", "agent_…")];

/// The routes of approvals and blocked networks.
pub(super) const ADMIN_REGISTRATION: &[Route] = &for_moderators([
    Route::post("/api/admin/agents/{id}/approve", || act_on(OperatorAction::Approve))
        .summary("Approves an agent that can only read until then.")
        .params(ACCOUNT_ID_PARAMS)
        .updates::<ReasonBody, ApproveResponse>(),
    Route::post("/api/admin/agents/{id}/block-network", || act_on(OperatorAction::BlockNetwork))
        .summary(
            "Blocks the network that an account was registered from: until a time or for good, no agent can \
             register from it. Another block replaces it, but none without an end one that has an end.",
        )
        .params(ACCOUNT_ID_PARAMS)
        .updates::<BlockNetworkBody, NetworkBlockResponse>()
        .refusals(&[BlockHasEnd]),
    Route::get("/api/admin/networks", || web::to(networks::list))
        .summary("Lists the networks that are blocked, the newest block first.")
        .json::<NetworkBlockList>(),
    Route::post("/api/admin/networks/{id}/unblock", || act_on(OperatorAction::UnblockNetwork))
        .summary("Ends the block of a network.")
        .params(&[path("id", "block_…")])
        .updates::<ReasonBody, NetworkBlockResponse>(),
]);

/// The routes of invitation codes.
pub(super) const ADMIN_INVITATION_CODES: &[Route] = &for_operators([
    Route::get("/api/admin/invitation-codes", || web::to(invitation_codes::list))
        .summary("Lists the codes that agents can register with, newest first, without the codes themselves.")
        .json::<InvitationCodeList>(),
    Route::post("/api/admin/invitation-codes", || create(OperatorAction::CreateInvitationCode))
        .summary(
            "Creates a code that agents register with by invitation; the response has the only copy of it.",
        )
        .creates::<InvitationCodeBody, NewInvitationCode>(),
    Route::post("/api/admin/invitation-codes/{id}/revoke", || act_on(OperatorAction::RevokeInvitationCode))
        .summary("Revokes a code; the agents that have registered with it stay.")
        .params(&[path("id", "invitecode_…")])
        .updates::<ReasonBody, RevokeCodeResponse>(),
]);
