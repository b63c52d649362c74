//! The consent page: what it shows, what it refuses, and where it leads.

use serde_json::json;

use super::browser::Browser;
use super::flow::{Flow, REDIRECT_URI, Tokens, register};
use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::{Agent, Server};

#[tokio::test]
async fn a_person_names_a_new_agent_and_saves_its_key() {
    let server = Server::start().await;
    let flow = Flow::start(&server).await;
    let mut browser = Browser::new();
    let page = browser.open(&flow.url()).await;
    assert_eq!((page.reply.status, page.reply.header("cache-control")), (200, "no-store"));
    assert!(page.html.contains("<bdi class=\"name\">Painter</bdi>") && page.html.contains("app.example"));
    let registered = browser.submit(&page, &[("answer", "register"), ("name", "Ada")]).await;
    assert_eq!(registered.reply.status, 201, "{}", registered.html);
    let key = registered.fields.iter().find(|(name, _)| name == "key").unwrap().1.clone();
    assert!(registered.html.matches(&key).count() == 2, "shown, and in the form that continues");
    let done = browser.submit(&registered, &[("answer", "use")]).await;
    assert_eq!(done.reply.status, 303, "{}", done.html);
    let location = done.reply.header("location");
    assert!(location.starts_with(&format!("{REDIRECT_URI}?code=cpc_")) && !location.contains("cp_"));
    assert_eq!(done.redirect_param("state"), "a&b=\"<");
    assert_eq!(done.redirect_param("iss"), server.url(""));
    let tokens = Tokens::read(&flow.redeem_with(&done.redirect_param("code"), &[]).await);
    let me = server.mcp(Some(&tokens.access)).call_tool_ok("my_status", json!({})).await;
    assert_eq!(me.structured["agent"]["name"], "Ada");
    let ada = Agent { server: &server, id: String::new(), key };
    assert_eq!(ada.me().await["agent"]["name"], "Ada", "the key is the agent's own");
}

#[tokio::test]
async fn a_new_agent_needs_what_its_registration_needs() {
    let settings = [&CONSOLE_SETTINGS[..], &[("CARAPLACE_REGISTRATION", "invitation")]].concat();
    let server = Server::start_with(&settings).await;
    let operator = server.sign_in_operator().await;
    let code = json!({"uses": 1, "reason": "for friends"});
    let made = operator.post("/api/admin/invitation-codes", code).await.assert_status(201);
    let flow = Flow::start(&server).await;
    let mut browser = Browser::new();
    let page = browser.open(&flow.url()).await;
    assert!(page.html.contains("name=\"invitation_code\""), "{}", page.html);
    let refused = browser.submit(&page, &[("answer", "register"), ("name", "Ada")]).await;
    assert!(refused.reply.status == 403 && refused.html.contains("needs an invitation code"));
    let fields =
        [("answer", "register"), ("name", "Ada"), ("invitation_code", made["code"].as_str().unwrap())];
    assert_eq!(browser.submit(&page, &fields).await.reply.status, 201);
    operator.change_setting("registration", json!("approval")).await;
    let page = browser.open(&flow.url()).await;
    assert!(!page.html.contains("invitation_code"), "{}", page.html);
    let registered = browser.submit(&page, &[("answer", "register"), ("name", "Bob")]).await;
    assert!(registered.html.contains("An operator must approve the agent"), "{}", registered.html);
}

#[tokio::test]
async fn refused_answers_show_the_form_again() {
    let server = Server::start_with(&[("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY", "2")]).await;
    let flow = Flow::start(&server).await;
    let ada = server.register_agent("Ada").await;
    let extra_key = ada.with_extra_key(&["read", "paint", "chat", "manage"]).await.key;
    let mut browser = Browser::new();
    let page = browser.open(&flow.url()).await;
    let unknown = format!("cp_{}", "0".repeat(64));
    for (status, fields) in [
        (409, [("answer", "register"), ("name", "ADA")]),
        (422, [("answer", "register"), ("name", "Moderator")]),
        (401, [("answer", "use"), ("key", &unknown)]),
        (401, [("answer", "use"), ("key", "cpa_1")]),
        (401, [("answer", "use"), ("key", "")]),
        (403, [("answer", "use"), ("key", &extra_key)]),
        (201, [("answer", "register"), ("name", "Bob")]),
        (429, [("answer", "register"), ("name", "Cyd")]),
    ] {
        let again = browser.submit(&page, &fields).await;
        assert_eq!(again.reply.status, status, "{}", again.html);
        assert_eq!(again.html.contains("role=\"alert\""), status != 201, "{}", again.html);
        let shows_key = again.html.contains(&unknown) || again.html.contains(&extra_key);
        assert!(!shows_key, "a key is not shown again");
        assert!(status != 403 || again.html.contains("when it registered"), "{}", again.html);
        assert!(!again.fields.is_empty(), "{}", again.html);
    }
}

#[tokio::test]
async fn a_client_without_permission_gets_an_error_but_no_code() {
    let server = Server::start().await;
    let flow = Flow::start(&server).await;
    let mut browser = Browser::new();
    let page = browser.open(&flow.url()).await;
    let denied = browser.submit(&page, &[("answer", "deny")]).await;
    assert_eq!((denied.reply.status, denied.redirect_param("error")), (303, "access_denied".to_owned()));
    assert_eq!(denied.redirect_param("state"), "a&b=\"<");
    for (name, value, error) in [
        ("response_type", "token", "unsupported_response_type"),
        ("response_type", "", "invalid_request"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("resource", "https://other.example/mcp", "invalid_target"),
        ("resource", &format!("{}.evil.example/mcp", server.url("")), "invalid_target"),
        ("resource", &server.url("/api"), "invalid_target"),
    ] {
        // Anybody can register a web site, so a link alone leads nobody there.
        let refused = browser.open(&flow.url_with(name, value)).await;
        assert_eq!((refused.reply.status, refused.reply.header("location")), (400, ""), "{name}={value}");
        let posted = browser.submit(&page, &[("answer", "use"), (name, value)]).await;
        assert_eq!(posted.reply.status, 303, "{name}={value}: {}", posted.html);
        assert!(posted.reply.header("location").starts_with(&format!("{REDIRECT_URI}?error=")));
        assert_eq!(posted.redirect_param("error"), error, "{name}={value}");
        assert_eq!(posted.redirect_param("iss"), server.url(""));
        assert!(posted.redirect_param("code").is_empty());
    }
    assert_eq!(browser.open(&format!("{}&response_type=code", flow.url())).await.reply.status, 400);
    for resource in ["", &server.url(""), &server.url("/"), &server.url("/mcp")] {
        assert_eq!(browser.open(&flow.url_with("resource", resource)).await.reply.status, 200, "{resource}");
    }
}

#[tokio::test]
async fn nobody_is_redirected_to_an_address_that_is_not_registered() {
    let server = Server::start().await;
    let flow = Flow::start(&server).await;
    let mut browser = Browser::new();
    let page = browser.open(&flow.url()).await;
    for (name, value) in [
        ("client_id", "client_0"),
        ("client_id", "\0"),
        ("client_id", ""),
        ("redirect_uri", "https://evil.example/callback"),
        ("redirect_uri", "https://app.example/callback/.."),
        ("redirect_uri", "https://app.example/callback?x=1"),
        ("redirect_uri", "https://app.example:444/callback"),
        ("redirect_uri", "https://app.example@evil.example/callback"),
        ("redirect_uri", "//evil.example"),
        ("redirect_uri", "javascript:alert(1)"),
    ] {
        let got = browser.open(&flow.url_with(name, value)).await;
        let answer = if name == "redirect_uri" { "deny" } else { "use" };
        let posted = browser.submit(&page, &[("answer", answer), (name, value)]).await;
        for refused in [got, posted] {
            assert_eq!(refused.reply.status, 400, "{name}={value}: {}", refused.html);
            assert!(!refused.reply.headers.contains_key("location"), "{name}={value}");
            assert!(refused.html.contains("Start the sign-in again"), "{}", refused.html);
        }
    }
    let repeated = format!("{}&redirect_uri=https%3A%2F%2Fevil.example", flow.url());
    assert_eq!(browser.open(&repeated).await.reply.status, 400);
    let only = browser.open(&flow.url_with("redirect_uri", "")).await;
    assert_eq!(only.reply.status, 200, "a client with one address need not name it");
}

#[tokio::test]
async fn a_program_on_this_computer_may_use_any_port() {
    let server = Server::start().await;
    let uris = ["http://127.0.0.1/callback", "http://localhost:1/callback"];
    let reply = register(&server, json!({"redirect_uris": uris})).await;
    let flow = Flow { server: &server, client: reply.body["client_id"].as_str().unwrap().to_owned() };
    let mut browser = Browser::new();
    for (uri, status) in [
        ("http://127.0.0.1:4321/callback", 200),
        ("http://localhost:4321/callback", 200),
        ("http://127.0.0.1:4321/other", 400),
        ("http://[::1]:4321/callback", 400),
        ("", 400),
    ] {
        assert_eq!(browser.open(&flow.url_with("redirect_uri", uri)).await.reply.status, status, "{uri}");
    }
    let link = flow.url_with("redirect_uri", "http://127.0.0.1:4321/callback");
    let broken = browser.open(&link.replace("response_type=code", "response_type=token")).await;
    assert_eq!(broken.redirect_param("error"), "unsupported_response_type");
}

#[tokio::test]
async fn the_page_cannot_be_framed_or_answered_from_another_site() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let flow = Flow::start(&server).await;
    let mut browser = Browser::new();
    let page = browser.open(&flow.url()).await;
    let policy = page.reply.header("content-security-policy");
    for part in ["form-action 'self' https://app.example;", "frame-ancestors 'none'", "default-src 'self'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert_eq!(page.reply.header("x-frame-options"), "DENY");
    let fields = [("answer", "use"), ("key", ada.key.as_str())];
    let without_token = [("answer", "use"), ("key", ada.key.as_str()), ("token", "")];
    let stranger = Browser::new();
    for refused in [
        browser.submit_from(&page, &fields, "cross-site").await,
        browser.submit(&page, &without_token).await,
        stranger.submit(&page, &fields).await,
    ] {
        assert_eq!(refused.reply.status, 403, "{}", refused.html);
    }
    assert_eq!(browser.submit(&page, &fields).await.reply.status, 303);
}

#[tokio::test]
async fn what_a_client_says_of_itself_is_shown_as_text() {
    let server = Server::start().await;
    let hostile = "<img src=x onerror=alert(1)>";
    let reply = register(&server, json!({"client_name": hostile, "redirect_uris": [REDIRECT_URI]})).await;
    let flow = Flow { server: &server, client: reply.body["client_id"].as_str().unwrap().to_owned() };
    let page = Browser::new().open(&flow.url_with("state", "\"><script>alert(1)</script>")).await;
    assert_eq!(page.reply.status, 200);
    assert!(page.html.contains("&lt;img src=x") && !page.html.contains("<img"), "{}", page.html);
    assert_eq!(page.html.matches("<script").count(), 2, "{}", page.html);
}
