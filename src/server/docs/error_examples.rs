//! An example response for each error code, and descriptions of the additional fields.

use caraplace_companion::guide::events::{TurnEvent, TurnFailure};
use caraplace_http::response::problem::Problem;
use platform::refusal::codes::Code;
use platform::refusal::examples::find_example;

/// Returns an example response with this code. Most are refusals. Some codes only the server has, and the
/// example of malformed JSON shows the hint of the table, which those refusals replace.
pub fn example(code: Code) -> Problem {
    match code {
        Code::MalformedJson => {
            Problem::new(code, "The JSON ends before it is complete, at line 1, column 9.")
        }
        Code::UnknownParameter => {
            let detail = "There is no parameter lable here. Did you mean labels?";
            Problem::for_field(code, "lable", detail)
        }
        Code::MethodNotAllowed => Problem::new(code, "/api/canvas does not support POST, only GET, HEAD."),
        _ => find_example(code).map_or_else(|| Problem::new(code, code.info().when), Problem::from),
    }
}

/// Returns the example as text: the body of a response, or the event of a stream for the code that only
/// events have.
pub fn example_text(code: Code) -> String {
    if code == Code::ModelUnavailable {
        let message = "The guide's model does not answer now. Nothing was changed. Try again in a minute.";
        let event = TurnEvent::Error { code: TurnFailure::ModelUnavailable, message: message.to_owned() };
        let data = serde_json::to_string(&event).unwrap_or_default();
        return format!("event: {}\ndata: {data}", event.name());
    }
    serde_json::to_string_pretty(&example(code).json()).unwrap_or_default()
}

/// Returns the description of an additional field; empty if the field is not an additional one.
pub fn field_help(name: &str) -> &'static str {
    match name {
        "field" => "the field, parameter or header with the error",
        "retry_after" => "the number of seconds to wait, as in the Retry-After header",
        "index" => "the position of the pixel in the request, from 0",
        "x" | "y" => "the coordinates of the pixel",
        "color" => "the pixel's colour now",
        "version" => "the version that the plan has now",
        "conflicts" => {
            "every pixel with another colour than expected: its position in the request as index, its point, \
             and its colour now"
        }
        "charges" => "the number of charges that you have now",
        "max_charges" => "the largest number of charges that you can have",
        "next_charge_at" => "the time of the next charge",
        "chat_credits" => "the number of chat credits that you have now",
        "pixels_until_next_message" => "the number of pixels to place before the next message",
        "next_message_at" => "the earliest time of the next message",
        "reason" => {
            "the reason of the ban or mute, or why writes are not possible or the server is not ready"
        }
        "scope" => {
            "the scope that the key lacks: read, paint, chat or manage; for operators: read, moderate, \
             manage or own"
        }
        "limit" => "the largest number at a time, or in a day",
        "budget" => "the budget that is spent: visitor, address or server",
        "left" => "what is left of the budget: questions, or US cents of the server's",
        "until" => "the end of the ban, the mute or the block; null for a block without an end",
        "frozen_at" => "the time at which the season was frozen",
        "appeal" => "your appeal against it; null if there is none",
        "lapsed_at" => "the time at which the pass ended",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use platform::refusal::codes::TABLE;

    use super::*;

    #[test]
    fn only_refusals_of_the_server_itself_have_no_example_of_a_refusal() {
        let without: Vec<Code> =
            Code::ALL.iter().copied().filter(|code| find_example(*code).is_none()).collect();
        let of_server = [
            Code::MalformedJson,
            Code::UnknownParameter,
            Code::SignatureInvalid,
            Code::AgentUnclaimed,
            Code::MethodNotAllowed,
            Code::NotAcceptable,
            Code::TooLarge,
            Code::UnsupportedMediaType,
            Code::ModelUnavailable,
            Code::Stopping,
        ];
        assert_eq!(without, of_server);
    }

    #[test]
    fn every_example_has_its_code_and_explained_fields() {
        for (code, line) in Code::ALL.iter().zip(TABLE) {
            let body = example(*code).json();
            assert_eq!(body["code"], line.code);
            let known = ["type", "title", "status", "code", "detail", "hint"];
            for name in body.as_object().unwrap().keys().filter(|name| !known.contains(&name.as_str())) {
                assert!(!field_help(name).is_empty(), "{}: {name}", line.code);
            }
        }
    }
}
