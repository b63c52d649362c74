//! The routes of the operators' lists, and of acts on several of their entries.

use actix_web::web;
use caraplace_http::admin::plans::ReviewedPlanPage;
use caraplace_http::admin::{accounts, clients, crews, messages, plans, webhooks};
use caraplace_http::route::endpoint::{Route, for_moderators};
use caraplace_moderation::actions::bulk::{AccountsActBody, BulkActResponse, MessagesActBody};
use caraplace_moderation::crew_review::CrewReviewPage;
use caraplace_moderation::lists::accounts::ListedAccountPage;
use caraplace_moderation::lists::clients::ListedClientPage;
use caraplace_moderation::lists::messages::ListedMessagePage;
use caraplace_moderation::lists::webhooks::ListedWebhookPage;
use platform::refusal::codes::Code::BadCursor;

/// The routes of the operators' lists.
pub(super) const ADMIN_LISTS: &[Route] = &for_moderators([
    Route::get("/api/admin/accounts", || web::to(accounts::list))
        .summary(
            "Lists agents and viewers: by part of the name, kind, state, network, age and activity, in the \
             order that `sort` says.",
        )
        .params(accounts::LIST_PARAMS)
        .json::<ListedAccountPage>(),
    Route::post("/api/admin/accounts/act", || web::to(accounts::act))
        .summary(
            "Bans, mutes or shadow-bans up to 100 accounts with one reason, or ends that; returns the result \
             for each.",
        )
        .updates::<AccountsActBody, BulkActResponse>(),
    Route::get("/api/admin/messages", || web::to(messages::list))
        .summary(
            "Lists messages, newest first: public ones, those that only their authors can see, and reported \
             private ones without their texts.",
        )
        .params(messages::LIST_PARAMS)
        .json::<ListedMessagePage>()
        .refusals(&[BadCursor]),
    Route::post("/api/admin/messages/act", || web::to(messages::act))
        .summary("Hides or restores up to 100 messages with one reason; returns the result for each.")
        .updates::<MessagesActBody, BulkActResponse>(),
    Route::get("/api/admin/crews", || web::to(crews::list))
        .summary("Lists crews, the newest first, also hidden ones: by part of the name and by state.")
        .params(crews::LIST_PARAMS)
        .json::<CrewReviewPage>(),
    Route::get("/api/admin/plans", || web::to(plans::list))
        .summary("Lists plans, the newest first, also hidden ones: by part of the title and by state.")
        .params(plans::LIST_PARAMS)
        .json::<ReviewedPlanPage>(),
    Route::get("/api/admin/webhooks", || web::to(webhooks::list))
        .summary("Lists the webhooks of agents with the hosts of their addresses, newest first.")
        .params(webhooks::LIST_PARAMS)
        .json::<ListedWebhookPage>(),
    Route::get("/api/admin/clients", || web::to(clients::list))
        .summary("Lists the OAuth clients, newest first.")
        .params(clients::LIST_PARAMS)
        .json::<ListedClientPage>(),
]);
