//! Device cookies: wrong passwords of others do not lock out a browser that has signed in before.

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt as _};

use crate::support::actions::{CONSOLE_SETTINGS, HTTPS_CONSOLE_SETTINGS};
use crate::support::waiting::wait_until;
use crate::support::{OperatorBrowser, PASSWORD, Reply, Server};

const WRONG_PASSWORD: &str = "open sesame";

/// Returns a browser at this address that has signed in before and has no session any more.
async fn known_browser<'a>(server: &'a Server, address: &str) -> OperatorBrowser<'a> {
    let mut operator = server.browser(address);
    assert_eq!(operator.sign_in(PASSWORD).await.status, 303);
    operator.cookies = device_cookie(&operator.cookies).expect("no device cookie was set");
    operator
}

fn device_cookie(cookies: &str) -> Option<String> {
    cookies.split("; ").find(|pair| pair.starts_with("caraplace-device=")).map(str::to_owned)
}

/// Sends wrong passwords from an address until it is locked.
async fn lock_address(server: &Server, address: &str) {
    for _ in 0..5 {
        server.browser(address).sign_in(WRONG_PASSWORD).await.assert_refused(401, "key_invalid");
    }
    server.browser(address).sign_in(WRONG_PASSWORD).await.assert_refused(429, "too_many_requests");
}

/// Locks the sign-in for all unknown browsers.
async fn lock_strangers(server: &Server) {
    let insert_tally = "insert into sign_in_tally (who, wrong, last_at, locked_until)
                 values ('*', 70, now(), now() + interval '15 minutes')
                 on conflict (who) do update set wrong = 70, last_at = now(), locked_until = excluded.locked_until";
    server.execute(insert_tally).await;
    server.browser("198.51.100.9").sign_in(PASSWORD).await.assert_refused(429, "too_many_requests");
}

#[tokio::test]
async fn known_browser_signs_in_despite_lockouts() {
    let server = Server::start_with_console().await;
    let mut known = known_browser(&server, "192.0.2.1").await;
    lock_address(&server, "192.0.2.1").await;
    lock_strangers(&server).await;
    server.browser("192.0.2.1").sign_in(PASSWORD).await.assert_refused(429, "too_many_requests");
    assert_eq!(known.sign_in(PASSWORD).await.status, 303, "from the locked address");
    let mut elsewhere = move_known_browser(&known, "192.0.2.200");
    assert_eq!(elsewhere.sign_in(PASSWORD).await.status, 303, "from a new address");
    let second = server.start_instance(&CONSOLE_SETTINGS).await;
    let mut there = second.browser("192.0.2.201");
    there.cookies.clone_from(&device_cookie(&known.cookies).unwrap());
    assert_eq!(there.sign_in(PASSWORD).await.status, 303, "on another instance");
}

/// Returns the same browser at another address and signed out.
fn move_known_browser<'a>(known: &OperatorBrowser<'a>, address: &str) -> OperatorBrowser<'a> {
    let mut operator = known.server.browser(address);
    operator.cookies = device_cookie(&known.cookies).unwrap();
    operator
}

#[tokio::test]
async fn known_browser_has_its_own_lockout() {
    let server = Server::start_with_console().await;
    let mut clumsy = known_browser(&server, "192.0.2.1").await;
    let mut other = known_browser(&server, "192.0.2.1").await;
    for _ in 0..5 {
        clumsy.sign_in(WRONG_PASSWORD).await.assert_refused(401, "key_invalid");
    }
    let refused = clumsy.sign_in(PASSWORD).await;
    refused.assert_refused(429, "too_many_requests");
    assert!((14..=15).contains(&refused.header("retry-after").parse().unwrap()), "{:?}", refused.headers);
    assert_eq!(other.sign_in(PASSWORD).await.status, 303, "another browser at the same address");
    server.browser("192.0.2.1").sign_in(WRONG_PASSWORD).await.assert_refused(401, "key_invalid");
    server.advance_clock(15);
    assert_eq!(clumsy.sign_in(PASSWORD).await.status, 303);
}

#[tokio::test]
async fn device_cookie_is_protected_and_cannot_be_forged() {
    let server = Server::start_with_console().await;
    let set = |reply: &Reply| {
        let lines = reply.headers.get_all("set-cookie").iter().map(|line| line.to_str().unwrap().to_owned());
        lines.into_iter().find(|line| line.contains("caraplace-device="))
    };
    let cookie = set(&server.browser("192.0.2.1").sign_in(PASSWORD).await).expect("no device cookie was set");
    assert!(cookie.starts_with("caraplace-device=") && !cookie.contains("Secure"), "{cookie}");
    for part in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=15552000"] {
        assert!(cookie.contains(part), "{part} in {cookie}");
    }
    let wrong = server.browser("192.0.2.2").sign_in(WRONG_PASSWORD).await;
    assert_eq!(set(&wrong), None, "only a sign-in sets the cookie");
    let secure = Server::start_with(&HTTPS_CONSOLE_SETTINGS).await;
    let cookie = set(&secure.browser("192.0.2.1").sign_in(PASSWORD).await).unwrap();
    assert!(cookie.starts_with("__Host-caraplace-device=") && cookie.contains("; Secure"), "{cookie}");
    assert!(!cookie.contains("Domain"));

    let known = known_browser(&server, "192.0.2.1").await;
    lock_address(&server, "192.0.2.3").await;
    let (digits, value) = ("0123456789abcdef", known.cookies.clone());
    let last = value.chars().last().unwrap();
    let other = digits.chars().find(|digit| *digit != last).unwrap();
    let forged = format!("{}{other}", &value[..value.len() - 1]);
    let unknown = format!("caraplace-device=1.{0}.{0}", "0".repeat(64));
    for cookies in [forged, unknown, format!("{value}; {value}")] {
        let mut stranger = server.browser("192.0.2.3");
        stranger.cookies = cookies;
        stranger.sign_in(PASSWORD).await.assert_refused(429, "too_many_requests");
    }
    assert_eq!(move_known_browser(&known, "192.0.2.3").sign_in(PASSWORD).await.status, 303);
}

#[tokio::test]
async fn device_cookie_expires_and_depends_on_the_password() {
    let mut server = Server::start_with_console().await;
    let cookies = known_browser(&server, "192.0.2.1").await.cookies;
    let try_with = async |server: &Server, password: &str| {
        lock_strangers(server).await;
        let mut operator = server.browser("192.0.2.1");
        operator.cookies.clone_from(&cookies);
        operator.sign_in(password).await.status
    };
    // A recent sign-in from the address would still permit it, so it is deleted.
    server.execute("delete from sign_in_tally").await;
    assert_eq!(try_with(&server, PASSWORD).await, 303);
    server.restart_with("CARAPLACE_ADMIN_PASSWORD", "quite another one").await;
    assert_eq!(try_with(&server, "quite another one").await, 429);
    server.restart_with("CARAPLACE_ADMIN_PASSWORD", PASSWORD).await;
    assert_eq!(try_with(&server, PASSWORD).await, 303);
    server.advance_clock(180 * 86_400 + 1);
    let far = "update sign_in_tally set locked_until = now() + interval '1 year' where who = '*'";
    server.execute(far).await;
    let mut operator = server.browser("192.0.2.1");
    operator.cookies.clone_from(&cookies);
    assert_eq!(operator.sign_in(PASSWORD).await.status, 429);
}

#[tokio::test]
async fn waiting_strangers_do_not_block_a_known_browser() {
    let server = Server::start_with_console().await;
    let mut known = known_browser(&server, "192.0.2.1").await;
    let mut transaction = server.pool.begin().await.unwrap();
    let lock = "select from sign_in_tally where who = '*' for update";
    sqlx::query(lock).execute(&mut *transaction).await.unwrap();
    let strangers = join_all((0..40).map(async |number| {
        server.browser(&format!("198.51.100.{number}")).sign_in_without_form(WRONG_PASSWORD).await.status
    }));
    let enter = async {
        server.wait_for_lock_waits(2).await;
        let status = known.sign_in(PASSWORD).await.status;
        let session = known.get("/api/admin/session").await.status;
        transaction.rollback().await.unwrap();
        (status, session)
    };
    let (strangers, sign_in_result) = tokio::join!(strangers, enter);
    assert_eq!(sign_in_result, (303, 200));
    assert!(strangers.iter().all(|status| [401, 503].contains(status)), "{strangers:?}");
}

#[tokio::test]
async fn wrong_passwords_do_not_use_the_operators_request_limit() {
    let limit = ("CARAPLACE_REQUESTS_PER_MINUTE", "20");
    let server = Server::start_with(&[&CONSOLE_SETTINGS[..], &[limit]].concat()).await;
    let (operator, key) = (server.sign_in_operator().await, server.create_operator_key("deploy").await);
    let mut known = move_known_browser(&operator, "192.0.2.77");
    let wrong = stream::iter(0..60)
        .map(async |_| server.browser("192.0.2.77").sign_in_without_form(WRONG_PASSWORD).await.status);
    let statuses: Vec<_> = wrong.buffer_unordered(4).collect().await;
    assert!(statuses.contains(&429), "{statuses:?}");
    let is_refused = async || server.browser("192.0.2.77").get("/admin/sign-in").await.status == 429;
    wait_until(is_refused, "other browsers at this address are never refused").await;
    assert_eq!(operator.get("/api/admin/session").await.status, 200);
    let request = server.get_request("/api/admin/session").header("X-Forwarded-For", "192.0.2.77");
    assert_eq!(Reply::fetch(request.bearer_auth(&key)).await.status, 200);
    assert_eq!(known.sign_in(PASSWORD).await.status, 303);
}
