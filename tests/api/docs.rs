//! `/docs` and `/errors`: pages without scripts and without requests to other hosts.

use platform::refusal::codes::TABLE;
use regex::Regex;

use crate::support::Server;

async fn fetch_page(server: &Server, path: &str) -> String {
    let reply = server.get(path).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
    reply.text().to_owned()
}

#[tokio::test]
async fn refusal_type_links_to_its_description() {
    let server = Server::start().await;
    let refusal = server.get("/api/pixel?x=1").await;
    refusal.assert_refused(400, "missing_field");
    let (path, anchor) = refusal.body["type"].as_str().unwrap().split_once('#').unwrap();
    let all = fetch_page(&server, path).await;
    assert!(all.contains(&format!("id=\"{anchor}\"")));
    for line in TABLE {
        assert_eq!(all.matches(&format!("id=\"{}\"", line.code)).count(), 1, "{}", line.code);
        let one = fetch_page(&server, &format!("/errors/{}", line.code)).await;
        let hint = line.hint.split('`').next().unwrap();
        assert!(one.contains(hint) && one.contains(line.code), "{}", line.code);
    }
    let event = fetch_page(&server, "/errors/model_unavailable").await;
    assert!(event.contains("event: error\ndata: {") && !event.contains("retry_after"), "{event}");
    server.get("/errors/none_such").await.assert_refused(404, "not_found");
}

#[tokio::test]
async fn pages_load_nothing_external_and_have_no_broken_links() {
    let server = Server::start().await;
    let (docs, errors) = (fetch_page(&server, "/docs").await, fetch_page(&server, "/errors").await);
    let link = Regex::new(r#"(?:href|src)="([^"]*)""#).unwrap();
    for text in [&docs, &errors] {
        assert!(!text.contains("{{") && !text.contains("<style") && !text.contains("style="));
        assert_eq!(text.matches("<script").count(), 2);
        assert!(text.contains("<script src=\"/assets/early-"));
        assert!(text.contains("<script type=\"module\" src=\"/assets/page-"));
        for found in link.captures_iter(text) {
            let target = found[1].strip_prefix(&server.url("")).unwrap_or(&found[1]);
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let there = match path {
                "" => text,
                "/docs" => &docs,
                "/errors" => &errors,
                path => {
                    assert_eq!(server.get(path).await.status, 200, "{target}");
                    continue;
                }
            };
            assert!(anchor.is_empty() || there.contains(&format!("id=\"{anchor}\"")), "{target}");
        }
    }
}

#[tokio::test]
async fn pages_are_cacheable_and_compressed() {
    let server = Server::start().await;
    for path in ["/docs", "/errors"] {
        let tag = server.get(path).await.header("etag").to_owned();
        let packed = server.get_with_headers(path, &[("Accept-Encoding", "br")]).await;
        assert_eq!(packed.header("content-encoding"), "br");
        assert_ne!(packed.header("etag"), tag);
        let again = server.get_with_headers(path, &[("If-None-Match", &tag)]).await;
        assert_eq!((again.status, again.bytes.len()), (304, 0));
    }
}
