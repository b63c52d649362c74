//! A server without pages for visitors: everything else is there.

use std::collections::BTreeSet;

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{Route, Verb};
use regex::Regex;
use reqwest::Method;

use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::{Reply, Server};

/// The part of a refusal that names the missing pages.
const NO_PAGES: &str = "this server has none for visitors";

async fn start_without_pages() -> Server {
    let pages_off = [("CARAPLACE_PAGES", "false")];
    Server::start_with(&[&CONSOLE_SETTINGS[..], &pages_off[..]].concat()).await
}

/// Sends a request of a browser to a route.
async fn visit(server: &Server, route: &Route) -> Reply {
    let path = Regex::new(r"\{[a-z]+\}").unwrap().replace_all(route.path, "nothing").into_owned();
    let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
    Reply::fetch(server.client.request(method, server.url(&path)).header("Accept", "text/html")).await
}

#[tokio::test]
async fn each_page_answers_404_and_every_other_route_is_there() {
    let server = start_without_pages().await;
    let pages: Vec<_> = ROUTES.iter().filter(|route| route.is_visitor_page()).collect();
    for path in ["/", "/embed", "/gallery", "/messages", "/plans/{id}/edit", "/sitemap.xml"] {
        assert!(pages.iter().any(|route| route.path == path), "{path}");
    }
    for route in pages {
        let reply = visit(&server, route).await;
        reply.assert_refused(404, "not_found");
        assert!(reply.body["detail"].as_str().unwrap().contains(NO_PAGES), "{}: {}", route.path, reply.body);
        assert!(reply.body["hint"].as_str().unwrap().contains("/skill.md"), "{}", reply.body);
    }
    let is_tried = |route: &&Route| route.verb == Verb::Get && !route.path.starts_with("/api/");
    for route in ROUTES.iter().filter(is_tried).filter(|route| !route.is_visitor_page()) {
        let reply = visit(&server, route).await;
        let text = String::from_utf8_lossy(&reply.bytes);
        assert!(reply.status != 405 && !text.contains(NO_PAGES), "{}: {}", route.path, reply.status);
    }
    for path in
        ["/api/canvas", "/api/chat", "/skill.md", "/heartbeat.md", "/llms.txt", "/openapi/agents.json"]
    {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
    server.get("/api/nothing").await.assert_refused(404, "not_found");
    let ada = server.register_agent("Ada").await;
    ada.paint(1, 1, 5).await.assert_status(201);
}

#[tokio::test]
async fn addresses_from_answers_and_mails_stay() {
    let server = start_without_pages().await;
    let refusal = server.get("/api/nothing").await.body;
    let problem_type = refusal["type"].as_str().unwrap();
    assert!(problem_type.starts_with("/errors#"), "{refusal}");
    for path in [problem_type, "/errors/not_found", "/docs"] {
        assert_eq!(server.page(path).await.0, 200, "{path}");
    }
    server.get("/gallery/unsubscribe").await.assert_refused(403, "forbidden");
}

#[tokio::test]
async fn documents_link_to_no_missing_page() {
    let server = start_without_pages().await;
    let link = Regex::new(r##"href="(/[^"#?]*)"##).unwrap();
    for path in ["/docs", "/errors", "/errors/not_found"] {
        let (status, page) = server.page(path).await;
        assert_eq!(status, 200, "{page}");
        let targets: BTreeSet<&str> =
            link.captures_iter(&page).map(|found| found.extract::<1>().1[0]).collect();
        assert!(targets.contains("/skill.md"), "{targets:?}");
        for target in targets {
            assert_ne!(server.get(target).await.status, 404, "{path} links to {target}");
        }
    }
    let address = Regex::new(&format!(r"{}(/[^\s);:]*)", regex::escape(&server.url("")))).unwrap();
    for path in ["/robots.txt", "/llms.txt"] {
        let text = String::from_utf8(server.get(path).await.bytes).unwrap();
        assert!(address.is_match(&text), "{text}");
        for found in address.captures_iter(&text) {
            assert_ne!(server.get(&found[1]).await.status, 404, "{path} names {}", &found[1]);
        }
    }
}

#[tokio::test]
async fn console_links_to_no_missing_page() {
    let server = start_without_pages().await;
    let ada = server.register_agent("Ada").await;
    ada.paint(1, 1, 5).await.assert_status(201);
    let operator = server.sign_in_operator().await;
    let link = Regex::new(r#"href="(/[^"]*)""#).unwrap();
    for path in ["/admin", "/admin/plans", "/admin/crews", &format!("/admin/agents/{}", ada.id)] {
        let (status, page) = operator.page(path).await;
        assert_eq!(status, 200, "{page}");
        for found in link.captures_iter(&page) {
            let target = found[1].replace("&amp;", "&");
            assert_ne!(server.get(&target).await.status, 404, "{path} links to {target}");
        }
    }
}

#[tokio::test]
async fn documents_leave_the_pages_out_and_the_console_stays() {
    let server = start_without_pages().await;
    let document = server.get("/openapi.json").await.body;
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.contains_key("/api/pixel") && !paths.contains_key("/leaderboard"));
    let operator = server.sign_in_operator().await;
    let (status, page) = operator.page("/admin").await;
    assert_eq!(status, 200, "{page}");
    let style = Regex::new(r#"rel="stylesheet" href="([^"]+)""#).unwrap();
    let styles: Vec<_> = style.captures_iter(&page).map(|found| found[1].to_owned()).collect();
    assert!(!styles.is_empty());
    for path in styles {
        assert_eq!(server.get(&path).await.status, 200, "{path}");
    }
    let (status, page) = operator.page("/admin/agents/agent_nobody").await;
    assert!(status == 404 && page.contains("console-nav"), "{page}");
}
