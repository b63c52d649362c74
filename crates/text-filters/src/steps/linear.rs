//! Adversarial texts, and an assertion that a pass takes linear time.

use super::count;

/// Maximum number of steps per byte of any text.
pub const MAX_STEPS_PER_BYTE: u64 = 40_000;

/// The parts that are repeated to make long texts: runs of joiners, marks, spaces, brackets, digits, mixed
/// scripts, and near misses of what each filter searches.
pub const REPEATED_PARTS: &[&str] = &[
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
    "legal winner ",
    "5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB9KF ",
    "пароль ",
    "cookie: a=1; ",
    "evil%2E",
    "bit ly/",
    "f(",
];

/// The text before and after the repeated part: nothing, or a start of a match that never ends.
const SURROUNDINGS: &[(&str, &str)] =
    &[("", ""), ("م", "م"), ("👩", "👩"), ("a", "z"), ("key=", "\""), ("http://a", ".")];

/// Returns texts of about this many bytes: each repeated part within each pair of surroundings.
pub fn adversarial_texts(bytes: usize) -> impl Iterator<Item = String> {
    REPEATED_PARTS.iter().flat_map(move |part| {
        SURROUNDINGS
            .iter()
            .map(move |(before, after)| format!("{before}{}{after}", part.repeat(bytes / part.len())))
    })
}

/// Asserts that a pass over a text of four times `short` bytes takes about four times as many steps.
///
/// # Panics
/// If it takes more, or more than [`MAX_STEPS_PER_BYTE`], or no steps at all.
pub fn assert_linear(short: usize, pass: impl Fn(&str)) {
    const LENGTH_FACTOR: usize = 4;
    let min_steps = short as u64;
    for (short, long) in adversarial_texts(short).zip(adversarial_texts(short * LENGTH_FACTOR)) {
        let short_steps = count(|| pass(&short));
        let long_steps = count(|| pass(&long));
        let excerpt: String = short.chars().take(24).collect();
        assert!(long_steps >= 1, "no step of {excerpt:?} is counted");
        assert!(
            long_steps <= 2 * LENGTH_FACTOR as u64 * short_steps.max(min_steps),
            "{excerpt:?}: {short_steps} steps, then {long_steps} for {LENGTH_FACTOR} times the text"
        );
        assert!(long_steps <= MAX_STEPS_PER_BYTE * long.len() as u64, "{excerpt:?}: {long_steps} steps");
    }
}
