//! The pages beside the canvas: their content, their caching, and the escaping of texts.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{Route, RouteResponse, Verb};
use regex::Regex;
use serde_json::json;

use crate::support::actions::{found_crew, open_plan};
use crate::support::values::id_of;
use crate::support::{Agent, Reply, Server, log_fixture};

const BROWSER_ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const MARKUP: &str = "<img src=x onerror=alert(1)>\"'&";

async fn fetch_as_browser(server: &Server, path: &str) -> Reply {
    server.get_with_headers(path, &[("Accept", BROWSER_ACCEPT)]).await
}

fn html_text(reply: &Reply) -> String {
    assert_eq!(reply.header("content-type"), "text/html; charset=utf-8");
    reply.text().to_owned()
}

/// Returns the pages in the table of routes.
pub fn page_routes() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(|route| {
        route.is_described()
            && route.verb == Verb::Get
            && matches!(route.response, RouteResponse::Media("text/html"))
    })
}

/// Returns every page of the table, with the address of this agent, of a new plan, of a new crew or of a
/// thread of that where one is needed.
async fn page_paths(agent: &Agent<'_>) -> Vec<String> {
    let plan = open_plan(agent, json!({"title": "A house", "x": 1, "y": 2, "rows": ["5"]})).await;
    let crew = found_crew(agent, "Walkers", "open").await;
    agent.earn_message_credits().await;
    let message = json!({"content": "Which way?", "thread": "ways"});
    let posted = agent.post(&format!("/api/crews/{}/messages", id_of(&crew)), message).await;
    let thread = posted.assert_status(201)["message"]["thread_id"].as_str().unwrap().to_owned();
    page_routes()
        .map(|route| route.path.replace("/plans/{id}", &format!("/plans/{}", id_of(&plan))))
        .map(|path| path.replace("/crews/{id}", &format!("/crews/{}", id_of(&crew))))
        .map(|path| path.replace("{thread}", &thread))
        .map(|path| path.replace("{n}", "1").replace("{id}", &agent.id).replace("{code}", "not_found"))
        .collect()
}

#[tokio::test]
async fn every_page_is_complete_and_has_no_broken_links() {
    let server = Server::start().await;
    let agent = server.register_agent("Walker").await;
    agent.paint(3, 4, 5).await;
    let link = Regex::new(r#"(?:href|src)="(/[^"]*)""#).unwrap();
    let paths = page_paths(&agent).await;
    assert!(paths.len() > 12, "{paths:?}");
    // Pages link to the same files again and again, and the reference alone thousands of times.
    let mut files: HashMap<String, Reply> = HashMap::new();
    for path in paths {
        let reply = fetch_as_browser(&server, &path).await;
        assert_eq!(reply.status, 200, "{path}");
        let text = html_text(&reply);
        assert!(!text.contains("{{") && text.contains("lang=\"en\""), "{path}");
        let one = |tag: &str| assert_eq!(text.matches(tag).count(), 1, "{tag} in {path}");
        ["<title>", "<main", "name=\"viewport\""].into_iter().for_each(one);
        one("<h1");
        if path != "/embed" {
            ["class=\"skip\"", "<header class=\"site-header"].into_iter().for_each(one);
        }
        for target in link.captures_iter(&text).map(|found| found[1].replace("&amp;", "&")) {
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            if let Entry::Vacant(unread) = files.entry(file.to_owned()) {
                unread.insert(fetch_as_browser(&server, file).await);
            }
            let there = &files[file];
            assert_eq!(there.status, 200, "{target} in {path}");
            if !anchor.is_empty() && file != "/" {
                assert!(there.text().contains(&format!("id=\"{anchor}\"")), "{target} in {path}");
            }
        }
    }
}

#[tokio::test]
async fn only_embed_may_be_framed_and_no_inline_scripts_run() {
    let server = Server::start().await;
    let agent = server.register_agent("Walker").await;
    for path in page_paths(&agent).await {
        let reply = fetch_as_browser(&server, &path).await;
        let policy = reply.header("content-security-policy");
        assert!(policy.starts_with("default-src 'self'") && !policy.contains("unsafe"), "{path}: {policy}");
        let framed = if path == "/embed" { "frame-ancestors *" } else { "frame-ancestors 'self'" };
        assert!(policy.ends_with(framed), "{path}: {policy}");
        assert_eq!(reply.header("x-frame-options"), "");
    }
}

#[tokio::test]
async fn pages_are_cacheable_and_compressed() {
    let server = Server::start().await;
    let agent = server.register_agent("Walker").await;
    let files = ["/robots.txt", "/sitemap.xml", "/favicon.ico", "/manifest.webmanifest"];
    // The forms of the pass page contain a token, so it must not be cached or compressed.
    let shared = page_paths(&agent).await.into_iter().filter(|path| path != "/gallery");
    for path in shared.chain(files.map(str::to_owned)) {
        let packed = server.get_with_headers(&path, &[("Accept-Encoding", "br")]).await;
        let first = fetch_as_browser(&server, &path).await;
        assert_eq!((packed.status, first.status), (200, 200), "{path}");
        assert_eq!(packed.header("content-encoding"), "br", "{path}");
        assert_ne!(packed.header("etag"), first.header("etag"), "{path}");
        // Files are revalidated before each use, as pages are after a second.
        let caching = first.header("cache-control");
        assert!(caching == "no-cache" || caching.starts_with("public, max-age="), "{path}: {caching}");
        let again = server.get_with_headers(&path, &[("If-None-Match", first.header("etag"))]).await;
        assert_eq!((again.status, again.bytes.len()), (304, 0), "{path}");
    }
}

#[tokio::test]
async fn metadata_uses_the_public_url() {
    let server = Server::start_with(&[("CARAPLACE_PUBLIC_URL", "https://canvas.example")]).await;
    for path in ["/", "/how", "/leaderboard"] {
        let text = html_text(&fetch_as_browser(&server, path).await);
        for property in ["og:title", "og:description", "og:url", "og:image", "og:image:alt"] {
            assert_eq!(text.matches(&format!("property=\"{property}\"")).count(), 1, "{property} in {path}");
        }
        assert!(text.contains("content=\"https://canvas.example/og.png\""), "{path}");
        assert!(text.contains(&format!("rel=\"canonical\" href=\"https://canvas.example{path}\"")), "{path}");
    }
    let map = fetch_as_browser(&server, "/sitemap.xml").await;
    assert!(map.text().contains("<loc>https://canvas.example/how</loc>"));
    let robots = fetch_as_browser(&server, "/robots.txt").await;
    assert!(robots.text().contains("Sitemap: https://canvas.example/sitemap.xml"));
}

#[tokio::test]
async fn preview_image_shows_the_live_canvas() {
    let server = Server::start().await;
    server.register_agent("Walker").await.paint(0, 0, 5).await;
    let card = server.get("/og.png").await;
    assert_eq!((card.status, card.header("content-type")), (200, "image/png"));
    assert_eq!(card.header("cache-control"), "public, max-age=60");
    let mut reader = png::Decoder::new(std::io::Cursor::new(&card.bytes)).read_info().unwrap();
    let mut colors = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut colors).unwrap();
    assert_eq!((info.width, info.height), (1_200, 630));
    // The canvas' first pixel, four image pixels wide: 512 image pixels around the middle of the frame.
    let at = |x: usize, y: usize| colors[(y * 1_200 + x) * 3..][..3].to_vec();
    assert_eq!((at(69, 59), at(73, 59)), (vec![0xe5, 0, 0], vec![0xff; 3]));
    let again = server.get_with_headers("/og.png", &[("If-None-Match", card.header("etag"))]).await;
    assert_eq!((again.status, again.bytes.len()), (304, 0));
}

#[tokio::test]
async fn agent_page_shows_activity_and_escapes_text() {
    let server = Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let form = json!({"name": "צביע", "description": MARKUP, "model": MARKUP});
    let agent = server.register_profile(form).await;
    let path = format!("/agents/{}", agent.id);
    let empty = html_text(&fetch_as_browser(&server, &path).await);
    assert!(empty.contains("None yet.") && empty.contains("Nothing yet."));
    agent.earn_message_credits().await;
    assert_eq!(agent.post_message(MARKUP).await.status, 201);
    agent.paint(7, 9, 5).await;
    let text = html_text(&fetch_as_browser(&server, &path).await);
    assert!(text.contains("צביע</bdi>") && !text.contains("<img src=x"), "{text}");
    assert_eq!(text.matches("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;").count(), 5, "{text}");
    assert!(text.contains("href=\"/#x=7&amp;y=9&amp;z=16\""));
    assert!(text.contains(&format!("href=\"/#agent={}\"", agent.id)));
    let board = html_text(&fetch_as_browser(&server, "/leaderboard?period=day").await);
    assert!(board.contains(&format!("href=\"{path}\"")) && board.contains("צביע"));
}

#[tokio::test]
async fn agent_image_shows_its_visible_pixels() {
    let server = Server::start().await;
    let (painter, other) = (server.register_agent("Painter").await, server.register_agent("Other").await);
    painter.paint(1, 0, 5).await;
    painter.paint(2, 0, 5).await;
    other.paint(2, 0, 6).await;
    let path = format!("/api/agents/{}/canvas.png", painter.id);
    let picture = server.get(&path).await;
    assert_eq!((picture.status, picture.header("content-type")), (200, "image/png"));
    let mut reader = png::Decoder::new(std::io::Cursor::new(&picture.bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (128, 128));
    assert_eq!(pixels[..4], [0, 16 + 5, 6, 0]);
    let again = server.get_with_headers(&path, &[("If-None-Match", picture.header("etag"))]).await;
    assert_eq!(again.status, 304);
    server.get("/api/agents/agent_none/canvas.png").await.assert_refused(404, "not_found");
    let nobody = format!("/api/agents/agent_{}/canvas.png", "0".repeat(32));
    server.get(&nobody).await.assert_refused(404, "not_found");
}

#[tokio::test]
async fn leaderboard_has_a_page_for_each_period() {
    let server = Server::start().await;
    assert!(html_text(&fetch_as_browser(&server, "/leaderboard").await).contains("No agent painted"));
    server.register_agent("Early").await.paint(1, 1, 1).await;
    server.advance_clock(2 * 86_400);
    let page = async |period: &str| {
        html_text(&fetch_as_browser(&server, &format!("/leaderboard?period={period}")).await)
    };
    assert!(page("season").await.contains("Early") && page("week").await.contains("Early"));
    let day = page("day").await;
    assert!(!day.contains("Early"));
    assert!(day.contains("<a href=\"/leaderboard?period=day\" aria-current=\"page\">"));
    assert!(day.contains("<a href=\"/leaderboard?by=messages&amp;period=day\">By messages</a>"), "{day}");
    let silent = html_text(&fetch_as_browser(&server, "/leaderboard?by=messages").await);
    assert!(silent.contains("No agent said anything") && silent.contains("The agents that said the most."));
    let wrong = fetch_as_browser(&server, "/leaderboard?period=year").await;
    assert_eq!(wrong.status, 400);
    assert!(html_text(&wrong).contains("period must be season, week or day."));
}

#[tokio::test]
async fn season_page_shows_current_numbers() {
    let server =
        Server::start_with(&[("CARAPLACE_CANVAS_WIDTH", "8"), ("CARAPLACE_CANVAS_HEIGHT", "16")]).await;
    let agent = server.register_agent("One").await;
    for x in 0..8 {
        agent.paint(x, 0, 5).await;
    }
    server.advance_clock(3 * 86_400);
    let text = html_text(&fetch_as_browser(&server, "/seasons").await);
    for expected in
        ["Season 1", "8 × 16 pixels", "<dd>4</dd>", "6.2 %", "<dt>Agents</dt><dd>1</dd>", "<dd>8</dd>"]
    {
        assert!(text.contains(expected), "{expected} in {text}");
    }
}

#[tokio::test]
async fn browsers_get_error_pages_with_a_link_back() {
    let server = Server::start().await;
    let nobody = format!("/agents/agent_{}", "0".repeat(32));
    for path in ["/nowhere", "/agents/x", &nobody, "/css/none.css", "/errors/none", "/<script>"] {
        let reply = fetch_as_browser(&server, path).await;
        let text = html_text(&reply);
        assert_eq!(reply.status, 404, "{path}");
        assert!(text.contains("<a href=\"/\">To the canvas</a>") && text.contains("noindex"), "{path}");
        assert!(!text.contains("<script>") && !text.contains("og:url"), "{path}");
        server.get(path).await.assert_refused(404, "not_found");
    }
}

#[tokio::test]
async fn missing_pages_tell_people_what_there_is_in_their_language() {
    let server = Server::start().await;
    for (path, title, german_title) in [
        ("/nowhere", "There is no such page", "Diese Seite gibt es nicht"),
        ("/agents/x", "There is no such agent", "Diesen Agenten gibt es nicht"),
        ("/plans/x", "There is no such plan", "Diesen Plan gibt es nicht"),
        ("/seasons/9", "There is no such season", "Diese Saison gibt es nicht"),
        ("/crews/x", "There is no such crew", "Diese Crew gibt es nicht"),
    ] {
        let german = [("Accept", BROWSER_ACCEPT), ("Accept-Language", "de")];
        let pages = [
            (fetch_as_browser(&server, path).await, "en", title),
            (server.get_with_headers(path, &german).await, "de", german_title),
        ];
        for (reply, language, title) in pages {
            let text = html_text(&reply);
            assert_eq!(reply.status, 404, "{path}");
            let [language, heading] = [format!("<html lang=\"{language}\">"), format!("<h1>{title}</h1>")];
            let links =
                ["/", "/plans", "/leaderboard", "/seasons"].map(|to| format!("<li><a href=\"{to}\">"));
            for expected in [language, heading].iter().chain(&links) {
                assert!(text.contains(expected), "{path} lacks {expected}: {text}");
            }
            assert!(!text.contains("endpoint"), "{path} speaks to programs");
        }
        server.get(path).await.assert_refused(404, "not_found");
    }
}

#[tokio::test]
async fn pages_work_during_a_database_outage() {
    let server = Server::start().await;
    let agent = server.register_agent("Walker").await;
    let outage = server.start_outage().await;
    let path = format!("/agents/{}", agent.id);
    let reply = fetch_as_browser(&server, &path).await;
    assert_eq!(reply.status, 503);
    assert!(reply.header("retry-after").parse::<u64>().unwrap() >= 1);
    assert!(html_text(&reply).contains("To the canvas"));
    server.get(&path).await.assert_refused(503, "database_unavailable");
    for path in ["/", "/how", "/embed", "/privacy"] {
        assert_eq!(fetch_as_browser(&server, path).await.status, 200, "{path}");
    }
    outage.end().await;
}

#[tokio::test]
async fn embed_refuses_invalid_parameters() {
    let server = Server::start().await;
    for query in ["theme=blue", "theme=dark&theme=light", "region=1,2,3", "region=5,0,4,9", "region=a,b,c,d"]
    {
        server.get(&format!("/embed?{query}")).await.assert_refused(400, "invalid_field");
    }
    assert_eq!(fetch_as_browser(&server, "/embed?theme=dark&region=0,0,31,31").await.status, 200);
}

#[tokio::test]
async fn bundled_files_never_change_and_are_compressed() {
    let server = Server::start().await;
    let page = html_text(&fetch_as_browser(&server, "/").await);
    let files: Vec<_> = page.split('"').filter(|text| text.starts_with("/assets/")).collect();
    assert!(files.len() > 5, "{files:?}");
    for path in files {
        let response = server.get_with_headers(path, &[("Accept-Encoding", "br")]).await;
        assert_eq!(response.status, 200, "{path}");
        assert_eq!(response.header("cache-control"), "public, max-age=31536000, immutable", "{path}");
        assert_eq!(response.header("content-encoding"), "br", "{path}");
    }
    // During an update, a page of another version asks for its own files.
    let other = server.get("/assets/main-01234567.js").await;
    assert_eq!((other.status, other.header("cache-control")), (200, "no-cache"));
    assert_eq!(server.get("/assets/none-01234567.js").await.status, 404);
}

#[tokio::test]
async fn agent_page_does_not_wait_for_a_long_replay() {
    let mut server =
        Server::start_with(&[("CARAPLACE_CANVAS_WIDTH", "9"), ("CARAPLACE_CANVAS_HEIGHT", "9")]).await;
    log_fixture::insert_placements(&server, 9, 150_000).await;
    server.restart().await;
    let id: String = server.fetch_scalar("select id from agent where kind = 'agent'").await;
    for shown in ["–", "81"] {
        let page = html_text(&fetch_as_browser(&server, &format!("/agents/{id}")).await);
        assert!(page.contains(&format!("<dt>Still visible</dt><dd>{shown}</dd>")), "{shown}");
    }
}

#[tokio::test]
async fn one_pixel_for_a_message_is_singular() {
    let server = Server::start_with(&[("CARAPLACE_PIXELS_PER_MESSAGE", "1")]).await;
    let join = html_text(&fetch_as_browser(&server, "/join").await);
    assert!(join.contains("Write a message after every pixel, if it wants."), "{join}");
    let how = html_text(&fetch_as_browser(&server, "/how").await);
    assert!(how.contains("1 pixel earns a message") && !how.contains("1 pixels"), "{how}");
}
