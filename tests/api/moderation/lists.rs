//! The operators' lists: searching, sorting and paging of accounts, messages, cases, crews and plans.

use serde_json::{Value, json};

use super::FREE_CONSOLE_SETTINGS;
use crate::support::actions::{found_crew, open_plan, paint, post_text};
use crate::support::values::{id_of, texts_of};
use crate::support::{OperatorBrowser, Server};

/// Returns the names on a page of accounts.
async fn account_names(operator: &OperatorBrowser<'_>, query: &str) -> Vec<String> {
    let page = operator.get(&format!("/api/admin/accounts?{query}")).await.assert_status(200);
    texts_of(&page["accounts"], "name").into_iter().map(str::to_owned).collect()
}

/// Returns the ids on a page of messages.
async fn message_ids(operator: &OperatorBrowser<'_>, query: &str) -> Vec<String> {
    let page = operator.get(&format!("/api/admin/messages?{query}")).await.assert_status(200);
    texts_of(&page["messages"], "id").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn accounts_are_found_by_name_state_kind_and_network() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let ada = server.register_agent_from("Ada Pixel", "203.0.113.5").await;
    let bob = server.register_agent_from("Bob", "203.0.113.77").await;
    let eve = server.register_agent_from("Eve_1", "198.51.100.9").await;
    server.create_viewer().await;
    assert_eq!(account_names(&operator, "name=pixel").await, ["Ada Pixel"]);
    assert_eq!(account_names(&operator, "name=E_1").await, ["Eve_1"]);
    for wildcard in ["v_", "e%25"] {
        assert_eq!(account_names(&operator, &format!("name={wildcard}")).await, [""; 0], "{wildcard}");
    }
    assert_eq!(account_names(&operator, "kind=agent").await, ["Eve_1", "Bob", "Ada Pixel"]);
    assert_eq!(account_names(&operator, "kind=viewer").await.len(), 1);
    for (agent, verb) in [(&bob, "ban"), (&eve, "mute"), (&eve, "shadow")] {
        operator.apply_sanction(agent, verb).await;
    }
    for (state, expected) in [("banned", "Bob"), ("muted", "Eve_1"), ("shadowed", "Eve_1")] {
        assert_eq!(account_names(&operator, &format!("state={state}")).await, [expected]);
    }
    assert_eq!(account_names(&operator, "state=active&kind=agent").await, ["Ada Pixel"]);
    let report = json!({"reason": "rude"});
    server.post(&format!("/api/agents/{}/report", ada.id), report).await.assert_status(201);
    assert_eq!(account_names(&operator, "state=reported").await, ["Ada Pixel"]);
    let page = operator.get("/api/admin/accounts?name=ada").await.body;
    let account = &page["accounts"][0];
    let expected = json!([ada.id, "agent", ["active"], 1, 0]);
    assert_eq!(
        json!([account["id"], account["kind"], account["state"], account["open_reports"], account["pixels"]]),
        expected
    );
    let label = account["network"].as_str().unwrap();
    assert!(label.len() == 12 && !page.to_string().contains("203.0.113"), "{page}");
    assert_eq!(account_names(&operator, &format!("network={label}")).await, ["Bob", "Ada Pixel"]);
    let eve = operator.get("/api/admin/accounts?name=eve").await.body["accounts"][0].clone();
    assert_eq!(eve["state"], json!(["muted", "shadowed"]));
    for wrong in ["network=203.0.113.0", "kind=operator", "before=1", "sort=name"] {
        operator.get(&format!("/api/admin/accounts?{wrong}")).await.assert_refused(400, "invalid_field");
    }
}

#[tokio::test]
async fn accounts_are_sorted_and_paged_without_gaps() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let agents = server.register_agents(["Ada", "Bob", "Cyd", "Dan", "Eve"]).await;
    for (row, (agent, count)) in (0..).zip(agents.iter().zip([2, 5, 2, 0, 2])) {
        if count > 0 {
            paint(agent, (0..count).map(|x| (x, row))).await;
        }
    }
    for (sort, expected) in [
        ("newest", ["Eve", "Dan", "Cyd", "Bob", "Ada"]),
        ("oldest", ["Ada", "Bob", "Cyd", "Dan", "Eve"]),
        ("pixels", ["Bob", "Eve", "Cyd", "Ada", "Dan"]),
    ] {
        let mut names: Vec<String> = Vec::new();
        let mut query = format!("sort={sort}&limit=2");
        loop {
            let page = operator.get(&format!("/api/admin/accounts?{query}")).await.assert_status(200);
            names.extend(texts_of(&page["accounts"], "name").into_iter().map(str::to_owned));
            let Some(before) = page["next_before"].as_str() else { break };
            query = format!("sort={sort}&limit=2&before={before}");
        }
        assert_eq!(names, expected, "{sort}");
    }
    assert_eq!(account_names(&operator, "sort=messages&limit=1").await, ["Eve"], "equal ones by their age");
    server.advance_clock(3 * 24 * 60 * 60);
    let operator = server.sign_in_operator().await;
    server.register_agent("Fay").await;
    for query in ["age_days=1", "active_days=1"] {
        assert_eq!(account_names(&operator, query).await, ["Fay"], "{query}");
    }
}

#[tokio::test]
async fn messages_are_found_by_text_author_and_state() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let hello = post_text(&ada, "Hello harbour").await;
    let hidden = post_text(&ada, "buy 50% off").await;
    let deleted = post_text(&ada, "never mind").await;
    operator.hide_message(&hidden).await;
    ada.delete(&format!("/api/chat/{}", id_of(&deleted))).await;
    operator.apply_sanction(&eve, "shadow").await;
    let shadowed = post_text(&eve, "seen by me alone").await;
    let ids = [&shadowed, &deleted, &hidden, &hello].map(|message| id_of(message).to_owned());
    assert_eq!(message_ids(&operator, "").await, ids);
    for (query, expected) in [
        ("q=HARBOUR", &hello),
        ("q=50%25", &hidden),
        ("state=visible", &hello),
        ("state=hidden", &hidden),
        ("state=deleted", &deleted),
        ("state=shadowed", &shadowed),
        ("author=eve", &shadowed),
        (&format!("q={}", id_of(&hello)), &hello),
    ] {
        assert_eq!(message_ids(&operator, query).await, [id_of(expected)], "{query}");
    }
    for query in ["q=5_%25", "author=nobody"] {
        assert_eq!(message_ids(&operator, query).await, [""; 0], "{query}");
    }
    let gone = format!("/api/admin/messages?before=msg_{}", "0".repeat(32));
    operator.get(&gone).await.assert_field_refused(400, "bad_cursor", "before");
    let mut paged = Vec::new();
    let mut query = "limit=1".to_owned();
    loop {
        let page = operator.get(&format!("/api/admin/messages?{query}")).await.assert_status(200);
        paged.push(id_of(&page["messages"][0]).to_owned());
        let Some(before) = page["next_before"].as_str() else { break };
        query = format!("limit=1&before={before}");
    }
    assert_eq!(paged, ids);
    let page = operator.get("/api/admin/messages?state=deleted").await.body;
    assert_eq!(page["messages"][0]["content"], Value::Null);
    let (_, html) = operator.page("/admin/messages?q=harbour").await;
    assert!(html.contains("Hello harbour") && !html.contains("50% off"), "{html}");
}

#[tokio::test]
async fn private_messages_are_listed_only_if_reported_and_without_texts() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut sent = Vec::new();
    for content in ["a harmless secret", "a rude secret"] {
        let body = json!({"to": [ada.id], "content": content});
        sent.push(bob.post("/api/direct", body).await.assert_status(201)["message"].clone());
    }
    let path = format!("/api/chat/{}/report", id_of(&sent[1]));
    ada.post(&path, json!({"reason": "rude"})).await.assert_status(201);
    let page = operator.get("/api/admin/messages").await.body;
    assert_eq!(texts_of(&page["messages"], "id"), [id_of(&sent[1])]);
    let message = &page["messages"][0];
    assert_eq!((&message["private"], &message["content"]), (&json!(true), &Value::Null));
    assert!(!page.to_string().contains("secret"), "{page}");
    assert_eq!(
        message_ids(&operator, "q=secret").await,
        [""; 0],
        "texts of private messages are not searched"
    );
    let case = operator.get(&format!("/api/admin/reports/{}", message["report_id"].as_str().unwrap())).await;
    assert_eq!(case.status, 200);
}

#[tokio::test]
async fn cases_are_found_by_kind_author_and_age() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let message = post_text(&ada, "a wicked word").await;
    let reason = json!({"reason": "rude"});
    server.post(&format!("/api/chat/{}/report", id_of(&message)), reason.clone()).await.assert_status(201);
    server.advance_clock(70 * 60);
    server.post(&format!("/api/agents/{}/report", bob.id), reason).await.assert_status(201);
    for (query, expected) in [
        ("kind=message", &["message"][..]),
        ("kind=canvas", &[]),
        ("author=bob", &["name"]),
        (&format!("author={}", ada.id), &["message"]),
        ("author=nobody", &[]),
        ("min_age_hours=1", &["message"]),
        ("min_age_hours=0", &["name", "message"]),
        ("state=closed&author=ada", &[]),
    ] {
        let page = operator.get(&format!("/api/admin/reports?{query}")).await.assert_status(200);
        assert_eq!(texts_of(&page["reports"], "kind"), expected, "{query}");
    }
    let (_, html) = operator.page(&format!("/admin/reports?author={}&kind=&min_age_hours=", ada.id)).await;
    assert!(html.contains(&format!(">message {}<", id_of(&message))) && !html.contains(&bob.id), "{html}");
}

#[tokio::test]
async fn crews_and_plans_are_found_by_name_and_state() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let harbour = found_crew(&ada, "Harbour", "open").await;
    let lake = found_crew(&bob, "Lake", "invite").await;
    operator.post_with_reason(&format!("/api/admin/crews/{}/hide", id_of(&lake))).await;
    for (query, expected) in [
        ("", &["Lake", "Harbour"][..]),
        ("name=ARB", &["Harbour"]),
        ("state=open", &["Harbour"]),
        ("state=hidden", &["Lake"]),
        ("state=archived", &[]),
    ] {
        let page = operator.get(&format!("/api/admin/crews?{query}")).await.assert_status(200);
        assert_eq!(texts_of(&page["crews"], "name"), expected, "{query}");
        let (_, html) = operator.page(&format!("/admin/crews?{query}")).await;
        let is_shown = |crew: &Value| html.contains(&format!("id=\"{}\"", id_of(crew)));
        let shown = usize::from(is_shown(&harbour)) + usize::from(is_shown(&lake));
        assert_eq!(shown, expected.len(), "{query}: {html}");
    }
    let house = open_plan(&ada, json!({"title": "A house", "x": 10, "y": 20, "rows": ["55"]})).await;
    let boat = open_plan(&bob, json!({"title": "A boat", "x": 30, "y": 20, "rows": ["55"]})).await;
    operator.post_with_reason(&format!("/api/admin/plans/{}/hide", id_of(&boat))).await;
    for (query, expected) in [
        ("", &["A boat", "A house"][..]),
        ("title=HOUSE", &["A house"]),
        ("state=live", &["A house"]),
        ("state=hidden", &["A boat"]),
    ] {
        let page = operator.get(&format!("/api/admin/plans?{query}")).await.assert_status(200);
        assert_eq!(texts_of(&page["plans"], "title"), expected, "{query}");
    }
    let first = operator.get("/api/admin/plans?limit=1").await.body;
    let older = format!("/api/admin/plans?limit=1&before={}", first["next_before"].as_str().unwrap());
    assert_eq!(id_of(&operator.get(&older).await.body["plans"][0]), id_of(&house));
}

#[tokio::test]
async fn webhooks_and_clients_are_listed_without_secrets() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let ada = server.register_agent("Ada").await;
    server
        .execute(
            "insert into webhook (id, agent, url, host, events, secret, after_seq, charges_reported_at,
                                  retry_at, created_at)
             select 'hook_' || repeat('0', 32), no, 'https://hooks.example/token-1', 'hooks.example',
                    '{mention}', '\\x00', 0, now(), now(), now()
             from agent where name = 'Ada'",
        )
        .await;
    server
        .execute(
            "insert into oauth_client (id, name, redirect_uris, created_at)
             values ('client_1', 'A <b>client</b>', '{https://client.example/back}', now())",
        )
        .await;
    let page = operator.get("/api/admin/webhooks").await.assert_status(200);
    let webhook = &page["webhooks"][0];
    assert_eq!((&webhook["host"], &webhook["agent_id"]), (&json!("hooks.example"), &json!(ada.id)));
    assert!(!page.to_string().contains("token-1"), "{page}");
    let page = operator.get("/api/admin/clients").await.assert_status(200);
    assert_eq!(texts_of(&page["clients"], "name"), ["A <b>client</b>"]);
    let (_, html) = operator.page("/admin/webhooks").await;
    assert!(html.contains("hooks.example") && !html.contains("token-1"), "{html}");
    let (_, html) = operator.page("/admin/clients").await;
    assert!(html.contains("A &lt;b&gt;client&lt;/b&gt;"), "{html}");
}

#[tokio::test]
async fn agent_page_leads_operators_to_the_console() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let ada = server.register_agent("Ada").await;
    let message = post_text(&ada, "hello").await;
    let path = format!("/agents/{}", ada.id);
    let seen = operator.get(&path).await;
    assert_eq!((seen.status, seen.header("cache-control")), (200, "no-store"));
    for link in [format!("/admin/agents/{}", ada.id), format!("/admin/messages?q={}", id_of(&message))] {
        assert!(seen.text().contains(&format!("href=\"{link}\"")), "{}", seen.text());
        let (status, html) = operator.page(&link).await;
        assert!(status == 200 && html.contains("hello"), "{html}");
    }
    let public = server.get(&path).await;
    assert!(!public.text().contains("/admin/"), "{}", public.text());
    assert!(public.header("cache-control").starts_with("public"));
}
