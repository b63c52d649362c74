//! The routes of operators and their invitations.

use actix_web::web;
use caraplace_accounts::operators::OperatorInfo;
use caraplace_http::admin::operators::{
    self, InvitationBody, InvitationResponse, OperatorList, RoleBody, WithdrawInvitationResponse,
};
use caraplace_http::route::endpoint::{HandlerFactory, Param, Route, for_operators};
use caraplace_http::route::params::path;
use caraplace_http::route::route_codes::UNUSED_BODY_CODES;
use platform::refusal::codes::Code;
use platform::refusal::codes::Code::FirstOwner;
use rules::operators::OperatorScope::Own;

const ID: &[Param] = &[path("id", "operator_…")];
/// The codes of a change without a body that the first owner is spared.
const CHANGE_CODES: [Code; 7] = {
    let [malformed, unknown, missing, invalid, too_large, media_type] = UNUSED_BODY_CODES;
    [malformed, unknown, missing, invalid, too_large, media_type, FirstOwner]
};

/// Returns the route of a change of an operator without a body.
const fn change_route(path: &'static str, handler: HandlerFactory) -> Route {
    Route::post(path, handler)
        .params(ID)
        .json_updated::<OperatorInfo>()
        .refusals(&UNUSED_BODY_CODES)
        .operator_scope(Own)
}

/// The routes of operators and their invitations.
pub(super) const ADMIN_OPERATORS: &[Route] = &for_operators([
    Route::get("/api/admin/operators", || web::to(operators::list))
        .summary("Lists all operators with their roles, and the invitations that can still be accepted.")
        .json::<OperatorList>()
        .operator_scope(Own),
    Route::post("/api/admin/operators/invitations", || web::to(operators::invite))
        .summary(
            "Invites a person to become an operator; the response has the only copy of the link, which works \
             once, within a week.",
        )
        .creates::<InvitationBody, InvitationResponse>()
        .operator_scope(Own),
    Route::post("/api/admin/operators/invitations/{id}/withdraw", || web::to(operators::withdraw))
        .summary("Withdraws an invitation: its link no longer works.")
        .params(&[path("id", "invitation_…")])
        .json_updated::<WithdrawInvitationResponse>()
        .refusals(&UNUSED_BODY_CODES)
        .operator_scope(Own),
    Route::post("/api/admin/operators/{id}/role", || web::to(operators::change_role))
        .summary("Changes the role of an operator, at once and on every instance.")
        .params(ID)
        .updates::<RoleBody, OperatorInfo>()
        .refusals(&[FirstOwner])
        .operator_scope(Own),
    change_route("/api/admin/operators/{id}/disable", || web::to(operators::disable))
        .summary("Disables an operator: its sessions end, and its keys and invitations are no longer valid.")
        .refusals(&CHANGE_CODES),
    change_route("/api/admin/operators/{id}/enable", || web::to(operators::enable))
        .summary("Enables an operator that was disabled, with the keys that it had.")
        .refusals(&CHANGE_CODES),
    change_route("/api/admin/operators/{id}/reset-totp", || web::to(operators::reset_codes))
        .summary("Switches off the codes of an operator who has lost the app and the recovery codes."),
]);
