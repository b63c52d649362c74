//! Failures of turns: of the model and of tools, and deletions. The question is kept, nothing is changed, and
//! it can be asked again.

use platform::config::ApiShape;
use serde_json::{Value, json};

use super::budgets::spent_micros;
use super::turns::{ended_calls, names_of, on_instance, read_to_end, text_of};
use crate::support::model::MODEL_KEY;
use crate::support::visitor::Visitor;
use crate::support::{Event, EventStream, FakeModel, ScriptedAnswer, Server};

/// More than the longest time that a turn may take, in seconds.
const TURN_SECONDS: i64 = 181;
/// The most that a turn can cost with the default settings, in millionths.
pub const MAX_TURN_MICROS: i64 = 396_000;

/// Asserts that a turn has failed because of the model, and says nothing of the cause.
#[track_caller]
pub fn assert_no_model(events: &[Event]) {
    let last = events.last().unwrap();
    assert_eq!((last.name.as_str(), &last.data["code"]), ("error", &json!("model_unavailable")));
    let message = last.data["message"].as_str().unwrap();
    assert!(message.contains("Nothing was changed") && !message.contains(MODEL_KEY), "{message}");
}

/// Asserts that the question is kept as failed, and that it is answered when its stream is asked for again.
pub async fn assert_retry_answers(visitor: &Visitor<'_>, id: &str, answer: &str) {
    let [question] = &visitor.messages().await[..] else { panic!("only the question is stored") };
    assert_eq!((&question["id"], &question["state"]), (&json!(id), &json!("failed")));
    let events = visitor.read_turn(id).await;
    assert_eq!((events.last().unwrap().name.as_str(), text_of(&events).as_str()), ("done", answer));
    assert_eq!(visitor.messages().await[0]["state"], "answered");
}

/// Asks a question, and returns its id and its stream, of which the first part has come.
pub async fn begin_turn(visitor: &mut Visitor<'_>) -> (String, EventStream) {
    let id = visitor.ask("Who was it?").await;
    let mut stream = visitor.stream(&id).await;
    assert_eq!(stream.next().await.unwrap().name, "delta");
    (id, stream)
}

/// Returns the numbers of questions of all visitors and of the server's turns today.
pub async fn counted_turns(server: &Server) -> (i32, i32) {
    let of = "select coalesce(sum(turns), 0)::int from guide_use where subject like $1";
    let browsers = sqlx::query_scalar(of).bind("browser:%").fetch_one(&server.pool).await.unwrap();
    let all = sqlx::query_scalar(of).bind("server").fetch_one(&server.pool).await.unwrap();
    (browsers, all)
}

#[tokio::test]
async fn after_an_error_of_the_model_the_same_question_can_be_asked_again() {
    let script = vec![ScriptedAnswer::Status(400), ScriptedAnswer::Text("It was Ada.")];
    let (_model, server) = FakeModel::start_guide(script, &[]).await;
    let (mut visitor, head) = (server.visitor(), server.head().await);
    let id = visitor.ask("Who was it?").await;
    let events = visitor.read_turn(&id).await;
    assert_eq!(names_of(&events), ["error"]);
    assert_no_model(&events);
    assert_retry_answers(&visitor, &id, "It was Ada.").await;
    assert_eq!(counted_turns(&server).await, (1, 2), "what was not paid for does not count again");
    assert_eq!(server.head().await, head);
}

#[tokio::test]
async fn a_broken_answer_is_not_kept_and_its_repetition_is_free() {
    let script = vec![ScriptedAnswer::BreakOff("It was not"), ScriptedAnswer::Text("It was Ada.")];
    let (_model, server) = FakeModel::start_guide(script, &[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who was it?").await;
    let events = visitor.read_turn(&id).await;
    assert_eq!((names_of(&events), text_of(&events).as_str()), (vec!["delta", "error"], "It was not"));
    assert_no_model(&events);
    let taken = server.fetch_number("select tokens from guide_use where subject = 'server'").await;
    assert!(taken > 1_000, "the request counts as estimated: {taken}");
    assert_retry_answers(&visitor, &id, "It was Ada.").await;
    assert_eq!(counted_turns(&server).await, (1, 2));
}

/// The last question of the day is answered, too, though the model has failed and was paid.
#[tokio::test]
async fn the_last_question_of_the_day_can_be_asked_again() {
    let script = vec![ScriptedAnswer::BreakOff("It was not"), ScriptedAnswer::Text("It was Ada.")];
    let (_model, server) = FakeModel::start_guide(script, &[("CARAPLACE_GUIDE_TURNS_PER_DAY", "1")]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who was it?").await;
    assert_no_model(&visitor.read_turn(&id).await);
    assert_retry_answers(&visitor, &id, "It was Ada.").await;
}

#[tokio::test]
async fn an_overloaded_model_is_asked_again_at_once() {
    let script = vec![ScriptedAnswer::Overloaded, ScriptedAnswer::Text("It was Ada.")];
    let (model, server) = FakeModel::start_guide(script, &[]).await;
    let mut visitor = server.visitor();
    let events = visitor.ask_and_read("Who was it?").await;
    assert_eq!((names_of(&events), text_of(&events).as_str()), (vec!["delta", "done"], "It was Ada."));
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn a_model_that_sends_nothing_times_out() {
    let script = vec![ScriptedAnswer::Hang, ScriptedAnswer::Text("It was Ada.")];
    let (_model, server) = FakeModel::start_guide(script, &[("CARAPLACE_GUIDE_TIMEOUT_SECONDS", "1")]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who was it?").await;
    assert_no_model(&visitor.read_turn(&id).await);
    assert_retry_answers(&visitor, &id, "It was Ada.").await;
}

#[tokio::test]
async fn a_turn_ends_after_three_minutes() {
    let script = vec![ScriptedAnswer::Slow("It was not"), ScriptedAnswer::Text("It was Ada.")];
    let (_model, server) = FakeModel::start_guide(script, &[]).await;
    let mut visitor = server.visitor();
    let (id, stream) = begin_turn(&mut visitor).await;
    server.advance_clock(TURN_SECONDS);
    assert_no_model(&read_to_end(stream).await);
    assert_retry_answers(&visitor, &id, "It was Ada.").await;
}

#[tokio::test]
async fn failing_and_denied_tools_do_not_end_a_turn() {
    let calls = vec![
        ("read", json!({"kind": "plan", "id": "plan_1"})),
        ("read", json!([1])),
        ("no_such_tool", json!({})),
        ("place_pixels", json!({"pixels": [{"x": 0, "y": 0, "color": 5}]})),
        ("propose", json!({"kind": "announcement", "change": {"content": "hello", "reason": "why"}})),
    ];
    let script = vec![ScriptedAnswer::Calls(calls), ScriptedAnswer::Text("I may not.")];
    let (model, server) = FakeModel::start_guide(script, &[]).await;
    let (mut visitor, head) = (server.visitor(), server.head().await);
    let events = visitor.ask_and_read("Paint something.").await;
    let expected = [
        ("read", "failed"),
        ("read", "failed"),
        ("no_such_tool", "failed"),
        ("place_pixels", "denied"),
        ("propose", "denied"),
    ];
    assert_eq!(ended_calls(&events), expected);
    assert_eq!((events.last().unwrap().name.as_str(), text_of(&events).as_str()), ("done", "I may not."));
    let results = model.last_results();
    assert!(results.len() == 5 && results.iter().all(|(_, is_error)| *is_error), "{results:?}");
    assert_eq!(server.head().await, head);
}

/// Asserts that a stream ends because its question was deleted.
async fn assert_gone(stream: EventStream) {
    let last = read_to_end(stream).await.pop().unwrap();
    assert_eq!((last.name.as_str(), &last.data["code"]), ("error", &json!("not_found")));
}

#[tokio::test]
async fn a_deleted_conversation_ends_its_turn() {
    let (_model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Slow("It was Ada.")], &[]).await;
    let mut visitor = server.visitor();
    let (_, stream) = begin_turn(&mut visitor).await;
    assert_eq!(visitor.delete("/api/guide").await.status, 200);
    assert_gone(stream).await;
    assert_eq!(server.count_rows("guide_message").await, 0);
}

#[tokio::test]
async fn a_conversation_that_another_instance_deletes_ends_its_turn_soon() {
    let (model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Slow("It was Ada.")], &[]).await;
    let second = model.start_instance(&server, &[]).await;
    let mut visitor = server.visitor();
    let (_, stream) = begin_turn(&mut visitor).await;
    assert_eq!(on_instance(&visitor, &second).delete("/api/guide").await.status, 200);
    // The turn looks at its question at intervals.
    server.advance_clock(9);
    assert_gone(stream).await;
}

#[tokio::test]
async fn an_answer_to_a_question_that_was_deleted_meanwhile_is_dropped() {
    let (model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Slow("It was Ada.")], &[]).await;
    let second = model.start_instance(&server, &[]).await;
    let mut visitor = server.visitor();
    let (_, stream) = begin_turn(&mut visitor).await;
    assert_eq!(on_instance(&visitor, &second).delete("/api/guide").await.status, 200);
    assert_eq!(spent_micros(&server).await, MAX_TURN_MICROS, "what it can cost counts until it ends");
    model.release();
    assert_gone(stream).await;
    assert_eq!(spent_micros(&server).await, 600, "it was paid for nevertheless");
}

#[tokio::test]
async fn drafts_of_a_failed_turn_are_withdrawn() {
    let proposal = json!({"kind": "plan", "change": {"title": "Sun", "x": 0, "y": 0, "rows": ["8"]}});
    let script = vec![ScriptedAnswer::call("propose", proposal), ScriptedAnswer::Status(400)];
    let (_model, server) = FakeModel::start_guide(script, &[]).await;
    let mut visitor = server.visitor();
    assert_eq!(names_of(&visitor.ask_and_read("Propose a sun.").await), ["tool", "tool", "draft", "error"]);
    assert_eq!(visitor.get("/api/guide/drafts").await.body["drafts"], json!([]));
}

#[tokio::test]
async fn nothing_is_proposed_in_a_deleted_conversation() {
    let plan = json!({"title": "Sun", "x": 0, "y": 0, "rows": ["8"]});
    let rule = move |_: &Value| ScriptedAnswer::HeldCall("propose", json!({"kind": "plan", "change": plan}));
    let model = FakeModel::with_rule(ApiShape::Messages, rule).await;
    let server = model.start_server(&[]).await;
    let second = model.start_instance(&server, &[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Propose a sun.").await;
    let stream = visitor.stream(&id).await;
    assert_eq!(on_instance(&visitor, &second).delete("/api/guide").await.status, 200);
    model.release();
    let events = read_to_end(stream).await;
    assert!(!ended_calls(&events).is_empty(), "{events:?}");
    assert!(ended_calls(&events).iter().all(|call| *call == ("propose", "failed")), "{events:?}");
    assert_eq!(server.count_rows("pending_change").await, 0);
}

#[tokio::test]
async fn a_question_has_five_turns_at_most() {
    let model = FakeModel::with_rule(ApiShape::Messages, |_: &Value| ScriptedAnswer::Status(400)).await;
    let server = model.start_server(&[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who was it?").await;
    for _ in 0..5 {
        assert_no_model(&visitor.read_turn(&id).await);
    }
    let refused = visitor.try_stream(&id).await;
    refused.assert_refused(404, "not_found");
    assert!(refused.body.to_string().contains("5 times"), "{}", refused.body);
}
