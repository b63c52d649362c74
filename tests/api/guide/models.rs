//! The client of models, with recorded streams of both providers' formats and with failures.

use caraplace_companion::guide::model::{
    ModelAnswer, ModelClient, ModelError, ModelMessage, ModelRequest, ModelTool, ModelToolCall,
    ModelToolResult, ModelUsage,
};
use platform::config::ApiShape;
use platform::config::Config;
use serde_json::{Value, json};

use crate::support::model::{FakeModel, MODEL_KEY, MODEL_NAME, ScriptedAnswer};

const BOTH_SHAPES: [ApiShape; 2] = [ApiShape::Messages, ApiShape::Completions];
/// Returns true for the expected error.
type ErrorCheck = fn(&ModelError) -> bool;

const QUESTION: &str = "Who paints the lighthouse?";

fn config(model: &FakeModel, more: &[(&str, &str)]) -> Config {
    let settings = model.settings();
    let lookup = |name: &str| {
        let other = more.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        other.or_else(|| settings.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()))
    };
    Config::read(lookup).unwrap()
}

fn client(model: &FakeModel) -> ModelClient {
    ModelClient::new(&config(model, &[]).guide).unwrap()
}

/// Returns the first request of a turn.
fn first_request() -> ModelRequest {
    let tool = |name| ModelTool { name, description: "Does it.", schema: json!({"type": "object"}) };
    ModelRequest {
        system: "You are the guide.".to_owned(),
        messages: vec![ModelMessage::Visitor(QUESTION.to_owned())],
        tools: vec![tool("search"), tool("context")],
        may_call_tools: true,
        max_tokens: 2_000,
        max_lost_tokens: 10_000,
    }
}

/// Returns the request that follows an answer, with results of its calls, of which the last one failed.
fn next_request(answer: &ModelAnswer) -> ModelRequest {
    let result = |call: &ModelToolCall| ModelToolResult {
        id: call.id.clone(),
        text: format!("found by {}", call.name),
        is_error: call.name == "context",
    };
    let mut request = first_request();
    let results = answer.calls.iter().map(result).collect();
    let answer = ModelMessage::Model { text: answer.text.clone(), calls: answer.calls.clone() };
    request.messages.extend([answer, ModelMessage::ToolResults(results)]);
    request.may_call_tools = false;
    request
}

/// Returns the text that came, and the answer.
async fn ask(client: &ModelClient, request: &ModelRequest) -> (String, Result<ModelAnswer, ModelError>) {
    let mut text = String::new();
    let answer = client.answer(request, &mut |piece| text.push_str(piece)).await;
    (text, answer.map_err(|failure| failure.error))
}

fn calls(answer: &ModelAnswer) -> Vec<(&str, &str, &str)> {
    let calls = answer.calls.iter();
    calls.map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str())).collect()
}

#[tokio::test]
async fn transcript_of_the_messages_api() {
    let script = vec![
        ScriptedAnswer::Transcript(include_str!("transcripts/messages_call.sse")),
        ScriptedAnswer::Transcript(include_str!("transcripts/messages_text.sse")),
    ];
    let model = FakeModel::start(ApiShape::Messages, script).await;
    let client = client(&model);
    let (text, answer) = ask(&client, &first_request()).await;
    let answer = answer.unwrap();
    assert_eq!(text, "I'll look for the lighthouse — and its painters.");
    assert_eq!(answer.text, text);
    let (search, context) = ("toolu_01PzYeZCJ8TtYwDqDa5oXgLr", "toolu_01Q8wv3rnBhTc1bnXJqkmNpv");
    let expected = [(search, "search", "{\"query\": \"lighthouse\"}"), (context, "context", "{}")];
    assert_eq!(calls(&answer), expected);
    assert_eq!(answer.usage, ModelUsage { input_tokens: 2_374, output_tokens: 87 });

    let (text, last) = ask(&client, &next_request(&answer)).await;
    let last = last.unwrap();
    assert_eq!((text.as_str(), last.calls.len()), ("**Ada** paints it at [12,40].", 0));
    assert_eq!(last.usage, ModelUsage { input_tokens: 2_507, output_tokens: 15 });
    assert!(!last.is_cut_off);
    let marked = json!({"type": "ephemeral"});
    let schema = json!({"type": "object"});
    let body = json!({
        "model": MODEL_NAME, "max_tokens": 2_000, "stream": true,
        "system": [{"type": "text", "text": "You are the guide.", "cache_control": marked}],
        "tools": [
            {"name": "search", "description": "Does it.", "input_schema": schema},
            {"name": "context", "description": "Does it.", "input_schema": schema, "cache_control": marked},
        ],
        "tool_choice": {"type": "none"},
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": answer.text},
                {"type": "tool_use", "id": search, "name": "search", "input": {"query": "lighthouse"}},
                {"type": "tool_use", "id": context, "name": "context", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": search, "content": "found by search",
                 "is_error": false},
                {"type": "tool_result", "tool_use_id": context, "content": "found by context",
                 "is_error": true},
            ]},
        ],
    });
    assert_eq!(model.requests()[1], body);
    assert_eq!(model.requests()[0]["tool_choice"], json!({"type": "auto"}));
    let headers = &model.calls()[1].headers;
    assert_eq!(headers["x-api-key"].as_str(), MODEL_KEY);
    assert_eq!(headers["anthropic-version"].as_str(), "2023-06-01");
}

#[tokio::test]
async fn transcript_of_chat_completions() {
    let script = vec![
        ScriptedAnswer::Transcript(include_str!("transcripts/completions_call.sse")),
        ScriptedAnswer::Transcript(include_str!("transcripts/completions_text.sse")),
    ];
    let model = FakeModel::start(ApiShape::Completions, script).await;
    let client = client(&model);
    let (text, answer) = ask(&client, &first_request()).await;
    let answer = answer.unwrap();
    assert_eq!((text.as_str(), answer.text.as_str()), ("", ""));
    let (search, context) = ("call_7rWjAHeXdWnqfqPz2HcQ1gVb", "call_Zk3uVxwG9aBm5eTn8RcD2oLs");
    let expected = [(search, "search", "{\"query\": \"lighthouse\"}"), (context, "context", "{}")];
    assert_eq!(calls(&answer), expected);
    assert_eq!(answer.usage, ModelUsage { input_tokens: 2_374, output_tokens: 41 });

    let (text, last) = ask(&client, &next_request(&answer)).await;
    let last = last.unwrap();
    assert_eq!((text.as_str(), last.calls.len()), ("**Ada** paints it at [12,40].", 0));
    assert_eq!(last.usage, ModelUsage { input_tokens: 2_507, output_tokens: 14 });
    let function =
        |name: &str| json!({"name": name, "description": "Does it.", "parameters": {"type": "object"}});
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let body = json!({
        "model": MODEL_NAME, "max_tokens": 2_000, "stream": true, "stream_options": {"include_usage": true},
        "tools": [
            {"type": "function", "function": function("search")},
            {"type": "function", "function": function("context")},
        ],
        "tool_choice": "none",
        "messages": [
            {"role": "system", "content": "You are the guide."},
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": null, "tool_calls": [
                call(search, "search", "{\"query\":\"lighthouse\"}"), call(context, "context", "{}"),
            ]},
            {"role": "tool", "tool_call_id": search, "content": "found by search"},
            {"role": "tool", "tool_call_id": context, "content": "Error: found by context"},
        ],
    });
    assert_eq!(model.requests()[1], body);
    assert_eq!(model.requests()[0]["tool_choice"], "auto");
    assert_eq!(model.calls()[1].headers["authorization"], format!("Bearer {MODEL_KEY}"));
}

#[tokio::test]
async fn calls_that_the_request_forbids_are_dropped() {
    for shape in BOTH_SHAPES {
        let answer = ScriptedAnswer::TextAndCalls("Well.", vec![("search", json!({"query": "sun"}))]);
        let model = FakeModel::start(shape, vec![answer.clone(), answer]).await;
        let client = client(&model);
        let mut request = first_request();
        assert_eq!(ask(&client, &request).await.1.unwrap().calls.len(), 1);
        request.may_call_tools = false;
        let answer = ask(&client, &request).await.1.unwrap();
        assert_eq!((answer.text.as_str(), answer.calls.len()), ("Well.", 0));
    }
}

#[tokio::test]
async fn text_is_whole_however_the_network_cuts_it() {
    for shape in BOTH_SHAPES {
        let text = "Ada — 漢字 ☀ é\n".repeat(100);
        let model = FakeModel::start(shape, vec![ScriptedAnswer::text(text.clone())]).await;
        let (text, answer) = ask(&client(&model), &first_request()).await;
        assert!(text == text && answer.unwrap().text == text, "{text}");
        assert_eq!(model.last_question(), QUESTION);
    }
}

#[tokio::test]
async fn answer_that_is_cut_off_says_so() {
    for shape in BOTH_SHAPES {
        let model = FakeModel::start(shape, vec![ScriptedAnswer::CutOff("The lighthouse is")]).await;
        assert!(ask(&client(&model), &first_request()).await.1.unwrap().is_cut_off);
    }
}

#[tokio::test]
async fn request_is_repeated_twice_while_no_text_has_come() {
    for shape in BOTH_SHAPES {
        let model =
            FakeModel::start(shape, vec![ScriptedAnswer::Overloaded, ScriptedAnswer::RetryAfter(0)]).await;
        let (text, answer) = ask(&client(&model), &first_request()).await;
        assert_eq!((text.as_str(), answer.unwrap().text.as_str()), ("Nothing more.", "Nothing more."));
        let requests = model.requests();
        assert!(requests.len() == 3 && requests[0] == requests[2]);

        let model = FakeModel::with_rule(shape, |_| ScriptedAnswer::RetryAfter(0)).await;
        let answer = ask(&client(&model), &first_request()).await.1;
        assert!(matches!(answer, Err(ModelError::Overloaded)), "{answer:?}");
        assert_eq!(model.requests().len(), 3);
    }
}

#[tokio::test]
async fn what_failed_attempts_have_taken_is_never_lost() {
    for shape in BOTH_SHAPES {
        let model = FakeModel::start(shape, vec![ScriptedAnswer::BreakOff("")]).await;
        let answer = ask(&client(&model), &first_request()).await.1.unwrap();
        assert_eq!(answer.usage, ModelUsage { input_tokens: 100, output_tokens: 20 });
        let lost = answer.lost_usage;
        assert!(lost.input_tokens >= 100, "counted, or estimated from the request: {lost:?}");

        let model = FakeModel::with_rule(shape, |_| ScriptedAnswer::BreakOff("")).await;
        let mut request = first_request();
        request.max_lost_tokens = lost.total();
        let failure = client(&model).answer(&request, &mut |_| ()).await.unwrap_err();
        assert!(matches!(failure.error, ModelError::BrokenOff), "{failure:?}");
        assert_eq!((model.requests().len(), failure.usage), (2, lost.plus(lost)), "more is not risked");
    }
    let model = FakeModel::with_rule(ApiShape::Messages, |_| ScriptedAnswer::RetryAfter(0)).await;
    let failure = client(&model).answer(&first_request(), &mut |_| ()).await.unwrap_err();
    assert_eq!((model.requests().len(), failure.usage), (3, ModelUsage::default()));
}

#[tokio::test]
async fn an_answer_far_beyond_its_maximum_is_ended() {
    for shape in BOTH_SHAPES {
        let model = FakeModel::with_rule(shape, |_| ScriptedAnswer::text("x".repeat(4_000))).await;
        let mut request = first_request();
        request.max_tokens = 200;
        let failure = client(&model).answer(&request, &mut |_| ()).await.unwrap_err();
        assert!(matches!(failure.error, ModelError::Unreadable(_)), "{failure:?}");
        assert!(model.requests().len() == 1 && failure.usage.output_tokens >= 800, "{failure:?}");
    }
}

#[tokio::test]
async fn server_errors_and_cut_connections_are_temporary() {
    for failure in [
        ScriptedAnswer::Status(500),
        ScriptedAnswer::Status(502),
        ScriptedAnswer::Status(503),
        ScriptedAnswer::Status(529),
        ScriptedAnswer::BreakOff(""),
    ] {
        let model = FakeModel::start(ApiShape::Messages, vec![failure]).await;
        assert_eq!(ask(&client(&model), &first_request()).await.1.unwrap().text, "Nothing more.");
        assert_eq!(model.requests().len(), 2);
    }
}

#[tokio::test]
async fn request_is_not_repeated_after_text() {
    for shape in BOTH_SHAPES {
        let script = vec![ScriptedAnswer::BreakOff("I will"), ScriptedAnswer::TextThenOverloaded("I might")];
        let model = FakeModel::start(shape, script).await;
        let client = client(&model);
        let (text, answer) = ask(&client, &first_request()).await;
        assert!(text == "I will" && matches!(answer, Err(ModelError::BrokenOff)), "{answer:?}");
        let (text, answer) = ask(&client, &first_request()).await;
        assert!(text == "I might" && matches!(answer, Err(ModelError::Overloaded)), "{answer:?}");
        assert_eq!(model.requests().len(), 2);
    }
}

#[tokio::test]
async fn request_is_not_repeated_in_vain() {
    let long: &'static str = String::leak(format!(": {}\n\n", "x".repeat(1 << 20)));
    let failures: [(ScriptedAnswer, ErrorCheck); 5] = [
        (ScriptedAnswer::Status(401), |error| matches!(error, ModelError::Refused { status: 401 })),
        (ScriptedAnswer::Status(307), |error| matches!(error, ModelError::Refused { status: 307 })),
        (ScriptedAnswer::RetryAfter(11), |error| matches!(error, ModelError::Overloaded)),
        (ScriptedAnswer::Transcript("data: {\"type\"\n\n"), |error| {
            matches!(error, ModelError::Unreadable(_))
        }),
        (ScriptedAnswer::Transcript(long), |error| matches!(error, ModelError::Unreadable(_))),
    ];
    for (failure, is_expected) in failures {
        let model = FakeModel::start(ApiShape::Messages, vec![failure]).await;
        let error = ask(&client(&model), &first_request()).await.1.unwrap_err();
        assert!(is_expected(&error), "{error:?}");
        assert_eq!(model.requests().len(), 1);
    }
}

#[tokio::test]
async fn silent_model_times_out() {
    let script = vec![ScriptedAnswer::Hang, ScriptedAnswer::Slow("The lighthouse")];
    let model = FakeModel::start(ApiShape::Messages, script).await;
    let config = config(&model, &[("CARAPLACE_GUIDE_TIMEOUT_SECONDS", "1")]);
    let client = ModelClient::new(&config.guide).unwrap();
    for expected in ["", "The lig"] {
        let (text, answer) = ask(&client, &first_request()).await;
        assert!(text == expected && matches!(answer, Err(ModelError::TimedOut)), "{text}: {answer:?}");
    }
}

#[tokio::test]
async fn unreachable_model_and_all_errors_hide_the_key() {
    let mut texts = Vec::new();
    let model = FakeModel::start(ApiShape::Messages, vec![ScriptedAnswer::Status(400)]).await;
    texts.push(format!("{:?} {:?}", config(&model, &[]), client(&model)));
    let error = ask(&client(&model), &first_request()).await.1.unwrap_err();
    texts.push(format!("{error} {error:?}"));
    // Nothing listens at port 9 of this machine.
    let config = config(&model, &[("GUIDE_API_BASE", "http://127.0.0.1:9")]);
    let error = ask(&ModelClient::new(&config.guide).unwrap(), &first_request()).await.1.unwrap_err();
    assert!(matches!(error, ModelError::Unreachable(_)));
    texts.push(format!("{error} {error:?}"));
    for text in texts {
        assert!(!text.contains("hunter2") && !text.contains("lighthouse"), "{text}");
    }
}

#[tokio::test]
async fn malformed_arguments_are_sent_back_as_an_empty_object() {
    for shape in BOTH_SHAPES {
        let model = FakeModel::start(shape, Vec::new()).await;
        let calls = vec![ModelToolCall {
            id: "a".to_owned(),
            name: "search".to_owned(),
            arguments: "{\"query\": ".to_owned(),
        }];
        let answer = ModelAnswer { text: " ".to_owned(), calls, ..ModelAnswer::default() };
        ask(&client(&model), &next_request(&answer)).await.1.unwrap();
        let body = model.requests().remove(0);
        let sent = |pointer: &str| body.pointer(pointer).cloned().unwrap_or(Value::Null);
        match shape {
            ApiShape::Messages => assert_eq!(sent("/messages/1/content/0/input"), json!({})),
            ApiShape::Completions => {
                assert_eq!(sent("/messages/2/tool_calls/0/function/arguments"), "{}");
            }
        }
    }
}
