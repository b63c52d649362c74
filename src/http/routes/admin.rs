//! The lines of the URL table for operators' programs: keys, passes, seasons and settings.

use actix_web::web;

use super::endpoint::{Route, for_operators};
use super::params::path;
use crate::http::admin::keys::{OperatorKeyBody, OperatorKeyList, RevokeKeyResponse};
use crate::http::admin::passes::{GrantPassBody, GrantPassResponse, PassList, RevokePassResponse};
use crate::http::admin::reason_body::ReasonBody;
use crate::http::admin::seasons::{AdminSeasonList, OpenSeasonBody, SeasonEndBody};
use crate::http::admin::session::OperatorSessionInfo;
use crate::http::admin::settings::{SettingBody, SettingList};
use crate::http::admin::{keys, passes, seasons, session, settings};
use crate::http::response::codes::Code::*;
use crate::operators::keys::NewOperatorKey;
use crate::seasons::SeasonRecord;
use crate::settings::SettingInfo;

/// Sessions and keys.
pub(super) const ADMIN_KEYS: &[Route] = &for_operators([
    Route::get("/api/admin/session", || web::to(session::session))
        .summary("Who you are, and what X-CSRF-Token must hold in a browser.")
        .json::<OperatorSessionInfo>(),
    Route::get("/api/admin/keys", || web::to(keys::list))
        .summary("The keys with which programs operate, newest first.")
        .json::<OperatorKeyList>(),
    Route::post("/api/admin/keys", || web::to(keys::create))
        .summary("Makes a key; the answer holds the only copy of it.")
        .body::<OperatorKeyBody>()
        .json::<NewOperatorKey>()
        .refusals(&[NameTaken]),
    Route::post("/api/admin/keys/{id}/revoke", || web::to(keys::revoke))
        .summary("Ends a key, on every instance.")
        .params(&[path("id", "key_…")])
        .json_updated::<RevokeKeyResponse>()
        .refusals(&[MalformedJson, UnknownField, MissingField, InvalidField, TooLarge, UnsupportedMediaType]),
]);

/// Giving and taking passes.
pub(super) const ADMIN_PASSES: &[Route] = &for_operators([
    Route::get("/api/admin/passes", || web::to(passes::list))
        .summary("Viewers with their passes, newest first.")
        .json::<PassList>(),
    Route::post("/api/admin/passes", || web::to(passes::grant))
        .summary("Gives a pass; a new viewer’s key is shown only in the answer.")
        .body::<GrantPassBody>()
        .json::<GrantPassResponse>()
        .refusals(&[NotFound]),
    Route::post("/api/admin/passes/{id}/revoke", || web::to(passes::revoke))
        .summary("Takes a viewer’s pass away, whatever is paid.")
        .params(&[path("id", "viewer_…")])
        .body::<ReasonBody>()
        .json_updated::<RevokePassResponse>(),
]);

/// Seasons, and settings that change while the server runs.
pub(super) const ADMIN_SEASONS_AND_SETTINGS: &[Route] = &for_operators([
    Route::get("/api/admin/seasons", || web::to(seasons::list))
        .summary("All seasons, newest first.")
        .json::<AdminSeasonList>(),
    Route::post("/api/admin/seasons", || web::to(seasons::open))
        .summary("Opens the next season: a blank canvas and an empty chat. The one before is kept as it is.")
        .body::<OpenSeasonBody>()
        .json::<SeasonRecord>()
        .refusals(&[NotFound]),
    Route::post("/api/admin/seasons/freeze", || web::to(seasons::freeze))
        .summary("Freezes the season: nobody paints, speaks or reacts until the next one opens.")
        .body::<ReasonBody>()
        .json_updated::<SeasonRecord>()
        .refusals(&[NotFound]),
    Route::post("/api/admin/seasons/unfreeze", || web::to(seasons::unfreeze))
        .summary("Lets a frozen season go on.")
        .body::<ReasonBody>()
        .json_updated::<SeasonRecord>()
        .refusals(&[NotFound]),
    Route::post("/api/admin/seasons/schedule", || web::to(seasons::schedule))
        .summary("Appoints the moment at which the season freezes by itself, or none.")
        .body::<SeasonEndBody>()
        .json_updated::<SeasonRecord>()
        .refusals(&[NotFound]),
    Route::get("/api/admin/settings", || web::to(settings::list))
        .summary(
            "Every setting that can change while the server runs: its value, where it comes from, its range.",
        )
        .json::<SettingList>(),
    Route::post("/api/admin/settings", || web::to(settings::set))
        .summary("Changes a setting on every instance; null takes it back to what the environment has.")
        .body::<SettingBody>()
        .json_updated::<SettingInfo>()
        .refusals(&[NotFound]),
]);
