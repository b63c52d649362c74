//! Proves that every pass over a text that somebody sent is linear, by counting its steps on texts made against it.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::content::{Content, clean_stored};
use super::emoji::Emoji;
use super::fence::fence;
use super::links;
use super::mentions::Mentions;
use super::names::AgentName;
use super::profanity::{Profanity, WordList};
use super::redact::{KnownTokens, redact};
use super::steps;
use super::text_limits::MAX_RAW_BYTES;

/// The most steps for each byte of a text, whatever it holds.
const MAX_STEPS_PER_BYTE: u64 = 40_000;

static PROFANITY: LazyLock<Profanity> = LazyLock::new(|| Profanity::new(&WordList::default()));

/// The parts that are repeated until a text is as long as it shall be: runs of joiners, marks, spaces, brackets, digits, mixed
/// scripts, and near misses of what each filter looks for.
const REPEATED: &[&str] = &[
    "\u{200d}",
    "\u{200c}\u{200d}",
    "م\u{200c}",
    "م\u{200c}\u{200c}\u{200c}\u{200c}",
    "\u{301}",
    "\u{94d}\u{200d}",
    "\u{301}\u{200d}\u{200c}",
    "👩\u{200d}",
    "👩\u{fe0f}\u{200d}\u{200b}",
    "🏴\u{e0067}",
    "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "🇩",
    " ",
    "\u{a0}\u{2003}",
    "\r\n",
    "(",
    "([{<",
    "[.]",
    ")]}>",
    "7",
    "12 ",
    "1234x",
    "aа",
    "aбγ漢क",
    "ａ．",
    "ﷺ",
    "a a ",
    "a.",
    "a·",
    "_a",
    "a.a@",
    "a@",
    "@Ada ",
    "@",
    ":",
    "a://",
    "example.com ",
    "main.rs ",
    "e x a m p l e . c o m ",
    "a dot ",
    "a dot com ",
    "x.-",
    "*",
    "f*",
    "fu",
    "f u u ",
    "ass1",
    "dick_",
    "idiot,",
    "you idiot,",
    "as s",
    "shit ",
    "merda ",
    "`",
    "` ``",
    "key",
    "key=a,",
    "key: a1B2c3D4e5F6g7H8 ",
    "Ab3Cd4Ef5Gh6Ij7Kl8 ",
    "a-b-",
    "agent_0",
    "0x-_",
    "sk-",
    "-----BEGIN PRIVATE KEY-----",
    "eyJhbGciOiJI",
    "https://hooks.slack.com/services/T0",
];

/// The text before and behind the repeated part: nothing, or something that begins a match and never ends it.
const AROUND: &[(&str, &str)] =
    &[("", ""), ("م", "م"), ("👩", "👩"), ("a", "z"), ("key=", "\""), ("http://a", ".")];

fn texts(bytes: usize) -> impl Iterator<Item = String> {
    REPEATED.iter().flat_map(move |part| {
        AROUND
            .iter()
            .map(move |(before, after)| format!("{before}{}{after}", part.repeat(bytes / part.len())))
    })
}

/// Asserts that a pass over a text that is four times as long as `short` bytes takes about four times as many steps.
fn assert_linear(short: usize, pass: impl Fn(&str)) {
    const TIMES: u64 = 4;
    let least = short as u64;
    for (short, long) in texts(short).zip(texts(short * TIMES as usize)) {
        let (few, many) = (steps::count(|| pass(&short)), steps::count(|| pass(&long)));
        let opening: String = short.chars().take(24).collect();
        assert!(many >= 1, "no step of {opening:?} is counted");
        assert!(
            many <= 2 * TIMES * few.max(least),
            "{opening:?}: {few} steps, then {many} for {TIMES} times the text"
        );
        assert!(many <= MAX_STEPS_PER_BYTE * long.len() as u64, "{opening:?}: {many} steps");
    }
}

#[test]
fn cleaning_is_linear() {
    assert_linear(1_024, |text| drop(clean_stored(text)));
}

#[test]
fn parsing_a_message_is_linear() {
    assert_linear(1_024, |text| drop(Content::parse(text).map(|content| content.folded())));
}

#[test]
fn searching_for_profanity_is_linear() {
    assert_linear(512, |text| drop(PROFANITY.mask(text)));
}

#[test]
fn searching_for_links_is_linear() {
    assert_linear(2_048, |text| drop(links::strip(text)));
}

#[test]
fn searching_for_secrets_is_linear() {
    assert_linear(4_096, |text| drop(redact(text, &KnownTokens)));
}

#[test]
fn searching_for_mentions_is_linear() {
    assert_linear(1_024, |text| drop(Mentions::of(text).names()));
}

#[test]
fn fencing_is_linear() {
    assert_linear(1_024, |text| drop(fence(&[text])));
}

#[test]
fn judging_a_reaction_is_linear() {
    assert_linear(1_024, |text| assert_eq!(Emoji::parse(text), None));
}

/// The most steps that an event loop may take for a text that is filtered where it arrived.
const MAX_INLINE_STEPS: u64 = 4_000_000;

#[test]
fn short_texts_take_few_steps() {
    for text in texts(256) {
        let filters = || drop((PROFANITY.mask(&text), links::strip(&text)));
        let taken = steps::count(filters);
        assert!(taken <= MAX_INLINE_STEPS, "{:?}: {taken} steps", text.chars().take(24).collect::<String>());
    }
}

#[test]
fn a_name_is_counted_before_anything_else_looks_at_it() {
    for text in texts(MAX_RAW_BYTES) {
        let taken = steps::count(|| drop(AgentName::parse(&text, &PROFANITY)));
        assert!(taken <= 2 * text.len() as u64, "{taken} steps for {} bytes", text.len());
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_text_takes_many_steps(parts in vec((select(REPEATED), 1_usize..300), 1..6)) {
        let text: String = parts.iter().map(|(part, times)| part.repeat(*times)).collect();
        let passes = || {
            let _ = Content::parse(&text).map(|content| content.folded());
            let _ = AgentName::parse(&text, &PROFANITY);
            let _ = (PROFANITY.mask(&text), links::strip(&text), redact(&text, &KnownTokens));
            let _ = (Mentions::of(&text).names(), fence(&[&text]), Emoji::parse(&text));
        };
        let taken = steps::count(passes);
        prop_assert!(taken <= MAX_STEPS_PER_BYTE * text.len().max(64) as u64, "{taken} steps");
    }
}

/// A few cases in every run; as many as are asked for under `make fuzz`.
fn config() -> ProptestConfig {
    let is_asked_for = std::env::var_os("PROPTEST_CASES").is_some();
    if is_asked_for { ProptestConfig::default() } else { ProptestConfig::with_cases(16) }
}

#[test]
fn cleaning_looks_at_a_character_a_few_times_at_most() {
    for text in texts(MAX_RAW_BYTES) {
        let taken = steps::count(|| drop(clean_stored(&text)));
        assert!(taken <= 8 * text.len() as u64, "{taken} steps for {} bytes", text.len());
    }
}
