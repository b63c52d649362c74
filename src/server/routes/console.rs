//! The routes of the operators' console, without descriptions: the API's documents leave them out.

use actix_web::web;
use caraplace_http::route::endpoint::{Route, for_moderators, for_operators};
use caraplace_web::console;
use caraplace_web::console::{
    account, accounts, agents, appeals, audit, clients, crews, decisions, drafts, invitation,
    invitation_codes, keys, messages, networks, operators, passes, plans, reports, rollbacks, seasons,
    settings, webhooks,
};
use rules::operators::OperatorScope::{Manage, Moderate, Own};

/// The routes of the console for moderation.
pub(super) const CONSOLE_MODERATION: &[Route] = &for_moderators([
    Route::page("/admin/reports", || web::to(reports::list)),
    Route::page("/admin/reports/{id}", || web::to(reports::report)).operator_scope(Moderate),
    Route::form("/admin/reports/{id}/decide", || web::to(decisions::decide)),
    Route::form("/admin/decisions/{id}/undo", || web::to(decisions::undo)),
    Route::page("/admin/appeals", || web::to(appeals::list)),
    Route::form("/admin/appeals/{id}/decide", || web::to(appeals::decide)),
    Route::page("/admin/messages", || web::to(messages::page)),
    Route::form("/admin/messages/act", || web::to(messages::act)),
    Route::form("/admin/messages/{id}/{action}", || web::to(messages::apply_action)),
    Route::page("/admin/plans", || web::to(plans::page)),
    Route::get("/admin/plans/{id}/target.png", || web::to(plans::image)).media("image/png"),
    Route::form("/admin/plans/{id}/{action}", || web::to(plans::apply_action)),
    Route::page("/admin/crews", || web::to(crews::page)),
    Route::form("/admin/crews/{id}/{action}", || web::to(crews::apply_action)),
    Route::page("/admin/agents", || web::to(accounts::list)),
    Route::form("/admin/agents/act", || web::to(accounts::act)),
    Route::page("/admin/agents/{id}", || web::to(agents::account_report)),
    Route::form("/admin/agents/{id}/rename", || web::to(agents::rename)).operator_scope(Manage),
    Route::form("/admin/agents/{id}/erase", || web::to(agents::erase)).operator_scope(Manage),
    Route::form("/admin/agents/{id}/{action}", || web::to(agents::apply_action)),
    Route::page("/admin/networks", || web::to(networks::page)),
    Route::form("/admin/networks/{id}/unblock", || web::to(networks::unblock)),
    Route::page("/admin/webhooks", || web::to(webhooks::page)),
    Route::page("/admin/clients", || web::to(clients::page)),
    Route::page("/admin/rollbacks", || web::to(rollbacks::page)),
    Route::page("/admin/rollbacks/preview", || web::to(rollbacks::preview)),
    Route::form("/admin/rollbacks", || web::to(rollbacks::begin)),
    Route::page("/admin/rollbacks/{id}", || web::to(rollbacks::progress)),
    Route::form("/admin/rollbacks/{id}/undo", || web::to(rollbacks::undo)),
]);

/// The other routes of the console.
pub(super) const CONSOLE: &[Route] = &for_operators([
    Route::page("/admin", || web::to(console::overview)),
    Route::page("/admin/drafts", || web::to(drafts::page)),
    Route::get("/admin/drafts/{id}/target.png", || web::to(drafts::image)).media("image/png"),
    Route::form("/admin/drafts/{id}/{action}", || web::to(drafts::decide)),
    Route::form("/admin/announce", || web::to(messages::announce)),
    Route::page("/admin/audit", || web::to(audit::page)),
    Route::get("/admin/audit.csv", || web::to(audit::csv)).media("text/csv"),
    Route::page("/admin/seasons", || web::to(seasons::page)),
    Route::form("/admin/seasons/{action}", || web::to(seasons::apply_action)),
    Route::page("/admin/settings", || web::to(settings::page)),
    Route::form("/admin/settings", || web::to(settings::set)),
    Route::page("/admin/passes", || web::to(passes::page)),
    Route::form("/admin/passes", || web::to(passes::grant)),
    Route::form("/admin/passes/{id}/revoke", || web::to(passes::revoke)),
    Route::page("/admin/keys", || web::to(keys::page)),
    Route::form("/admin/keys", || web::to(keys::create)).own_account(),
    Route::form("/admin/keys/{id}/revoke", || web::to(keys::revoke)).own_account(),
    Route::page("/admin/invitation-codes", || web::to(invitation_codes::page)),
    Route::form("/admin/invitation-codes", || web::to(invitation_codes::create)),
    Route::form("/admin/invitation-codes/{id}/revoke", || web::to(invitation_codes::revoke)),
    Route::page("/admin/operators", || web::to(operators::page)).operator_scope(Own),
    Route::form("/admin/operators/invitations", || web::to(operators::invite)).operator_scope(Own),
    Route::form("/admin/operators/invitations/{id}/withdraw", || web::to(operators::withdraw))
        .operator_scope(Own),
    Route::form("/admin/operators/{id}/{action}", || web::to(operators::apply_action)).operator_scope(Own),
    Route::page("/admin/account", || web::to(account::page)).own_account(),
    Route::form("/admin/account/password", || web::to(account::change_password)).own_account(),
    Route::form("/admin/account/totp/prepare", || web::to(account::prepare_codes)).own_account(),
    Route::form("/admin/account/totp/on", || web::to(account::switch_on_codes)).own_account(),
    Route::form("/admin/account/totp/off", || web::to(account::switch_off_codes)).own_account(),
    Route::form("/admin/account/totp/recovery", || web::to(account::renew_recovery_codes)).own_account(),
    Route::form("/admin/account/sessions/end-others", || web::to(account::end_other_sessions)).own_account(),
    Route::form("/admin/account/sessions/{id}/end", || web::to(account::end_session)).own_account(),
    Route::form("/admin/sign-out", || web::to(console::sign_out)).own_account(),
]);

/// The routes for signing in to the console, and for becoming an operator.
pub(super) const SIGN_IN: &[Route] = &[
    Route::page("/admin/sign-in", || web::to(console::sign_in)),
    Route::form("/admin/sign-in", || web::to(console::submit)),
    Route::page("/admin/invitation/{token}", || web::to(invitation::page)),
    Route::form("/admin/invitation/{token}", || web::to(invitation::accept)),
];
