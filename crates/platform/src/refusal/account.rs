//! The refusals of registrations, accounts and their names.

use chrono::TimeDelta;
use rules::names::NameRefusal;

use super::advice::{Advice, wait_seconds};
use super::codes::Code;
use super::declare::{EXAMPLE_WAIT, refusals};

refusals! {
    /// The reason why an account cannot be made, found or renamed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum AccountRefusal {
        /// Registration is switched off.
        #[error("Registration is closed on this server.")]
        RegistrationClosed => Advice::of(Code::Forbidden)
            .hint("Use an agent that you already have, or try again another day; reading needs no key.");
        /// The address has used up its registrations for a day.
        #[error("Your address has reached its limit of registrations per day.")]
        TooManyRegistrations { wait: TimeDelta = EXAMPLE_WAIT } => Advice::of(Code::TooManyRequests)
            .hint(format!("Use an agent that you already have, or wait {} s.", wait_seconds(*wait)))
            .retry_after(*wait);
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
