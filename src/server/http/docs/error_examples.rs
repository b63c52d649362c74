//! An example response for each error code, and descriptions of the additional fields.

use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::codes::Code;
use platform::refusal::{
    AccountRefusal, ChargeShortage, CreditShortage, CrewRefusal, GuideBudgetKind, GuideRefusal,
    PixelConflict, PlacementRefusal, PlanRefusal, Refusal, internal,
};
use rules::names::NameRefusal;
use rules::rights::{Ban, Denied, Mute};
use rules::scope::Scope;
use text_filters::content::ContentRefusal;

use crate::companion::guide::events::{TurnEvent, TurnFailure};
use crate::server::http::response::problem::Problem;

/// Returns an example response with this code.
pub fn example(code: Code) -> Problem {
    match code {
        Code::MalformedJson
        | Code::UnknownField
        | Code::UnknownParameter
        | Code::MissingField
        | Code::InvalidField
        | Code::OutOfBounds
        | Code::InvalidColor
        | Code::DigestMissing
        | Code::BadCursor => input_example(code),
        Code::NameTaken => Refusal::Account(AccountRefusal::NameTaken).into(),
        Code::NameNotAllowed => {
            Refusal::Account(AccountRefusal::NameNotAllowed(NameRefusal::Reserved)).into()
        }
        Code::NoCharges | Code::NoChatCredits | Code::TooManyMessages => shortage_example(code),
        Code::ContentEmpty => Refusal::Content(ContentRefusal::Empty).into(),
        Code::ContentTooLong => {
            Refusal::Content(ContentRefusal::TooLong { graphemes: 291, bytes: 291 }).into()
        }
        Code::MethodNotAllowed => Problem::new(code, "/api/canvas does not support POST, only GET, HEAD."),
        Code::PixelChanged => Refusal::Placement(PlacementRefusal::PixelChanged(vec![PixelConflict {
            index: 0,
            x: 10,
            y: 20,
            color: 7,
        }]))
        .into(),
        Code::DigestInvalid => Refusal::Placement(PlacementRefusal::DigestInvalid).into(),
        Code::DigestStale => Refusal::Placement(PlacementRefusal::DigestStale).into(),
        Code::KeyMissing => Refusal::KeyMissing.into(),
        Code::KeyInvalid => Refusal::KeyInvalid.into(),
        Code::ScopeMissing => Refusal::ScopeMissing { scope: Scope::Paint }.into(),
        Code::Blocked => Refusal::SenderBlocked.into(),
        Code::LimitReached => Refusal::LimitReached { limit: 10, objects: "extra keys" }.into(),
        Code::ContentProfane => Refusal::ContentProfane.into(),
        Code::ContentLink => Refusal::ContentLink.into(),
        Code::DuplicateMessage => Refusal::DuplicateMessage.into(),
        Code::ReplyTargetMissing => Refusal::ReplyTargetMissing.into(),
        Code::OwnerMustHandOver => Refusal::from(CrewRefusal::OwnerMustHandOver).into(),
        Code::PlanChanged => Refusal::from(PlanRefusal::VersionChanged { version: 3 }).into(),
        Code::IdempotencyInFlight => Refusal::IdempotencyInFlight.into(),
        Code::IdempotencyKeyReused => Refusal::IdempotencyKeyReused.into(),
        Code::DatabaseUnavailable => Refusal::Unavailable.into(),
        Code::InternalError => internal("handling a request")("an unexpected error").into(),
        Code::Overloaded => Refusal::Overloaded.into(),
        Code::Banned | Code::Muted | Code::Forbidden | Code::GalleryPassRequired => denied_example(code),
        Code::GuideDisabled | Code::BudgetSpent => guide_example(code),
        _ => Problem::new(code, code.info().when),
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

/// Returns examples of invalid input.
fn input_example(code: Code) -> Problem {
    match code {
        Code::MalformedJson => {
            Problem::new(code, "The JSON ends before it is complete, at line 1, column 9.")
        }
        Code::UnknownField => {
            let detail = "Unknown field `colour`, expected one of `x`, `y`, `color`. Did you mean `color`?";
            Problem::for_field(code, "colour", detail)
        }
        Code::UnknownParameter => {
            let detail = "There is no parameter lable here. Did you mean labels?";
            Problem::for_field(code, "lable", detail)
        }
        Code::MissingField => Problem::for_field(code, "x", "The field x is missing."),
        Code::OutOfBounds => {
            Problem::new(code, "(128, 5) is not on the canvas, which goes from (0, 0) to (127, 127).")
        }
        Code::InvalidColor => {
            let detail = "16 is not a colour of the palette: use an index from 0 to 15.";
            Problem::for_field(code, "color", detail)
        }
        Code::DigestMissing => Problem::for_field(code, "chat_digest", "chat_digest is missing."),
        Code::BadCursor => Problem::for_field(code, "before", "There is no message with the id in before."),
        _ => Problem::for_field(code, "limit", "limit must be from 1 to 100."),
    }
}

/// Returns examples of refusals of the guide, at 08:30.
fn guide_example(code: Code) -> Problem {
    let spent = GuideRefusal::BudgetSpent {
        budget: GuideBudgetKind::Visitor,
        limit: 20,
        left: 0,
        retry_after: TimeDelta::minutes(15 * 60 + 30),
    };
    let refusal = if code == Code::GuideDisabled { GuideRefusal::Disabled } else { spent };
    Refusal::from(refusal).into()
}

/// Returns examples of refusals for lack of charges, credits or time, at 08:30.
fn shortage_example(code: Code) -> Problem {
    let now = DateTime::<Utc>::from_timestamp(1_769_848_200, 0).unwrap_or_default();
    let wait = TimeDelta::seconds(42);
    match code {
        Code::NoCharges => {
            let next_charge_at = Some(now + wait);
            Refusal::Placement(PlacementRefusal::NoCharges(ChargeShortage {
                charges: 0,
                needed: 1,
                max_charges: 10,
                next_charge_at,
                wait,
            }))
            .into()
        }
        Code::NoChatCredits => {
            Refusal::NoCredits(CreditShortage { chat_credits: 3, pixels_until_next_message: 2, wait }).into()
        }
        _ => Refusal::MessageTooSoon { next_message_at: now + wait, wait }.into(),
    }
}

/// Returns examples of refusals for lack of rights, at 08:30.
fn denied_example(code: Code) -> Problem {
    let at = DateTime::<Utc>::from_timestamp(1_769_848_200, 0).unwrap_or_default();
    match code {
        Code::Banned => Refusal::from(Denied::Banned(Ban { until: at, reason: "graffiti".into() })).into(),
        Code::Muted => Refusal::from(Denied::Muted(Mute { until: at, reason: Some("noise".into()) })).into(),
        Code::Forbidden => Refusal::SeasonOver { since: at }.into(),
        _ => Refusal::from(Denied::NoPass { lapsed_at: Some(at) }).into(),
    }
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
        "scope" => "the scope that the key lacks: read, paint, chat or manage",
        "limit" => "the largest number at a time, or in a day",
        "budget" => "the budget that is spent: visitor, address or server",
        "left" => "what is left of the budget: questions, or US cents of the server's",
        "until" => "the end of the ban or mute",
        "frozen_at" => "the time at which the season was frozen",
        "lapsed_at" => "the time at which the pass ended",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use platform::refusal::codes::TABLE;

    use super::*;

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
