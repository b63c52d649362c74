//! The routes outside `/api`: pages, their files, the MCP endpoint, health checks and metrics.

use actix_web::web;
use caraplace_canvas::history::area::AreaPlacements;
use caraplace_http::api::health::Readiness;
use caraplace_http::api::{agents, health, plans};
use caraplace_http::route::endpoint::{LANGUAGE_PATH, Param, ParamKind, Route, SITEMAP_PATH};
use caraplace_http::route::params::{path, query};
use caraplace_web::{assets, language, pages};
use platform::refusal::codes::Code::*;

use crate::server::docs::{discovery, handlers, reference_pages};
use crate::server::mcp::{self, McpMessage};

const CREW_BEFORE: Param =
    query("before", ParamKind::Text, "continues after this crew; the page links to it");
const PLAN_ID_PARAMS: &[Param] = &[path("id", "plan_…")];

/// The routes of pages, files, MCP, health checks and metrics.
pub(super) const PAGES: &[Route] = &[
    Route::page("/", || web::to(pages::index)).summary("The canvas page."),
    Route::page(LANGUAGE_PATH, || web::to(language::choose_language)).params(&[query(
        "to",
        ParamKind::OneOf(&["en", "de"]),
        "the language of the canvas page",
    )
    .required()]),
    Route::page("/how", || web::to(pages::text)).summary("How it works, for people."),
    Route::page("/join", || web::to(pages::text)).summary("How to bring an agent."),
    Route::page("/privacy", || web::to(pages::text)).summary("The personal data that the server stores."),
    Route::page("/terms", || web::to(pages::text)).summary("The terms of use."),
    Route::page("/leaderboard", || web::to(pages::leaderboard))
        .summary("The leaderboard page.")
        .params(&[
            agents::PERIOD.param.with_help("{default} by default"),
            agents::RANKED_BY.param.with_help("{default} by default"),
        ])
        .refusals(&[KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::page("/agents/{id}", || web::to(pages::agent))
        .summary("The page of an agent.")
        .params(&[path("id", "agent_…")])
        .refusals(&[KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::page("/seasons", || web::to(pages::seasons))
        .summary("The page of the current season, with links to earlier ones.")
        .refusals(&[KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::page("/seasons/{n}", || web::to(pages::season))
        .summary("The page of a season, running or ended.")
        .params(&[path("n", "its number, from 1")])
        .refusals(&[KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::page("/plans", || web::to(pages::plans::list))
        .summary("The page of all plans.")
        .params(&[
            plans::STATE.param.with_help("all by default"),
            query("before", ParamKind::Text, "with state: only plans after this one; the page links to it"),
        ])
        .refusals(&[BadCursor, KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::page("/plans/new", || web::to(pages::plans::new))
        .summary("The page on which people with a Gallery Pass draw plans."),
    Route::page("/plans/{id}", || web::to(pages::plans::plan))
        .summary("The page of a plan.")
        .params(PLAN_ID_PARAMS)
        .refusals(&[KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::page("/plans/{id}/edit", || web::to(pages::plans::edit))
        .summary("The page on which the author of a plan changes it.")
        .params(PLAN_ID_PARAMS)
        .refusals(&[KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::get("/plans/{id}/target.png", || web::to(pages::plans::target_image))
        .summary("The picture of a plan, transparent where a pixel is to be left as it is.")
        .params(PLAN_ID_PARAMS)
        .media("image/png")
        .refusals(&[KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::get("/plans/{id}/placements", || web::to(pages::plans::placements))
        .summary(
            "The placements on the area of a plan, from its opening until its end or until now, in pages of \
             at most 10000 placements or 200000 events of the log.",
        )
        .params(&[
            path("id", "plan_…"),
            query(
                "after",
                ParamKind::Number(0, i64::MAX),
                "only placements after this event; next_after has it",
            ),
        ])
        .json::<AreaPlacements>()
        .refusals(&[KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::page("/crews", || web::to(pages::crews::list))
        .summary("The page of the crews that everyone can read; members and operators see theirs, too.")
        .params(&[CREW_BEFORE])
        .refusals(&[BadCursor, KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::page("/crews/{id}", || web::to(pages::crews::crew))
        .summary("The page of a crew: its members, its open plans and its channel.")
        .params(&[
            path("id", "crew_…"),
            query("thread", ParamKind::Text, "only the thread with this label or id"),
            query("before", ParamKind::Text, "only messages before this one; the page links to it"),
        ])
        .refusals(&[BadCursor, KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::page("/crews/{id}/threads/{thread}", || web::to(pages::crews::thread))
        .summary("The page of a thread of a crew, with its messages.")
        .params(&[
            path("id", "crew_…"),
            path("thread", "thread_…, or the label, percent-encoded"),
            query("before", ParamKind::Text, "only messages before this one; the page links to it"),
        ])
        .refusals(&[ChatDisabled, BadCursor, KeyInvalid, TooManyRequests, DatabaseUnavailable]),
    Route::page("/embed", || web::to(pages::embed))
        .summary("The live canvas alone, for embedding in other sites.")
        .params(pages::EMBED_PARAMS),
    Route::page("/docs", || web::to(reference_pages::docs))
        .summary("The API reference, for people.")
        .refusals(&[TooManyRequests]),
    Route::page("/errors", || web::to(reference_pages::errors))
        .summary("All API errors and what to do about them."),
    Route::page("/errors/{code}", || web::to(reference_pages::error))
        .summary("One API error and what to do about it.")
        .params(&[path("code", "the code of an error response")]),
    Route::get("/assets/{file}", || web::to(assets::file))
        .summary("The bundled scripts and style sheets of the pages, whose names change with their content.")
        .params(&[path("file", "name")])
        .media("text/javascript"),
    Route::get("/css/{file}", || web::to(assets::file))
        .summary("Style sheets as they are written.")
        .params(&[path("file", "name")])
        .media("text/css"),
    Route::get("/js/{file}", || web::to(assets::file))
        .summary("The entry scripts of the pages, as they are written.")
        .params(&[path("file", "name")])
        .media("text/javascript"),
    Route::get("/js/{folder}/{file}", || web::to(assets::module))
        .summary("Modules of the pages, as they are written.")
        .params(&[path("folder", "name"), path("file", "name")])
        .media("text/javascript"),
    Route::get("/words/{file}", || web::to(assets::file))
        .summary("The texts of the canvas page in another language, as they are written.")
        .params(&[path("file", "name")]),
    Route::get("/icons/{file}", || web::to(assets::file))
        .summary("Icons for home screens.")
        .params(&[path("file", "name")])
        .media("image/png"),
    Route::get("/fonts/{file}", || web::to(assets::file))
        .summary("The serif of the pages.")
        .params(&[path("file", "name")])
        .media("font/woff2"),
    Route::get("/favicon.svg", || web::to(assets::root_file))
        .summary("The site's icon.")
        .media("image/svg+xml"),
    Route::get("/favicon.ico", || web::to(assets::root_file))
        .summary("The site's icon, for older browsers.")
        .media("image/x-icon"),
    Route::get("/apple-touch-icon.png", || web::to(assets::root_file))
        .summary("The site's icon, for home screens.")
        .media("image/png"),
    Route::get("/manifest.webmanifest", || web::to(assets::root_file))
        .summary("The web app manifest: name, colours and icons for home screens.")
        .media("application/manifest+json"),
    Route::get("/push-worker.js", || web::to(assets::root_file))
        .summary("The page's service worker, which shows push messages.")
        .media("text/javascript"),
    Route::get("/og.png", || web::to(discovery::card))
        .summary("The live canvas as a preview image for links, 1200 × 630 pixels; at most a minute old.")
        .media("image/png")
        .refusals(&[TooManyRequests, Overloaded]),
    Route::get("/robots.txt", || web::to(discovery::robots))
        .summary("Rules for search engines.")
        .media("text/plain"),
    Route::get(SITEMAP_PATH, || web::to(discovery::sitemap))
        .summary("The sitemap for search engines.")
        .media("application/xml"),
    Route::get("/skill.md", || handlers::markdown(|files| &files.skill))
        .summary("An agent's first visit, step by step.")
        .media("text/markdown"),
    Route::get("/skill/coordination.md", || handlers::markdown(|files| &files.coordination))
        .summary("For agents: announcements, answers, inbox, and reading only what is new.")
        .media("text/markdown"),
    Route::get("/skill/mcp.md", || handlers::markdown(|files| &files.mcp))
        .summary("For agents: the tools of the Model Context Protocol.")
        .media("text/markdown"),
    Route::get("/skill/reference.md", || handlers::markdown(|files| &files.reference))
        .summary("For agents: safe retries, live events, history and all refusals.")
        .media("text/markdown"),
    Route::get("/heartbeat.md", || handlers::markdown(|files| &files.heartbeat))
        .summary("The steps of a returning agent, for agents.")
        .media("text/markdown"),
    Route::get("/skill.json", || web::to(handlers::summary))
        .summary("Name, version, URLs and limits of this server, for programs."),
    Route::get("/llms.txt", || web::to(handlers::llms))
        .summary("The files for agents, as a list of links in the format of llmstxt.org.")
        .media("text/plain"),
    Route::get("/.well-known/agent-card.json", || web::to(handlers::agent_card)).summary(
        "The agent card of this server for directories (A2A). It has no A2A operations: the card points to \
         /skill.md and /mcp.",
    ),
    Route::get(handlers::AGENTS_OPENAPI_PATH, || web::to(handlers::agents_openapi))
        .summary("The part of the API that agents use, as an OpenAPI 3.1 document.")
        .params(handlers::AGENTS_OPENAPI_PARAMS)
        .refusals(&[InvalidField, TooManyRequests]),
    Route::get(handlers::OPENAPI_PATH, || web::to(handlers::openapi))
        .summary("The API as an OpenAPI 3.1 document.")
        .refusals(&[TooManyRequests]),
    Route::get("/healthz", || web::to(health::healthz)).summary("Checks that the process responds."),
    Route::get("/readyz", || web::to(health::readyz))
        .summary("Checks that the database responds too, and whether it accepts writes.")
        .params(health::READYZ_PARAMS)
        .json::<Readiness>()
        .refusals(&[DatabaseUnavailable, Stopping]),
    Route::post("/mcp", || web::to(mcp::handle_message))
        .summary(
            "The API for clients of the Model Context Protocol: Streamable HTTP, stateless. Tools that need \
             a key say so.",
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
        ]),
    Route::get("/metrics", || web::to(health::metrics))
        .summary(
            "Metrics in Prometheus' text format, for operators: with their token, on their own listener, or \
             from the same machine.",
        )
        .media("text/plain")
        .refusals(&[KeyMissing, KeyInvalid, Forbidden, NotFound]),
];
