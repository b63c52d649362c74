//! The lines of the URL table outside `/api`: pages, their files, the door for MCP, and what those who run the server ask.

use super::endpoint::{ParamKind, Route};
use super::params::{path, query};
use crate::http::response::codes::Code::*;
use actix_web::web;

use crate::http::api::health;
use crate::http::api::health::Readiness;
use crate::http::docs::handlers;
use crate::http::mcp::{self, McpMessage};
use crate::http::web::{assets, pages};

/// What people see, and what keeps it running.
pub(super) const PAGES: &[Route] = &[
    Route::page("/", || web::to(pages::index)).summary("The canvas page."),
    Route::page("/how", || web::to(pages::text)).summary("How it works, for people."),
    Route::page("/join", || web::to(pages::text)).summary("How to bring an agent."),
    Route::page("/privacy", || web::to(pages::text)).summary("What the server knows of whom."),
    Route::page("/terms", || web::to(pages::text)).summary("The house rules."),
    Route::page("/leaderboard", || web::to(pages::leaderboard))
        .summary("Who painted most, for people.")
        .params(&[query("period", ParamKind::OneOf(&["season", "week", "day"]), "season by default")])
        .refusals(&[KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::page("/agents/{id}", || web::to(pages::agent))
        .summary("One agent, for people.")
        .params(&[path("id", "agent_…")])
        .refusals(&[KeyInvalid, TooManyRequests, DatabaseUnavailable, Overloaded]),
    Route::page("/seasons", || web::to(pages::seasons))
        .summary("The season that is being painted.")
        .refusals(&[KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::page("/seasons/{n}", || web::to(pages::season))
        .summary("One season, over or not, for people.")
        .params(&[path("n", "its number, from 1")])
        .refusals(&[KeyInvalid, TooManyRequests, DatabaseUnavailable, Overloaded]),
    Route::page("/embed", || web::to(pages::embed))
        .summary("Only the live canvas, for other sites to frame.")
        .params(&[
            query(
                "theme",
                ParamKind::OneOf(&["dark", "light"]),
                "the wall; as the visitor's system by default",
            ),
            query(
                "region",
                ParamKind::Pattern("^[0-9]{1,4},[0-9]{1,4},[0-9]{1,4},[0-9]{1,4}$"),
                "x1,y1,x2,y2: the part to show, corners included",
            ),
        ]),
    Route::page("/docs", || web::to(pages::docs))
        .summary("This table for people.")
        .refusals(&[TooManyRequests]),
    Route::page("/errors", || web::to(pages::errors)).summary("Every refusal and what to do."),
    Route::page("/errors/{code}", || web::to(pages::error))
        .summary("One refusal and what to do.")
        .params(&[path("code", "as in the field of this name")]),
    Route::get("/css/{file}", || web::to(assets::file))
        .summary("Style sheets of the page.")
        .params(&[path("file", "name")])
        .media("text/css"),
    Route::get("/js/{file}", || web::to(assets::file))
        .summary("Modules of the page.")
        .params(&[path("file", "name")])
        .media("text/javascript"),
    Route::get("/icons/{file}", || web::to(assets::file))
        .summary("Icons for home screens.")
        .params(&[path("file", "name")])
        .media("image/png"),
    Route::get("/favicon.svg", || web::to(assets::root_file))
        .summary("The page's icon.")
        .media("image/svg+xml"),
    Route::get("/favicon.ico", || web::to(assets::root_file))
        .summary("The same for older browsers.")
        .media("image/x-icon"),
    Route::get("/apple-touch-icon.png", || web::to(assets::root_file))
        .summary("The same for home screens.")
        .media("image/png"),
    Route::get("/manifest.webmanifest", || web::to(assets::root_file))
        .summary("Name, colours and icons for home screens.")
        .media("application/manifest+json"),
    Route::get("/og.png", || web::to(pages::card))
        .summary("The live canvas as a card, 1200 × 630; at most a minute old.")
        .media("image/png")
        .refusals(&[TooManyRequests, Overloaded]),
    Route::get("/robots.txt", || web::to(pages::robots))
        .summary("What search engines may read.")
        .media("text/plain"),
    Route::get("/sitemap.xml", || web::to(pages::sitemap))
        .summary("The pages that are worth finding.")
        .media("application/xml"),
    Route::get("/skill.md", || web::to(handlers::skill))
        .summary("An agent's first visit, step by step.")
        .media("text/markdown"),
    Route::get("/skill/coordination.md", || web::to(handlers::coordination))
        .summary("For agents: announcements, answers, inbox, and reading only what is new.")
        .media("text/markdown"),
    Route::get("/skill/mcp.md", || web::to(handlers::mcp))
        .summary("For agents: the tools of the Model Context Protocol.")
        .media("text/markdown"),
    Route::get("/skill/reference.md", || web::to(handlers::reference))
        .summary("For agents: safe retries, live events, history and all refusals.")
        .media("text/markdown"),
    Route::get("/heartbeat.md", || web::to(handlers::heartbeat))
        .summary("What to do when coming back, for agents.")
        .media("text/markdown"),
    Route::get("/skill.json", || web::to(handlers::summary))
        .summary("Name, version, addresses and numbers, for programs."),
    Route::get("/openapi.json", || web::to(handlers::openapi))
        .summary("This table as OpenAPI 3.1.")
        .refusals(&[TooManyRequests]),
    Route::get("/healthz", || web::to(health::healthz)).summary("Whether the process answers."),
    Route::get("/readyz", || web::to(health::readyz))
        .summary("Whether the database answers too, and whether it takes writes.")
        .params(&[query(
            "write",
            ParamKind::OneOf(&["true", "false"]),
            "with true the answer is 503 where nothing can be written; false by default",
        )])
        .json::<Readiness>()
        .refusals(&[DatabaseUnavailable, Overloaded]),
    Route::post("/mcp", || web::to(mcp::handle_message))
        .summary(
            "The same for clients of the Model Context Protocol: Streamable HTTP, stateless. A key is \
             needed where a tool says so.",
        )
        .body::<McpMessage>()
        .refusals(&[
            MalformedJson,
            InvalidField,
            KeyInvalid,
            Forbidden,
            NotAcceptable,
            TooLarge,
            UnsupportedMediaType,
            TooManyRequests,
            DatabaseUnavailable,
            Overloaded,
        ]),
    Route::get("/metrics", || web::to(health::metrics))
        .summary(
            "Counters in Prometheus' text format, for those who run the server: with their token, on their \
             own listener, or from the machine itself.",
        )
        .media("text/plain")
        .refusals(&[KeyMissing, KeyInvalid, Forbidden, NotFound]),
];
