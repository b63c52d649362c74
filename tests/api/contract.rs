//! The table of routes, the OpenAPI document, the skill files and the responses agree.

use std::collections::{BTreeMap, BTreeSet};

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{ParamLocation, Route, Verb};
use regex::Regex;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::support::{Server, WAIT_LIMIT};

type Methods = BTreeMap<String, BTreeSet<String>>;

/// Collects every string under this name at any depth.
fn collect_strings<'a>(value: &'a Value, name: &str, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get(name).and_then(Value::as_str));
            fields.values().for_each(|value| collect_strings(value, name, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect_strings(value, name, found)),
        _ => {}
    }
}

/// Returns true if an address in a document matches the table. Placeholders match anything.
fn is_route(verb: Option<Verb>, written: &str) -> bool {
    let fits = |path: &str| {
        let (parts, written) = (path.split('/'), written.split('/'));
        parts.clone().count() == written.clone().count()
            && parts.zip(written).all(|(part, written)| part == written || part.starts_with('{'))
    };
    ROUTES.iter().any(|route| verb.is_none_or(|verb| verb == route.verb) && fits(route.path))
}

/// Returns the routes that the documents describe.
fn documented_routes() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(|route| route.is_described())
}

fn fill_path(path: &str) -> String {
    path.replace("{id}", "agent_nobody").replace("{file}", "tokens.css")
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn openapi_document_has_exactly_the_documented_routes() {
    let server = Server::start().await;
    let document = server.get("/openapi.json").await.body;
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let mut table = Methods::new();
    for route in documented_routes() {
        table.entry(route.path.to_owned()).or_default().insert(route.verb.name().to_lowercase());
    }
    let paths = document["paths"].as_object().unwrap();
    let methods = |item: &Value| item.as_object().unwrap().keys().cloned().collect();
    let described: Methods = paths.iter().map(|(path, item)| (path.clone(), methods(item))).collect();
    assert_eq!(described, table);
}

#[tokio::test]
async fn every_reference_in_the_openapi_document_resolves() {
    let server = Server::start().await;
    let document = server.get("/openapi.json").await.body;
    let mut references = Vec::new();
    collect_strings(&document, "$ref", &mut references);
    assert!(references.len() > 20);
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some_and(Value::is_object), "{reference}");
    }
    let operations = document["paths"].as_object().unwrap().values();
    let operations = operations.flat_map(|item| item.as_object().unwrap().values());
    let ids: BTreeSet<_> = operations.map(|one| one["operationId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), documented_routes().count());
    let mut named = Vec::new();
    collect_strings(&document, "operationId", &mut named);
    assert!(named.into_iter().all(|id| ids.contains(id)), "a link leads nowhere");
}

#[tokio::test]
async fn every_route_documents_its_parameters_and_refusals() {
    let server = Server::start().await;
    let document = server.get("/openapi.json").await.body;
    let gap = Regex::new(r"\{(\w+)\}").unwrap();
    for route in documented_routes() {
        let operation = &document["paths"][route.path][route.verb.name().to_lowercase()];
        let resolve = |parameter: &Value| match parameter["$ref"].as_str() {
            Some(reference) => document.pointer(reference.strip_prefix('#').unwrap()).unwrap().clone(),
            None => parameter.clone(),
        };
        let parameters: Vec<_> =
            operation["parameters"].as_array().into_iter().flatten().map(resolve).collect();
        let in_path = parameters.iter().filter(|one| one["in"] == "path");
        let in_path: BTreeSet<_> = in_path.map(|one| one["name"].as_str().unwrap()).collect();
        let gaps = gap.captures_iter(route.path).map(|found| found.extract::<1>().1[0]).collect();
        assert_eq!(in_path, gaps, "{}", route.path);
        let mut path_params = route.params.iter().filter(|param| param.location == ParamLocation::Path);
        assert!(path_params.all(|param| param.required));
        for code in &route.codes() {
            let line = code.info();
            if document["info"]["description"].as_str().unwrap().contains(&format!("`{}`", line.code)) {
                continue;
            }
            let reference = operation["responses"]["default"]["$ref"].as_str().unwrap();
            let refusal = document.pointer(reference.strip_prefix('#').unwrap()).unwrap();
            let description = refusal["description"].as_str().unwrap();
            assert!(description.contains(line.code), "{} {}", route.path, line.code);
            assert!(refusal["content"]["application/problem+json"].is_object());
        }
    }
}

#[tokio::test]
async fn get_routes_answer_with_documented_statuses() {
    let server = Server::start().await;
    for route in ROUTES.iter().filter(|route| route.verb == Verb::Get && !route.path.contains('{')) {
        let status = server.get_request(route.path).send().await.unwrap().status().as_u16();
        let expected = route.params.iter().any(|param| param.required);
        let described = route.codes().iter().any(|code| code.info().status == status);
        assert!(if expected { described } else { status == 200 || described }, "{}: {status}", route.path);
    }
}

#[tokio::test]
async fn skill_files_name_only_existing_routes() {
    let server = Server::start().await;
    let base = server.url("");
    let written =
        Regex::new(&format!(r"(?:(GET|POST) )?(?:{base})?(/[A-Za-z][A-Za-z0-9_/.{{}}-]*)")).unwrap();
    let variable = Regex::new(r"/\$[A-Z_]+").unwrap();
    let known = "/api /skill. /skill/ /heartbeat. /llms. /.well-known/ /openapi /docs /errors /metrics \
         /healthz /readyz";
    for (file, least) in [
        ("/skill.md", 12),
        ("/skill/coordination.md", 12),
        ("/skill/reference.md", 12),
        ("/skill/mcp.md", 3),
        ("/heartbeat.md", 6),
        ("/llms.txt", 10),
    ] {
        let page = server.get(file).await;
        let text = variable.replace_all(page.text(), "/{variable}");
        let mut seen_count = 0;
        for found in written.captures_iter(&text) {
            let path = found[2].trim_end_matches(['.', '/']);
            let ours = found[0].contains(&base) || known.split(' ').any(|start| path.starts_with(start));
            let verb = found.get(1).map(|verb| if verb.as_str() == "GET" { Verb::Get } else { Verb::Post });
            assert!(!ours || is_route(verb, path), "{file} names {}", &found[0]);
            seen_count += usize::from(ours);
        }
        assert!(seen_count >= least, "only {seen_count} addresses were found in {file}");
    }
}

/// Where a text names a path first, as a whole and not as the beginning of another.
fn first_mention(text: &str, path: &str) -> Option<usize> {
    let ends = |after: &str| !after.starts_with(|next: char| next.is_alphanumeric() || "/_.".contains(next));
    let mut mentions = text.match_indices(path).filter(|(at, _)| ends(&text[at + path.len()..]));
    mentions.next().map(|(at, _)| at)
}

#[tokio::test]
async fn the_skill_files_name_every_address_for_agents() {
    let server = Server::start().await;
    let mut texts = String::new();
    for path in ["/skill.md", "/skill/coordination.md", "/skill/mcp.md", "/skill/reference.md"] {
        texts += server.get(path).await.text();
    }
    let others = ["/api/admin", "/api/guide", "/api/stripe", "/api/viewers"];
    let for_agents = |path: &str| path.starts_with("/api/") && !others.iter().any(|it| path.starts_with(it));
    for route in ROUTES.iter().filter(|route| for_agents(route.path)) {
        assert!(first_mention(&texts, route.path).is_some(), "no page names {}", route.path);
    }
}

#[tokio::test]
async fn skill_md_names_first_what_an_agent_needs_first() {
    let server = Server::start().await;
    let page = server.get("/skill.md").await;
    let paths = ["/api/agents/register", "/api/chat", "/api/canvas/region", "/api/pixels"];
    let steps = page.text().split_once("## Your first pixels").unwrap().1;
    let places = paths.map(|path| first_mention(steps, path).unwrap_or_else(|| panic!("no {path}")));
    assert!(places.is_sorted(), "{places:?}");
}

#[tokio::test]
async fn skill_json_links_to_the_other_files() {
    let server = Server::start().await;
    let summary = server.get("/skill.json").await.body;
    assert_eq!(summary["name"], "caraplace");
    assert_eq!(summary["api_base"], format!("{}/api", server.url("")));
    assert_eq!(summary["version"], server.get("/healthz").await.header("x-skill-version"));
    assert!(summary["description"].is_string());
    for (_, value) in summary.as_object().unwrap() {
        if let Some(path) = value.as_str().and_then(|text| text.strip_prefix(&server.url(""))) {
            assert!(path == "/api" || path.is_empty() || is_route(Some(Verb::Get), path), "{path}");
        }
    }
    let moved = Server::start_with(&[("CARAPLACE_PUBLIC_URL", "https://paint.example/")]).await;
    assert_eq!(moved.get("/skill.json").await.body["api_base"], "https://paint.example/api");
    assert_eq!(moved.get("/openapi.json").await.body["servers"], json!([{"url": "https://paint.example"}]));
}

#[tokio::test]
async fn every_response_has_the_common_headers() {
    let server = Server::start().await;
    let version = server.get("/skill.json").await.body["version"].clone();
    let mut ids = BTreeSet::new();
    let mut count = 0;
    let methods = [("GET", "*/*"), ("HEAD", "*/*"), ("POST", "text/html"), ("DELETE", "text/html")];
    let others = ["/nothing".into(), "/api/nothing".into()];
    for path in ROUTES.iter().map(|route| fill_path(route.path)).chain(others) {
        for (method, accept) in methods {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let request = server.client.request(method, server.url(&path)).header("Accept", accept);
            let response = request.send().await.unwrap();
            assert_eq!(header(&response, "x-skill-version"), version, "{path}");
            assert_eq!(header(&response, "x-content-type-options"), "nosniff", "{path}");
            let is_html = header(&response, "content-type").starts_with("text/html");
            assert_eq!(!header(&response, "referrer-policy").is_empty(), is_html, "{path}");
            assert_eq!(!header(&response, "content-security-policy").is_empty(), is_html, "{path}");
            ids.insert(header(&response, "x-request-id").to_owned());
            count += 1;
        }
    }
    assert_eq!(ids.len(), count, "each request has an id of its own");
}

#[tokio::test]
async fn head_request_for_stream_ends_without_spectator() {
    let server = Server::start().await;
    let head = server.client.head(server.url("/api/events")).send();
    let next = async { (head.await.unwrap().status(), server.get("/api/stats").await.status) };
    let (status, after) = tokio::time::timeout(WAIT_LIMIT, next).await.expect("the connection is stuck");
    assert_eq!((status.as_u16(), after), (200, 200));
    assert_eq!(server.running().state.hub.spectators(), 0);
}

#[tokio::test]
async fn pages_have_no_inline_scripts() {
    let server = Server::start().await;
    let script = Regex::new(r"(?i)<script\b([^>]*)>").unwrap();
    let handler = Regex::new(r"(?i)<[^>]*\son[a-z]+\s*=|javascript:").unwrap();
    for path in ["/", "/docs", "/errors", "/nothing"] {
        let reply = server.get_with_headers(path, &[("Accept", "text/html")]).await;
        assert!(reply.header("content-type").starts_with("text/html"), "{path}");
        let policy = reply.header("content-security-policy");
        assert!(policy.contains("default-src 'self'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe-inline") && !policy.contains("unsafe-eval"), "{path}: {policy}");
        assert!(script.captures_iter(reply.text()).all(|found| found[1].contains("src=\"/")), "{path}");
        assert!(!handler.is_match(reply.text()), "{path}");
    }
}
