//! The files by which agents find this server: `llms.txt`, the agent card, their part of OpenAPI, robots.txt.

use std::collections::BTreeSet;

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::RouteAccess;
use regex::Regex;
use serde_json::{Value, json};

use crate::support::Server;
use crate::support::values::{assert_field_names, fields_of, texts_of};

async fn fetch_text(server: &Server, path: &str) -> String {
    let reply = server.get(path).await;
    assert_eq!(reply.status, 200, "{path}");
    reply.text().to_owned()
}

#[tokio::test]
async fn llms_txt_has_the_format_and_links_skill_md_first() {
    let server = Server::start().await;
    assert_eq!(server.get("/llms.txt").await.header("content-type"), "text/plain; charset=utf-8");
    let text = fetch_text(&server, "/llms.txt").await;
    let mut lines = text.lines().filter(|line| !line.is_empty());
    assert_eq!(lines.next(), Some("# Caraplace"));
    assert!(lines.next().unwrap().starts_with("> "), "{text}");
    let (_, sections) = text.split_once("\n## ").unwrap();
    let entry = Regex::new(r"^- \[[^\]]+\]\(([^)]+)\): \S").unwrap();
    let link = |line| entry.captures(line).unwrap_or_else(|| panic!("no link: {line}")).extract::<1>().1[0];
    let entries = sections.lines().skip(1).filter(|line| !line.is_empty() && !line.starts_with("## "));
    let links: Vec<&str> = entries.map(link).collect();
    assert_eq!(links[0], server.url("/skill.md"));
    for link in links {
        assert_eq!(server.client.get(link).send().await.unwrap().status(), 200, "{link}");
    }
}

#[tokio::test]
async fn agent_card_has_the_required_fields_and_claims_no_a2a_interface() {
    let server = Server::start().await;
    let reply = server.get("/.well-known/agent-card.json").await;
    assert_eq!(reply.header("content-type"), "application/json");
    let card = &reply.body;
    for field in ["protocolVersion", "name", "description", "url", "version", "preferredTransport"] {
        assert!(card[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {card}");
    }
    for field in ["defaultInputModes", "defaultOutputModes", "skills"] {
        assert!(card[field].as_array().is_some_and(|list| !list.is_empty()), "{field}: {card}");
    }
    for skill in card["skills"].as_array().unwrap() {
        assert!(["id", "name", "description"].iter().all(|field| skill[field].is_string()), "{skill}");
        assert!(!skill["tags"].as_array().unwrap().is_empty(), "{skill}");
    }
    assert_eq!(card["supportedInterfaces"], json!([]));
    let a2a_transports = ["JSONRPC", "GRPC", "HTTP+JSON"].map(Value::from);
    let interfaces = card["additionalInterfaces"].as_array().unwrap();
    let transports = interfaces.iter().map(|interface| &interface["transport"]);
    let mut transports = transports.chain([&card["preferredTransport"]]);
    assert!(transports.all(|name| !a2a_transports.contains(name)), "{card}");
    assert_eq!(interfaces[0], json!({"transport": card["preferredTransport"], "url": card["url"]}));
    let capabilities = &card["capabilities"];
    assert_eq!(fields_of(capabilities, ["streaming", "pushNotifications"]), json!([false, false]));
    assert_eq!(capabilities["extensions"][0]["required"], true);
    assert_eq!(card["documentationUrl"], server.url("/skill.md"));
    assert_eq!(card["url"], server.url("/mcp"));
}

#[tokio::test]
async fn agent_card_names_no_chat_while_it_is_switched_off() {
    let server = Server::start_with(&[("CARAPLACE_CHAT_ENABLED", "false")]).await;
    let card = server.get("/.well-known/agent-card.json").await.body;
    assert_eq!(texts_of(&card["skills"], "id"), ["look", "paint"]);
}

/// Collects the targets of all references, such as `#/components/schemas/Problem`.
fn collect_references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|field| collect_references(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, found)),
        _ => {}
    }
}

#[tokio::test]
async fn document_for_agents_has_their_routes_and_nothing_else() {
    let server = Server::start().await;
    let document = server.get("/openapi/agents.json").await.body;
    let whole = server.get("/openapi.json").await.body;
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    assert_eq!(document["servers"], whole["servers"]);
    let mut expected = BTreeSet::new();
    for route in ROUTES.iter() {
        let is_agents =
            !matches!(route.access, RouteAccess::Operator | RouteAccess::Viewer | RouteAccess::Visitor);
        let mut others = ["/api/admin", "/api/guide", "/api/viewers", "/api/stripe"].into_iter();
        let is_other = others.any(|path| route.path.starts_with(path));
        if is_agents && route.path.starts_with("/api/") && !is_other {
            expected.insert((route.path.to_owned(), route.verb.name().to_lowercase()));
        }
    }
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (verb, operation) in item.as_object().unwrap() {
            described.insert((path.clone(), verb.clone()));
            let original = &whole["paths"][path][verb];
            // References are to the whole document, or to components with names of their own.
            let keys = |it: &Value| it["responses"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            assert_eq!(keys(operation), keys(original), "{verb} {path}");
            assert_eq!(operation["requestBody"], original["requestBody"], "{verb} {path}");
            assert!(!operation["security"].to_string().contains("viewer"), "{verb} {path}");
        }
    }
    assert_eq!(described, expected);
    assert!(described.contains(&("/api/pixels".to_owned(), "post".to_owned())));
}

/// The contract's sizes of the documents before compression, in bytes.
const DOCUMENT_SIZES: [(&str, usize); 2] = [("/openapi.json", 250_000), ("/openapi/agents.json", 90_000)];

#[tokio::test]
async fn documents_are_small_compressed_and_revalidated() {
    let server = Server::start().await;
    for (path, max_bytes) in DOCUMENT_SIZES {
        let plain = server.get(path).await;
        println!("{path}: {} bytes", plain.bytes.len());
        assert!(plain.bytes.len() <= max_bytes, "{path}: {} bytes", plain.bytes.len());
        for coding in ["gzip", "br"] {
            let compressed = server.get_with_headers(path, &[("Accept-Encoding", coding)]).await;
            assert_eq!((compressed.status, compressed.header("content-encoding")), (200, coding), "{path}");
            let length = compressed.bytes.len();
            assert!(length * 5 < plain.bytes.len(), "{path}: {length} bytes");
        }
        let known = server.get_with_headers(path, &[("If-None-Match", plain.header("etag"))]).await;
        assert_eq!(known.status, 304, "{path}");
    }
}

#[tokio::test]
async fn slice_for_agents_describes_a_group_and_all_that_it_refers_to() {
    let server = Server::start().await;
    let whole = server.get("/openapi/agents.json").await;
    let address = "/openapi/agents.json?path=/api/plans";
    let response = server.get(address).await;
    let known = server.get_with_headers(address, &[("If-None-Match", response.header("etag"))]).await;
    assert_eq!(known.status, 304);
    let compressed = server.get_with_headers(address, &[("Accept-Encoding", "gzip")]).await;
    assert_eq!((compressed.status, compressed.header("content-encoding")), (200, "gzip"));
    let length = response.bytes.len();
    println!("/api/plans: {length} bytes");
    assert!(length * 2 < whole.bytes.len(), "{length} bytes");
    let slice = response.body;
    let all = whole.body["paths"].as_object().unwrap();
    let expected: Vec<&String> = all.keys().filter(|path| path.starts_with("/api/plans")).collect();
    let paths: Vec<&String> = slice["paths"].as_object().unwrap().keys().collect();
    assert_eq!(paths, expected);
    let mut references = BTreeSet::new();
    collect_references(&slice, &mut references);
    assert!(references.contains("#/components/schemas/Problem"));
    for target in references {
        let pointer = target.strip_prefix('#').unwrap_or_else(|| panic!("{target} is elsewhere"));
        assert!(slice.pointer(pointer).is_some(), "{target} is missing");
    }
    for unknown in ["/api/plants", "/api/admin", "plans"] {
        let refused = server.get(&format!("/openapi/agents.json?path={unknown}")).await;
        refused.assert_field_refused(400, "invalid_field", "path");
    }
}

/// The contract's size of the API reference as Markdown, in bytes.
const MARKDOWN_SIZE: usize = 30_000;

#[tokio::test]
async fn reference_as_markdown_is_small_and_has_a_line_per_endpoint_for_agents() {
    let server = Server::start().await;
    let response = server.get_with_headers("/docs", &[("Accept", "text/markdown")]).await;
    assert_eq!(response.header("content-type"), "text/markdown; charset=utf-8");
    assert!(response.headers.get_all("vary").iter().any(|value| value == "Accept"));
    let text = response.text();
    println!("/docs: {} bytes", text.len());
    assert!(text.len() <= MARKDOWN_SIZE, "{} bytes", text.len());
    let paths = server.get("/openapi/agents.json").await.body["paths"].clone();
    for (path, item) in paths.as_object().unwrap() {
        for verb in item.as_object().unwrap().keys() {
            let start = format!("- `{} {path}", verb.to_uppercase());
            assert!(text.lines().any(|line| line.starts_with(&start)), "{start} is missing");
        }
    }
    assert!(text.contains("- `POST /api/pixel {"), "{text}");
    for html in ["text/html", "text/html, text/markdown;q=0.5", "*/*"] {
        let page = server.get_with_headers("/docs", &[("Accept", html)]).await;
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{html}");
    }
}

/// Bodies without a schema are left out by generators of clients.
#[tokio::test]
async fn every_body_has_a_schema() {
    let server = Server::start().await;
    let document = server.get("/openapi.json").await.body;
    let (mut bodies, mut binary) = (0, 0);
    for (path, item) in document["paths"].as_object().unwrap() {
        for (verb, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap().values();
            let all = responses.chain([&operation["requestBody"]]);
            for (media_type, body) in all.filter_map(|body| body["content"].as_object()).flatten() {
                assert!(body["schema"].is_object(), "{verb} {path}: {media_type}");
                let is_binary = body["schema"]["format"] == "binary";
                assert!(!media_type.starts_with("image/") || is_binary, "{path}");
                bodies += 1;
                binary += usize::from(is_binary);
            }
        }
    }
    assert!(bodies > 100 && binary >= 8, "{bodies} bodies, {binary} of them binary");
}

#[tokio::test]
async fn document_for_agents_has_exactly_the_components_that_it_refers_to() {
    let server = Server::start().await;
    let document = server.get("/openapi/agents.json").await.body;
    let mut references = BTreeSet::new();
    collect_references(&document, &mut references);
    let mut components = BTreeSet::new();
    for kind in ["schemas", "headers", "parameters", "responses"] {
        let names = document["components"][kind].as_object().unwrap().keys();
        components.extend(names.map(|name| format!("#/components/{kind}/{name}")));
    }
    let (local, remote): (BTreeSet<_>, BTreeSet<_>) =
        references.into_iter().partition(|target| target.starts_with('#'));
    assert_eq!(components, local);
    let whole = server.get("/openapi.json").await.body;
    for target in &remote {
        let schema = target.strip_prefix("/openapi.json#").and_then(|pointer| whole.pointer(pointer));
        assert!(schema.is_some(), "{target}");
    }
    assert!(remote.len() > 50, "responses refer to the whole document: {remote:?}");
    assert_field_names(&document["components"], "headers parameters responses schemas securitySchemes");
    assert_field_names(&document["components"]["securitySchemes"], "agent");
    let codes = &document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"];
    let codes = codes.as_array().unwrap();
    let has_code = |code: &str| codes.contains(&json!(code));
    assert!(has_code("no_charges") && !has_code("signature_invalid"), "{codes:?}");
}

/// Returns the rules of robots.txt: allowed or not, and the beginning of the path.
fn robots_rules(text: &str) -> Vec<(bool, &str)> {
    let rule = |line| {
        let line: &str = line;
        let allow = line.strip_prefix("Allow: ").map(|path| (true, path));
        allow.or_else(|| line.strip_prefix("Disallow: ").map(|path| (false, path)))
    };
    text.lines().filter_map(rule).collect()
}

/// Returns whether a path may be fetched by RFC 9309 (the longest rule that matches) and for parsers that
/// take the first rule.
fn may_fetch(rules: &[(bool, &str)], path: &str) -> [bool; 2] {
    let matching = || rules.iter().filter(|(_, start)| path.starts_with(start));
    let longest = matching().max_by_key(|(allow, start)| (start.len(), *allow));
    [longest, matching().next()].map(|rule| rule.is_none_or(|(allow, _)| *allow))
}

#[tokio::test]
async fn robots_txt_allows_what_agents_need() {
    let server = Server::start().await;
    let text = fetch_text(&server, "/robots.txt").await;
    assert!(text.contains(&server.url("/skill.md")) && text.contains(&server.url("/llms.txt")), "{text}");
    let rules = robots_rules(&text);
    let files = [
        "/",
        "/skill.md",
        "/skill/coordination.md",
        "/skill.json",
        "/heartbeat.md",
        "/llms.txt",
        "/.well-known/agent-card.json",
        "/openapi.json",
        "/openapi/agents.json",
        "/docs",
        "/errors",
        "/mcp",
        "/api/canvas",
        "/api/canvas/region?x1=0&y1=0&x2=7&y2=7",
        "/api/chat?limit=30",
        "/api/home",
    ];
    let routes = ROUTES.iter().filter(|route| route.is_for_agents()).map(|route| route.path);
    for path in files.into_iter().chain(routes) {
        assert_eq!(may_fetch(&rules, path), [true, true], "{path}\n{text}");
    }
    for path in ["/admin", "/admin/agents", "/api/admin/settings", "/api/stripe/webhook", "/api/viewers/me"] {
        assert_eq!(may_fetch(&rules, path), [false, false], "{path}\n{text}");
    }
    let map = fetch_text(&server, "/sitemap.xml").await;
    for path in ["/skill.md", "/llms.txt"] {
        assert!(map.contains(&format!("<loc>{}</loc>", server.url(path))), "{path}");
    }
}
