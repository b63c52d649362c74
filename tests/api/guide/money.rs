//! The money of a day: the part of visitors without an account, and that of each of their addresses.

use caraplace_companion::guide::lost_turns;

use super::budgets::{
    DAY_SECONDS, HIGH_PRICES, answer, answer_with_key, assert_spent, budget, hanging_model, spent_micros,
    talkative_model, try_ask,
};
use super::turns::{NO_LIMITS, read_to_end, text_of};
use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::{PASSWORD, Server};

/// Returns what is counted under names like this, in millionths.
async fn cost_of(server: &Server, subject: &str) -> i64 {
    let cost = "select coalesce(sum(cost_micros), 0)::bigint from guide_use where subject like $1";
    sqlx::query_scalar(cost).bind(subject).fetch_one(&server.pool).await.unwrap()
}

#[tokio::test]
async fn an_address_has_a_twentieth_of_the_money_and_accounts_keep_two_fifths() {
    let model = talkative_model().await;
    model.set_usage(10_000, 1_000);
    // A turn takes 3.3 cents.
    let cents = [("CARAPLACE_GUIDE_CENTS_PER_DAY", "200")];
    let server = model.start_server(&[&HIGH_PRICES[..], &CONSOLE_SETTINGS, &cents].concat()).await;
    // Each question comes from another browser at the address.
    for _ in 0..4 {
        answer(&mut server.visitor_at("192.0.2.1")).await;
    }
    let mut greedy = server.visitor_at("192.0.2.1");
    assert_spent(&try_ask(&mut greedy).await, "address_money", 10, 0);
    assert_eq!(budget(&greedy).await["turns_left"], 0);
    let mut other = server.visitor_at("198.51.100.7");
    answer(&mut other).await;
    assert_eq!([cost_of(&server, "address:%").await, cost_of(&server, "browsers").await], [5 * 33_000; 2]);
    let viewer = server.create_viewer().await;
    answer_with_key(&viewer).await;
    assert_eq!(cost_of(&server, "browsers").await, 5 * 33_000, "accounts take nothing of that part");
    assert_eq!(spent_micros(&server).await, 6 * 33_000);
    let nearly_all = "update guide_use set cost_micros = 1150000 where subject in ('browsers', 'server')";
    server.execute(nearly_all).await;
    assert_spent(&try_ask(&mut other).await, "visitors", 120, 5);
    answer_with_key(&viewer).await;
    server.advance_clock(DAY_SECONDS);
    answer(&mut greedy).await;
}

#[tokio::test]
async fn turns_that_are_lost_or_deleted_count() {
    let model = talkative_model().await;
    let server = model.start_server(&NO_LIMITS).await;
    let (mut losing, mut deleting) = (server.visitor(), server.visitor());
    let (lost, deleted) = (losing.ask("How are you?").await, deleting.ask("And you?").await);
    for (id, payer) in [(lost, "address:lost"), (deleted, "address:deleted")] {
        let begin = "update guide_message set state = 'running', runs = 1, reserved_micros = 7000,
            payer = $2, running_until = created_at - interval '1 hour' where id = $1";
        sqlx::query(begin).bind(id).bind(payer).execute(&server.pool).await.unwrap();
    }
    assert_eq!(deleting.delete("/api/guide").await.status, 200);
    lost_turns::sweep(&server.running().state.clone()).await.unwrap();
    for (subject, cost) in
        [("address:lost", 0), ("address:deleted", 7_000), ("browsers", 14_000), ("server", 14_000)]
    {
        assert_eq!(cost_of(&server, subject).await, cost, "{subject}");
    }
    let paying = "select count(*) from guide_message where payer is not null";
    assert_eq!(server.fetch_number(paying).await, 0, "the address is kept only while the turn runs");
}

#[tokio::test]
async fn turns_at_one_address_together_stay_within_its_part() {
    let model = hanging_model().await;
    // A running turn reserves 39.6 cents, and the part of an address is 25.
    let server = model.start_server(&[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]).await;
    let (mut first, mut second) = (server.visitor(), server.visitor());
    let (one, other) = (first.ask("How are you?").await, second.ask("How are you?").await);
    let running = first.stream(&one).await;
    second.try_stream(&other).await.assert_refused(429, "too_many_requests");
    model.wait_for_request(1).await;
    model.release();
    read_to_end(running).await;
    assert_eq!(text_of(&second.read_turn(&other).await), "Released.", "the question is kept");
}
