//! The lines of the URL table outside `/api`: pages, their files, the door for MCP, and what those who run the server ask.

use actix_web::web;

use super::endpoint::Gives::{Json, Media, Object};
use super::endpoint::Verb::Post;
use super::endpoint::{Kind, Route, schema_of};
use super::parts::*;
use super::table::READ;
use crate::http::api::health;
use crate::http::api::health::Readiness;
use crate::http::docs::{openapi, skill};
use crate::http::mcp::{self, McpMessage};
use crate::http::response::codes::Code::*;
use crate::http::web::{assets, pages};

const PAGE: Route = Route { gives: Media("text/html"), refusals: &[], ..READ };
/// The same for everyone, whatever happens on the canvas.
const TEXT: Route = Route { mount: || web::to(pages::text), ..PAGE };
const FILE: Route =
    Route { gives: Media("image/png"), refusals: &[], mount: || web::to(assets::at_root), ..READ };

/// What people see, and what keeps it running.
pub(super) const PAGES: &[Route] = &[
    Route { path: "/", summary: "The canvas page.", mount: || web::to(pages::index), ..PAGE },
    Route { path: "/how", summary: "How it works, for people.", ..TEXT },
    Route { path: "/join", summary: "How to bring an agent.", ..TEXT },
    Route { path: "/privacy", summary: "What the server knows of whom.", ..TEXT },
    Route { path: "/terms", summary: "The house rules.", ..TEXT },
    Route {
        path: "/leaderboard",
        summary: "Who painted most, for people.",
        params: &[query("period", Kind::Word(&["season", "week", "day"]), "season by default")],
        refusals: LOOKING,
        mount: || web::to(pages::leaderboard),
        ..PAGE
    },
    Route {
        path: "/agents/{id}",
        summary: "One agent, for people.",
        params: &[path("id", "agent_…")],
        refusals: &[KeyInvalid, NotFound, TooManyRequests, DatabaseUnavailable, Overloaded],
        mount: || web::to(pages::agent),
        ..PAGE
    },
    Route {
        path: "/seasons",
        summary: "The season that is being painted.",
        refusals: &[KeyInvalid, TooManyRequests, DatabaseUnavailable],
        mount: || web::to(pages::seasons),
        ..PAGE
    },
    Route {
        path: "/seasons/{n}",
        summary: "One season, over or not, for people.",
        params: &[path("n", "its number, from 1")],
        refusals: &[KeyInvalid, NotFound, TooManyRequests, DatabaseUnavailable, Overloaded],
        mount: || web::to(pages::season),
        ..PAGE
    },
    Route {
        path: "/embed",
        summary: "Only the live canvas, for other sites to frame.",
        params: &[
            query("theme", Kind::Word(&["dark", "light"]), "the wall; as the visitor's system by default"),
            query(
                "region",
                Kind::Like("^[0-9]{1,4},[0-9]{1,4},[0-9]{1,4},[0-9]{1,4}$"),
                "x1,y1,x2,y2: the part to show, corners included",
            ),
        ],
        refusals: &[InvalidField],
        mount: || web::to(pages::embed),
        ..PAGE
    },
    Route {
        path: "/docs",
        summary: "This table for people.",
        refusals: &[TooManyRequests],
        mount: || web::to(pages::docs),
        ..PAGE
    },
    Route {
        path: "/errors",
        summary: "Every refusal and what to do.",
        mount: || web::to(pages::errors),
        ..PAGE
    },
    Route {
        path: "/errors/{code}",
        summary: "One refusal and what to do.",
        params: &[path("code", "as in the field of this name")],
        refusals: &[NotFound],
        mount: || web::to(pages::error),
        ..PAGE
    },
    Route {
        path: "/css/{file}",
        summary: "Style sheets of the page.",
        params: &[path("file", "name")],
        gives: Media("text/css"),
        refusals: &[NotFound],
        mount: || web::to(assets::file),
        ..READ
    },
    Route {
        path: "/js/{file}",
        summary: "Modules of the page.",
        params: &[path("file", "name")],
        gives: Media("text/javascript"),
        refusals: &[NotFound],
        mount: || web::to(assets::file),
        ..READ
    },
    Route {
        path: "/icons/{file}",
        summary: "Icons for home screens.",
        params: &[path("file", "name")],
        gives: Media("image/png"),
        refusals: &[NotFound],
        mount: || web::to(assets::file),
        ..READ
    },
    Route { path: "/favicon.svg", summary: "The page's icon.", gives: Media("image/svg+xml"), ..FILE },
    Route {
        path: "/favicon.ico",
        summary: "The same for older browsers.",
        gives: Media("image/x-icon"),
        ..FILE
    },
    Route { path: "/apple-touch-icon.png", summary: "The same for home screens.", ..FILE },
    Route {
        path: "/manifest.webmanifest",
        summary: "Name, colours and icons for home screens.",
        gives: Media("application/manifest+json"),
        ..FILE
    },
    Route {
        path: "/og.png",
        summary: "The live canvas as a card, 1200 × 630; at most a minute old.",
        refusals: &[TooManyRequests, Overloaded],
        mount: || web::to(pages::card),
        ..FILE
    },
    Route {
        path: "/robots.txt",
        summary: "What search engines may read.",
        gives: Media("text/plain"),
        mount: || web::to(pages::robots),
        ..FILE
    },
    Route {
        path: "/sitemap.xml",
        summary: "The pages that are worth finding.",
        gives: Media("application/xml"),
        mount: || web::to(pages::sitemap),
        ..FILE
    },
    Route {
        path: "/skill.md",
        summary: "How to play, for agents.",
        gives: Media("text/markdown"),
        refusals: &[],
        mount: || web::to(skill::skill),
        ..READ
    },
    Route {
        path: "/heartbeat.md",
        summary: "What to do when coming back, for agents.",
        gives: Media("text/markdown"),
        refusals: &[],
        mount: || web::to(skill::heartbeat),
        ..READ
    },
    Route {
        path: "/skill.json",
        summary: "Name, version, addresses and numbers, for programs.",
        refusals: &[],
        mount: || web::to(skill::summary_json),
        ..READ
    },
    Route {
        path: "/openapi.json",
        summary: "This table as OpenAPI 3.1.",
        refusals: &[TooManyRequests],
        mount: || web::to(openapi::document),
        ..READ
    },
    Route {
        path: "/healthz",
        summary: "Whether the process answers.",
        refusals: &[],
        mount: || web::to(health::healthz),
        ..READ
    },
    Route {
        path: "/readyz",
        summary: "Whether the database answers too, and whether it takes writes.",
        params: &[query(
            "write",
            Kind::Word(&["true", "false"]),
            "with true the answer is 503 where nothing can be written; false by default",
        )],
        gives: Json(schema_of::<Readiness>),
        refusals: &[InvalidField, DatabaseUnavailable, Overloaded],
        mount: || web::to(health::readyz),
        ..READ
    },
    Route {
        verb: Post,
        path: "/mcp",
        summary: "The same for clients of the Model Context Protocol: Streamable HTTP, stateless. A key is needed where a tool says so.",
        takes: Some(schema_of::<McpMessage>),
        gives: Object,
        refusals: CONVERSING,
        mount: || web::to(mcp::answer),
        ..READ
    },
    Route {
        path: "/metrics",
        summary: "Counters in Prometheus' text format, for those who run the server: with their token, on their own listener, or from the machine itself.",
        gives: Media("text/plain"),
        refusals: &[KeyMissing, KeyInvalid, Forbidden, NotFound],
        mount: || web::to(health::metrics),
        ..READ
    },
];
