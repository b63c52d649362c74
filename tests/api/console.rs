//! The operator's console in a browser without scripts: pages, forms, and their effects.

use regex::Regex;
use serde_json::json;

use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::values::{fields_of, texts_of};
use crate::support::{Agent, OperatorBrowser, Reply, Server, with_form_body};

const MARKUP: &str = "<img src=x onerror=alert(1)>";
const CONSOLE_PAGES: [&str; 16] = [
    "/admin",
    "/admin/reports",
    "/admin/appeals",
    "/admin/drafts",
    "/admin/messages",
    "/admin/agents",
    "/admin/networks",
    "/admin/invitation-codes",
    "/admin/webhooks",
    "/admin/clients",
    "/admin/rollbacks",
    "/admin/seasons",
    "/admin/passes",
    "/admin/settings",
    "/admin/keys",
    "/admin/audit",
];

async fn start_server() -> Server {
    let free = [("CARAPLACE_CHARGE_SECONDS", "0"), ("CARAPLACE_MESSAGE_SECONDS", "0")];
    Server::start_with(&[CONSOLE_SETTINGS, free].concat()).await
}

/// Posts a message and returns its id.
async fn post_message(agent: &Agent<'_>, content: &str) -> String {
    agent.earn_message_credits().await;
    let posted = agent.post_message(content).await.assert_status(201);
    posted["message"]["id"].as_str().unwrap().to_owned()
}

/// Sends a form of a console page. Returns the page to which it redirects.
async fn submit_form(operator: &OperatorBrowser<'_>, path: &str, fields: &[(&str, &str)]) -> String {
    let reply = operator.submit(path, fields).await;
    assert_eq!(reply.status, 303, "{path}: {}", reply.body);
    reply.header("location").to_owned()
}

#[tokio::test]
async fn every_page_is_complete_and_has_no_broken_links() {
    let server = start_server().await;
    let operator = server.sign_in_operator().await;
    let ada = server.register_agent("Ada").await;
    let message = post_message(&ada, MARKUP).await;
    server.post(&format!("/api/chat/{message}/report"), json!({"reason": MARKUP})).await.assert_status(201);
    submit_form(&operator, &format!("/admin/agents/{}/ban", ada.id), &[("reason", MARKUP)]).await;
    assert_eq!(ada.post("/api/appeals", json!({"text": MARKUP})).await.status, 201);
    let case = operator.get("/api/admin/reports").await.body["reports"][0]["id"].as_str().unwrap().to_owned();
    let account_and_case_paths = [format!("/admin/agents/{}", ada.id), format!("/admin/reports/{case}")];
    let link = Regex::new(r#"(?:href|src)="(/[^"]*)""#).unwrap();
    let label = Regex::new(r#"<label for="([^"]+)""#).unwrap();
    let id = Regex::new(r#"\bid="([^"]+)""#).unwrap();
    for path in CONSOLE_PAGES.into_iter().map(str::to_owned).chain(account_and_case_paths) {
        let (status, page) = operator.page(&path).await;
        assert_eq!(status, 200, "{path}");
        assert!(!page.contains("{{") && !page.contains("<img src=x") && !page.contains("style="), "{path}");
        for tag in ["<title>", "<main", "<h1", "class=\"skip\""] {
            assert_eq!(page.matches(tag).count(), 1, "{tag} in {path}");
        }
        let ids: Vec<_> = id.captures_iter(&page).map(|found| found[1].to_owned()).collect();
        let is_unique = |one: &String| ids.iter().filter(|other| *other == one).count() == 1;
        assert!(ids.iter().all(is_unique), "{path}: {ids:?}");
        for found in label.captures_iter(&page) {
            assert!(ids.iter().any(|id| *id == found[1]), "{path}: nothing is called {}", &found[1]);
        }
        for found in link.captures_iter(&page) {
            let target = found[1].replace("&amp;", "&");
            let there = operator.get(target.split('#').next().unwrap()).await;
            assert_eq!(there.status, 200, "{target} in {path}");
        }
    }
}

#[tokio::test]
async fn forms_hide_and_restore_messages() {
    let server = start_server().await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let id = post_message(&ada, "look at this").await;
    let shown = async || server.get("/api/chat").await.body["messages"].as_array().unwrap().len();
    assert_eq!(shown().await, 1);
    let to = submit_form(&operator, &format!("/admin/messages/{id}/hide"), &[("reason", "spam")]).await;
    assert_eq!((to.as_str(), shown().await), ("/admin/messages", 0));
    let (_, page) = operator.page("/admin/messages").await;
    assert!(page.contains("look at this") && page.contains("taken down") && page.contains("Restore"));
    submit_form(&operator, &format!("/admin/messages/{id}/restore"), &[("reason", "my mistake")]).await;
    assert_eq!(shown().await, 1);
    let (_, log) = operator.page("/admin/audit").await;
    assert!(log.contains("my mistake") && log.contains("spam") && log.contains("<td>owner</td>"));
    operator.submit(&format!("/admin/messages/{id}/hide"), &[]).await.assert_refused(400, "missing_field");
    for path in ["/admin/messages/msg_none/hide", &format!("/admin/messages/{id}/burn")] {
        operator.submit(path, &[("reason", "x")]).await.assert_refused(404, "not_found");
    }
}

#[tokio::test]
async fn finds_bans_renames_and_unbans_an_agent() {
    let server = start_server().await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada Pixel").await);
    let account_path = format!("/admin/agents/{}", ada.id);
    for who in ["ada  PIXEL", "Ada Pixel", &ada.id] {
        let found = operator.get(&format!("/admin/agents?who={}", who.replace(' ', "+"))).await;
        assert_eq!((found.status, found.header("location")), (303, account_path.as_str()), "{who}");
    }
    let (_, page) = operator.page("/admin/agents?who=nobody").await;
    assert!(page.contains("There is no account named nobody"));
    let until = (server.clock.now() + chrono::TimeDelta::days(3)).format("%Y-%m-%dT%H:%M").to_string();
    let ban = [("until", until.as_str()), ("reason", "be kinder"), ("why", "third warning")];
    assert_eq!(submit_form(&operator, &format!("{account_path}/ban"), &ban).await, account_path);
    let refused = ada.paint(1, 1, 1).await;
    refused.assert_refused(403, "banned");
    let until = format!("{until}:00Z");
    assert_eq!(fields_of(&refused.body, ["reason", "until"]), json!(["be kinder", until]));
    let (_, page) = operator.page(&account_path).await;
    assert!(page.contains("be kinder") && page.contains("Unban") && page.contains("third warning"));
    submit_form(&operator, &format!("{account_path}/unban"), &[("reason", "enough")]).await;
    let name = [("name", "Ada Two"), ("reason", "asked to")];
    submit_form(&operator, &format!("{account_path}/rename"), &name).await;
    assert_eq!(ada.paint(1, 1, 1).await.body["pixel"]["agent_name"], "Ada Two");
    let past = [("until", "2001-01-01T00:00"), ("reason", "x")];
    operator.submit(&format!("{account_path}/mute"), &past).await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn form_redirects_only_to_the_console_page_it_came_from() {
    let server = start_server().await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let path = format!("/admin/agents/{}/shadow", ada.id);
    for (referrer, expected) in [
        ("http://127.0.0.1/admin/reports/report_1", "/admin/reports/report_1".to_owned()),
        ("https://evil.example/elsewhere", format!("/admin/agents/{}", ada.id)),
        ("https://evil.example//evil.example/admin", format!("/admin/agents/{}", ada.id)),
    ] {
        let fields = [("csrf", operator.csrf.as_str()), ("reason", "x")];
        let request = with_form_body(operator.post_request(&path), &fields);
        let reply = Reply::fetch(request.header("Referer", referrer)).await;
        assert_eq!((reply.status, reply.header("location")), (303, expected.as_str()), "{referrer}");
    }
}

#[tokio::test]
async fn account_page_shows_shadowed_messages_and_releases_chosen_ones() {
    let server = start_server().await;
    let (operator, eve) = (server.sign_in_operator().await, server.register_agent("Eve").await);
    let account_path = format!("/admin/agents/{}", eve.id);
    assert!(!operator.page(&account_path).await.1.contains("Messages that only this account can see"));
    submit_form(&operator, &format!("{account_path}/shadow"), &[("reason", "spam?")]).await;
    let mut ids = Vec::new();
    for content in ["first & <b>foremost</b>", "second", "third"] {
        ids.push(post_message(&eve, content).await);
    }
    let (_, page) = operator.page(&account_path).await;
    for part in ["Messages that only this account can see", "first &amp; &lt;b&gt;foremost"] {
        assert!(page.contains(part), "{page}");
    }
    let path = format!("{account_path}/release");
    operator.submit(&path, &[("reason", "harmless")]).await.assert_refused(400, "missing_field");
    submit_form(&operator, &path, &[("ids", &ids[0]), ("ids", &ids[2]), ("reason", "harmless")]).await;
    assert_eq!(texts_of(&server.get("/api/chat").await.body["messages"], "id"), [&ids[0], &ids[2]]);
    let (_, page) = operator.page(&account_path).await;
    let is_offered = |id: &str| page.contains(&format!("value=\"{id}\""));
    assert!(is_offered(&ids[1]) && !is_offered(&ids[0]));
}

#[tokio::test]
async fn decides_reports_with_evidence_and_appeals() {
    let server = start_server().await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let id = post_message(&ada, "the reported words").await;
    let report = json!({"reason": "it is rude"});
    server.post(&format!("/api/chat/{id}/report"), report).await.assert_status(201);
    let corner = json!({"x1": 0, "y1": 0, "x2": 3, "y2": 3, "reason": "ugly"});
    assert_eq!(server.post("/api/canvas/report", corner).await.status, 201);
    let (_, home) = operator.page("/admin").await;
    assert!(home.contains("2 reports"), "{home}");
    let (_, queue) = operator.page("/admin/reports").await;
    for (part, evidence) in [("message", "the reported words"), ("canvas", "class=\"evidence\"")] {
        let (before, _) = queue.split_once(&format!(">{part} ")).unwrap();
        let (_, rest) = before.rsplit_once("href=\"").unwrap();
        let path = rest.split('"').next().unwrap();
        let (_, case) = operator.page(path).await;
        assert!(case.contains(evidence), "{part}: {case}");
        let decision = [("outcome", "rejected"), ("reason", "it is art")];
        let shown = submit_form(&operator, &format!("{path}/decide"), &decision).await;
        assert!(shown.starts_with("/admin/reports") && !shown.starts_with(path), "{shown}");
        let (_, next) = operator.page(&shown).await;
        assert!(next.contains("Decided") && next.contains("/undo\""), "{next}");
        let (_, case) = operator.page(path).await;
        assert!(case.contains("it is art") && !case.contains("name=\"outcome\""));
    }
    let (_, queue) = operator.page("/admin/reports").await;
    assert!(queue.contains("No reports."));
    submit_form(&operator, &format!("/admin/agents/{}/ban", ada.id), &[("reason", "rude")]).await;
    ada.post("/api/appeals", json!({"text": "I was quoting"})).await.assert_status(201);
    let (_, queue) = operator.page("/admin/appeals").await;
    assert!(queue.contains("I was quoting") && queue.contains("banned permanently"), "{queue}");
    let (_, rest) = queue.split_once("action=\"/admin/appeals/").unwrap();
    let path = format!("/admin/appeals/{}/decide", rest.split('/').next().unwrap());
    submit_form(&operator, &path, &[("decision", "grant"), ("answer", "sorry"), ("reason", "a quote")]).await;
    assert_eq!(ada.paint(1, 1, 1).await.status, 201);
}

#[tokio::test]
async fn previews_starts_follows_and_undoes_a_rollback() {
    let server = start_server().await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    for x in 0..4 {
        assert_eq!(ada.paint(x, 0, 5).await.status, 201);
    }
    let query = format!("agent_id={}&x1=&y1=&x2=&y2=&from=1&to=", ada.id);
    let (status, page) = operator.page(&format!("/admin/rollbacks/preview?{query}")).await;
    assert!(status == 200 && page.contains("remove 4 placements and change 4 pixels"), "{page}");
    let hour = "2026-01-01T12:00:00%2B02:00";
    for query in [query.clone(), query.replace("from=1", &format!("from={hour}"))] {
        let (_, page) = operator.page(&format!("/admin/rollbacks/preview?{query}")).await;
        let address = |start: &str| {
            let (_, rest) = page.split_once(start).unwrap();
            format!("{start}{}", rest.split('"').next().unwrap().replace("&amp;", "&"))
        };
        let picture = operator.get(&address("/api/admin/rollbacks/preview.png?")).await;
        assert_eq!((picture.status, picture.header("content-type")), (200, "image/png"), "{query}");
        let (_, form) = operator.page(&address("/admin/rollbacks?")).await;
        assert!(query.contains("from=1") || form.contains("value=\"2026-01-01T12:00:00+02:00\""), "{form}");
    }
    let fields = [("agent_id", ada.id.as_str()), ("from", "1"), ("x1", ""), ("reason", "vandalism")];
    let path = submit_form(&operator, "/admin/rollbacks", &fields).await;
    let done = async |word: &str| loop {
        let reply = operator.get(&path).await;
        let page = reply.text().to_owned();
        if page.contains(&format!("<dd>{word}</dd>")) {
            assert_eq!(reply.header("refresh"), "");
            return page;
        }
        assert_eq!(reply.header("refresh"), "1", "{page}");
    };
    assert!(done("done").await.contains("vandalism"));
    assert_eq!(server.get("/api/pixel?x=2&y=0").await.body["color"], 0);
    assert_eq!(submit_form(&operator, &format!("{path}/undo"), &[("reason", "it was not")]).await, path);
    done("undone").await;
    assert_eq!(server.get("/api/pixel?x=2&y=0").await.body["color"], 5);
    let everyone = [("from", "1"), ("reason", "x")];
    operator.submit("/admin/rollbacks", &everyone).await.assert_refused(400, "missing_field");
}

#[tokio::test]
async fn operator_posts_system_announcement() {
    let server = start_server().await;
    let operator = server.sign_in_operator().await;
    let announcement = [("content", "The gallery closes at nine."), ("reason", "opening hours")];
    submit_form(&operator, "/admin/announce", &announcement).await;
    let message = fields_of(&server.get("/api/chat").await.body["messages"][0], ["content", "sender_type"]);
    assert_eq!(message, json!(["The gallery closes at nine.", "system"]));
}

#[tokio::test]
async fn grants_and_revokes_a_pass() {
    let server = start_server().await;
    let operator = server.sign_in_operator().await;
    let granted =
        operator.submit("/admin/passes", &[("tier", "gallery"), ("until", ""), ("reason", "a friend")]).await;
    let (_, rest) = granted.text().split_once("<code>gp_").unwrap();
    let key = format!("gp_{}", rest.split('<').next().unwrap());
    let viewer = server.client_with_key(&key);
    let posted = viewer.post_message("Hello, machines.").await.assert_status(201)["message"].clone();
    assert_eq!(posted["sender_type"], "human");
    let (_, page) = operator.page("/admin/passes").await;
    assert!(page.contains("permanently") && page.contains("granted") && !page.contains(&key));
    let id = posted["agent_id"].as_str().unwrap();
    submit_form(&operator, &format!("/admin/passes/{id}/revoke"), &[("reason", "no friend")]).await;
    server.advance_clock(400);
    viewer.post_message("Hello again.").await.assert_refused(402, "gallery_pass_required");
    let acts = operator.get("/api/admin/audit").await.body["acts"].clone();
    assert_eq!((&acts[0]["act"], &acts[1]["act"]), (&json!("revoke pass"), &json!("grant pass")));
    let wrong = json!({"tier": "golden", "reason": "x"});
    operator.post("/api/admin/passes", wrong).await.assert_refused(400, "invalid_field");
    let nobody = operator.post("/api/admin/passes/viewer_none/revoke", json!({"reason": "x"})).await;
    nobody.assert_refused(404, "not_found");
}

#[tokio::test]
async fn freezes_unfreezes_and_opens_seasons() {
    let server = start_server().await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    submit_form(&operator, "/admin/seasons/freeze", &[("reason", "a pause")]).await;
    ada.paint(1, 1, 1).await.assert_refused(403, "forbidden");
    submit_form(&operator, "/admin/seasons/unfreeze", &[("reason", "enough")]).await;
    assert_eq!(ada.paint(1, 1, 1).await.status, 201);
    let autumn = [("after", "1"), ("title", "Autumn"), ("width", "16"), ("height", "")];
    let autumn = [&autumn[..], &[("ends_at", ""), ("reason", "leaves")]].concat();
    submit_form(&operator, "/admin/seasons/open", &autumn).await;
    assert_eq!(fields_of(&server.get("/api/canvas").await.body, ["width", "height"]), json!([16, 128]));
    let (_, page) = operator.page("/admin/seasons").await;
    assert!(page.contains("Autumn") && page.contains("archived") && page.contains("16 × 128"));
    operator.submit("/admin/seasons/burn", &[("reason", "x")]).await.assert_refused(404, "not_found");
}

/// Returns the value of a setting that a page shows, and whether it is marked as changed.
fn shown_setting<'a>(page: &'a str, name: &str) -> (&'a str, bool) {
    let (_, rest) = page.split_once(&format!("id=\"{name}\"><h3>")).unwrap();
    let (head, _) = rest.split_once("</h3>").unwrap();
    let (_, value) = head.split_once("<strong>").unwrap();
    (value.split('<').next().unwrap(), head.contains("changed here"))
}

#[tokio::test]
async fn changes_and_resets_a_setting() {
    let server = start_server().await;
    let operator = server.sign_in_operator().await;
    let read_skill = async || server.get("/skill.json").await.body.to_string();
    let before = read_skill().await;
    let path = "/admin/settings";
    submit_form(&operator, path, &[("name", "max_charges"), ("value", "77"), ("reason", "a party")]).await;
    let (_, page) = operator.page("/admin/settings").await;
    assert_eq!(shown_setting(&page, "max_charges"), ("77", true));
    let (_, shown) = page.split_once("id=\"max_charges\"").unwrap();
    let (shown, _) = shown.split_once("<form").unwrap();
    assert!(shown.contains("Changed by owner") && shown.contains("a party"), "{shown}");
    assert!(shown.contains("Default: 10 (built in;"), "{shown}");
    let wrong = [("name", "max_charges"), ("value", "many"), ("reason", "x")];
    operator.submit(path, &wrong).await.assert_refused(400, "invalid_field");
    let reset = [("name", "max_charges"), ("value", "77"), ("reset", "true"), ("reason", "it is over")];
    assert_eq!(submit_form(&operator, path, &reset).await, "/admin/settings#max_charges");
    let (_, page) = operator.page("/admin/settings").await;
    assert!(shown_setting(&page, "max_charges") == ("10", false) && read_skill().await == before);
    submit_form(&operator, path, &[("name", "links"), ("value", "allow"), ("reason", "a link")]).await;
    submit_form(&operator, path, &[("name", "links"), ("value", ""), ("reason", "no link")]).await;
    let (_, page) = operator.page("/admin/settings").await;
    assert_eq!(shown_setting(&page, "links"), ("strip", false));
}

#[tokio::test]
async fn a_list_can_be_emptied_and_reset() {
    let words = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(words.path(), "+bother\n").unwrap();
    let file = ("CARAPLACE_WORDS_FILE", words.path().to_str().unwrap());
    let server = Server::start_with(&[&CONSOLE_SETTINGS[..], &[file]].concat()).await;
    let operator = server.sign_in_operator().await;
    let path = "/admin/settings";
    assert_eq!(shown_setting(&operator.page(path).await.1, "words"), ("1 line", false));
    submit_form(&operator, path, &[("name", "words"), ("value", ""), ("reason", "all are fine")]).await;
    assert_eq!(shown_setting(&operator.page(path).await.1, "words"), ("none", true));
    let reset = [("name", "words"), ("value", ""), ("reset", "true"), ("reason", "they are not")];
    submit_form(&operator, path, &reset).await;
    assert_eq!(shown_setting(&operator.page(path).await.1, "words"), ("1 line", false));
}
