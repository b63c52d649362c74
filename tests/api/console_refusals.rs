//! Mistakes in the console's forms are told inside the console, and nothing that was typed is lost.

use serde_json::json;

use crate::support::{OperatorBrowser, PASSWORD, Reply, Server, with_form_body};

/// Sends a form as a browser does that shows this page.
async fn submit_from(
    operator: &OperatorBrowser<'_>,
    page: &str,
    path: &str,
    fields: &[(&str, &str)],
) -> Reply {
    let fields: Vec<_> = fields.iter().copied().chain([("csrf", operator.csrf.as_str())]).collect();
    let request = with_form_body(operator.post_request(path), &fields).header("Accept", "text/html");
    Reply::fetch(request.header("Referer", format!("http://127.0.0.1{page}"))).await
}

#[tokio::test]
async fn refused_form_can_be_corrected_and_sent_again() {
    let server = Server::start_with_console().await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let account = format!("/admin/agents/{}", ada.id);
    let path = format!("{account}/ban");
    let fields = [("until", "tomorrow"), ("reason", "be \"kinder\" <b>"), ("why", "")];
    let refused = submit_from(&operator, &format!("{account}?x=1"), &path, &fields).await;
    assert_eq!((refused.status, refused.header("cache-control")), (400, "no-store"));
    assert!(refused.header("content-security-policy").starts_with("default-src 'none'"));
    assert_eq!(refused.header("referrer-policy"), "same-origin");
    let page = refused.text();
    for part in [
        "class=\"console-nav\"",
        "“Until (UTC)” must be a time such as 2026-01-31T08:30.",
        &format!("action=\"{path}\""),
        &format!("name=\"csrf\" value=\"{}\"", operator.csrf),
        "name=\"until\" value=\"tomorrow\" autocomplete=\"off\" aria-invalid=\"true\"",
        "name=\"reason\" value=\"be &quot;kinder&quot; &lt;b&gt;\"",
        &format!("<a href=\"{account}?x=1\">Back</a>"),
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains('`'), "{page}");
    let until = (server.clock.now() + chrono::TimeDelta::days(3)).format("%Y-%m-%dT%H:%M").to_string();
    let corrected = [("until", until.as_str()), fields[1], fields[2]];
    // The browser names the address of the refused form.
    let done = submit_from(&operator, &path, &path, &corrected).await;
    assert_eq!((done.status, done.header("location")), (303, account.as_str()));
    ada.paint(1, 1, 1).await.assert_refused(403, "banned");
}

#[tokio::test]
async fn missing_field_is_added_and_hidden_ones_are_sent_again() {
    let server = Server::start_with_console().await;
    let operator = server.sign_in_operator().await;
    let fields = [("after", "1"), ("title", "Autumn"), ("reason", "")];
    let refused = submit_from(&operator, "/admin/seasons", "/admin/seasons/open", &fields).await;
    let page = refused.text();
    assert_eq!(refused.status, 400, "{page}");
    assert!(page.contains("“Reason” is missing.") && page.contains("name=\"reason\" value=\"\""), "{page}");
    assert!(page.contains("type=\"hidden\" name=\"after\" value=\"1\""), "{page}");
    assert!(page.contains("name=\"title\" value=\"Autumn\""), "{page}");
    let unknown = submit_from(&operator, "/admin/seasons", "/admin/seasons/burn", &fields).await;
    assert!(unknown.status == 404 && unknown.text().contains("There is no such action"));
    let program = operator.submit("/admin/seasons/open", &fields).await;
    program.assert_refused(400, "missing_field");
}

#[tokio::test]
async fn refused_decision_sends_its_ticks_and_its_button_again() {
    let server = Server::start_with_console().await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let rude = json!({"reason": "rude"});
    let filed = server.post(&format!("/api/agents/{}/report", ada.id), rude).await.assert_status(201);
    let report = format!("/admin/reports/{}", filed["report"]["id"].as_str().unwrap());
    let fields = [("hide", "msg_1"), ("hide_others", "msg_2,msg_3"), ("outcome", "upheld"), ("reason", "")];
    let refused = submit_from(&operator, &report, &format!("{report}/decide"), &fields).await;
    let page = refused.text();
    assert_eq!(refused.status, 400, "{page}");
    for (name, value) in &fields[..3] {
        let hidden = format!("type=\"hidden\" name=\"{name}\" value=\"{value}\"");
        assert!(page.contains(&hidden), "{hidden}: {page}");
    }
}

#[tokio::test]
async fn a_refused_form_shows_no_password_and_no_code() {
    let server = Server::start_with_console().await;
    let operator = server.sign_in_operator().await;
    let secret = "a secret that was typed";
    for fields in [
        &[("password", secret)][..],
        &[("password", secret), ("new_password", secret), ("repeated", secret), ("more", "1")],
        &[("code", secret)],
    ] {
        let refused = submit_from(&operator, "/admin/account", "/admin/account/password", fields).await;
        let page = refused.text();
        assert!(refused.status == 400 && !page.contains(secret), "{page}");
        assert!(page.contains("<a href=\"/admin/account\">Back</a>"), "{page}");
    }
    // Wrong words about codes that were never prepared are told on the page of the account.
    for (password, status, told) in [("wrong", 401, "Wrong password or code"), (PASSWORD, 400, "not set up")]
    {
        let fields = [("password", password), ("code", "123456")];
        let refused = submit_from(&operator, "/admin/account", "/admin/account/totp/on", &fields).await;
        let page = refused.text();
        assert!(refused.status == status && page.contains(told) && !page.contains("123456"), "{page}");
        assert!(page.contains("Set up codes"), "{page}");
    }
}

#[tokio::test]
async fn pages_with_wrong_addresses_stay_in_the_console() {
    let server = Server::start_with_console().await;
    let operator = server.sign_in_operator().await;
    let (status, page) = operator.page("/admin/rollbacks/preview?x1=abc&y1=1&x2=2&y2=3&from=1").await;
    assert!(status == 400 && page.contains("“Left” must be a whole number."), "{page}");
    assert!(page.contains("method=\"get\" action=\"/admin/rollbacks/preview\""), "{page}");
    assert!(
        page.contains("name=\"x1\" value=\"abc\"") && page.contains("name=\"from\" value=\"1\""),
        "{page}"
    );
    for path in ["/admin/agents/agent_nobody", "/admin/nothing"] {
        let (status, page) = operator.page(path).await;
        assert!(status == 404 && page.contains("class=\"console-nav\""), "{path}: {page}");
        assert!(page.contains(">Back</a>") && !page.contains("Send again"), "{path}: {page}");
    }
    let stranger = server.browser("192.0.2.9");
    let (status, page) = stranger.page("/admin/nothing").await;
    assert!(status == 303 && !page.contains("console-nav"), "{page}");
}

#[tokio::test]
async fn refused_setting_keeps_its_place_on_the_page() {
    let server = Server::start_with_console().await;
    let operator = server.sign_in_operator().await;
    let path = "/admin/settings";
    for (fields, shown) in [
        (
            [("name", "max_charges"), ("value", "many"), ("reason", "a party")],
            ["value=\"many\"", "value=\"a party\"", "must be a whole number from 1 to 1000000."],
        ),
        (
            [("name", "secret_rules"), ("value", "# ours\r\n+ acme ("), ("reason", "ours")],
            [
                "# ours\r\n+ acme (</textarea>",
                "value=\"ours\"",
                "must be lines of + NAME REGEX, - NAME or # COMMENT, at most 65536 bytes, with regexes that \
                 take linear time. Line 2 is wrong: the regex of acme",
            ],
        ),
        (
            [("name", "links"), ("value", "allow"), ("reason", "")],
            ["<option value=\"allow\" selected>", "value=\"\"", "“Reason” is missing."],
        ),
    ] {
        let refused = submit_from(&operator, path, path, &fields).await;
        let page = refused.text();
        assert_eq!(refused.status, 400, "{page}");
        assert_eq!(page.matches("<details open>").count(), 1, "{page}");
        let (_, form) = page.split_once("<details open>").unwrap();
        let (form, _) = form.split_once("</details>").unwrap();
        assert!(form.contains(&format!("name=\"name\" value=\"{}\"", fields[0].1)), "{form}");
        assert!(form.contains("role=\"alert\"") && shown.iter().all(|part| form.contains(part)), "{form}");
    }
    let unknown = [("name", "nothing"), ("value", "1"), ("reason", "x")];
    let refused = submit_from(&operator, path, path, &unknown).await;
    assert!(refused.status == 400 && refused.text().contains("Send again"));
    assert_eq!(server.count_rows("audit").await, 0);
}
