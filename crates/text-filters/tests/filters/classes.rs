//! The classes of test cases, each with its threshold.

use rand::rngs::StdRng;

use crate::chain::{shown, without_contacts, without_secrets};
use crate::corpora::{lines, name_value_pairs};
use crate::disguise::{Disguise, FURTHER_WORD_DISGUISES, HOST_DISGUISES, WORD_DISGUISES};
use crate::languages::{harmless_cases, insult_cases_by_language, pronoun_cases};
use crate::random_tokens::{choose, random_token, seeded_rng};
use crate::wide_disguise::WIDE_DISGUISES;

/// The set of corpora.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CorpusSet {
    Tuned,
    HeldOut,
}

/// The threshold of a class.
#[derive(Clone, Copy)]
pub enum Threshold {
    /// The minimum percentage of cases that must be caught.
    MinCaughtPercent(f64),
    /// The maximum percentage of cases that may be changed.
    MaxChangedPercent(f64),
}

/// A message, and the part of it that must be removed.
pub struct FilterCase {
    pub text: String,
    pub bad: Option<String>,
}

/// A filter, or several.
pub type TextFilter = fn(&str) -> String;

/// A class of cases.
pub struct CaseClass {
    pub name: &'static str,
    pub threshold: Threshold,
    /// The filters whose output decides if a case is caught or changed.
    pub filters: TextFilter,
    /// The filter whose output decides if the rest of a case is unchanged.
    pub filter: TextFilter,
    pub cases: Vec<FilterCase>,
}

/// Number of random tokens per format.
const DRAWS_PER_TOKEN: usize = 8;
/// Number of draws of assignments, each with a seed of its own.
const ASSIGNMENT_DRAWS: u64 = 3;
/// Number of draws of each wide disguise of each word.
const WIDE_DRAWS: usize = 3;

impl CorpusSet {
    pub fn file(self, name: &str) -> String {
        match self {
            Self::Tuned => name.to_owned(),
            Self::HeldOut => format!("held-out/{name}"),
        }
    }
}

/// Returns every class, generated with this seed.
pub fn all_classes(corpus_set: CorpusSet, seed: u64) -> Vec<CaseClass> {
    let rng = &mut seeded_rng(seed);
    vec![
        class("secrets by format", Threshold::MinCaughtPercent(99.0), token_cases(corpus_set, rng)),
        class("secrets by name", Threshold::MinCaughtPercent(95.0), value_cases(corpus_set, rng)),
        class("look-alikes", Threshold::MaxChangedPercent(0.4), plain_cases(corpus_set, "look-alikes.txt")),
        class(
            "insults, plain",
            Threshold::MinCaughtPercent(85.0),
            insult_cases(corpus_set, rng, &[("plain", |_, word| word.to_owned())]),
        ),
        class(
            "insults, disguised",
            Threshold::MinCaughtPercent(90.0),
            insult_cases(corpus_set, rng, &WORD_DISGUISES),
        ),
        class("names and places", Threshold::MaxChangedPercent(5.0), plain_cases(corpus_set, "names.txt")),
        class("ordinary talk", Threshold::MaxChangedPercent(1.0), plain_cases(corpus_set, "ordinary.txt")),
        class("identity", Threshold::MaxChangedPercent(1.0), plain_cases(corpus_set, "identity.txt")),
        class("canvas talk", Threshold::MaxChangedPercent(0.0), plain_cases(corpus_set, "canvas.txt")),
        class(
            "links, with a scheme",
            Threshold::MinCaughtPercent(99.0),
            link_cases(corpus_set, rng, &[("scheme", |_, host| format!("https://{host}"))]),
        ),
        class(
            "links, bare",
            Threshold::MinCaughtPercent(97.0),
            link_cases(corpus_set, rng, &[("bare", |_, host| host.to_owned())]),
        ),
        class(
            "links, disguised",
            Threshold::MinCaughtPercent(93.0),
            link_cases(corpus_set, rng, &HOST_DISGUISES),
        ),
        class("not links", Threshold::MaxChangedPercent(2.0), plain_cases(corpus_set, "not-links.txt")),
        class("insults, rare", Threshold::MinCaughtPercent(40.0), rare_insult_cases(corpus_set, rng)),
        class(
            "secrets by service and language",
            Threshold::MinCaughtPercent(96.0),
            named_secret_cases(corpus_set, rng),
        ),
        class(
            "insults, disguised further",
            Threshold::MinCaughtPercent(93.0),
            insult_cases(corpus_set, rng, &FURTHER_WORD_DISGUISES),
        ),
        class(
            "secrets beside a name",
            Threshold::MinCaughtPercent(97.0),
            assigned_secret_cases(corpus_set, seed),
        ),
        wide_class(corpus_set, rng),
        language_class(corpus_set),
        class("harmless elsewhere", Threshold::MaxChangedPercent(0.0), harmless_cases(corpus_set)),
        class("pronouns and initials", Threshold::MaxChangedPercent(0.0), pronoun_cases(rng)),
        class("contacts", Threshold::MinCaughtPercent(97.0), contact_cases(corpus_set, rng)),
        class("contacts after a word", Threshold::MinCaughtPercent(95.0), announced_cases(corpus_set, rng)),
        class("contacts, other numbers", Threshold::MaxChangedPercent(0.0), number_cases(corpus_set)),
    ]
}

fn wide_class(corpus_set: CorpusSet, rng: &mut StdRng) -> CaseClass {
    let draws = (0..WIDE_DRAWS).flat_map(|_| insult_cases(corpus_set, rng, &WIDE_DISGUISES));
    class("insults, disguised widely", Threshold::MinCaughtPercent(93.0), draws.collect())
}

fn language_class(corpus_set: CorpusSet) -> CaseClass {
    let threshold = Threshold::MinCaughtPercent(95.0);
    class("insults, other languages", threshold, insult_cases_by_language(corpus_set))
}

fn class(name: &'static str, threshold: Threshold, cases: Vec<FilterCase>) -> CaseClass {
    let (filters, filter): (TextFilter, TextFilter) = match name {
        name if name.starts_with("secrets") => (shown, without_secrets),
        name if name.starts_with("contacts") => (without_contacts, without_contacts),
        _ => (shown, shown),
    };
    CaseClass { name, threshold, filters, filter, cases }
}

fn plain_cases(corpus_set: CorpusSet, file: &str) -> Vec<FilterCase> {
    lines(&corpus_set.file(file)).into_iter().map(|text| FilterCase { text, bad: None }).collect()
}

/// Inserts a text into a context. Brackets in the text mark the bad part, if it is not all of it.
fn fill_context(context: &str, inserted: &str) -> FilterCase {
    let bad =
        inserted.split_once('⟦').and_then(|(_, rest)| rest.split_once('⟧')).map_or(inserted, |(bad, _)| bad);
    FilterCase {
        text: context.replace("{}", &inserted.replace(['⟦', '⟧'], "")), bad: Some(bad.to_owned())
    }
}

fn token_cases(corpus_set: CorpusSet, rng: &mut StdRng) -> Vec<FilterCase> {
    let formats = name_value_pairs(&corpus_set.file("tokens.tsv"));
    let contexts = lines(&corpus_set.file("token-contexts.txt"));
    let repeated_formats = formats.iter().flat_map(|format| std::iter::repeat_n(&format.1, DRAWS_PER_TOKEN));
    repeated_formats.map(|format| fill_context(&choose(rng, &contexts), &random_token(rng, format))).collect()
}

fn value_cases(corpus_set: CorpusSet, rng: &mut StdRng) -> Vec<FilterCase> {
    let formats = name_value_pairs(&corpus_set.file("values.tsv"));
    let contexts = lines(&corpus_set.file("value-contexts.txt"));
    let pairs = contexts.iter().flat_map(|context| formats.iter().map(move |format| (context, &format.1)));
    pairs.map(|(context, format)| fill_context(context, &random_token(rng, format))).collect()
}

fn contact_cases(corpus_set: CorpusSet, rng: &mut StdRng) -> Vec<FilterCase> {
    format_cases(corpus_set, rng, "contacts.tsv", "contact-contexts.txt")
}

fn announced_cases(corpus_set: CorpusSet, rng: &mut StdRng) -> Vec<FilterCase> {
    format_cases(corpus_set, rng, "announced-numbers.tsv", "announcements.txt")
}

/// Returns every format in every context.
fn format_cases(corpus_set: CorpusSet, rng: &mut StdRng, formats: &str, contexts: &str) -> Vec<FilterCase> {
    let formats = name_value_pairs(&corpus_set.file(formats));
    let contexts = lines(&corpus_set.file(contexts));
    let pairs = contexts.iter().flat_map(|context| formats.iter().map(move |format| (context, &format.1)));
    pairs.map(|(context, format)| fill_context(context, &random_token(rng, format))).collect()
}

/// Returns texts with numbers and signs that are no contacts, among them the texts of other classes.
fn number_cases(corpus_set: CorpusSet) -> Vec<FilterCase> {
    let corpora =
        ["not-contacts.txt", "canvas.txt", "look-alikes.txt", "ordinary.txt", "names.txt", "identity.txt"];
    // This look-alike of a secret is a phone number.
    let is_number = |case: &FilterCase| case.text != "+49 30 901820";
    corpora.iter().flat_map(|file| plain_cases(corpus_set, file)).filter(is_number).collect()
}

/// Returns every name with every sign of assignment, each with a random value in a random message.
fn named_secret_cases(corpus_set: CorpusSet, rng: &mut StdRng) -> Vec<FilterCase> {
    let corpus = |name: &str| lines(&corpus_set.file(name));
    let names = corpus("secret-names.txt");
    let joins = corpus("secret-joins.txt");
    let surroundings = corpus("secret-surroundings.txt");
    let formats = name_value_pairs(&corpus_set.file("secret-values.tsv"));
    let pairs = names.iter().flat_map(|name| joins.iter().map(move |join| (name, join)));
    pairs
        .map(|(name, join)| {
            let format = choose(rng, &formats).1;
            let value = random_token(rng, &format);
            let assignment = join.replace("{n}", name).replace("{v}", &format!("⟦{value}⟧"));
            fill_context(&choose(rng, &surroundings), &assignment)
        })
        .collect()
}

/// Returns names with every sign of assignment, each with a random value in a random message, in three draws.
fn assigned_secret_cases(corpus_set: CorpusSet, seed: u64) -> Vec<FilterCase> {
    let corpus = |name: &str| lines(&corpus_set.file(name));
    let names = corpus("assigned-names.txt");
    let joins = corpus("assigned-joins.txt");
    let surroundings = corpus("assigned-surroundings.txt");
    let formats = name_value_pairs(&corpus_set.file("assigned-values.tsv"));
    let draw = |number: u64| {
        let mut rng = seeded_rng(DRAWS_PER_TOKEN as u64 * seed + number);
        let pairs = joins.iter().flat_map(|join| formats.iter().map(move |(_, format)| (join, format)));
        let fill = |(join, format): (&String, &String)| {
            let name = choose(&mut rng, &names);
            let value = random_token(&mut rng, format);
            let assignment = join.replace("{n}", &name).replace("{v}", &format!("⟦{value}⟧"));
            fill_context(&choose(&mut rng, &surroundings), &assignment)
        };
        pairs.map(fill).collect::<Vec<_>>()
    };
    (0..ASSIGNMENT_DRAWS).flat_map(draw).collect()
}

fn insult_cases(corpus_set: CorpusSet, rng: &mut StdRng, disguises: &[(&str, Disguise)]) -> Vec<FilterCase> {
    let words = lines(&corpus_set.file("insults.txt"));
    let contexts = lines(&corpus_set.file("insult-contexts.txt"));
    let times = if disguises.len() == 1 { DRAWS_PER_TOKEN } else { 1 };
    let pairs = words.iter().flat_map(|word| disguises.iter().map(move |(_, disguise)| (word, disguise)));
    let repeated_pairs = pairs.flat_map(|pair| std::iter::repeat_n(pair, times));
    repeated_pairs
        .map(|(word, disguise)| {
            let disguised = disguise(rng, word);
            fill_context(&choose(rng, &contexts), &disguised)
        })
        .collect()
}

fn rare_insult_cases(corpus_set: CorpusSet, rng: &mut StdRng) -> Vec<FilterCase> {
    let contexts = lines(&corpus_set.file("insult-contexts.txt"));
    lines(&corpus_set.file("rare-insults.txt"))
        .iter()
        .map(|word| fill_context(&choose(rng, &contexts), word))
        .collect()
}

fn link_cases(corpus_set: CorpusSet, rng: &mut StdRng, disguises: &[(&str, Disguise)]) -> Vec<FilterCase> {
    let hosts = lines(&corpus_set.file("hosts.txt"));
    let contexts = lines(&corpus_set.file("link-contexts.txt"));
    let paths = lines("paths.txt");
    let pairs = hosts.iter().flat_map(|host| disguises.iter().map(move |(_, disguise)| (host, disguise)));
    pairs
        .flat_map(|pair| std::iter::repeat_n(pair, 2))
        .map(|(host, disguise)| {
            let link = format!("{}{}", disguise(rng, host), choose(rng, &paths));
            fill_context(&choose(rng, &contexts), &link)
        })
        .collect()
}
