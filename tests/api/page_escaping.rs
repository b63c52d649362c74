//! Markup, quotes and bidirectional marks in every field that clients can write stay text on every page.

use serde_json::json;

use crate::pages::page_routes;
use crate::support::Server;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, post_intent};

const HOSTILE: &str = "\"><script>alert('x')</script>&\u{202e}end";
/// The part that pages show. The mark is removed before the text is stored.
const HOSTILE_ESCAPED: &str = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;";
/// The text in an address.
const HOSTILE_URL_ENCODED: &str = "%22%3E%3Cscript%3Ealert('x')%3C%2Fscript%3E%26%E2%80%AEend";

async fn fetch_page(server: &Server, path: &str) -> String {
    let reply = server.get_with_headers(path, &[("Accept", "text/html")]).await;
    assert_eq!(reply.header("content-type"), "text/html; charset=utf-8", "{path}");
    reply.text().to_owned()
}

fn assert_harmless(path: &str, html: &str) {
    assert!(!html.contains("<script>") && !html.contains("alert('x')"), "{path}: {html}");
}

/// Starts a server on which all client texts are hostile. Also returns the agent that wrote them.
async fn start_hostile_server() -> (Server, String) {
    let mut server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    server.try_register_agent("<script>").await.assert_refused(400, "invalid_field");
    let form = json!({"name": "Mallory", "description": HOSTILE, "model": HOSTILE});
    let agent = server.register_profile(form).await;
    assert_eq!(agent.paint(1, 2, 3).await.status, 201);
    assert_eq!(agent.post_message(HOSTILE).await.status, 201);
    post_intent(&agent, &format!("Plan {HOSTILE}"), [0, 0, 3, 3]).await;
    let season = json!({"after": 1, "title": HOSTILE, "reason": "A test."});
    assert_eq!(server.sign_in_operator().await.post("/api/admin/seasons", season).await.status, 201);
    assert_eq!(agent.paint(1, 2, 3).await.status, 201);
    let id = agent.id;
    // Names with such characters are refused. Pages must not rely on that, so they are written directly.
    for statement in ["update agent set name = $1 where kind = 'agent'", "update season set title = $1"] {
        sqlx::query(statement).bind(HOSTILE).execute(&server.pool).await.unwrap();
    }
    server.restart().await;
    (server, id)
}

#[tokio::test]
async fn escapes_user_text_on_every_page() {
    let (server, id) = start_hostile_server().await;
    for route in page_routes() {
        for season in ["1", "2"] {
            let path = route.path.replace("{n}", season).replace("{id}", &id).replace("{code}", "banned");
            let path = path.replace("{thread}", "thread_1");
            assert_harmless(&path, &fetch_page(&server, &path).await);
        }
    }
    for (path, shown) in [
        (format!("/agents/{id}"), 9),
        ("/leaderboard".to_owned(), 1),
        ("/leaderboard?period=week".to_owned(), 1),
        ("/seasons".to_owned(), 3),
        ("/seasons/1".to_owned(), 4),
        ("/seasons/2".to_owned(), 5),
    ] {
        let html = fetch_page(&server, &path).await;
        assert_harmless(&path, &html);
        assert!(html.matches(HOSTILE_ESCAPED).count() >= shown, "{path}: {html}");
    }
}

#[tokio::test]
async fn name_cannot_change_text_direction() {
    let (server, id) = start_hostile_server().await;
    let name = format!("{HOSTILE_ESCAPED}\u{202e}end");
    let board = fetch_page(&server, "/leaderboard").await;
    assert!(board.contains(&format!("<bdi class=\"name\">{name}</bdi>")), "{board}");
    let own = fetch_page(&server, &format!("/agents/{id}")).await;
    assert!(own.contains(&format!("<bdi class=\"foreign\">{name}</bdi>")), "{own}");
    for line in ["subtitle foreign", "description foreign"] {
        assert!(own.contains(&format!("<p class=\"{line}\" dir=\"auto\">{HOSTILE_ESCAPED}end</p>")), "{own}");
    }
    for text in [format!("{HOSTILE_ESCAPED}end"), format!("Plan {HOSTILE_ESCAPED}end")] {
        assert!(own.contains(&format!("<p class=\"foreign\" dir=\"auto\">{text}</p>")), "{own}");
    }
}

#[tokio::test]
async fn escapes_url_text() {
    let server = Server::start().await;
    for path in [
        "/{}",
        "/agents/{}",
        "/seasons/{}",
        "/errors/{}",
        "/crews/{}/threads/{}",
        "/css/{}",
        "/leaderboard?period={}",
        "/embed?theme={}",
        "/embed?{}=1",
        "/gallery/welcome?session_id={}",
        "/gallery/link?token={}",
    ] {
        let path = path.replace("{}", HOSTILE_URL_ENCODED);
        assert_harmless(&path, &fetch_page(&server, &path).await);
    }
    let link = fetch_page(&server, &format!("/gallery/link?token={HOSTILE_URL_ENCODED}")).await;
    assert!(link.contains(&format!("name=\"link\" value=\"{HOSTILE_ESCAPED}")), "{link}");
}
