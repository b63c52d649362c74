//! Lockout: some wrong passwords are free, then the waits double; the same on every instance.

use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::{OperatorBrowser, PASSWORD, Server};

/// Sends a wrong password. Returns the wait in seconds; `None` if there is none.
async fn guess(operator: &mut OperatorBrowser<'_>) -> Option<u64> {
    let reply = operator.sign_in("open sesame").await;
    match reply.status {
        401 => {
            reply.assert_refused(401, "key_invalid");
            None
        }
        _ => {
            reply.assert_refused(429, "too_many_requests");
            Some(reply.header("retry-after").parse().unwrap())
        }
    }
}

#[tokio::test]
async fn wait_doubles_after_five_wrong_passwords() {
    let server = Server::start_with_console().await;
    let second = server.start_instance(&CONSOLE_SETTINGS).await;
    let (mut operator, mut there) = (server.browser("192.0.2.1"), second.browser("192.0.2.1"));
    for _ in 0..4 {
        assert_eq!(guess(&mut operator).await, None);
    }
    assert_eq!(guess(&mut there).await, None, "the fifth attempt is checked");
    assert_eq!(guess(&mut operator).await, Some(15));
    assert_eq!(guess(&mut there).await, Some(15));
    operator.sign_in(PASSWORD).await.assert_refused(429, "too_many_requests");
    assert_eq!(server.browser("192.0.2.2").sign_in(PASSWORD).await.status, 303, "others can sign in");
    for wait in [15, 30, 60, 120, 240, 480, 900, 900] {
        let retry_after = guess(&mut there).await.unwrap();
        assert!((wait - 1..=wait).contains(&retry_after), "{retry_after} for {wait}");
        server.advance_clock(wait as i64);
        assert_eq!(guess(&mut operator).await, None, "one more attempt is checked after {wait} s");
    }
    server.advance_clock(900);
    assert_eq!(operator.sign_in(PASSWORD).await.status, 303);
    assert_eq!(guess(&mut there).await, None, "a sign-in resets the count");
}

#[tokio::test]
async fn concurrent_guesses_verify_only_the_free_attempts() {
    let server = Server::start_with_console().await;
    let guesses = (0..15).map(|_| async {
        let mut operator = server.browser("192.0.2.1");
        guess(&mut operator).await
    });
    let judged = futures_util::future::join_all(guesses).await.into_iter().filter(Option::is_none).count();
    assert_eq!(judged, 5);
}

#[tokio::test]
async fn distributed_guesses_lock_out_only_strangers() {
    let server = Server::start_with_console().await;
    let mut known = server.browser("192.0.2.1");
    assert_eq!(known.sign_in(PASSWORD).await.status, 303);
    let insert_tally =
        "insert into sign_in_tally (who, wrong, last_at, locked_until) values ('*', 70, now(), now())
                 on conflict (who) do update set wrong = 70, last_at = now(), locked_until = now()";
    server.execute(insert_tally).await;
    assert_eq!(guess(&mut server.browser("192.0.2.2")).await, None);
    let wait = guess(&mut server.browser("192.0.2.3")).await;
    assert!(wait.is_some_and(|wait| wait > 500), "unknown browsers have to wait");
    let mut known = server.browser("192.0.2.1");
    assert_eq!(known.sign_in(PASSWORD).await.status, 303);
}

/// Returns the value of a metric.
async fn read_metric(server: &Server, name: &str) -> u64 {
    let text = String::from_utf8(server.get("/metrics").await.bytes).unwrap();
    let line = text.lines().find(|line| line.starts_with(name) && !line.starts_with('#')).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn every_password_costs_the_same_work() {
    let mut server = Server::start_with_console().await;
    let tries = ["", "x", &PASSWORD[..PASSWORD.len() - 1], &"x".repeat(5_000)];
    for (index, password) in tries.iter().enumerate() {
        let before = read_metric(&server, "caraplace_passwords_judged_total").await;
        let mut operator = server.browser(&format!("192.0.2.{index}"));
        operator.sign_in(password).await.assert_refused(401, "key_invalid");
        assert_eq!(read_metric(&server, "caraplace_passwords_judged_total").await, before + 1, "{password}");
    }
    assert_eq!(read_metric(&server, "caraplace_sign_ins_total{outcome=\"wrong\"}").await, 4);
    // A disabled console takes as long to respond.
    server.restart_with("CARAPLACE_ADMIN_PASSWORD", "").await;
    let before = read_metric(&server, "caraplace_passwords_judged_total").await;
    server.browser("192.0.2.9").sign_in_without_form(PASSWORD).await.assert_refused(401, "key_invalid");
    assert_eq!(read_metric(&server, "caraplace_passwords_judged_total").await, before + 1);
}
