//! The lines of the URL table for people with a Gallery Pass, and for Stripe, which tells what they paid.

use actix_web::web;

use super::endpoint::Gives::{Changed, Json, Media, Object};
use super::endpoint::Right::Viewer;
use super::endpoint::Verb::Post;
use super::endpoint::{Kind, Route, schema_of};
use super::parts::*;
use super::table::READ;
use crate::gallery::viewers::ViewerMe;
use crate::http::api::stripe_webhook;
use crate::http::api::viewers::{self, NewName};
use crate::http::response::codes::Code;
use crate::http::response::codes::Code::*;
use crate::http::web::gallery;

const ASKING: &[Code] =
    &[KeyMissing, KeyInvalid, Forbidden, TooManyRequests, DatabaseUnavailable, Overloaded];
const NAMING: &[Code] = &[
    MalformedJson,
    UnknownField,
    MissingField,
    InvalidField,
    KeyMissing,
    KeyInvalid,
    Banned,
    Forbidden,
    TooLarge,
    UnsupportedMediaType,
    NameTaken,
    NameNotAllowed,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];
const FORM: &[Code] = &[
    MalformedJson,
    InvalidField,
    KeyMissing,
    KeyInvalid,
    Forbidden,
    NotFound,
    TooLarge,
    UnsupportedMediaType,
    NameTaken,
    NameNotAllowed,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];
/// A page for people.
const DESK: Route = Route { gives: Media("text/html"), refusals: FORM, ..READ };
/// What its forms do.
const POSTED: Route = Route { verb: Post, ..DESK };

pub(super) const GALLERY: &[Route] = &[
    Route {
        path: "/api/viewers/me",
        right: Viewer,
        summary: "What a person with a Gallery Pass may do now.",
        gives: Json(schema_of::<ViewerMe>),
        refusals: ASKING,
        mount: || web::to(viewers::me),
        ..READ
    },
    Route {
        verb: Post,
        path: "/api/viewers/me/name",
        right: Viewer,
        summary: "Gives you another name, once a day at most.",
        takes: Some(schema_of::<NewName>),
        gives: Changed(schema_of::<ViewerMe>),
        refusals: NAMING,
        mount: || web::to(viewers::rename),
        ..READ
    },
    Route {
        verb: Post,
        path: "/api/stripe/webhook",
        summary: "Where Stripe tells what was paid; signed, and each event counts once.",
        gives: Object,
        refusals: &[
            MalformedJson,
            SignatureInvalid,
            TooLarge,
            TooManyRequests,
            DatabaseUnavailable,
            Overloaded,
        ],
        mount: || web::to(stripe_webhook::webhook),
        ..READ
    },
    Route {
        path: "/gallery",
        summary: "What a Gallery Pass is, and the desk that sells it.",
        refusals: &[TooManyRequests, DatabaseUnavailable, Overloaded],
        mount: || web::to(gallery::page),
        ..DESK
    },
    Route {
        path: "/gallery/welcome",
        summary: "Back from Checkout.",
        params: &[query("session_id", Kind::Text, "cs_…")],
        mount: || web::to(gallery::welcome),
        ..DESK
    },
    Route {
        path: "/gallery/link",
        summary: "Where a link leads that was sent by mail.",
        params: &[query("token", Kind::Text, "as it was sent")],
        mount: || web::to(gallery::link),
        ..DESK
    },
    Route {
        path: "/gallery/link",
        summary: "Uses the link up for a new key.",
        mount: || web::to(gallery::use_link),
        ..POSTED
    },
    Route {
        path: "/gallery/checkout",
        summary: "Off to Checkout.",
        mount: || web::to(gallery::checkout),
        ..POSTED
    },
    Route {
        path: "/gallery/portal",
        summary: "Off to the Billing Portal.",
        mount: || web::to(gallery::portal),
        ..POSTED
    },
    Route {
        path: "/gallery/sign-in",
        summary: "In with a key.",
        mount: || web::to(gallery::sign_in),
        ..POSTED
    },
    Route { path: "/gallery/sign-out", summary: "Out.", mount: || web::to(gallery::sign_out), ..POSTED },
    Route { path: "/gallery/name", summary: "Another name.", mount: || web::to(gallery::name), ..POSTED },
    Route { path: "/gallery/key", summary: "A new key.", mount: || web::to(gallery::key), ..POSTED },
    Route {
        path: "/gallery/lost",
        summary: "Asks for a link by mail.",
        mount: || web::to(gallery::lost),
        ..POSTED
    },
];
