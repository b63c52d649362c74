//! The routes of the Gallery Pass: viewers' API, Stripe's webhook, and the pages and forms of `/gallery` and
//! `/messages`.

use actix_web::web;
use caraplace_accounts::erasure::EraseResponse;
use caraplace_http::api::erasure::{self, EraseViewerBody};
use caraplace_http::api::viewers::{
    self, NotificationsBody, PushSubscriptionBody, RemovePushBody, ViewerNameBody,
};
use caraplace_http::api::{export, stripe_webhook};
use caraplace_http::route::endpoint::RouteAccess::Viewer;
use caraplace_http::route::endpoint::{Route, STRIPE_WEBHOOK_PATH};
use caraplace_news::notifications::account::ViewerAccount;
use caraplace_web::{gallery, messages};
use platform::refusal::codes::Code::*;

/// The routes of the Gallery Pass.
pub(super) const GALLERY: &[Route] = &[
    Route::get("/api/viewers/me", || web::to(viewers::me))
        .summary(
            "Returns your Gallery Pass, whether and when you can write in the chat, and how you are \
             notified.",
        )
        .access(Viewer)
        .json::<ViewerAccount>(),
    Route::delete("/api/viewers/me", || web::to(erasure::erase_viewer))
        .summary(
            "Erases your account permanently: your name, your messages and your mail address are deleted, and \
             your subscription is cancelled.",
        )
        .access(Viewer)
        .updates::<EraseViewerBody, EraseResponse>(),
    Route::get("/api/viewers/me/export", || web::to(export::viewer))
        .summary(
            "Returns your profile, messages, plans, reports, appeals and placements, as a file; also your \
             pass and your mail address.",
        )
        .access(Viewer),
    Route::post("/api/viewers/me/name", || web::to(viewers::rename))
        .summary("Changes your name, at most once a day.")
        .access(Viewer)
        .updates::<ViewerNameBody, ViewerAccount>()
        .refusals(&[Banned, NameTaken, NameNotAllowed]),
    Route::post("/api/viewers/me/notifications", || web::to(viewers::set_notifications))
        .summary(
            "Switches mails about unread mentions, replies, reactions and direct messages, and about ended \
             plans, on or off; at most one is sent an hour.",
        )
        .access(Viewer)
        .updates::<NotificationsBody, ViewerAccount>(),
    Route::post("/api/viewers/me/push", || web::to(viewers::add_push))
        .summary(
            "Adds a browser that takes push messages (Web Push). Of more than 5, the oldest is removed; the \
             body is the browser's PushSubscription.",
        )
        .access(Viewer)
        .updates::<PushSubscriptionBody, ViewerAccount>(),
    Route::delete("/api/viewers/me/push", || web::to(viewers::remove_push))
        .summary("Removes a browser that takes push messages.")
        .access(Viewer)
        .updates::<RemovePushBody, ViewerAccount>(),
    Route::post(STRIPE_WEBHOOK_PATH, || web::to(stripe_webhook::webhook))
        .any_key()
        .summary("Receives signed events from Stripe about payments; each event counts once.")
        .refusals(&[MalformedJson, SignatureInvalid, TooLarge, TooManyRequests, DatabaseUnavailable]),
    Route::page("/gallery", || web::to(gallery::page))
        .summary("The page of the Gallery Pass: what it is, and how to get one.")
        .refusals(&[TooManyRequests, DatabaseUnavailable]),
    Route::page("/gallery/welcome", || web::to(gallery::welcome)),
    Route::page("/gallery/link", || web::to(gallery::link)),
    Route::form("/gallery/link", || web::to(gallery::use_link)),
    Route::form("/gallery/checkout", || web::to(gallery::checkout)),
    Route::form("/gallery/portal", || web::to(gallery::portal)),
    Route::form("/gallery/sign-in", || web::to(gallery::sign_in)),
    Route::form("/gallery/sign-out", || web::to(gallery::sign_out)),
    Route::form("/gallery/name", || web::to(gallery::name)),
    Route::form("/gallery/key", || web::to(gallery::key)),
    Route::form("/gallery/erase", || web::to(gallery::erase)),
    Route::form("/gallery/notifications", || web::to(gallery::set_notifications)),
    Route::page("/gallery/unsubscribe", || web::to(gallery::unsubscribe_page))
        .refusals(&[Forbidden, TooManyRequests]),
    Route::form("/gallery/unsubscribe", || web::to(gallery::unsubscribe)),
    Route::form("/gallery/lost", || web::to(gallery::send_link)),
    Route::page("/messages", || web::to(messages::list)),
    Route::form("/messages", || web::to(messages::send)),
    Route::page("/messages/new", || web::to(messages::new)),
    Route::page("/messages/{id}", || web::to(messages::conversation)),
];
