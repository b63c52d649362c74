//! Turns: the loop of requests and tool calls, its limits, and streams that join or repeat a turn.

use platform::config::ApiShape;
use serde_json::{Value, json};

use crate::support::values::fields_of;
use crate::support::visitor::Visitor;
use crate::support::{Event, EventStream, FakeModel, ScriptedAnswer, Server};

/// Settings under which questions have no limits.
pub const NO_LIMITS: [(&str, &str); 4] = [
    ("CARAPLACE_GUIDE_TURNS_PER_DAY", "1000"),
    ("CARAPLACE_GUIDE_TURNS_PER_IP_PER_DAY", "100000"),
    ("CARAPLACE_GUIDE_CENTS_PER_DAY", "1000000"),
    ("CARAPLACE_GUIDE_MAX_TURNS_PER_IP", "50"),
];

/// Returns the text of an answer in the events of its turn.
pub fn text_of(events: &[Event]) -> String {
    let deltas = events.iter().filter(|event| event.name == "delta");
    deltas.map(|event| event.data["text"].as_str().unwrap()).collect()
}

/// Returns the names of events, with neighbouring deltas as one.
pub fn names_of(events: &[Event]) -> Vec<&str> {
    let mut names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    names.dedup_by(|next, previous| next == previous && *next == "delta");
    names
}

/// Returns the tool calls that have ended, each with its status.
pub fn ended_calls(events: &[Event]) -> Vec<(&str, &str)> {
    let calls = events.iter().filter(|event| event.name == "tool" && event.data["status"] != "running");
    calls
        .map(|event| (event.data["tool"].as_str().unwrap(), event.data["status"].as_str().unwrap()))
        .collect()
}

/// Reads a stream to its end.
pub async fn read_to_end(mut stream: EventStream) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event);
    }
    events
}

/// Returns the same visitor as a client of another instance.
pub fn on_instance<'a>(visitor: &Visitor<'_>, server: &'a Server) -> Visitor<'a> {
    Visitor { cookie: visitor.cookie.clone(), ..server.visitor() }
}

fn search(word: &str) -> (&'static str, Value) {
    ("search", json!({"q": word}))
}

#[tokio::test]
async fn a_turn_streams_tools_and_text_and_is_stored_as_one_row() {
    let script = vec![
        ScriptedAnswer::TextAndCalls("I look it up.", vec![search("lighthouse"), ("timeline", json!({}))]),
        ScriptedAnswer::Text("Nobody paints a **lighthouse** at [3,4]."),
    ];
    let (model, server) = FakeModel::start_guide(script, &[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who paints the lighthouse?").await;
    let events = visitor.read_turn(&id).await;
    assert_eq!(names_of(&events), ["delta", "tool", "tool", "tool", "tool", "delta", "done"]);
    let tools: Vec<&Value> =
        events.iter().filter(|event| event.name == "tool").map(|event| &event.data).collect();
    let step = |call: u32, tool: &str, summary: &str, status: &str| json!({"call": call, "tool": tool, "summary": summary, "status": status});
    let searched = |status: &str| step(1, "search", "search lighthouse", status);
    let listed = |status: &str| step(2, "timeline", "timeline", status);
    assert_eq!(tools, [&searched("running"), &searched("done"), &listed("running"), &listed("done")]);
    let text = "I look it up.\n\nNobody paints a **lighthouse** at [3,4].";
    assert_eq!(text_of(&events), text);
    let done = &events.last().unwrap().data;
    let usage = json!({"input_tokens": 200, "output_tokens": 40, "cost_micros": 1_200});
    assert_eq!(done["usage"], usage);
    let results = model.last_results();
    assert!(results.len() == 2 && results.iter().all(|(_, is_error)| !is_error), "{results:?}");

    let [question, answer] = &visitor.messages().await[..] else { panic!("there are two messages") };
    assert_eq!(fields_of(question, ["id", "role", "state"]), json!([id, "visitor", "answered"]));
    assert_eq!((&answer["id"], &answer["role"]), (&done["message_id"], &json!("guide")));
    assert_eq!((&answer["content"], &answer["model"]), (&json!(text), &json!("fake-model")));
    assert_eq!((&answer["trace"], &answer["usage"]), (&json!([searched("done"), listed("done")]), &usage));
    assert_eq!((&answer["drafts"], answer.get("state")), (&json!([]), None));
}

#[tokio::test]
async fn a_finished_answer_is_replayed_without_the_model() {
    let proposal = json!({"kind": "plan", "change": {"title": "Sun", "x": 0, "y": 0, "rows": ["8"]}});
    let proposing = ScriptedAnswer::call("propose", proposal);
    let script = vec![proposing, ScriptedAnswer::Text("I have drafted a sun.")];
    let model = FakeModel::start(ApiShape::Completions, script).await;
    let server = model.start_server(&[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Propose a sun.").await;
    let first = visitor.read_turn(&id).await;
    assert_eq!(names_of(&first), ["tool", "tool", "draft", "delta", "done"]);
    let draft = &first[2].data;
    assert_eq!(draft["kind"], "plan");
    let again = visitor.read_turn(&id).await;
    assert_eq!(names_of(&again), ["tool", "delta", "draft", "done"]);
    assert_eq!((&again[0].data, &again[2].data), (&first[1].data, draft));
    assert_eq!((text_of(&again), &again[3].data), (text_of(&first), &first.last().unwrap().data));
    assert_eq!(model.requests().len(), 2);
    let listed = visitor.messages().await;
    assert_eq!(fields_of(&listed[1]["drafts"][0], ["id", "state"]), json!([draft["id"], "pending"]));
}

#[tokio::test]
async fn a_turn_goes_on_without_its_client_and_can_be_joined() {
    let (model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Slow("It was Ada.")], &[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who was it?").await;
    let mut left = visitor.stream(&id).await;
    assert_eq!(left.next().await.unwrap().name, "delta");
    drop(left);
    let (one, other) = (visitor.stream(&id).await, visitor.stream(&id).await);
    assert_eq!(visitor.messages().await[0]["state"], "running");
    model.release();
    let (one, other) = tokio::join!(read_to_end(one), read_to_end(other));
    for events in [&one, &other] {
        assert_eq!((names_of(events), text_of(events).as_str()), (vec!["delta", "done"], "It was Ada."));
    }
    assert_eq!(model.requests().len(), 1, "the model was asked once");
}

#[tokio::test]
async fn another_instance_joins_a_turn_and_replays_its_answer() {
    let (model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Slow("It was Ada.")], &[]).await;
    let second = model.start_instance(&server, &[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who was it?").await;
    let mut here = visitor.stream(&id).await;
    assert_eq!(here.next().await.unwrap().name, "delta");
    let there = on_instance(&visitor, &second).stream(&id).await;
    model.release();
    let there = read_to_end(there).await;
    assert_eq!((names_of(&there), text_of(&there).as_str()), (vec!["delta", "done"], "It was Ada."));
    assert_eq!(read_to_end(here).await.last().unwrap().data, there.last().unwrap().data);
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn a_model_that_always_calls_tools_gets_eight_calls() {
    let rule = |_: &Value| ScriptedAnswer::Calls(vec![("context", json!({}))]);
    let model = FakeModel::with_rule(ApiShape::Messages, rule).await;
    let server = model.start_server(&[("CARAPLACE_GUIDE_TURN_TOKENS", "1000000")]).await;
    let mut visitor = server.visitor();
    let events = visitor.ask_and_read("Look again and again.").await;
    assert_eq!(ended_calls(&events), [("context", "done"); 8]);
    assert_eq!(events.last().unwrap().name, "done");
    assert!(text_of(&events).starts_with("I found no answer."), "{}", text_of(&events));
    let requests = model.requests();
    assert_eq!(requests.len(), 9);
    for (index, request) in requests.iter().enumerate() {
        let expected = if index < 8 { "auto" } else { "none" };
        assert_eq!(request["tool_choice"]["type"], expected);
    }
}

#[tokio::test]
async fn of_many_calls_at_once_only_eight_run() {
    let calls = vec![("context", json!({})); 20];
    let script = vec![ScriptedAnswer::Calls(calls), ScriptedAnswer::Text("Enough.")];
    let (model, server) = FakeModel::start_guide(script, &[("CARAPLACE_GUIDE_TURN_TOKENS", "1000000")]).await;
    let mut visitor = server.visitor();
    let events = visitor.ask_and_read("Look twenty times.").await;
    assert_eq!((ended_calls(&events).len(), text_of(&events).as_str()), (8, "Enough."));
    let results = model.last_results();
    let not_run = results.iter().filter(|(text, is_error)| *is_error && text.starts_with("Not run"));
    assert_eq!((results.len(), not_run.count()), (20, 12));
    assert_eq!(model.requests()[1]["tool_choice"]["type"], "none");
}

#[tokio::test]
async fn a_turn_stays_within_its_tokens_whatever_the_model_does() {
    const LIMIT: u64 = 30_000;
    let rule = |_: &Value| ScriptedAnswer::Calls(vec![("timeline", json!({})); 3]);
    let model = FakeModel::with_rule(ApiShape::Messages, rule).await;
    // More than its requests have bytes for, so that the server has to learn how the provider counts.
    model.set_usage(6_000, 500);
    let server = model.start_server(&[("CARAPLACE_GUIDE_TURN_TOKENS", "30000")]).await;
    let mut visitor = server.visitor();
    let events = visitor.ask_and_read("Read everything.").await;
    let done = events.last().unwrap();
    assert_eq!(done.name, "done", "{done:?}");
    let usage = &done.data["usage"];
    let taken = usage["input_tokens"].as_u64().unwrap() + usage["output_tokens"].as_u64().unwrap();
    assert_eq!(taken, 6_500 * model.requests().len() as u64, "all requests are counted");
    assert!(taken <= LIMIT, "{taken} tokens");
    assert!(!text_of(&events).is_empty() && ended_calls(&events).len() < 8, "it ends gracefully");
    for request in model.requests() {
        let max_tokens = request["max_tokens"].as_u64().unwrap();
        assert!((200..=2_000).contains(&max_tokens), "{max_tokens}");
    }
}

#[tokio::test]
async fn the_fewest_tokens_are_enough_for_a_long_question() {
    let model = FakeModel::start(ApiShape::Messages, vec![ScriptedAnswer::Text("Fine.")]).await;
    let server = model.start_server(&[("CARAPLACE_GUIDE_TURN_TOKENS", "10000")]).await;
    let mut visitor = server.visitor();
    assert_eq!(text_of(&visitor.ask_and_read(&"x".repeat(2_000)).await), "Fine.");
}

#[tokio::test]
async fn a_question_leads_to_two_drafts_at_most() {
    let proposal = |x: u8| json!({"kind": "plan", "change": {"title": "Sun", "x": x, "y": 0, "rows": ["8"]}});
    let calls = (0..3).map(|x| ("propose", proposal(x))).collect();
    let script = vec![ScriptedAnswer::Calls(calls), ScriptedAnswer::Text("I have drafted two.")];
    let (model, server) = FakeModel::start_guide(script, &[]).await;
    let mut visitor = server.visitor();
    let events = visitor.ask_and_read("Propose many suns.").await;
    assert_eq!(ended_calls(&events), [("propose", "done"), ("propose", "done"), ("propose", "failed")]);
    assert!(model.last_results()[2].0.starts_with("Not run: a question leads to at most 2 drafts."));
    assert_eq!(visitor.messages().await[1]["drafts"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_claimed_question_is_answered_though_its_request_is_dropped() {
    let (model, server) = FakeModel::start_guide(vec![ScriptedAnswer::Text("It was Ada.")], &[]).await;
    let mut visitor = server.visitor();
    let id = visitor.ask("Who was it?").await;
    // Claims wait for this lock.
    let mut lock = server.pool.begin().await.unwrap();
    sqlx::query("lock table guide_use in exclusive mode").execute(&mut *lock).await.unwrap();
    tokio::select! {
        _ = visitor.stream(&id) => panic!("the claim does not wait"),
        () = server.wait_for_lock_waits(1) => {}
    }
    lock.rollback().await.unwrap();
    model.wait_for_request(1).await;
    assert_eq!(text_of(&visitor.read_turn(&id).await), "It was Ada.");
}

#[tokio::test]
async fn empty_and_cut_off_answers_say_so() {
    let (empty, cut_off) = (ScriptedAnswer::Text(""), ScriptedAnswer::CutOff("It was Ada, who"));
    let looks = ScriptedAnswer::TextAndCalls("I look.", vec![search("lighthouse")]);
    let (_model, server) = FakeModel::start_guide(vec![empty.clone(), cut_off, looks, empty], &[]).await;
    let mut visitor = server.visitor();
    for expected in [
        "I found no answer. Ask in other",
        "It was Ada, who\n\n(My answer was cut off",
        "I look.\n\nI found no answer. Ask in other",
    ] {
        let text = text_of(&visitor.ask_and_read("Who was it?").await);
        assert!(text.starts_with(expected), "{text}");
    }
}
