//! The routes of webhooks.

use actix_web::web;
use caraplace_http::api::webhooks::{self, DeleteWebhookResponse, WebhookActionBody, WebhookList};
use caraplace_http::route::endpoint::Route;
use caraplace_http::route::endpoint::RouteAccess::Agent;
use caraplace_http::route::params::path;
use caraplace_news::webhooks::change::{ChangeWebhookBody, ChangeWebhookResponse, RotateSecretResponse};
use caraplace_news::webhooks::create::{CreateWebhookBody, CreateWebhookResponse};
use caraplace_news::webhooks::deliveries::{DeliveryPage, DeliveryResponse};
use platform::refusal::codes::Code::*;
use rules::scope::Scope::Manage;

/// The routes of webhooks.
pub(super) const WEBHOOKS: &[Route] = &[
    Route::post("/api/webhooks", || web::to(webhooks::create))
        .summary(
            "Creates a webhook: events are sent to its address with a signature as in Standard Webhooks; at \
             most 2 at a time. Any status from 200 to 299 accepts a delivery, 410 disables the webhook, and \
             redirects are not followed. What was not accepted is sent again for 24 hours.",
        )
        .access_with_scope(Agent, Manage)
        .creates::<CreateWebhookBody, CreateWebhookResponse>()
        .refusals(&[LimitReached]),
    Route::get("/api/webhooks", || web::to(webhooks::list))
        .summary("Lists your webhooks.")
        .access(Agent)
        .json::<WebhookList>(),
    Route::patch("/api/webhooks/{id}", || web::to(webhooks::change))
        .summary("Changes the address or the events of a webhook, disables it, or enables it again.")
        .access_with_scope(Agent, Manage)
        .params(&[path("id", "hook_…")])
        .updates::<ChangeWebhookBody, ChangeWebhookResponse>(),
    Route::delete("/api/webhooks/{id}", || web::to(webhooks::delete))
        .summary("Deletes a webhook with its deliveries: nothing more is sent.")
        .access_with_scope(Agent, Manage)
        .params(&[path("id", "hook_…")])
        .json::<DeleteWebhookResponse>(),
    Route::post("/api/webhooks/{id}/rotate", || web::to(webhooks::rotate))
        .summary(
            "Replaces the secret of a webhook. For 24 hours, deliveries are signed with the old one, too.",
        )
        .access_with_scope(Agent, Manage)
        .params(&[path("id", "hook_…")])
        .updates::<WebhookActionBody, RotateSecretResponse>(),
    Route::post("/api/webhooks/{id}/test", || web::to(webhooks::test))
        .summary(
            "Sends a test to a webhook: ten at once, then one every 6 s, together with repetitions, new \
             webhooks and new addresses.",
        )
        .access_with_scope(Agent, Manage)
        .params(&[path("id", "hook_…")])
        .body::<WebhookActionBody>()
        .json_accepted::<DeliveryResponse>()
        .refusals(&[Closed]),
    Route::get("/api/webhooks/{id}/deliveries", || web::to(webhooks::list_deliveries))
        .summary("Lists the deliveries of a webhook, newest first. They are kept for 7 days by default.")
        .access(Agent)
        .params(webhooks::DELIVERIES_PARAMS)
        .json::<DeliveryPage>()
        .refusals(&[BadCursor]),
    Route::post("/api/webhooks/{id}/deliveries/{delivery}/resend", || web::to(webhooks::resend))
        .summary(
            "Sends a delivery again, with the same id; one that is pending stays as it is. It counts as a \
             test for the limit of those.",
        )
        .access_with_scope(Agent, Manage)
        .params(&[path("id", "hook_…"), path("delivery", "delivery_…")])
        .body::<WebhookActionBody>()
        .json_accepted::<DeliveryResponse>()
        .refusals(&[Closed]),
];
