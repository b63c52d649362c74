//! The settings that can change while the server runs: their names, their ranges, and their values.

use std::ops::RangeInclusive;
use std::sync::Arc;

use serde_json::{Value, json};
use text_filters::links::LinkPolicy;

use super::{Config, Game, ProfanityPolicy, YEAR};

/// Their values.
#[derive(Clone, Debug)]
pub struct Live {
    pub game: Game,
    pub registrations_per_day: u32,
    pub requests_per_minute: u32,
    /// Event streams that one address may have open; 0 if any number.
    pub streams_per_ip: u32,
    pub registration_enabled: bool,
    pub announce_agents: bool,
    /// The operator's word list, as its file has it.
    pub words: Arc<str>,
}

/// What a setting can be, and where its value stands.
#[derive(Clone, Copy)]
pub enum Range {
    Number(u32, u32, fn(&mut Live) -> &mut u32),
    Switch(fn(&mut Live) -> &mut bool),
    Links,
    Profanity,
    Words,
}

/// A setting that can change while the server runs.
pub struct Adjustable {
    pub name: &'static str,
    /// The environment variable that it begins with.
    pub variable: &'static str,
    range: Range,
}

const fn adjustable(name: &'static str, variable: &'static str, range: Range) -> Adjustable {
    Adjustable { name, variable, range }
}

/// The longest word list, in bytes.
const LONGEST_WORDS: usize = 65_536;
const LINKS: [(&str, LinkPolicy); 3] =
    [("strip", LinkPolicy::Strip), ("reject", LinkPolicy::Reject), ("allow", LinkPolicy::Allow)];
const PROFANITY: [(&str, ProfanityPolicy); 3] =
    [("mask", ProfanityPolicy::Mask), ("reject", ProfanityPolicy::Reject), ("off", ProfanityPolicy::Off)];

/// All of them. How long a digest lives is not among them: digests that are out would change under their readers.
pub const ADJUSTABLE: [Adjustable; 16] = [
    adjustable(
        "max_charges",
        "CARAPLACE_MAX_CHARGES",
        Range::Number(1, 1_000_000, |live| &mut live.game.max_charges),
    ),
    adjustable(
        "charge_seconds",
        "CARAPLACE_CHARGE_SECONDS",
        Range::Number(0, YEAR, |live| &mut live.game.charge_seconds),
    ),
    adjustable(
        "pixels_per_message",
        "CARAPLACE_PIXELS_PER_MESSAGE",
        Range::Number(0, 1_000_000, |live| &mut live.game.pixels_per_message),
    ),
    adjustable(
        "message_seconds",
        "CARAPLACE_MESSAGE_SECONDS",
        Range::Number(0, YEAR, |live| &mut live.game.message_seconds),
    ),
    adjustable(
        "viewer_message_seconds",
        "CARAPLACE_VIEWER_MESSAGE_SECONDS",
        Range::Number(0, YEAR, |live| &mut live.game.viewer_message_seconds),
    ),
    adjustable("links", "CARAPLACE_LINKS", Range::Links),
    adjustable("profanity", "CARAPLACE_PROFANITY", Range::Profanity),
    adjustable("words", "CARAPLACE_WORDS_FILE", Range::Words),
    adjustable("chat_enabled", "CARAPLACE_CHAT_ENABLED", Range::Switch(|live| &mut live.game.chat_enabled)),
    adjustable(
        "system_messages",
        "CARAPLACE_SYSTEM_MESSAGES",
        Range::Switch(|live| &mut live.game.system_messages),
    ),
    adjustable(
        "announce_agents",
        "CARAPLACE_ANNOUNCE_AGENTS",
        Range::Switch(|live| &mut live.announce_agents),
    ),
    adjustable(
        "registration_enabled",
        "CARAPLACE_REGISTRATION_ENABLED",
        Range::Switch(|live| &mut live.registration_enabled),
    ),
    adjustable(
        "registrations_per_day",
        "CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY",
        Range::Number(0, 1_000_000, |live| &mut live.registrations_per_day),
    ),
    adjustable(
        "requests_per_minute",
        "CARAPLACE_REQUESTS_PER_MINUTE",
        Range::Number(0, 1_000_000_000, |live| &mut live.requests_per_minute),
    ),
    adjustable(
        "streams_per_ip",
        "CARAPLACE_STREAMS_PER_IP",
        Range::Number(0, 1_000_000, |live| &mut live.streams_per_ip),
    ),
    adjustable(
        "messages_per_ip_per_minute",
        "CARAPLACE_MESSAGES_PER_IP_PER_MINUTE",
        Range::Number(0, 1_000_000, |live| &mut live.game.messages_per_ip_per_minute),
    ),
];

impl Adjustable {
    /// The setting of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        ADJUSTABLE.iter().find(|setting| setting.name == name)
    }

    /// What it must be, as in "must be …".
    pub fn expected(&self) -> String {
        match self.range {
            Range::Number(least, most, _) => format!("a whole number from {least} to {most}"),
            Range::Switch(_) => "true or false".to_owned(),
            Range::Links => "strip, reject or allow".to_owned(),
            Range::Profanity => "mask, reject or off".to_owned(),
            Range::Words => format!("lines of words, at most {LONGEST_WORDS} bytes"),
        }
    }

    /// Its value among these.
    pub fn get(&self, live: &Live) -> Value {
        let mut live = live.clone();
        match self.range {
            Range::Number(_, _, place) => json!(*place(&mut live)),
            Range::Switch(place) => json!(*place(&mut live)),
            Range::Links => json!(word_of(&LINKS, live.game.links)),
            Range::Profanity => json!(word_of(&PROFANITY, live.game.profanity)),
            Range::Words => json!(&*live.words),
        }
    }

    /// Sets it, if it can have this value; none when it cannot.
    pub fn set(&self, live: &mut Live, value: &Value) -> Option<()> {
        match self.range {
            Range::Number(least, most, place) => {
                let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
                *place(live) = number.filter(|number| (least..=most).contains(number))?;
            }
            Range::Switch(place) => *place(live) = value.as_bool()?,
            Range::Links => live.game.links = meant_by(&LINKS, value)?,
            Range::Profanity => live.game.profanity = meant_by(&PROFANITY, value)?,
            Range::Words => {
                let text =
                    value.as_str().filter(|text| text.len() <= LONGEST_WORDS && !text.contains('\0'))?;
                live.words = text.into();
            }
        }
        Some(())
    }

    /// What somebody has typed, as a value; it may still be out of range.
    pub fn read(&self, text: &str) -> Value {
        match self.range {
            Range::Number(..) | Range::Switch(_) => {
                serde_json::from_str(text.trim()).unwrap_or_else(|_| json!(text))
            }
            Range::Links | Range::Profanity | Range::Words => json!(text),
        }
    }
}

/// The numbers that the environment may give for a variable of this name.
pub(super) fn range_of(variable: &str) -> Option<RangeInclusive<u32>> {
    ADJUSTABLE.iter().find(|setting| setting.variable == variable).and_then(|setting| match setting.range {
        Range::Number(least, most, _) => Some(least..=most),
        _ => None,
    })
}

fn word_of<T: Copy + PartialEq>(words: &[(&'static str, T)], meaning: T) -> Option<&'static str> {
    words.iter().find(|(_, known)| *known == meaning).map(|(word, _)| *word)
}

fn meant_by<T: Copy>(words: &[(&str, T)], value: &Value) -> Option<T> {
    words.iter().find(|(word, _)| Some(*word) == value.as_str()).map(|(_, meaning)| *meaning)
}

impl Config {
    /// The values that the server starts with, before anything is changed.
    pub fn live(&self) -> Live {
        Live {
            game: self.game,
            registrations_per_day: self.registrations_per_day,
            requests_per_minute: self.requests_per_minute,
            streams_per_ip: self.streams_per_ip,
            registration_enabled: self.registration_enabled,
            announce_agents: self.announce_agents,
            words: self.words.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_keeps_what_it_is_given_and_refuses_the_rest() {
        let start = Config::read(|_| None).unwrap().live();
        for setting in &ADJUSTABLE {
            let (good, bad): (Value, [Value; 4]) = match setting.range {
                Range::Number(least, most, _) => (
                    json!(most),
                    [json!(u64::from(most) + 1), json!(i64::from(least) - 1), json!("1"), json!(1.5)],
                ),
                Range::Switch(_) => (json!(false), [json!("false"), json!(0), json!(null), json!([])]),
                Range::Links => (json!("reject"), [json!("mask"), json!(true), json!(""), json!(null)]),
                Range::Profanity => (json!("off"), [json!("allow"), json!(false), json!("Mask"), json!({})]),
                Range::Words => {
                    (json!("+zorg\n"), [json!(7), json!(null), json!("\0"), json!("x".repeat(65_537))])
                }
            };
            let mut live = start.clone();
            assert_eq!(setting.set(&mut live, &good), Some(()), "{}", setting.name);
            assert_eq!(setting.get(&live), good, "{}", setting.name);
            for value in bad {
                assert_eq!(setting.set(&mut live, &value), None, "{} {value}", setting.name);
                assert_eq!(setting.get(&live), good, "{}", setting.name);
            }
            let (told, same) = (setting.get(&start), setting.set(&mut live, &setting.get(&start)));
            assert_eq!((same, setting.get(&live)), (Some(()), told), "{}", setting.name);
        }
    }

    #[test]
    fn the_environment_has_the_same_ranges_and_words() {
        let with = |name: &str, value: &str| Config::read(|asked| (asked == name).then(|| value.to_owned()));
        for setting in &ADJUSTABLE {
            let values: Vec<Value> = match setting.range {
                Range::Number(least, most, _) => vec![json!(least), json!(most)],
                Range::Switch(_) => vec![json!(true), json!(false)],
                Range::Links => LINKS.iter().map(|(word, _)| json!(word)).collect(),
                Range::Profanity => PROFANITY.iter().map(|(word, _)| json!(word)).collect(),
                Range::Words => Vec::new(),
            };
            for value in values {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let config = with(setting.variable, &text).unwrap();
                assert_eq!(setting.get(&config.live()), value, "{}", setting.variable);
            }
            if !matches!(setting.range, Range::Words) {
                let sentence = with(setting.variable, "?").unwrap_err().to_string();
                assert!(sentence.ends_with(&format!("must be {}.", setting.expected())), "{sentence}");
            }
        }
    }

    #[test]
    fn what_is_typed_is_read_as_the_setting_means_it() {
        let read = |name: &str, text: &str| Adjustable::named(name).unwrap().read(text);
        assert_eq!(read("max_charges", " 20 "), json!(20));
        assert_eq!(read("chat_enabled", "false"), json!(false));
        assert_eq!(read("links", "allow"), json!("allow"));
        assert_eq!(read("words", "7"), json!("7"));
        assert_eq!(read("max_charges", "many"), json!("many"));
    }
}
