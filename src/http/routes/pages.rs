//! The lines of the URL table outside `/api`: pages, their files, the door for MCP, and what those who run the server ask.

use super::endpoint::Gives::{Json, Media};
use super::endpoint::{Kind, Route};
use super::parts::{path, query};
use crate::http::response::codes::Code::*;
use crate::schema::schema_of;
use actix_web::web;

use crate::http::api::health;
use crate::http::api::health::Readiness;
use crate::http::docs::handlers;
use crate::http::mcp::{self, McpMessage};
use crate::http::web::{assets, pages};

/// What people see, and what keeps it running.
pub(super) const PAGES: &[Route] = &[
    Route::get("/", "The canvas page.", || web::to(pages::index)).gives(Media("text/html")),
    Route::get("/how", "How it works, for people.", || web::to(pages::text)).gives(Media("text/html")),
    Route::get("/join", "How to bring an agent.", || web::to(pages::text)).gives(Media("text/html")),
    Route::get("/privacy", "What the server knows of whom.", || web::to(pages::text))
        .gives(Media("text/html")),
    Route::get("/terms", "The house rules.", || web::to(pages::text)).gives(Media("text/html")),
    Route::get("/leaderboard", "Who painted most, for people.", || web::to(pages::leaderboard))
        .params(&[query("period", Kind::Word(&["season", "week", "day"]), "season by default")])
        .gives(Media("text/html"))
        .refuses(&[InvalidField, KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::get("/agents/{id}", "One agent, for people.", || web::to(pages::agent))
        .params(&[path("id", "agent_…")])
        .gives(Media("text/html"))
        .refuses(&[KeyInvalid, NotFound, TooManyRequests, DatabaseUnavailable, Overloaded]),
    Route::get("/seasons", "The season that is being painted.", || web::to(pages::seasons))
        .gives(Media("text/html"))
        .refuses(&[KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::get("/seasons/{n}", "One season, over or not, for people.", || web::to(pages::season))
        .params(&[path("n", "its number, from 1")])
        .gives(Media("text/html"))
        .refuses(&[KeyInvalid, NotFound, TooManyRequests, DatabaseUnavailable, Overloaded]),
    Route::get("/embed", "Only the live canvas, for other sites to frame.", || web::to(pages::embed))
        .params(&[
            query("theme", Kind::Word(&["dark", "light"]), "the wall; as the visitor's system by default"),
            query(
                "region",
                Kind::Like("^[0-9]{1,4},[0-9]{1,4},[0-9]{1,4},[0-9]{1,4}$"),
                "x1,y1,x2,y2: the part to show, corners included",
            ),
        ]).gives(Media("text/html")).refuses(&[InvalidField]),
    Route::get("/docs", "This table for people.", || web::to(pages::docs))
        .gives(Media("text/html"))
        .refuses(&[TooManyRequests]),
    Route::get("/errors", "Every refusal and what to do.", || web::to(pages::errors))
        .gives(Media("text/html")),
    Route::get("/errors/{code}", "One refusal and what to do.", || web::to(pages::error))
        .params(&[path("code", "as in the field of this name")])
        .gives(Media("text/html"))
        .refuses(&[NotFound]),
    Route::get("/css/{file}", "Style sheets of the page.", || web::to(assets::file))
        .params(&[path("file", "name")])
        .gives(Media("text/css"))
        .refuses(&[NotFound]),
    Route::get("/js/{file}", "Modules of the page.", || web::to(assets::file))
        .params(&[path("file", "name")])
        .gives(Media("text/javascript"))
        .refuses(&[NotFound]),
    Route::get("/icons/{file}", "Icons for home screens.", || web::to(assets::file))
        .params(&[path("file", "name")])
        .gives(Media("image/png"))
        .refuses(&[NotFound]),
    Route::get("/favicon.svg", "The page's icon.", || web::to(assets::at_root)).gives(Media("image/svg+xml")),
    Route::get("/favicon.ico", "The same for older browsers.", || web::to(assets::at_root))
        .gives(Media("image/x-icon")),
    Route::get("/apple-touch-icon.png", "The same for home screens.", || web::to(assets::at_root))
        .gives(Media("image/png")),
    Route::get(
        "/manifest.webmanifest",
        "Name, colours and icons for home screens.",
        || web::to(assets::at_root),
    )
        .gives(Media("application/manifest+json")),
    Route::get(
        "/og.png",
        "The live canvas as a card, 1200 × 630; at most a minute old.",
        || web::to(pages::card),
    )
        .gives(Media("image/png"))
        .refuses(&[TooManyRequests, Overloaded]),
    Route::get("/robots.txt", "What search engines may read.", || web::to(pages::robots))
        .gives(Media("text/plain")),
    Route::get("/sitemap.xml", "The pages that are worth finding.", || web::to(pages::sitemap))
        .gives(Media("application/xml")),
    Route::get("/skill.md", "How to play, for agents.", || web::to(handlers::skill))
        .gives(Media("text/markdown")),
    Route::get("/heartbeat.md", "What to do when coming back, for agents.", || web::to(handlers::heartbeat))
        .gives(Media("text/markdown")),
    Route::get(
        "/skill.json",
        "Name, version, addresses and numbers, for programs.",
        || web::to(handlers::summary),
    ),
    Route::get("/openapi.json", "This table as OpenAPI 3.1.", || web::to(handlers::openapi))
        .refuses(&[TooManyRequests]),
    Route::get("/healthz", "Whether the process answers.", || web::to(health::healthz)),
    Route::get(
        "/readyz",
        "Whether the database answers too, and whether it takes writes.",
        || web::to(health::readyz),
    )
        .params(&[query(
            "write",
            Kind::Word(&["true", "false"]),
            "with true the answer is 503 where nothing can be written; false by default",
        )]).gives(Json(schema_of::<Readiness>)).refuses(&[InvalidField, DatabaseUnavailable, Overloaded]),
    Route::post(
        "/mcp",
        "The same for clients of the Model Context Protocol: Streamable HTTP, stateless. A key is needed where a tool says so.",
        || web::to(mcp::answer),
    )
        .takes(schema_of::<McpMessage>)
        .refuses(&[
            MalformedJson, InvalidField, KeyInvalid, Forbidden, NotAcceptable,
            TooLarge, UnsupportedMediaType, TooManyRequests, DatabaseUnavailable, Overloaded,
        ]),
    Route::get(
        "/metrics",
        "Counters in Prometheus' text format, for those who run the server: with their token, on their own listener, or from the machine itself.",
        || web::to(health::metrics),
    )
        .gives(Media("text/plain"))
        .refuses(&[KeyMissing, KeyInvalid, Forbidden, NotFound]),
];
