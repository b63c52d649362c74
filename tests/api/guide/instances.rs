//! Turns of instances that stop, die or lose the database.

use std::time::Duration;

use caraplace_companion::guide::lost_turns;
use platform::config::ApiShape;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::budgets::spent_micros;
use super::failures::{MAX_TURN_MICROS, assert_no_model, assert_retry_answers, begin_turn, counted_turns};
use super::turns::{NO_LIMITS, ended_calls, names_of, on_instance, read_to_end, text_of};
use crate::support::visitor::Visitor;
use crate::support::{FakeModel, ScriptedAnswer, Server};

/// More than the time after which an instance counts as dead, in seconds.
const LEASE_SECONDS: i64 = 31;
/// Makes a question look as if an instance had claimed it and died.
async fn die_in_turn(server: &Server, id: &str) {
    let claimed = "update guide_message set state = 'running', runs = 1, reserved_micros = 7000,
                                            running_until = $1 where id = $2";
    let until = server.clock.now() + chrono::TimeDelta::seconds(LEASE_SECONDS);
    sqlx::query(claimed).bind(until).bind(id).execute(&server.pool).await.unwrap();
}

/// Makes an answered question look as if the instance had died before it stored the answer, long ago.
async fn lose_turn(server: &Server, id: &str) {
    server.execute("delete from guide_message where role = 'guide'").await;
    die_in_turn(server, id).await;
    server.advance_clock(2 * LEASE_SECONDS);
}

/// A model that proposes the same plan in two turns.
async fn proposing_model() -> FakeModel {
    let proposal = json!({"kind": "plan", "change": {"title": "Sun", "x": 0, "y": 0, "rows": ["8"]}});
    let turn = [ScriptedAnswer::call("propose", proposal), ScriptedAnswer::Text("A sun.")];
    FakeModel::start(ApiShape::Messages, turn.iter().cycle().take(4).cloned().collect()).await
}

#[tokio::test]
async fn a_stream_follows_the_instance_that_has_taken_its_question() {
    let (model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Hang], &[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who was it?").await;
    let stream = visitor.stream(&id).await;
    model.wait_for_request(1).await;
    let taken = "update guide_message set runs = 2, state = 'failed', running_until = null,
        reserved_micros = 0, failure = 'model_unavailable' where id = $1";
    sqlx::query(taken).bind(&id).execute(&server.pool).await.unwrap();
    // The turn looks at its question at intervals.
    server.advance_clock(11);
    assert_no_model(&read_to_end(stream).await);
}

#[tokio::test]
async fn turns_of_dead_instances_are_ended_and_counted() {
    let (_model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Text("It was Ada.")], &[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who was it?").await;
    die_in_turn(&server, &id).await;
    let state = server.running().state.clone();
    lost_turns::sweep(&state).await.unwrap();
    assert_eq!(visitor.messages().await[0]["state"], "running", "the instance may live");
    server.advance_clock(2 * LEASE_SECONDS);
    for _ in 0..2 {
        lost_turns::sweep(&state).await.unwrap();
        assert_eq!(spent_micros(&server).await, 7_000, "once");
    }
    assert_retry_answers(&visitor, &id, "It was Ada.").await;
    assert_eq!(counted_turns(&server).await, (1, 1), "the visitor has asked one question");
}

#[tokio::test]
async fn what_a_dead_turn_can_have_cost_stays_reserved_until_it_counts() {
    let model = FakeModel::start(ApiShape::Messages, vec![ScriptedAnswer::Text("It was Ada.")]).await;
    // A turn can cost at most 39.6 cents.
    let server = model.start_server(&[("CARAPLACE_GUIDE_CENTS_PER_DAY", "40")]).await;
    let (mut first, mut second) = (server.visitor(), server.visitor());
    let (one, other) = (first.ask("Who was it?").await, second.ask("Who was it?").await);
    die_in_turn(&server, &one).await;
    server.advance_clock(2 * LEASE_SECONDS);
    second.try_stream(&other).await.assert_refused(503, "overloaded");
    lost_turns::sweep(&server.running().state.clone()).await.unwrap();
    second.try_stream(&other).await.assert_refused(429, "budget_spent");
    assert_eq!(model.requests(), [Value::Null; 0]);
}

#[tokio::test]
async fn drafts_of_a_lost_turn_are_withdrawn_and_can_be_proposed_again() {
    let model = proposing_model().await;
    let server = model.start_server(&NO_LIMITS).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Propose a sun.").await;
    visitor.read_turn(&id).await;
    let drafts = async || visitor.get("/api/guide/drafts").await.body["drafts"].clone();
    let lost = drafts().await;
    lose_turn(&server, &id).await;
    assert_eq!(ended_calls(&visitor.read_turn(&id).await), [("propose", "done")]);
    let found = drafts().await;
    assert!(found.as_array().unwrap().len() == 1 && found[0]["id"] != lost[0]["id"], "{found}");
    lose_turn(&server, &id).await;
    lost_turns::sweep(&server.running().state.clone()).await.unwrap();
    assert_eq!(drafts().await, json!([]));
}

#[tokio::test]
async fn an_approved_draft_of_a_lost_turn_is_not_proposed_again() {
    let model = proposing_model().await;
    let server = model.start_server(&NO_LIMITS).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Propose a sun.").await;
    visitor.read_turn(&id).await;
    server.execute("update pending_change set state = 'approved', decided_at = created_at").await;
    lose_turn(&server, &id).await;
    assert_eq!(ended_calls(&visitor.read_turn(&id).await), [("propose", "failed")]);
    let drafts = visitor.get("/api/guide/drafts").await.body["drafts"].clone();
    assert_eq!((drafts.as_array().unwrap().len(), &drafts[0]["state"]), (1, &json!("approved")));
}

#[tokio::test]
async fn a_stop_of_the_server_ends_turns_and_counts_what_they_have_cost() {
    let script = vec![ScriptedAnswer::Slow("It was not"), ScriptedAnswer::Text("It was Ada.")];
    let model = FakeModel::start(ApiShape::Messages, script).await;
    let mut server = model.start_server(&[("CARAPLACE_GUIDE_TURNS_PER_DAY", "1")]).await;
    let mut visitor = server.visitor();
    let (id, stream) = begin_turn(&mut visitor).await;
    let cookie = visitor.cookie.clone();
    server.restart().await;
    let events = read_to_end(stream).await;
    assert!(!names_of(&events).contains(&"error"), "the client connects again: {events:?}");
    let spent = spent_micros(&server).await;
    assert!((1..MAX_TURN_MICROS / 4).contains(&spent), "{spent}");
    let visitor = Visitor { cookie, ..server.visitor() };
    assert_retry_answers(&visitor, &id, "It was Ada.").await;
    assert_eq!(counted_turns(&server).await, (1, 2), "the visitor has asked one question");
}

#[tokio::test]
async fn another_instance_answers_the_question_of_a_dead_one() {
    let (model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Text("It was Ada.")], &[]).await;
    let second = model.start_instance(&server, &[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who was it?").await;
    die_in_turn(&server, &id).await;
    assert_eq!(visitor.messages().await[0]["state"], "running");
    let stream = on_instance(&visitor, &second).stream(&id).await;
    assert_eq!(model.requests(), [Value::Null; 0], "it waits for the instance that could still live");
    server.advance_clock(LEASE_SECONDS + 1);
    let events = read_to_end(stream).await;
    assert_eq!((events.last().unwrap().name.as_str(), text_of(&events).as_str()), ("done", "It was Ada."));
    assert_eq!(spent_micros(&server).await, 7_600, "what the dead instance can have cost counts, too");
    assert_eq!(counted_turns(&server).await, (1, 1));
}

#[tokio::test]
async fn an_answer_is_stored_when_an_outage_of_the_database_has_ended() {
    let (model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Slow("It was Ada.")], &[]).await;
    let mut visitor = server.visitor();
    let (_, mut stream) = begin_turn(&mut visitor).await;
    let outage = server.start_outage().await;
    model.release();
    assert_eq!(stream.next().await.unwrap().name, "delta");
    outage.end().await;
    assert_eq!(read_to_end(stream).await.pop().unwrap().name, "done");
    assert_eq!(visitor.messages().await[1]["content"], "It was Ada.");
    assert_eq!(spent_micros(&server).await, 600, "it is counted once");
}

#[tokio::test]
async fn a_long_outage_of_the_database_ends_a_turn_whose_question_stays() {
    let script = vec![ScriptedAnswer::Slow("It was not"), ScriptedAnswer::Text("It was Ada.")];
    let (model, server) = FakeModel::start_guide(script, &[]).await;
    let mut visitor = server.visitor();
    let (id, mut stream) = begin_turn(&mut visitor).await;
    let outage = server.start_outage().await;
    model.release();
    assert_eq!(stream.next().await.unwrap().name, "delta");
    let last = loop {
        server.advance_clock(LEASE_SECONDS);
        if let Ok(event) = timeout(Duration::from_secs(1), stream.next()).await {
            break event.unwrap();
        }
    };
    assert_eq!((last.name.as_str(), &last.data["code"]), ("error", &json!("internal_error")));
    outage.end().await;
    server.advance_clock(LEASE_SECONDS);
    assert_retry_answers(&visitor, &id, "It was Ada.").await;
}
