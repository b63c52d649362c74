//! The head of a tool call: the tool, and the argument `api_key`, which nothing else must see.

use actix_web::web::Bytes;
use caraplace_companion::tools::call::API_KEY;
use caraplace_http::response::problem::Problem;
use platform::refusal::codes::Code;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::unique_keys::UniqueKeys;

const CALL_METHOD: &str = "tools/call";
const NULL: &str = "null";
/// The reason for which an ambiguous message is refused.
const AMBIGUOUS: &str =
    "The message repeats method, params, name, arguments or a field in them, or its params are no object.";

/// The parts of a tool call that decide who calls.
#[derive(Debug, PartialEq, Eq)]
pub struct CallHead {
    /// The name of the tool; there may be no such tool.
    pub tool: String,
    /// The argument `api_key`, which the message no longer has.
    pub api_key: Option<String>,
    /// True if the argument `claim` is true: a call that claims something needs a key.
    pub claims: bool,
}

/// The head of a message.
#[derive(Debug, PartialEq, Eq)]
pub enum MessageHead {
    /// The message calls no tool, or is none that the library accepts.
    Other,
    Call(CallHead),
    /// The message may call a tool, but its head has more than one meaning. It must be refused: the library
    /// could read another caller or another tool in it.
    Ambiguous,
}

// Repeated fields are errors in all of these.

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(default)]
    method: Option<Value>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct CallParams<'a> {
    #[serde(default)]
    name: Option<Value>,
    #[serde(default, borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct HeadArguments {
    #[serde(default)]
    api_key: Option<Value>,
    #[serde(default)]
    claim: Option<Value>,
}

impl MessageHead {
    /// Returns the head of a tool call; `None` for everything else.
    pub fn call(&self) -> Option<&CallHead> {
        match self {
            Self::Call(call) => Some(call),
            Self::Other | Self::Ambiguous => None,
        }
    }

    /// Returns the refusal of an ambiguous message.
    ///
    /// # Errors
    /// `invalid_field`.
    pub fn check(&self) -> Result<(), Problem> {
        match self {
            Self::Ambiguous => Err(Problem::for_field(Code::InvalidField, "body", AMBIGUOUS)
                .hint("Send each field once, and params of tools/call as an object.")),
            Self::Other | Self::Call(_) => Ok(()),
        }
    }
}

/// Reads the head of a message, and returns it with the message without the key. A key that is no text stays
/// in the message, and the handler refuses it.
pub fn take(body: Bytes) -> (Bytes, MessageHead) {
    let head = match read(&body) {
        Ok(Some(head)) => head,
        Ok(None) => return (body, MessageHead::Other),
        Err(Ambiguity) => return (body, MessageHead::Ambiguous),
    };
    let (CallHead { tool, claims, .. }, api_key) = head;
    let api_key = match api_key {
        Some(Value::String(key)) => Some(key),
        _ => return (body, MessageHead::Call(CallHead { tool, api_key: None, claims })),
    };
    match without_key(&body) {
        Some(rest) => (rest, MessageHead::Call(CallHead { tool, api_key, claims })),
        None => (body, MessageHead::Ambiguous),
    }
}

/// The error of a head that has more than one meaning.
#[derive(Debug)]
struct Ambiguity;

/// Returns the head of a tool call without the key, and the key; `None` for other messages.
fn read(body: &[u8]) -> Result<Option<(CallHead, Option<Value>)>, Ambiguity> {
    // The library refuses everything else, such as a list of messages.
    if !is_object(body) {
        return Ok(None);
    }
    let Some(Message { method, params }) = read_part(body)? else { return Ok(None) };
    let Some(params) = params.filter(|_| method.is_some_and(|method| method == CALL_METHOD)) else {
        return Ok(None);
    };
    if params.get() == NULL {
        return Ok(None);
    }
    // Types of Rust are read from lists, too.
    if !is_object(params.get().as_bytes()) {
        return Err(Ambiguity);
    }
    let Some(CallParams { name, arguments }) = read_part(params.get().as_bytes())? else { return Ok(None) };
    let arguments = arguments.filter(|arguments| is_object(arguments.get().as_bytes()));
    let arguments = arguments.map(RawValue::get).map(str::as_bytes);
    let _: Option<UniqueKeys> = arguments.map(read_part).transpose()?.flatten();
    let arguments: Option<HeadArguments> = arguments.map(read_part).transpose()?.flatten();
    let HeadArguments { api_key, claim } = arguments.unwrap_or_default();
    // The library refuses a call without the name of a tool.
    let Some(Value::String(tool)) = name else { return Ok(None) };
    let claims = claim == Some(Value::Bool(true));
    Ok(Some((CallHead { tool, api_key: None, claims }, api_key)))
}

/// Reads an object; `None` if it is not JSON, which the library refuses.
fn read_part<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<Option<T>, Ambiguity> {
    match serde_json::from_slice(json) {
        Ok(part) => Ok(Some(part)),
        Err(error) if error.is_syntax() || error.is_eof() => Ok(None),
        Err(_) => Err(Ambiguity),
    }
}

fn is_object(json: &[u8]) -> bool {
    json.trim_ascii_start().starts_with(b"{")
}

fn without_key(body: &[u8]) -> Option<Bytes> {
    let mut message: Value = serde_json::from_slice(body).ok()?;
    message.pointer_mut("/params/arguments")?.as_object_mut()?.remove(API_KEY)?;
    Some(message.to_string().into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn take_from(arguments: &Value) -> (Value, Option<String>) {
        let message = json!({"method": "tools/call", "params": {"name": "t", "arguments": arguments}});
        let (rest, head) = take(message.to_string().into());
        let rest: Value = serde_json::from_slice(&rest).unwrap();
        let head = head.call().unwrap();
        assert_eq!(head.tool, "t");
        (rest["params"]["arguments"].clone(), head.api_key.clone())
    }

    #[test]
    fn takes_the_key_out_of_the_arguments() {
        let key = || Some("cp_1".to_owned());
        assert_eq!(take_from(&json!({"api_key": "cp_1", "x": 1})), (json!({"x": 1}), key()));
        assert_eq!(take_from(&json!({"x": 1})), (json!({"x": 1}), None));
        assert_eq!(take_from(&json!({"api_key": 1})), (json!({"api_key": 1}), None));
        let escaped = r#"{"method":"tools/call","params":{"name":"t","arguments":{"api\u005fkey":"cp_1"}}}"#;
        let (rest, head) = take(Bytes::from_static(escaped.as_bytes()));
        assert_eq!(head.call().unwrap().api_key, key());
        assert!(!String::from_utf8_lossy(&rest).contains("cp_1"));
    }

    #[test]
    fn other_messages_have_no_head() {
        for message in [
            "",
            "[]",
            r#"{"method": "tools/list", "params": {"name": "t", "arguments": {"api_key": "cp_1"}}}"#,
            r#"{"method": "tools/call"}"#,
            r#"{"method": "tools/call", "params": null}"#,
            r#"{"method": "tools/call", "params": {"arguments": {"api_key": "cp_1"}}}"#,
            r#"{"method": "tools/call", "params": {"name": "t", "arguments": {"api_key": "cp_1"}}"#,
            r#"{"id": 1, "result": {}}"#,
        ] {
            let (rest, head) = take(Bytes::from_static(message.as_bytes()));
            assert_eq!((rest, head), (Bytes::from_static(message.as_bytes()), MessageHead::Other));
        }
    }

    #[test]
    fn repeated_fields_are_ambiguous_at_each_level_and_in_any_spelling() {
        let call = |arguments: &str| {
            format!(r#"{{"method":"tools/call","params":{{"name":"t","arguments":{arguments}}}}}"#)
        };
        let name = r#""params":{"name":"t","arguments":{}}"#;
        let messages = [
            call(r#"{"api_key":"cp_1","api_key":"cp_2"}"#),
            call(r#"{"api_key":"cp_1","api\u005fkey":"cp_2"}"#),
            call(r#"{"\u0061pi_key":null,"api_key":"cp_2"}"#),
            call(r#"{"api_key":1,"x":{},"api_key":"cp_2"}"#),
            call(r#"{"claim":false,"claim":true}"#),
            call(r#"{"x":1,"y":2,"x":3}"#),
            call(r#"{"pixels":[{"x":1},{"x":1,"y":0.5,"\u0078":3}]}"#),
            call(r#"{},"arguments":{"api_key":"cp_2"}"#),
            call(r#"{},"\u0061rguments":{}"#),
            call(r#"{},"name":"other""#),
            call(r#"{},"n\u0061me":"other""#),
            format!(r#"{{"method":"tools/list",{name},"method":"tools/call"}}"#),
            format!(r#"{{"method":"tools/call",{name},"m\u0065thod":"tools/list"}}"#),
            format!(r#"{{"method":"tools/call",{name},{name}}}"#),
            format!(r#"{{"method":"tools/call","p\u0061rams":{{}},{name}}}"#),
            r#"{"method":"tools/call","params":["t",{"api_key":"cp_1"}]}"#.to_owned(),
            r#"{"method":"tools\u002fcall","params":["t",{"api_key":"cp_1"}]}"#.to_owned(),
        ];
        for message in messages {
            let (_, head) = take(message.clone().into());
            assert_eq!(head, MessageHead::Ambiguous, "{message}");
            assert!(head.check().is_err() && head.call().is_none());
        }
    }
}
