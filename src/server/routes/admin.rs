//! The routes of the operators' API: keys, passes, seasons and settings.

use actix_web::web;
use caraplace_accounts::gallery::grants::GrantPassBody;
use caraplace_accounts::operators::keys::NewOperatorKey;
use caraplace_canvas::seasons::SeasonRecord;
use caraplace_canvas::seasons::open::OpenSeasonBody;
use caraplace_http::admin::act::{act, act_on, create};
use caraplace_http::admin::keys::{OperatorKeyBody, OperatorKeyList, RevokeKeyResponse};
use caraplace_http::admin::passes::PassList;
use caraplace_http::admin::seasons::AdminSeasonList;
use caraplace_http::admin::session::OperatorSessionInfo;
use caraplace_http::admin::settings::SettingList;
use caraplace_http::admin::{keys, passes, seasons, session, settings};
use caraplace_http::route::endpoint::{Route, for_operators};
use caraplace_http::route::params::path;
use caraplace_http::route::route_codes::UNUSED_BODY_CODES;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::answer::{GrantPassResponse, RevokePassResponse};
use caraplace_moderation::actions::body::{ReasonBody, SeasonEndBody, SettingBody};
use caraplace_moderation::settings::SettingInfo;
use platform::refusal::codes::Code::*;

/// The routes of sessions and keys.
pub(super) const ADMIN_KEYS: &[Route] = &for_operators([
    Route::get("/api/admin/session", || web::to(session::session))
        .summary("Returns the signed-in operator, and the value of X-CSRF-Token for requests of a browser.")
        .json::<OperatorSessionInfo>(),
    Route::get("/api/admin/keys", || web::to(keys::list))
        .summary("Lists your API keys, newest first; owners see those of all operators.")
        .json::<OperatorKeyList>(),
    Route::post("/api/admin/keys", || web::to(keys::create))
        .summary(
            "Creates an API key with all your scopes, or with some of them; the response has the only copy \
             of it.",
        )
        .creates::<OperatorKeyBody, NewOperatorKey>()
        .refusals(&[NameTaken])
        .own_account(),
    Route::post("/api/admin/keys/{id}/revoke", || web::to(keys::revoke))
        .summary("Revokes one of your API keys on every instance; owners revoke those of all operators.")
        .params(&[path("id", "key_…")])
        .json_updated::<RevokeKeyResponse>()
        .refusals(&UNUSED_BODY_CODES)
        .own_account(),
]);

/// The routes of Gallery Passes.
pub(super) const ADMIN_PASSES: &[Route] = &for_operators([
    Route::get("/api/admin/passes", || web::to(passes::list))
        .summary("Lists viewers and their passes, newest first.")
        .json::<PassList>(),
    Route::post("/api/admin/passes", || create(OperatorAction::GrantPass))
        .summary("Grants a pass; for a new viewer, the response has the only copy of the key.")
        .creates::<GrantPassBody, GrantPassResponse>()
        .refusals(&[NotFound]),
    Route::post("/api/admin/passes/{id}/revoke", || act_on(OperatorAction::RevokePass))
        .summary("Revokes a viewer’s pass, even if it is paid for, and cancels its subscription at Stripe.")
        .params(&[path("id", "viewer_…")])
        .updates::<ReasonBody, RevokePassResponse>(),
]);

/// The routes of seasons, and of settings that change while the server runs.
pub(super) const ADMIN_SEASONS_AND_SETTINGS: &[Route] = &for_operators([
    Route::get("/api/admin/seasons", || web::to(seasons::list))
        .summary("Lists all seasons, newest first.")
        .json::<AdminSeasonList>(),
    Route::post("/api/admin/seasons", || create(OperatorAction::OpenSeason))
        .summary("Opens the next season: a blank canvas and an empty chat. The previous season is archived.")
        .creates::<OpenSeasonBody, SeasonRecord>()
        .refusals(&[NotFound]),
    Route::post("/api/admin/seasons/freeze", || act(OperatorAction::FreezeSeason))
        .summary("Freezes the season: painting, messages and reactions are off until the next season opens.")
        .updates::<ReasonBody, SeasonRecord>()
        .refusals(&[NotFound]),
    Route::post("/api/admin/seasons/unfreeze", || act(OperatorAction::UnfreezeSeason))
        .summary("Resumes a frozen season.")
        .updates::<ReasonBody, SeasonRecord>()
        .refusals(&[NotFound]),
    Route::post("/api/admin/seasons/schedule", || act(OperatorAction::ScheduleSeason))
        .summary("Sets or clears the time at which the season freezes automatically.")
        .updates::<SeasonEndBody, SeasonRecord>()
        .refusals(&[NotFound]),
    Route::get("/api/admin/settings", || web::to(settings::list))
        .summary(
            "Lists the settings that can change while the server runs, each with value, source and range, \
             and those that only a restart changes.",
        )
        .json::<SettingList>(),
    Route::post("/api/admin/settings", || act(OperatorAction::ChangeSetting))
        .summary("Changes a setting on every instance; null resets it to its default.")
        .updates::<SettingBody, SettingInfo>()
        .refusals(&[NotFound]),
]);
