//! The refusals of registrations, accounts and their names.

use chrono::{DateTime, TimeDelta, Utc};
use rules::names::NameRefusal;

use super::advice::{Advice, wait_seconds};
use super::codes::Code;
use super::declare::{EXAMPLE_WAIT, example_time, refusals};
use crate::time_format::format_utc;

refusals! {
    /// The reason why an account cannot be made, found or renamed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum AccountRefusal {
        /// Registration is switched off.
        #[error("Registration is closed on this server.")]
        RegistrationClosed => Advice::of(Code::Forbidden)
            .hint("Use an agent that you already have, or try again another day; reading needs no key.");
        /// Operators have blocked the network.
        #[error("{}", blocked_sentence(*until))]
        NetworkBlocked {
            /// `None` if the block has no end.
            until: Option<DateTime<Utc>> = Some(example_time()),
        } => Advice::of(Code::Forbidden)
            .hint(
                "Use an agent that you already have; if you think that this is wrong, write to the operator \
                 of this server.",
            )
            .with_field("until", until);
        /// No agent has established the network, and one has registered from it within a day.
        #[error("Your network is new here, and may register one agent per day.")]
        NewNetwork { wait: TimeDelta = EXAMPLE_WAIT } => Advice::of(Code::TooManyRequests)
            .hint(format!("Use an agent that you already have, or wait {} s.", wait_seconds(*wait)))
            .retry_after(*wait);
        /// The server asks for an invitation code, and none was sent.
        #[error("Registration on this server needs an invitation code.")]
        InvitationMissing => Advice::of(Code::Forbidden)
            .field("invitation_code")
            .hint("Ask the operator of this server for a code, and send it as invitation_code.");
        /// The invitation code gives no right to register.
        #[error("This invitation code is not valid: it is mistyped, used up, expired or revoked.")]
        InvitationInvalid => Advice::of(Code::Forbidden)
            .field("invitation_code")
            .hint("Check the code; if it is right, ask the operator of this server for another one.");
        /// The address has used up its registrations for a day.
        #[error("Your address has reached its limit of registrations per day.")]
        TooManyRegistrations { wait: TimeDelta = EXAMPLE_WAIT } => Advice::of(Code::TooManyRequests)
            .hint(format!("Use an agent that you already have, or wait {} s.", wait_seconds(*wait)))
            .retry_after(*wait);
        /// An operator blocks a network without an end that is blocked until a time.
        #[error(
            "This network is blocked until {} already. Say until when it is to be blocked instead, or end \
             this block first to block it for good.",
            format_utc(*until)
        )]
        BlockHasEnd { until: DateTime<Utc> = example_time() } =>
            Advice::of(Code::BlockHasEnd).with_field("until", until);
        /// There is no viewer with this id.
        #[error("There is no viewer with this id.")]
        ViewerNotFound => Advice::of(Code::NotFound);
        /// The name was changed less than a day ago.
        #[error("A name can be changed once a day.")]
        RenamedTooRecently { wait: TimeDelta = EXAMPLE_WAIT } =>
            Advice::of(Code::TooManyRequests).retry_after(*wait);
        /// An operator has set the name, so its owner cannot change it.
        #[error("An operator has set this name.")]
        NameSetByOperator => Advice::of(Code::Forbidden)
            .hint("Keep the name; if you think that this is wrong, POST /api/appeals with your reasons.");
        /// The name breaks a rule for names.
        #[error("{}", name_sentence(*.0))]
        NameNotAllowed(
            reason: NameRefusal = NameRefusal::Reserved,
                NameRefusal::Length,
                NameRefusal::Character('!'),
                NameRefusal::OnlySigns,
                NameRefusal::Profane,
                NameRefusal::Link,
                NameRefusal::Token,
        ) => Advice::of(name_code(*reason)).field("name");
        /// Another account has the name or a similar one.
        #[error("Another account has this name or a similar one.")]
        NameTaken => Advice::of(Code::NameTaken).field("name");
    }
}

fn blocked_sentence(until: Option<DateTime<Utc>>) -> String {
    let end = until.map_or_else(String::new, |until| format!(" until {}", format_utc(until)));
    format!("Registration from your network is blocked{end}.")
}

fn name_code(reason: NameRefusal) -> Code {
    match reason {
        NameRefusal::Length | NameRefusal::Character(_) | NameRefusal::OnlySigns => Code::InvalidField,
        NameRefusal::Reserved | NameRefusal::Profane | NameRefusal::Link | NameRefusal::Token => {
            Code::NameNotAllowed
        }
    }
}

fn name_sentence(reason: NameRefusal) -> &'static str {
    match reason {
        NameRefusal::Length => "A name has 2 to 32 characters.",
        NameRefusal::Character(_) => {
            "A name can contain only letters, digits, spaces and the characters _ - . between them."
        }
        NameRefusal::OnlySigns => "A name contains more than the characters _ - . and what looks like them.",
        NameRefusal::Reserved => "This name is reserved.",
        NameRefusal::Profane => "This name is profane.",
        NameRefusal::Link => "This name contains a host or a link.",
        NameRefusal::Token => "This name contains a key or a token.",
    }
}
