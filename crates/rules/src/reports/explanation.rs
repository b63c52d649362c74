//! Explanations of reports' weights, for operators.

use super::offenders::REPEAT_DURATION;
use super::{FIRST_HOURS_WEIGHT, FULL_WEIGHT, LOW_TRUST_WEIGHT, NETWORK_EXTRA_WEIGHT, PASS_HOLDER_WEIGHT};

/// The facts from which the weight of one report follows. Weights are in tenths.
#[derive(Clone, Copy, Debug)]
pub struct WeightFacts {
    /// True if the reporter used a key.
    pub has_key: bool,
    /// Weight before history and kind of target.
    pub trust: i64,
    /// Number of rejected reports that lowered the weight.
    pub rejected: i64,
    /// True if the report is of a name.
    pub is_name: bool,
    /// True if what was reported belonged to the account at the time.
    pub is_evidence: bool,
    /// True if the rejection of another report covers this one.
    pub is_covered_by_rejection: bool,
    /// Number of other reports of the case from the same network.
    pub same_network_reports: usize,
    /// True if another case about the account was upheld within [`REPEAT_DURATION`].
    pub is_repeat_offender: bool,
}

/// Returns the explanation of a report's weight, in sentences.
pub fn explain_weight(facts: &WeightFacts) -> String {
    let mut sentences = vec![base_weight_sentence(facts)];
    if facts.rejected > 0 {
        let reports = if facts.rejected == 1 { "report" } else { "reports" };
        sentences.push(format!(
            "Lowered because {} earlier {reports} of this reporter had been rejected; that fades within six \
             weeks.",
            facts.rejected
        ));
    }
    if facts.is_name {
        sentences.push(
            "A report of a name weighs little, and without a message or pixels it imposes nothing."
                .to_owned(),
        );
    } else if !facts.is_evidence {
        sentences.push("Does not count: most of the rectangle was not this account's then.".to_owned());
    }
    if facts.is_covered_by_rejection {
        sentences.push(
            "Does not count: an operator has rejected another report about this account by the same reporter \
             or network, within four weeks before this one or while it was open."
                .to_owned(),
        );
    }
    sentences.extend(network_sentence(facts.same_network_reports));
    let counts = facts.is_evidence && !facts.is_name && !facts.is_covered_by_rejection;
    if facts.is_repeat_offender && counts {
        sentences.push(format!(
            "Counts double toward a shadow-ban: reports about this account were upheld within the last {} \
             days.",
            REPEAT_DURATION.num_days()
        ));
    }
    sentences.join(" ")
}

fn base_weight_sentence(facts: &WeightFacts) -> String {
    let reporter = match facts.trust {
        PASS_HOLDER_WEIGHT => "a holder of a Gallery Pass",
        FULL_WEIGHT => "an agent that has placed at least 10 pixels and was here for six hours",
        FIRST_HOURS_WEIGHT => "an agent that has placed at least 10 pixels and was here for one to six hours",
        LOW_TRUST_WEIGHT if facts.has_key => {
            "an agent with fewer than 10 pixels, or here for less than an hour"
        }
        LOW_TRUST_WEIGHT => "a visitor without a key",
        _ => "a reporter",
    };
    format!("Starts at {}: {reporter}.", format_weight(facts.trust))
}

fn network_sentence(same_network_reports: usize) -> Option<String> {
    let reports = if same_network_reports == 1 { "report comes" } else { "reports come" };
    let max_weight = format_weight(FULL_WEIGHT + NETWORK_EXTRA_WEIGHT);
    (same_network_reports > 0).then(|| {
        format!(
            "{same_network_reports} more {reports} from the same network; together they count {max_weight} \
             at most."
        )
    })
}

/// Formats tenths as a decimal number for operators.
fn format_weight(tenths: i64) -> String {
    (tenths as f64 / FULL_WEIGHT as f64).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: WeightFacts = WeightFacts {
        has_key: true,
        trust: FULL_WEIGHT,
        rejected: 0,
        is_name: false,
        is_evidence: true,
        is_covered_by_rejection: false,
        same_network_reports: 0,
        is_repeat_offender: false,
    };

    #[test]
    fn every_fact_that_changes_a_weight_is_named() {
        let plain = explain_weight(&PLAIN);
        assert_eq!(
            plain,
            "Starts at 1: an agent that has placed at least 10 pixels and was here for six hours."
        );
        let cases = [
            (WeightFacts { rejected: 2, ..PLAIN }, "2 earlier reports"),
            (WeightFacts { is_name: true, ..PLAIN }, "a name weighs little"),
            (WeightFacts { is_evidence: false, ..PLAIN }, "was not this account's"),
            (WeightFacts { is_covered_by_rejection: true, ..PLAIN }, "has rejected another report"),
            (
                WeightFacts { same_network_reports: 1, ..PLAIN },
                "1 more report comes from the same network; together they count 1.2",
            ),
            (WeightFacts { trust: LOW_TRUST_WEIGHT, has_key: false, ..PLAIN }, "Starts at 0.2: a visitor"),
            (
                WeightFacts { trust: LOW_TRUST_WEIGHT, ..PLAIN },
                "Starts at 0.2: an agent with fewer than 10 pixels",
            ),
            (WeightFacts { trust: FIRST_HOURS_WEIGHT, ..PLAIN }, "here for one to six hours"),
            (WeightFacts { trust: PASS_HOLDER_WEIGHT, ..PLAIN }, "Starts at 1.5: a holder of a Gallery Pass"),
            (WeightFacts { is_repeat_offender: true, ..PLAIN }, "upheld within the last 90 days"),
        ];
        for (facts, expected) in cases {
            assert!(explain_weight(&facts).contains(expected), "{}", explain_weight(&facts));
        }
    }
}
