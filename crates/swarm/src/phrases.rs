//! Generates an agent's messages from phrase files, never the same text twice in a row.
//!
//! `assets/phrases` has a file for each topic, with three paragraphs: optional openings, sentences with the
//! meaning, and optional endings. Each line is one choice, and `-` is an empty one. `{place}`, `{color}` and
//! `{other}` are a part of the canvas and two colours, `{x}` and `{y}` the next pixel, `{percent}` and
//! `{left}` the progress, and `{name}` the addressed agent.

use rand::{
    rngs::StdRng,
    seq::{IndexedRandom, IteratorRandom},
};

use crate::api_types::Rect;

const EMOJI: [&str; 16] =
    ["🔥", "👍", "❤️", "🎨", "👀", "🙌", "✨", "🌊", "🦀", "🌙", "😄", "👏", "🤝", "💡", "🖌️", "💙"];

const REGION_NAMES: [[&str; 3]; 3] = [
    ["the top left corner", "the top strip", "the top right corner"],
    ["the left third", "the middle", "the right third"],
    ["the bottom left corner", "the bottom strip", "the bottom right corner"],
];

/// The topic of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Intent,
    Ask,
    Progress,
    SmallTalk,
    Thanks,
    Welcome,
    Answer,
    Agree,
}

/// The values that a phrase can mention.
pub struct PhraseContext {
    pub region_name: &'static str,
    pub color: String,
    pub other_color: String,
    pub next_pixel: (u32, u32),
    pub percent: usize,
    pub remaining_count: usize,
    pub agent_name: Option<String>,
}

/// The generator of one agent's messages.
#[derive(Default)]
pub struct PhraseGenerator {
    last_phrase: String,
}

impl PhraseGenerator {
    /// Returns a message that differs from the last one after case folding and collapsing spaces, as the
    /// server compares.
    pub fn generate(&mut self, topic: Topic, context: &PhraseContext, rng: &mut StdRng) -> String {
        let mut phrase = String::new();
        for _ in 0..9 {
            phrase = compose_phrase(topic.phrases(), context, rng);
            if normalize(&phrase) != self.last_phrase {
                break;
            }
        }
        self.last_phrase = normalize(&phrase);
        phrase
    }
}

impl Topic {
    fn phrases(self) -> &'static str {
        match self {
            Topic::Intent => include_str!("../assets/phrases/intent.txt"),
            Topic::Ask => include_str!("../assets/phrases/ask.txt"),
            Topic::Progress => include_str!("../assets/phrases/progress.txt"),
            Topic::SmallTalk => include_str!("../assets/phrases/musing.txt"),
            Topic::Thanks => include_str!("../assets/phrases/thanks.txt"),
            Topic::Welcome => include_str!("../assets/phrases/welcome.txt"),
            Topic::Answer => include_str!("../assets/phrases/answer.txt"),
            Topic::Agree => include_str!("../assets/phrases/nod.txt"),
        }
    }
}

/// Returns a random emoji for a reaction.
pub fn random_emoji(rng: &mut StdRng) -> &'static str {
    EMOJI.choose(rng).copied().unwrap_or("👍")
}

/// Returns the name of the ninth of the canvas that contains a region's centre.
pub fn region_name(region: Rect, width: u32, height: u32) -> &'static str {
    let third_index = |low: u32, high: u32, size: u32| ((low + high) * 3 / (2 * size.max(1))).min(2) as usize;
    let (row, column) = (third_index(region.y1, region.y2, height), third_index(region.x1, region.x2, width));
    REGION_NAMES.get(row).and_then(|names| names.get(column)).copied().unwrap_or("the canvas")
}

fn compose_phrase(phrases: &str, context: &PhraseContext, rng: &mut StdRng) -> String {
    let chosen = phrases.split("\n\n").filter_map(|paragraph| paragraph.lines().choose(rng));
    let parts = chosen.filter(|template| {
        *template != "-" && (context.agent_name.is_some() || !template.contains("{name}"))
    });
    capitalised(&parts.map(|template| fill_template(template, context)).collect::<Vec<_>>().join(" "))
}

fn fill_template(template: &str, context: &PhraseContext) -> String {
    let filled = template
        .replace("{place}", context.region_name)
        .replace("{color}", &context.color)
        .replace("{other}", &context.other_color)
        .replace("{x}", &context.next_pixel.0.to_string())
        .replace("{y}", &context.next_pixel.1.to_string())
        .replace("{percent}", &context.percent.to_string())
        .replace("{left}", &context.remaining_count.to_string())
        .replace("{name}", context.agent_name.as_deref().unwrap_or_default());
    if template.starts_with('{') { capitalised(&filled) } else { filled }
}

fn capitalised(line: &str) -> String {
    let mut rest = line.chars();
    match rest.next() {
        Some(first) => first.to_uppercase().chain(rest).collect(),
        None => String::new(),
    }
}

fn normalize(line: &str) -> String {
    line.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::SeedableRng;

    use super::*;

    const TOPICS: [Topic; 8] = [
        Topic::Intent,
        Topic::Ask,
        Topic::Progress,
        Topic::SmallTalk,
        Topic::Thanks,
        Topic::Welcome,
        Topic::Answer,
        Topic::Agree,
    ];

    fn phrase_context(name: Option<&str>) -> PhraseContext {
        PhraseContext {
            region_name: "the bottom right corner",
            color: "dark purple".into(),
            other_color: "light green".into(),
            next_pixel: (4_095, 4_095),
            percent: 99,
            remaining_count: 16_384,
            agent_name: name.map(str::to_owned),
        }
    }

    #[test]
    fn never_repeats_a_phrase_and_stays_short() {
        let (mut phrases, mut rng) = (PhraseGenerator::default(), StdRng::seed_from_u64(3));
        let context = phrase_context(Some("A name of thirty-two characters."));
        let mut last = String::new();
        for topic in TOPICS.iter().cycle().take(4_000) {
            for _ in 0..2 {
                let line = phrases.generate(*topic, &context, &mut rng);
                assert_ne!(normalize(&line), normalize(&last));
                assert!(line.chars().count() <= 280, "{line}");
                assert!(!line.contains(['{', '}']), "{line}");
                last = line;
            }
        }
    }

    #[test]
    fn skips_name_parts_without_a_name() {
        let (mut phrases, mut rng) = (PhraseGenerator::default(), StdRng::seed_from_u64(3));
        for topic in TOPICS.iter().cycle().take(800) {
            let line = phrases.generate(*topic, &phrase_context(None), &mut rng);
            assert!(line.starts_with(char::is_uppercase) || line.starts_with(char::is_numeric), "{line}");
            assert!(!line.contains(" ,") && !line.contains("  "), "{line}");
        }
    }

    #[test]
    fn phrases_vary() {
        let (mut phrases, mut rng) = (PhraseGenerator::default(), StdRng::seed_from_u64(3));
        let lines: HashSet<_> =
            (0..300).map(|_| phrases.generate(Topic::Intent, &phrase_context(None), &mut rng)).collect();
        assert!(lines.len() > 120, "{}", lines.len());
    }

    #[test]
    fn canvas_is_named_in_ninths() {
        let rect = |x1, y1, x2, y2| Rect { x1, y1, x2, y2 };
        assert_eq!(region_name(rect(0, 0, 10, 10), 128, 128), "the top left corner");
        assert_eq!(region_name(rect(50, 50, 80, 80), 128, 128), "the middle");
        assert_eq!(region_name(rect(127, 127, 127, 127), 128, 128), "the bottom right corner");
    }
}
