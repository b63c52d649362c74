//! Budgets: questions of visitors and from addresses, the money of the server, and turns at the same time.

use chrono::{DateTime, Utc};
use futures_util::future::{join_all, join3};
use platform::config::ApiShape;
use reqwest::Method;
use serde_json::{Value, json};

use super::turns::{NO_LIMITS, names_of, read_to_end, text_of};
use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::values::fields_of;
use crate::support::visitor::Visitor;
use crate::support::{Agent, EventStream, FakeModel, PASSWORD, Reply, ScriptedAnswer, Server};

pub const DAY_SECONDS: i64 = 86_400;
/// The number of turns that hang at the same time: more than the server has connections to the database.
const HANGING_TURNS: usize = 20;

pub async fn talkative_model() -> FakeModel {
    FakeModel::with_rule(ApiShape::Messages, |_: &Value| ScriptedAnswer::Text("Fine.")).await
}

pub async fn hanging_model() -> FakeModel {
    FakeModel::with_rule(ApiShape::Messages, |_: &Value| ScriptedAnswer::Hang).await
}

/// Asserts a refusal because of a budget that has this much left.
#[track_caller]
pub fn assert_spent(reply: &Reply, budget: &str, limit: u64, left: u64) {
    reply.assert_refused(429, "budget_spent");
    assert_eq!(fields_of(&reply.body, ["budget", "limit", "left"]), json!([budget, limit, left]));
    let seconds: i64 = reply.header("retry-after").parse().unwrap();
    assert!((1..=DAY_SECONDS).contains(&seconds), "{seconds}");
}

pub async fn answer(visitor: &mut Visitor<'_>) {
    assert_eq!(names_of(&visitor.ask_and_read("How are you?").await), ["delta", "done"]);
}

pub async fn budget(visitor: &Visitor<'_>) -> Value {
    visitor.get("/api/guide/messages").await.body["budget"].clone()
}

pub async fn try_ask(visitor: &mut Visitor<'_>) -> Reply {
    visitor.try_ask(json!({"content": "And you?"})).await
}

/// Returns the counter of what the server has spent, in millionths.
pub async fn spent_micros(server: &Server) -> i64 {
    let spent = "select coalesce(sum(cost_micros), 0)::bigint from guide_use where subject = 'server'";
    server.fetch_scalar(spent).await
}

#[tokio::test]
async fn a_visitor_has_so_many_questions_a_day() {
    let model = talkative_model().await;
    let server = model.start_server(&[("CARAPLACE_GUIDE_TURNS_PER_DAY", "2")]).await;
    let mut visitor = server.visitor();
    answer(&mut visitor).await;
    let left = budget(&visitor).await;
    assert_eq!((&left["turns_left"], &left["turns_per_day"]), (&json!(1), &json!(2)));
    answer(&mut visitor).await;
    assert_spent(&try_ask(&mut visitor).await, "visitor", 2, 0);
    assert_eq!(visitor.messages().await.len(), 4, "a refused question is not stored");
    assert_eq!(budget(&visitor).await["turns_left"], 0);
    let wait: i64 = try_ask(&mut visitor).await.header("retry-after").parse().unwrap();
    let reset = budget(&visitor).await["resets_at"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    assert!((reset - server.clock.now()).num_seconds().abs_diff(wait) <= 2, "both name midnight");
    server.advance_clock(wait);
    answer(&mut visitor).await;
    assert_eq!(budget(&visitor).await["turns_left"], 1);
}

/// A browser without an account is another visitor after that, but has the same address.
#[tokio::test]
async fn questions_of_a_deleted_conversation_stay_counted() {
    let model = talkative_model().await;
    let settings = [
        ("CARAPLACE_GUIDE_TURNS_PER_IP_PER_DAY", "1"),
        ("CARAPLACE_GUIDE_PASS_TURNS_PER_DAY", "1"),
        ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ];
    let server = model.start_server(&settings).await;
    let viewer = server.create_viewer().await;
    answer_with_key(&viewer).await;
    assert_eq!(viewer.delete("/api/guide").await.status, 200);
    assert_spent(&viewer.post("/api/guide/messages", json!({"content": "Again?"})).await, "visitor", 1, 0);
    let mut visitor = server.visitor();
    answer(&mut visitor).await;
    assert_eq!(visitor.delete("/api/guide").await.status, 200);
    assert_spent(&try_ask(&mut server.visitor()).await, "address", 1, 0);
}

#[tokio::test]
async fn questions_that_wait_count_on_the_day_of_their_turn_too() {
    let model = talkative_model().await;
    let server = model.start_server(&[("CARAPLACE_GUIDE_TURNS_PER_DAY", "1")]).await;
    let (mut first, mut second) = (server.visitor(), server.visitor());
    let (one, other) = (first.ask("How are you?").await, second.ask("How are you?").await);
    server.advance_clock(DAY_SECONDS);
    assert_eq!(names_of(&first.read_turn(&one).await), ["delta", "done"]);
    assert_spent(&try_ask(&mut first).await, "visitor", 1, 0);
    answer(&mut second).await;
    assert_spent(&second.try_stream(&other).await, "visitor", 1, 0);
}

#[tokio::test]
async fn browsers_at_one_address_share_a_limit_and_accounts_do_not() {
    let model = talkative_model().await;
    let settings = [
        ("CARAPLACE_GUIDE_TURNS_PER_IP_PER_DAY", "3"),
        ("CARAPLACE_GUIDE_TURNS_PER_DAY", "2"),
        ("CARAPLACE_GUIDE_PASS_TURNS_PER_DAY", "4"),
        ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
        ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
    ];
    let server = model.start_server(&settings).await;
    let mut first = server.visitor();
    answer(&mut first).await;
    answer(&mut first).await;
    let mut second = server.visitor();
    answer(&mut second).await;
    assert_eq!(budget(&second).await["turns_left"], 0, "the smaller number counts");
    assert_spent(&try_ask(&mut second).await, "address", 3, 0);
    assert_spent(&try_ask(&mut server.visitor()).await, "address", 3, 0);
    let viewer = server.create_viewer().await;
    for _ in 0..4 {
        answer_with_key(&viewer).await;
    }
    assert_spent(&viewer.post("/api/guide/messages", json!({"content": "Again?"})).await, "visitor", 4, 0);
}

/// Asks a question with a key, and opens its stream.
async fn ask_with_key(viewer: &Agent<'_>) -> EventStream {
    let question = json!({"content": "How are you?"});
    let asked = viewer.post("/api/guide/messages", question).await.assert_status(201);
    let path = format!("/api/guide/stream?message={}", asked["message_id"].as_str().unwrap());
    EventStream::open(viewer.request(Method::GET, &path)).await
}

pub async fn answer_with_key(viewer: &Agent<'_>) {
    assert_eq!(names_of(&read_to_end(ask_with_key(viewer).await).await), ["delta", "done"]);
}

/// Settings with high prices: a turn can cost at most 6 cents.
pub const HIGH_PRICES: [(&str, &str); 3] = [
    ("CARAPLACE_GUIDE_TURN_TOKENS", "20000"),
    ("CARAPLACE_GUIDE_INPUT_PRICE", "300"),
    ("CARAPLACE_GUIDE_OUTPUT_PRICE", "300"),
];

#[tokio::test]
async fn the_money_of_a_day_is_never_exceeded() {
    let model = talkative_model().await;
    model.set_usage(10_000, 1_000);
    // A turn takes 4 cents.
    let more = [("CARAPLACE_GUIDE_CENTS_PER_DAY", "10"), ("CARAPLACE_ADMIN_PASSWORD", PASSWORD)];
    let server = model.start_server(&[&HIGH_PRICES[..], &more].concat()).await;
    let viewer = server.create_viewer().await;
    answer_with_key(&viewer).await;
    assert_eq!(spent_micros(&server).await, 33_000);
    answer_with_key(&viewer).await;
    let left = viewer.get("/api/guide/messages").await.body["budget"]["turns_left"].clone();
    assert_eq!(left, 0, "what is left is not enough for any turn");
    let refused = viewer.post("/api/guide/messages", json!({"content": "And you?"})).await;
    assert_spent(&refused, "server", 10, 3);
    let metrics = String::from_utf8(server.get("/metrics").await.bytes).unwrap();
    let counters = ["caraplace_guide_cost_micros_total", "caraplace_guide_tokens_total{direction=\"input\"}"];
    for counter in counters {
        assert!(metrics.lines().any(|line| line.starts_with(counter)), "{counter}");
    }
    server.advance_clock(DAY_SECONDS);
    answer_with_key(&viewer).await;
}

#[tokio::test]
async fn the_console_shows_what_the_guide_has_cost() {
    let model = talkative_model().await;
    model.set_usage(10_000, 1_000);
    let server = model.start_server(&CONSOLE_SETTINGS).await;
    answer(&mut server.visitor()).await;
    let (status, page) = server.sign_in_operator().await.page("/admin").await;
    assert_eq!(status, 200);
    for (name, number) in [
        ("Questions that the guide has worked on today", "1"),
        ("Tokens that the guide has taken today", "11\u{202f}000"),
        ("Cents that the guide has cost today", "4"),
    ] {
        assert!(page.contains(&format!("<dt>{name}</dt><dd>{number}</dd>")), "{name}: {page}");
    }
}

#[tokio::test]
async fn running_turns_reserve_the_most_that_they_can_cost() {
    let model = hanging_model().await;
    let settings = [&HIGH_PRICES[..], &[("CARAPLACE_GUIDE_CENTS_PER_DAY", "11")]].concat();
    let server = model.start_server(&settings).await;
    let (mut first, mut second) = (server.visitor(), server.visitor());
    let (one, other) = (first.ask("How are you?").await, second.ask("How are you?").await);
    let running = first.stream(&one).await;
    model.wait_for_request(1).await;
    second.try_stream(&other).await.assert_refused(503, "overloaded");
    model.release();
    assert_eq!(names_of(&read_to_end(running).await), ["delta", "done"]);
    assert_eq!(text_of(&second.read_turn(&other).await), "Released.", "what was reserved has come back");
}

#[tokio::test]
async fn a_conversation_has_one_turn_at_a_time() {
    let model = hanging_model().await;
    let server = model.start_server(&[]).await;
    let mut visitor = server.visitor();
    let (one, other) = (visitor.ask("How are you?").await, visitor.ask("And now?").await);
    let running = visitor.stream(&one).await;
    model.wait_for_request(1).await;
    try_ask(&mut visitor).await.assert_refused(429, "too_many_requests");
    visitor.try_stream(&other).await.assert_refused(429, "too_many_requests");
    model.release();
    read_to_end(running).await;
    assert_eq!(names_of(&visitor.read_turn(&other).await), ["delta", "done"]);
}

#[tokio::test]
async fn turns_at_the_same_time_are_bounded() {
    let model = hanging_model().await;
    let server = model.start_server(&[("CARAPLACE_GUIDE_MAX_TURNS", "1")]).await;
    let (mut first, mut second) = (server.visitor(), server.visitor());
    let (one, other) = (first.ask("How are you?").await, second.ask("How are you?").await);
    let running = first.stream(&one).await;
    second.try_stream(&other).await.assert_refused(503, "overloaded");
    assert_eq!(second.messages().await[0]["state"], "waiting", "the question is kept");
    model.release();
    read_to_end(running).await;
    assert_eq!(names_of(&second.read_turn(&other).await), ["delta", "done"]);
}

#[tokio::test]
async fn browsers_at_one_address_have_a_part_of_the_turns_at_the_same_time() {
    let model = hanging_model().await;
    let settings = [("CARAPLACE_GUIDE_MAX_TURNS_PER_IP", "1"), ("CARAPLACE_ADMIN_PASSWORD", PASSWORD)];
    let server = model.start_server(&settings).await;
    let (mut first, mut second) = (server.visitor(), server.visitor());
    let (one, other) = (first.ask("How are you?").await, second.ask("How are you?").await);
    let running = first.stream(&one).await;
    second.try_stream(&other).await.assert_refused(429, "too_many_requests");
    assert_eq!(second.messages().await[0]["state"], "waiting", "the question is kept");
    let of_viewer = ask_with_key(&server.create_viewer().await).await;
    model.wait_for_request(2).await;
    model.release();
    for stream in [running, of_viewer] {
        assert_eq!(names_of(&read_to_end(stream).await), ["delta", "done"]);
    }
    assert_eq!(names_of(&second.read_turn(&other).await), ["delta", "done"]);
}

#[tokio::test]
async fn no_turn_holds_a_connection_while_the_model_thinks() {
    let model = hanging_model().await;
    let server = model.start_server(&NO_LIMITS).await;
    let mut visitors: Vec<_> = (0..HANGING_TURNS).map(|_| server.visitor()).collect();
    let mut streams = Vec::new();
    for visitor in &mut visitors {
        let id = visitor.ask("How are you?").await;
        streams.push(visitor.stream(&id).await);
    }
    model.wait_for_request(HANGING_TURNS).await;
    let idle = "select count(*) from pg_stat_activity
        where datname = current_database() and state like 'idle in%'";
    assert_eq!(server.fetch_number(idle).await, 0, "no transaction is open");
    assert_eq!(server.register_agent("Ada").await.paint(1, 1, 5).await.status, 201);
    assert_eq!(visitors[0].messages().await[0]["state"], "running");
    model.release();
    for stream in streams {
        assert_eq!(names_of(&read_to_end(stream).await), ["delta", "done"]);
    }
}

/// All questions from an address are counted in one row, whose lock they wait for, as deletions do.
#[tokio::test]
async fn questions_that_wait_for_each_other_leave_connections_to_others() {
    let model = talkative_model().await;
    let server = model.start_server(&NO_LIMITS).await;
    let mut visitors: Vec<Visitor<'_>> = (0..HANGING_TURNS).map(|_| server.visitor()).collect();
    let (asking, deleting) = visitors.split_at_mut(HANGING_TURNS / 2);
    for visitor in &mut *deleting {
        visitor.ask("How are you?").await;
    }
    answer(&mut server.visitor()).await;
    let mut holder = server.pool.begin().await.unwrap();
    sqlx::query("select from guide_use for update").execute(&mut *holder).await.unwrap();
    let questions = join_all(asking.iter_mut().map(|visitor| visitor.ask("And you?")));
    let deletions = join_all(deleting.iter().map(|visitor| visitor.delete("/api/guide")));
    let others = async {
        server.wait_for_lock_waits(2).await;
        for _ in 0..5 {
            assert_eq!(server.visitor().get("/api/guide/messages").await.status, 200);
        }
        holder.rollback().await.unwrap();
    };
    join3(questions, deletions, others).await;
}
