//! Converts refusals to problems.

use platform::refusal::Refusal;

use super::problem::Problem;

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let advice = refusal.advice();
        let detail = write_detail(&refusal);
        let mut problem = match advice.field {
            Some(field) => Self::for_field(advice.code, &field, detail),
            None => Self::new(advice.code, detail),
        };
        if let Some(hint) = advice.hint {
            problem = problem.hint(hint);
        }
        if let Some(wait) = advice.wait {
            problem = problem.retry_after(wait);
        }
        for (name, value) in advice.fields {
            problem = problem.with_field(&name, value);
        }
        match refusal {
            Refusal::Internal(error) => problem.caused_by(error.chain()),
            _ => problem,
        }
    }
}

/// Returns the refusal's sentence, unless the title, which only problems have, already gives the reason.
fn write_detail(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Unavailable | Refusal::Overloaded => "Nothing was changed or spent.".to_owned(),
        refusal => refusal.to_string(),
    }
}
