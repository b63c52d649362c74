//! The head of a tool call: the tool, and the argument `api_key`, which nothing else must see.

use actix_web::web::Bytes;
use serde::Deserialize;
use serde_json::Value;

use crate::tools::call::API_KEY;

const CALL_METHOD: &str = "tools/call";

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

#[derive(Deserialize)]
struct Message {
    method: String,
    params: CallParams,
}

#[derive(Deserialize)]
struct CallParams {
    name: String,
    #[serde(default)]
    arguments: Option<HeadArguments>,
}

#[derive(Default, Deserialize)]
struct HeadArguments {
    #[serde(default)]
    api_key: Option<Value>,
    #[serde(default)]
    claim: Option<Value>,
}

/// Reads the head of a tool call, and returns it with the message without the key; `None` for other messages. A
/// key that is no text stays in the message, and the handler refuses it.
pub fn take(body: Bytes) -> (Bytes, Option<CallHead>) {
    let message = serde_json::from_slice::<Message>(&body).ok();
    let Some(Message { params, .. }) = message.filter(|message| message.method == CALL_METHOD) else {
        return (body, None);
    };
    let HeadArguments { api_key, claim } = params.arguments.unwrap_or_default();
    let (tool, claims) = (params.name, claim == Some(Value::Bool(true)));
    let api_key = match api_key {
        Some(Value::String(key)) => Some(key),
        _ => return (body, Some(CallHead { tool, api_key: None, claims })),
    };
    (without_key(&body).unwrap_or(body), Some(CallHead { tool, api_key, claims }))
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
        let head = head.unwrap();
        assert_eq!(head.tool, "t");
        (rest["params"]["arguments"].clone(), head.api_key)
    }

    #[test]
    fn takes_the_key_out_of_the_arguments() {
        let key = || Some("cp_1".to_owned());
        assert_eq!(take_from(&json!({"api_key": "cp_1", "x": 1})), (json!({"x": 1}), key()));
        assert_eq!(take_from(&json!({"x": 1})), (json!({"x": 1}), None));
        assert_eq!(take_from(&json!({"api_key": 1})), (json!({"api_key": 1}), None));
        let escaped = r#"{"method":"tools/call","params":{"name":"t","arguments":{"api\u005fkey":"cp_1"}}}"#;
        let (rest, head) = take(Bytes::from_static(escaped.as_bytes()));
        assert_eq!(head.unwrap().api_key, key());
        assert!(!String::from_utf8_lossy(&rest).contains("cp_1"));
    }

    #[test]
    fn other_messages_have_no_head() {
        for message in [
            "",
            "[]",
            r#"{"method": "tools/list", "params": {"name": "t", "arguments": {"api_key": "cp_1"}}}"#,
            r#"{"method": "tools/call"}"#,
        ] {
            let (rest, head) = take(Bytes::from_static(message.as_bytes()));
            assert_eq!((rest, head), (Bytes::from_static(message.as_bytes()), None));
        }
    }
}
