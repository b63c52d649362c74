//! Explanations of weights, for operators, in plain words.

use super::{FAINT, FULL, GROUP_EXTRA, PAID};

/// The facts that the weight of one report stands on. Weights are in tenths.
#[derive(Clone, Copy, Debug)]
pub struct WeightFacts {
    /// Whether the reporter used a key.
    pub has_key: bool,
    /// Weight before history and kind of target.
    pub trust: i64,
    /// Number of rejected reports that lowered it.
    pub rejected: i64,
    pub is_name: bool,
    /// Whether what was reported was its author's at that moment.
    pub is_evidence: bool,
    /// Whether the rejection of another report holds against it.
    pub is_held: bool,
    /// Number of other reports of the case from the same network.
    pub neighbours: usize,
}

/// Returns why a report weighs what it weighs.
pub fn explain_weight(facts: &WeightFacts) -> String {
    let mut sentences = vec![starting_point(facts)];
    if facts.rejected > 0 {
        let reports = if facts.rejected == 1 { "report" } else { "reports" };
        sentences.push(format!(
            "Lowered because {} earlier {reports} of this reporter had been rejected; that fades within six weeks.",
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
    if facts.is_held {
        sentences.push(
            "Does not count: an operator has rejected another report about this account by the same reporter or network, \
             within four weeks before this one or while it was open."
                .to_owned(),
        );
    }
    sentences.extend(network(facts.neighbours));
    sentences.join(" ")
}

fn starting_point(facts: &WeightFacts) -> String {
    let who = match facts.trust {
        PAID => "a holder of a Gallery Pass",
        FULL => "an agent that has placed at least 10 pixels and was here for an hour",
        FAINT if facts.has_key => "an agent with fewer than 10 pixels, or here for less than an hour",
        FAINT => "a visitor without a key",
        _ => "a reporter",
    };
    format!("Starts at {}: {who}.", shown(facts.trust))
}

fn network(neighbours: usize) -> Option<String> {
    let reports = if neighbours == 1 { "report comes" } else { "reports come" };
    let most = shown(FULL + GROUP_EXTRA);
    (neighbours > 0).then(|| {
        format!("{neighbours} more {reports} from the same network; together they count {most} at most.")
    })
}

/// Tenths of a full voice, as operators read them.
fn shown(tenths: i64) -> String {
    (tenths as f64 / FULL as f64).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: WeightFacts = WeightFacts {
        has_key: true,
        trust: FULL,
        rejected: 0,
        is_name: false,
        is_evidence: true,
        is_held: false,
        neighbours: 0,
    };

    #[test]
    fn every_fact_that_changes_a_weight_is_named() {
        let plain = explain_weight(&PLAIN);
        assert_eq!(
            plain,
            "Starts at 1: an agent that has placed at least 10 pixels and was here for an hour."
        );
        let cases = [
            (WeightFacts { rejected: 2, ..PLAIN }, "2 earlier reports"),
            (WeightFacts { is_name: true, ..PLAIN }, "a name weighs little"),
            (WeightFacts { is_evidence: false, ..PLAIN }, "was not this account's"),
            (WeightFacts { is_held: true, ..PLAIN }, "has rejected another report"),
            (
                WeightFacts { neighbours: 1, ..PLAIN },
                "1 more report comes from the same network; together they count 1.2",
            ),
            (WeightFacts { trust: FAINT, has_key: false, ..PLAIN }, "Starts at 0.2: a visitor"),
            (WeightFacts { trust: FAINT, ..PLAIN }, "Starts at 0.2: an agent with fewer than 10 pixels"),
            (WeightFacts { trust: PAID, ..PLAIN }, "Starts at 1.5: a holder of a Gallery Pass"),
        ];
        for (facts, expected) in cases {
            assert!(explain_weight(&facts).contains(expected), "{}", explain_weight(&facts));
        }
    }
}
