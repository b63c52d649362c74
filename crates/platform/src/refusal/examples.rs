//! Examples of each refusal, for the documents and for tests. They stand beside the refusals.

use super::codes::Code;
use super::{
    CrewRefusal, InputError, InputErrorKind, Refusal, UNKNOWN_AGENT, account, crew, decision, denied, draft,
    edit, guide, input, intent, operator, placement, plan, private, webhook, work,
};

/// Returns the example of a refusal with this code that the documents show; `None` if there is none.
pub fn find_example(code: Code) -> Option<Refusal> {
    examples().find(|refusal| refusal.advice().code == code)
}

/// Returns examples of each refusal. The first one with a code is the one that the documents show.
pub fn examples() -> impl Iterator<Item = Refusal> {
    let examples = [
        input::examples(),
        super::examples(),
        intent::examples(),
        denied::further_examples(),
        account::examples(),
        placement::examples(),
        plan::examples(),
        crew::examples(),
        guide::examples(),
        edit::examples(),
        private::examples(),
        webhook::examples(),
        draft::examples(),
        decision::examples(),
        operator::examples(),
        work::examples(),
        further_examples(),
    ];
    examples.into_iter().flatten()
}

/// Returns examples of refusals that have several forms.
fn further_examples() -> Vec<Refusal> {
    vec![
        Refusal::TooManyWaits { limit: None },
        CrewRefusal::TooManyCrews { hidden: Vec::new() }.into(),
        InputError::for_field(InputErrorKind::NotFound, "agent", UNKNOWN_AGENT).into(),
    ]
}
