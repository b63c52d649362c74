//! The error codes of the routes, as the documents list them.

use platform::refusal::codes::Code;
use platform::refusal::codes::Code::*;

use super::endpoint::{
    IDEMPOTENCY_KEY_HEADER, Param, ParamKind, ParamLocation, Route, RouteAccess, RouteScope, Verb,
};

/// The codes of routes that need an agent's key. Even a body that the route does not use is bounded.
const AGENT_CODES: &[Code] =
    &[MalformedJson, KeyMissing, KeyInvalid, TooLarge, TooManyRequests, DatabaseUnavailable];
/// The codes of routes for all accounts.
const ANY_ACCOUNT_CODES: &[Code] =
    &[MalformedJson, KeyMissing, KeyInvalid, Forbidden, TooLarge, TooManyRequests, DatabaseUnavailable];
/// The codes of routes for viewers or operators.
const VIEWER_OR_OPERATOR_CODES: &[Code] =
    &[KeyMissing, KeyInvalid, Forbidden, TooManyRequests, DatabaseUnavailable];
/// The codes of routes for visitors, which all belong to the guide.
const VISITOR_CODES: &[Code] =
    &[MalformedJson, KeyInvalid, Forbidden, GuideDisabled, TooLarge, TooManyRequests, DatabaseUnavailable];
/// The codes of routes that need no key. If a key is sent, it must be valid.
const ANYONE_CODES: &[Code] = &[KeyInvalid, TooManyRequests];
/// The codes of a JSON body. A route that reads none lists them if clients may send one.
pub const UNUSED_BODY_CODES: [Code; 6] =
    [MalformedJson, UnknownField, MissingField, InvalidField, TooLarge, UnsupportedMediaType];
/// The codes of routes that take a JSON body.
const BODY_CODES: &[Code] = &UNUSED_BODY_CODES;

/// The codes of routes that take a text that others read.
const TEXT_CODES: &[Code] = &[ContentEmpty, ContentTooLong, ContentProfane, ContentLink];
/// The codes of routes that post a message.
const MESSAGE_CODES: &[Code] = &[
    Banned,
    Muted,
    ChatDisabled,
    ContentEmpty,
    ContentTooLong,
    ContentProfane,
    ContentLink,
    DuplicateMessage,
    ReplyTargetMissing,
    NoChatCredits,
    TooManyMessages,
];

impl Param {
    /// Returns the error codes that a bad value of the parameter leads to.
    fn codes(&self) -> &'static [Code] {
        match (self.location, self.kind) {
            (ParamLocation::Path, _) => &[NotFound],
            (ParamLocation::Query, ParamKind::Column | ParamKind::Row) => {
                &[MissingField, InvalidField, OutOfBounds]
            }
            (ParamLocation::Query, _) if self.required => &[MissingField, InvalidField],
            (ParamLocation::Query, _) => &[InvalidField],
            (ParamLocation::Header, _) if self.name == IDEMPOTENCY_KEY_HEADER => {
                &[IdempotencyInFlight, IdempotencyKeyReused]
            }
            (ParamLocation::Header, _) => &[],
        }
    }
}

impl Route {
    /// Adds the error codes of a text that others read.
    pub const fn takes_text(self) -> Self {
        Self { text_refusals: TEXT_CODES, ..self }
    }

    /// Adds the error codes of posting a message, those of its text included.
    pub const fn takes_message(self) -> Self {
        Self { text_refusals: MESSAGE_CODES, ..self }
    }

    /// Returns every error code of the route, in the order of the error table: its own codes, and those that
    /// its right, parameters and body imply.
    pub fn codes(&self) -> Vec<Code> {
        let is_api = self.path.starts_with("/api/");
        let has_body = self.body.is_some();
        let access_codes: &[Code] = match self.access {
            RouteAccess::Agent | RouteAccess::AgentOrViewer => AGENT_CODES,
            RouteAccess::AnyAccount => ANY_ACCOUNT_CODES,
            RouteAccess::Viewer | RouteAccess::Operator => VIEWER_OR_OPERATOR_CODES,
            RouteAccess::Visitor => VISITOR_CODES,
            RouteAccess::Anyone if is_api && (has_body || self.verb == Verb::Get) => ANYONE_CODES,
            RouteAccess::Anyone => &[],
        };
        let needs_scope = matches!(self.scope, RouteScope::Needs(_)) && self.is_for_agents();
        let is_for_operators = self.access == RouteAccess::Operator;
        let scope_codes: &[Code] = if needs_scope || is_for_operators { &[ScopeMissing] } else { &[] };
        let body_codes = if is_api && has_body { BODY_CODES } else { &[] };
        let param_codes: Vec<Code> = self.params.iter().flat_map(Param::codes).copied().collect();
        let query_codes: &[Code] = if self.refuses_unknown_params() { &[UnknownParameter] } else { &[] };
        let codes = [
            self.refusals,
            access_codes,
            scope_codes,
            &param_codes,
            query_codes,
            body_codes,
            self.text_refusals,
            &[InternalError],
        ]
        .concat();
        // What needs the database can find it busy.
        let may_be_busy = codes.contains(&DatabaseUnavailable);
        let is_possible = |code: &Code| codes.contains(code) || (*code == Overloaded && may_be_busy);
        Code::ALL.iter().filter(|code| is_possible(code)).copied().collect()
    }
}
