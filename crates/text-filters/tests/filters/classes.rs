//! The classes of test cases, each with its threshold.

use rand::rngs::StdRng;

use crate::chain::{shown, without_contacts, without_secrets};
use crate::corpora::{lines, name_value_pairs};
use crate::disguise::{Disguise, FURTHER_WORD_DISGUISES, HOST_DISGUISES, WORD_DISGUISES};
use crate::languages::{insult_cases_by_language, pronoun_cases};
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
pub fn all_classes(set: CorpusSet, seed: u64) -> Vec<CaseClass> {
    use Threshold::{MaxChangedPercent as Changed, MinCaughtPercent as Caught};
    let rng = &mut seeded_rng(seed);
    let plain: [(&str, Disguise); 1] = [("plain", |text, _| text.to_owned())];
    let with_scheme: [(&str, Disguise); 1] = [("scheme", |host, _| format!("https://{host}"))];
    vec![
        class("secrets by format", Caught(99.0), token_cases(set, rng)),
        class("secrets by name", Caught(95.0), format_cases(set, rng, "values.tsv", "value-contexts.txt")),
        class("look-alikes", Changed(0.4), plain_cases(set, "look-alikes.txt")),
        class("insults, plain", Caught(85.0), insult_cases(set, rng, &plain)),
        class("insults, disguised", Caught(90.0), insult_cases(set, rng, &WORD_DISGUISES)),
        class("names and places", Changed(5.0), plain_cases(set, "names.txt")),
        class("ordinary talk", Changed(1.0), plain_cases(set, "ordinary.txt")),
        class("identity", Changed(1.0), plain_cases(set, "identity.txt")),
        class("canvas talk", Changed(0.0), plain_cases(set, "canvas.txt")),
        class("links, with a scheme", Caught(99.0), link_cases(set, rng, &with_scheme)),
        class("links, bare", Caught(97.0), link_cases(set, rng, &plain)),
        class("links, disguised", Caught(93.0), link_cases(set, rng, &HOST_DISGUISES)),
        class("not links", Changed(2.0), plain_cases(set, "not-links.txt")),
        class("insults, rare", Caught(40.0), rare_insult_cases(set, rng)),
        class("secrets by service and language", Caught(96.0), named_secret_cases(set, rng)),
        class("insults, disguised further", Caught(93.0), insult_cases(set, rng, &FURTHER_WORD_DISGUISES)),
        class("secrets beside a name", Caught(97.0), assigned_secret_cases(set, seed)),
        class("insults, disguised widely", Caught(93.0), wide_cases(set, rng)),
        class("insults, other languages", Caught(95.0), insult_cases_by_language(set)),
        class("harmless elsewhere", Changed(0.0), plain_cases(set, "harmless-elsewhere.txt")),
        class("pronouns and initials", Changed(0.0), pronoun_cases(rng)),
        class("contacts", Caught(97.0), format_cases(set, rng, "contacts.tsv", "contact-contexts.txt")),
        class(
            "contacts after a word",
            Caught(95.0),
            format_cases(set, rng, "announced-numbers.tsv", "announcements.txt"),
        ),
        class("contacts, other numbers", Changed(0.0), number_cases(set)),
    ]
}

fn wide_cases(set: CorpusSet, rng: &mut StdRng) -> Vec<FilterCase> {
    (0..WIDE_DRAWS).flat_map(|_| insult_cases(set, rng, &WIDE_DISGUISES)).collect()
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
pub fn fill_context(context: &str, inserted: &str) -> FilterCase {
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

/// Assigns a random value to a name, in a random message.
fn assignment(rng: &mut StdRng, name: &str, join: &str, format: &str, surroundings: &[String]) -> FilterCase {
    let value = format!("⟦{}⟧", random_token(rng, format));
    fill_context(&choose(rng, surroundings), &join.replace("{n}", name).replace("{v}", &value))
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
            assignment(rng, name, join, &format, &surroundings)
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
            assignment(&mut rng, &name, join, format, &surroundings)
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
            let disguised = disguise(word, rng);
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
            let link = format!("{}{}", disguise(host, rng), choose(rng, &paths));
            fill_context(&choose(rng, &contexts), &link)
        })
        .collect()
}
