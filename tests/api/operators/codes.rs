//! Codes of a sign-in: each counts once, also for simultaneous attempts, and guessing them is bounded.

use serde_json::json;
use totp_rs::Builder;

use crate::support::{INVITED_PASSWORD, OperatorBrowser, PASSWORD, Reply, Server};

const BASE32_DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// An operator with codes.
struct CodeUser {
    name: &'static str,
    password: &'static str,
    secret: [u8; 20],
    recovery_codes: Vec<String>,
}

impl CodeUser {
    /// Switches on codes in the browser of an operator.
    async fn set_up(browser: &OperatorBrowser<'_>, name: &'static str, password: &'static str) -> Self {
        let prepared = browser.submit("/admin/account/totp/prepare", &[]).await;
        let page = String::from_utf8(prepared.bytes).unwrap();
        assert!(prepared.status == 200 && page.contains("<svg"), "{page}");
        let secret = decode_base32(between(&page, "Secret: <code>", "</code>"));
        let mut user = Self { name, password, secret, recovery_codes: Vec::new() };
        for (password, code) in [(password, "000000"), ("wrong", user.code(browser.server).as_str())] {
            let fields = [("password", password), ("code", code)];
            let refused = browser.submit("/admin/account/totp/on", &fields).await;
            assert!(refused.status == 401 && refused.text().contains("Wrong password or code"));
            assert!(refused.text().contains("<svg"), "the secret is still shown");
        }
        let code = user.code(browser.server);
        let fields = [("password", password), ("code", code.as_str())];
        let switched_on = browser.submit("/admin/account/totp/on", &fields).await;
        assert_eq!(switched_on.status, 200, "{}", switched_on.text());
        let list = between(switched_on.text(), "<ul>", "</ul>");
        user.recovery_codes =
            list.split("<code>").skip(1).map(|rest| rest.split('<').next().unwrap().to_owned()).collect();
        assert_eq!(user.recovery_codes.len(), 10, "{list}");
        user
    }

    /// Returns the current code.
    fn code(&self, server: &Server) -> String {
        let now = server.running().state.clock.now().timestamp().try_into().unwrap();
        Builder::new().with_secret(self.secret).build_noncompliant().generate(now).to_string()
    }

    /// Tries to sign in from this address.
    async fn sign_in(&self, server: &Server, address: &str, code: &str) -> Reply {
        let fields = [("name", self.name), ("password", self.password), ("code", code)];
        server.browser(address).sign_in_with(&fields).await
    }
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("{start} in {text}"));
    rest.split_once(end).unwrap().0
}

fn decode_base32(text: &str) -> [u8; 20] {
    let digits = text.chars().map(|digit| BASE32_DIGITS.find(digit).unwrap());
    let bits: String = digits.map(|digit| format!("{digit:05b}")).collect();
    let byte = |index: usize| u8::from_str_radix(&bits[8 * index..8 * index + 8], 2).unwrap();
    std::array::from_fn(byte)
}

#[tokio::test]
async fn a_sign_in_needs_a_code_which_counts_once() {
    let server = Server::start_with_console().await;
    let ada =
        CodeUser::set_up(&server.invite_operator("operator", "Ada").await, "Ada", INVITED_PASSWORD).await;
    let wrong = json!("Wrong name, password or code.");
    let used = ada.code(&server);
    for code in ["", "000000", "no code", &used] {
        let refused = ada.sign_in(&server, "192.0.2.1", code).await;
        refused.assert_refused(401, "key_invalid");
        assert_eq!(refused.body["detail"], wrong, "{code}: as with a wrong password");
    }
    server.advance_clock(30);
    let code = ada.code(&server);
    let wrong_password = [("name", "Ada"), ("password", "a wrong password"), ("code", code.as_str())];
    server.browser("192.0.2.2").sign_in_with(&wrong_password).await.assert_refused(401, "key_invalid");
    assert_eq!(ada.sign_in(&server, "192.0.2.2", &code).await.status, 303, "it was not used up");
    ada.sign_in(&server, "192.0.2.2", &code).await.assert_refused(401, "key_invalid");
    server.advance_clock(30);
    ada.sign_in(&server, "192.0.2.2", &code).await.assert_refused(401, "key_invalid");
    server.advance_clock(60);
    let older = ada.code(&server);
    server.advance_clock(30);
    assert_eq!(ada.sign_in(&server, "192.0.2.3", &older).await.status, 303, "one step late");
    server.advance_clock(60);
    let late = ada.code(&server);
    server.advance_clock(60);
    ada.sign_in(&server, "192.0.2.3", &late).await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn a_clock_that_was_ahead_blocks_no_codes() {
    let server = Server::start_with_console().await;
    let ada =
        CodeUser::set_up(&server.invite_operator("operator", "Ada").await, "Ada", INVITED_PASSWORD).await;
    server.execute("update operator set totp_last_step = totp_last_step + 2880 where name = 'Ada'").await;
    let code = ada.code(&server);
    assert_eq!(ada.sign_in(&server, "192.0.2.1", &code).await.status, 303);
    ada.sign_in(&server, "192.0.2.1", &code).await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn simultaneous_sign_ins_use_a_code_once() {
    let server = Server::start_with_console().await;
    let ada =
        CodeUser::set_up(&server.invite_operator("operator", "Ada").await, "Ada", INVITED_PASSWORD).await;
    server.advance_clock(30);
    let of_app = ada.code(&server);
    for code in [of_app.as_str(), &ada.recovery_codes[0]] {
        let mut statuses: Vec<u16> = futures_util::future::join_all(
            ["192.0.2.1", "192.0.2.2"].map(async |from| ada.sign_in(&server, from, code).await.status),
        )
        .await;
        statuses.sort_unstable();
        assert_eq!(statuses, [303, 401], "{code}");
    }
}

#[tokio::test]
async fn recovery_codes_count_once_and_are_replaced() {
    let server = Server::start_with_console().await;
    let browser = server.invite_operator("operator", "Ada").await;
    let ada = CodeUser::set_up(&browser, "Ada", INVITED_PASSWORD).await;
    let typed = ada.recovery_codes[0].to_uppercase().replace('-', " ");
    assert_eq!(ada.sign_in(&server, "192.0.2.1", &typed).await.status, 303);
    ada.sign_in(&server, "192.0.2.1", &ada.recovery_codes[0]).await.assert_refused(401, "key_invalid");
    let (_, page) = browser.page("/admin/account").await;
    assert!(page.contains("You have 9 recovery codes left"), "{page}");
    let code = ("code", ada.recovery_codes[1].as_str());
    let short = [("password", INVITED_PASSWORD), code, ("new_password", "short"), ("repeated", "short")];
    assert_eq!(browser.submit("/admin/account/password", &short).await.status, 400, "it uses up no code");
    let fields = [("password", INVITED_PASSWORD), code];
    let renewed = browser.submit("/admin/account/totp/recovery", &fields).await;
    assert!(renewed.status == 200 && !renewed.text().contains(&ada.recovery_codes[2]), "{}", renewed.text());
    ada.sign_in(&server, "192.0.2.1", &ada.recovery_codes[2]).await.assert_refused(401, "key_invalid");
    server.advance_clock(30);
    let code = ada.code(&server);
    let fields = [("password", INVITED_PASSWORD), ("code", code.as_str())];
    let off = browser.submit("/admin/account/totp/off", &fields).await;
    assert!(off.status == 200 && off.text().contains("Set up codes"), "{}", off.text());
    assert_eq!(ada.sign_in(&server, "192.0.2.1", "").await.status, 303, "no code is needed any more");
}

#[tokio::test]
async fn guessing_a_code_is_bounded_over_all_addresses() {
    let server = Server::start_with_console().await;
    let browser = server.invite_operator("operator", "Ada").await;
    let ada = CodeUser::set_up(&browser, "Ada", INVITED_PASSWORD).await;
    ada.sign_in(&server, "192.0.2.1", "000000").await.assert_refused(401, "key_invalid");
    let change_tally = "update sign_in_tally set wrong = 70, last_at = now(), locked_until = now()
                        where who like 'name %'";
    server.execute(change_tally).await;
    ada.sign_in(&server, "192.0.2.1", "000000").await.assert_refused(401, "key_invalid");
    let code = ada.code(&server);
    ada.sign_in(&server, "192.0.2.2", &code).await.assert_refused(429, "too_many_requests");
    // Another operator cannot help with its device cookie and its address.
    let grace = server.invite_operator("moderator", "Grace").await;
    let mut known = server.browser(&grace.address);
    known.cookies = device_cookie(&grace);
    let fields = [("name", "Ada"), ("password", INVITED_PASSWORD), ("code", "000000")];
    known.sign_in_with(&fields).await.assert_refused(429, "too_many_requests");
    assert_eq!(server.browser("192.0.2.3").sign_in(PASSWORD).await.status, 303, "a name of its own");
    // The operator's own browser is known.
    server.advance_clock(30);
    let code = ada.code(&server);
    let mut own = server.browser("192.0.2.4");
    own.cookies = device_cookie(&browser);
    let fields = [("name", "ada"), ("password", INVITED_PASSWORD), ("code", code.as_str())];
    assert_eq!(own.sign_in_with(&fields).await.status, 303);
}

/// Returns the device cookie of a browser that has signed in.
fn device_cookie(browser: &OperatorBrowser<'_>) -> String {
    let mut cookies = browser.cookies.split("; ");
    cookies.find(|pair| pair.starts_with("caraplace-device=")).unwrap().to_owned()
}

#[tokio::test]
async fn names_that_nobody_has_are_refused_and_counted_alike() {
    let server = Server::start_with_console().await;
    server.invite_operator("operator", "Ada").await;
    for (address, name) in [("192.0.2.1", "Ada"), ("192.0.2.2", "Nobody")] {
        for _ in 0..5 {
            let fields = [("name", name), ("password", "open sesame")];
            let refused = server.browser(address).sign_in_with(&fields).await;
            refused.assert_refused(401, "key_invalid");
            assert_eq!(refused.body["detail"], "Wrong name, password or code.");
        }
        let fields = [("name", name), ("password", INVITED_PASSWORD)];
        server.browser(address).sign_in_with(&fields).await.assert_refused(429, "too_many_requests");
    }
    let own = [("name", "Ada"), ("password", PASSWORD)];
    server.browser("192.0.2.3").sign_in_with(&own).await.assert_refused(401, "key_invalid");
    let others = [("name", "owner"), ("password", INVITED_PASSWORD)];
    server.browser("192.0.2.3").sign_in_with(&others).await.assert_refused(401, "key_invalid");
    let named = [("name", "Owner"), ("password", PASSWORD)];
    assert_eq!(server.browser("192.0.2.3").sign_in_with(&named).await.status, 303);
}

#[tokio::test]
async fn the_first_owner_can_use_codes_and_another_owner_resets_them() {
    let server = Server::start_with_console().await;
    let other = server.invite_operator("owner", "Ada").await;
    let user = CodeUser::set_up(&server.sign_in_operator().await, "", PASSWORD).await;
    server.browser("192.0.2.1").sign_in(PASSWORD).await.assert_refused(401, "key_invalid");
    server.advance_clock(30);
    assert_eq!(user.sign_in(&server, "192.0.2.1", &user.code(&server)).await.status, 303);
    let list = other.get("/api/admin/operators").await.body;
    assert_eq!(list["operators"][0]["uses_codes"], true);
    let own = format!("/api/admin/operators/{}/reset-totp", list["operators"][1]["id"].as_str().unwrap());
    let refused = other.post(&own, json!({})).await;
    refused.assert_refused(400, "invalid_field");
    assert!(refused.body["detail"].as_str().unwrap().contains("under Account"), "{}", refused.body);
    let path = format!("/api/admin/operators/{}/reset-totp", list["operators"][0]["id"].as_str().unwrap());
    let reset = other.post(&path, json!({})).await.assert_status(200);
    assert_eq!(reset["uses_codes"], false);
    assert_eq!(server.browser("192.0.2.2").sign_in(PASSWORD).await.status, 303);
    let stored: Option<Vec<u8>> = sqlx::query_scalar("select totp_secret from operator where name = 'owner'")
        .fetch_one(&server.pool)
        .await
        .unwrap();
    assert_eq!(stored, None);
}
