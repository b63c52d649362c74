//! Insults in other languages, and what looks like one in another language.

use std::collections::BTreeMap;

use rand::rngs::StdRng;

use crate::chain::shown;
use crate::classes::{CorpusSet, FilterCase, fill_context};
use crate::corpora::name_value_pairs;
use crate::random_tokens::choose;
use crate::report::is_hit;

/// The number of insults of a language, and how many of them are found.
#[derive(Default)]
pub struct LanguageResult {
    pub cases: usize,
    pub hits: usize,
}

/// Returns insults in sentences of their languages; `⟦⟧` marks the insult.
pub fn insult_cases_by_language(corpus_set: CorpusSet) -> Vec<FilterCase> {
    language_cases(corpus_set).into_iter().map(|(_, case)| case).collect()
}

/// Returns the results by language.
pub fn measure_languages(corpus_set: CorpusSet) -> BTreeMap<String, LanguageResult> {
    let mut results: BTreeMap<String, LanguageResult> = BTreeMap::new();
    for (language, case) in language_cases(corpus_set) {
        let result = results.entry(language).or_default();
        result.cases += 1;
        result.hits += usize::from(is_hit(&case, &shown(&case.text)));
    }
    results
}

impl LanguageResult {
    /// Returns the share of the insults that are found, in percent.
    pub fn rate(&self) -> f64 {
        100.0 * self.hits as f64 / self.cases as f64
    }
}

fn language_cases(corpus_set: CorpusSet) -> Vec<(String, FilterCase)> {
    let cases = name_value_pairs(&corpus_set.file("insults-by-language.tsv"));
    cases.into_iter().map(|(language, text)| (language, fill_context("{}", &text))).collect()
}

/// Number of random pairs and triples of pronouns.
const PRONOUN_DRAWS: usize = 1_500;

/// Returns pairs of short words with the signs that join them, which look like spelled-out words, and
/// initials.
pub fn pronoun_cases(rng: &mut StdRng) -> Vec<FilterCase> {
    const WORDS: [&str; 24] = [
        "he", "she", "it", "they", "him", "her", "his", "hers", "its", "them", "their", "as", "so", "a", "s",
        "is", "hi", "us", "we", "you", "me", "my", "xe", "ze",
    ];
    const JOINS: [&str; 12] = ["/", ",", ", ", "-", "|", " / ", "+", "\\", "; ", " or ", " and ", "&"];
    const FRAMES: [&str; 7] =
        ["{}", "pronouns: {}", "({})", "use {} for me", "my pronouns are {}.", "{} painted this", "{}?"];
    const INITIALS: [&str; 10] = [
        "F K N",
        "F.K.N.",
        "initials F K N",
        "S H T",
        "C N T",
        "F C K",
        "K Y S",
        "M F",
        "the columns are F K N",
        "B T C H",
    ];
    let mut texts: Vec<String> =
        ["s/he", "(s)he", "S/he", "he/she", "he,she", "he/she/they"].map(str::to_owned).to_vec();
    for _ in 0..PRONOUN_DRAWS {
        let join = choose(rng, &JOINS);
        let count = choose(rng, &[2, 2, 2, 3]);
        let words: Vec<&str> = (0..count).map(|_| choose(rng, &WORDS)).collect();
        texts.push(words.join(join));
    }
    let framed = texts.into_iter().map(|text| choose(rng, &FRAMES).replace("{}", &text)).collect::<Vec<_>>();
    let all = framed.into_iter().chain(INITIALS.map(str::to_owned));
    all.map(|text| FilterCase { text, bad: None }).collect()
}
