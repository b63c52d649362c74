//! Untrusted text stays text on every page of the console: markup, quotes, and right-to-left letters.

use std::collections::BTreeMap;

use serde_json::json;

use crate::support::actions::{FREE_CONSOLE_SETTINGS, post_text};
use crate::support::values::id_of;
use crate::support::{Agent, OperatorBrowser, Reply, Server, with_form_body};

/// Executable markup, quotes that would end an attribute, entities, and letters and marks of both directions.
const HOSTILE: &str =
    "<script>alert(\"x\")</script> it's '>\" &lt;b&gt; \u{5d0}\u{5d1}\u{5d2} \u{202e}x\u{2066}y";
const CONSOLE_PAGES: [&str; 10] = [
    "/admin",
    "/admin/reports",
    "/admin/appeals",
    "/admin/drafts",
    "/admin/messages",
    "/admin/agents",
    "/admin/rollbacks",
    "/admin/passes",
    "/admin/settings",
    "/admin/audit",
];

fn escape_html(text: &str) -> String {
    let pairs = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#39;")];
    let escape = |letter| pairs.iter().find(|(special, _)| *special == letter).map(|(_, entity)| *entity);
    text.chars().map(|letter| escape(letter).map_or_else(|| letter.to_string(), str::to_owned)).collect()
}

/// Stores a draft of the guide with texts that were not cleaned.
async fn store_draft(server: &Server) {
    let change =
        json!({"title": HOSTILE, "note": format!("draft note: {HOSTILE}"), "rows": ["8"], "x": 0, "y": 0});
    let stored = sqlx::query(
        "insert into pending_change (id, browser, kind, decider, summary, change, created_at, expires_at)
         values ('draft_1', sha256('browser'), 'plan', 'operator', 'A draft', $1, now(), now() + interval '1 day')",
    );
    stored.bind(change).execute(&server.pool).await.unwrap();
}

/// Fills every field that clients can write.
async fn write_everywhere<'a>(server: &'a Server, operator: &OperatorBrowser<'_>) -> Agent<'a> {
    let words = |field: &str| format!("{field}: {HOSTILE}");
    let profile = json!({"name": "\u{5d3}\u{5e0}\u{5d4}", "description": words("description"), "model": words("model")});
    let agent = server.register_profile(profile).await;
    assert_eq!(agent.paint(1, 1, 5).await.status, 201);
    let message = post_text(&agent, &words("message text")).await;
    let intent = json!({
        "type": "intent", "content": words("intent"),
        "region": {"x1": 0, "y1": 0, "x2": 3, "y2": 3}, "color_palette": [1, 2],
    });
    assert_eq!(agent.post("/api/chat", intent).await.status, 201);
    let corners = json!({"x1": 0, "y1": 0, "x2": 3, "y2": 3, "reason": words("canvas")});
    for (path, report) in [
        (format!("/api/chat/{}/report", id_of(&message)), json!({"reason": words("message")})),
        (format!("/api/agents/{}/report", agent.id), json!({"reason": words("name")})),
        ("/api/canvas/report".to_owned(), corners),
    ] {
        server.post(&path, report).await.assert_status(201);
    }
    let sanction = async |verb: &str, fields: &[(&str, &str)]| {
        operator.submit(&format!("/admin/agents/{}/{verb}", agent.id), fields).await.assert_status(303)
    };
    sanction("shadow", &[("reason", &words("why"))]).await;
    post_text(&agent, &words("shadow message")).await;
    sanction("ban", &[("reason", &words("ban reason")), ("why", &words("why"))]).await;
    sanction("mute", &[("reason", &words("mute reason"))]).await;
    agent.post("/api/appeals", json!({"text": words("appeal")})).await.assert_status(201);
    agent
}

/// Returns every page of the console with content, by its address.
async fn fetch_pages(operator: &OperatorBrowser<'_>, agent: &Agent<'_>) -> BTreeMap<String, String> {
    let cases = operator.get("/api/admin/reports").await.body["reports"].clone();
    let cases = cases.as_array().unwrap().iter().map(|case| {
        let (id, kind) = (case["id"].as_str().unwrap(), case["kind"].as_str().unwrap());
        (format!("{kind} case"), format!("/admin/reports/{id}"))
    });
    let account_page = ("account report".to_owned(), format!("/admin/agents/{}", agent.id));
    let console_pages = CONSOLE_PAGES.iter().map(|room| ((*room).to_owned(), (*room).to_owned()));
    let mut pages = BTreeMap::new();
    for (name, path) in console_pages.chain(cases).chain([account_page]) {
        let (status, page) = operator.page(&path).await;
        assert_eq!(status, 200, "{path}");
        pages.insert(name, page);
    }
    pages
}

/// Asserts that a page contains no foreign markup and no marks that change the direction of the following
/// text.
fn assert_harmless(name: &str, page: &str) {
    assert!(!page.contains("<script>") && !page.contains("alert(\""), "{name}: {page}");
    assert!(!page.contains("&lt;script&gt;alert(\""), "{name}: a quote stands as it is: {page}");
    let is_direction_mark =
        |letter: char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!page.contains(is_direction_mark), "{name}: {page}");
}

#[tokio::test]
async fn escapes_user_text_on_every_page() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let agent = write_everywhere(&server, &operator).await;
    store_draft(&server).await;
    let pages = fetch_pages(&operator, &agent).await;
    for (name, page) in &pages {
        assert_harmless(name, page);
    }
    // The visible parts as they are stored.
    let shown = escape_html("<script>alert(\"x\")</script> it's '>\" &");
    for (name, fields) in [
        ("/admin/messages", &["message text", "intent"][..]),
        ("/admin/appeals", &["appeal", "ban reason"]),
        ("/admin/audit", &["why"]),
        ("/admin/drafts", &["draft note"]),
        (
            "account report",
            &["description", "model", "message text", "intent", "shadow message", "ban reason", "why"],
        ),
        ("message case", &["message text", "intent", "message"]),
        ("name case", &["description", "model", "name"]),
        ("canvas case", &["canvas"]),
    ] {
        for field in fields {
            assert!(pages[name].contains(&format!("{field}: {shown}")), "{field} in {name}: {}", pages[name]);
        }
    }
    // A name of right-to-left letters does not affect the text around it.
    let isolated = "<bdi class=\"foreign\">\u{5d3}\u{5e0}\u{5d4}</bdi>";
    for name in ["/admin/messages", "/admin/appeals", "message case", "canvas case"] {
        assert!(pages[name].contains(isolated), "{name}: {}", pages[name]);
    }
}

#[tokio::test]
async fn escapes_url_text_on_pages_and_in_links() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let hostile = "%22%3E%3Cscript%3Ealert(%22x%22)%3C/script%3E'";
    for path in [
        format!("/admin/agents?who={hostile}"),
        format!("/admin/agents?name={hostile}&active_days=7"),
        format!("/admin/messages?q={hostile}&author={hostile}"),
        format!("/admin/crews?name={hostile}"),
        format!("/admin/plans?title={hostile}"),
        format!("/admin/reports?author={hostile}"),
        format!("/admin/audit?subject={hostile}"),
        format!("/admin/rollbacks?agent_id={hostile}&x1={hostile}&from={hostile}&to={hostile}"),
        format!("/admin/rollbacks/preview?from={hostile}"),
        format!("/admin/reports/{hostile}"),
        format!("/admin/reports?before={hostile}"),
    ] {
        let (_, page) = operator.page(&path).await;
        let is_escaped = !page.contains("<script>") && !page.contains("\"\">");
        assert!(page.contains("</html>") && is_escaped, "{path}: {page}");
    }
    let signed_out = server.get(&format!("/admin/sign-in?next={hostile}")).await;
    let page = signed_out.text();
    assert!(page.contains("value=\"/admin\"") && !page.contains("<script>"), "{page}");
}

#[tokio::test]
async fn refused_form_shows_the_reason_as_a_page() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let submit = async |path: &str, fields: &[(&str, &str)]| {
        let fields: Vec<_> = fields.iter().copied().chain([("csrf", operator.csrf.as_str())]).collect();
        let request = with_form_body(operator.post_request(path), &fields).header("Accept", "text/html");
        Reply::fetch(request).await
    };
    let ban = format!("/admin/agents/{}/ban", ada.id);
    for (path, fields, words) in [
        (ban.as_str(), &[][..], "“Reason” is missing."),
        (&ban, &[("reason", "x"), ("<script>", "1")], "Unknown field"),
        (&ban, &[("reason", "x"), ("until", "<script>")], "until"),
        (&ban, &[("reason", "x"), ("until", "2001-01-01T00:00")], "“Until (UTC)” must be in the future"),
        ("/admin/seasons/open", &[("after", "<script>"), ("reason", "x")], "invalid digit"),
        ("/admin/keys", &[("name", " ")], "A name must have 1 to 64 characters"),
        (
            "/admin/settings",
            &[("name", "<script>"), ("value", "1"), ("reason", "x")],
            "“Name” is not a setting",
        ),
        ("/admin/passes", &[("tier", "<script>"), ("reason", "x")], "“Tier” must be gallery or patron"),
    ] {
        let reply = submit(path, fields).await;
        let (status, page) = (reply.status, reply.text());
        assert!(status == 400 && page.contains("</html>") && !page.contains("<script>"), "{path}: {page}");
        assert!(page.to_lowercase().contains(&words.to_lowercase()), "{words} in {path}: {page}");
    }
}
