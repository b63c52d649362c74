//! An agent's way of speaking: many lines from few parts, never the same twice in a row.

use rand::{rngs::StdRng, seq::IndexedRandom};

use crate::{
    phrases::{self, Phrases},
    wire::Rect,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Intent,
    Ask,
    Progress,
    Musing,
    Thanks,
    Welcome,
    Answer,
    Nod,
}

/// What there is to talk about.
pub struct Scene {
    pub place: &'static str,
    pub color: String,
    pub other: String,
    pub spot: (u32, u32),
    pub percent: usize,
    pub left: usize,
    pub name: Option<String>,
}

#[derive(Default)]
pub struct Voice {
    last: String,
}

impl Voice {
    /// The server compares with the last message after folding case and spaces; so does this.
    pub fn say(&mut self, topic: Topic, scene: &Scene, rng: &mut StdRng) -> String {
        let mut line = compose(topic.phrases(), scene, rng);
        for _ in 0..8 {
            if fold(&line) != self.last {
                break;
            }
            line = compose(topic.phrases(), scene, rng);
        }
        self.last = fold(&line);
        line
    }
}

impl Topic {
    fn phrases(self) -> &'static Phrases {
        match self {
            Topic::Intent => &phrases::INTENT,
            Topic::Ask => &phrases::ASK,
            Topic::Progress => &phrases::PROGRESS,
            Topic::Musing => &phrases::MUSING,
            Topic::Thanks => &phrases::THANKS,
            Topic::Welcome => &phrases::WELCOME,
            Topic::Answer => &phrases::ANSWER,
            Topic::Nod => &phrases::NOD,
        }
    }
}

pub fn emoji(rng: &mut StdRng) -> &'static str {
    phrases::EMOJI.choose(rng).copied().unwrap_or("👍")
}

/// The ninth of the canvas in which a region has its middle.
pub fn place(region: Rect, width: u32, height: u32) -> &'static str {
    let third = |low: u32, high: u32, size: u32| ((low + high) * 3 / (2 * size.max(1))).min(2) as usize;
    let (row, column) = (third(region.y1, region.y2, height), third(region.x1, region.x2, width));
    phrases::PLACES.get(row).and_then(|places| places.get(column)).copied().unwrap_or("the canvas")
}

fn compose(phrases: &Phrases, scene: &Scene, rng: &mut StdRng) -> String {
    let mut pick = |parts: &[&'static str]| parts.choose(rng).copied().unwrap_or_default();
    let mut opening = pick(phrases.openings);
    if scene.name.is_none() && opening.contains("{name}") {
        opening = "";
    }
    let parts = [opening, pick(phrases.bodies), pick(phrases.endings)];
    let sentences = parts.iter().filter(|part| !part.is_empty());
    let line = sentences.map(|part| fill(part, scene)).collect::<Vec<_>>().join(" ");
    capitalised(&line)
}

fn fill(part: &str, scene: &Scene) -> String {
    let filled = part
        .replace("{place}", scene.place)
        .replace("{color}", &scene.color)
        .replace("{other}", &scene.other)
        .replace("{x}", &scene.spot.0.to_string())
        .replace("{y}", &scene.spot.1.to_string())
        .replace("{percent}", &scene.percent.to_string())
        .replace("{left}", &scene.left.to_string())
        .replace("{name}", scene.name.as_deref().unwrap_or_default());
    if part.starts_with('{') { capitalised(&filled) } else { filled }
}

fn capitalised(line: &str) -> String {
    let mut rest = line.chars();
    match rest.next() {
        Some(first) => first.to_uppercase().chain(rest).collect(),
        None => String::new(),
    }
}

fn fold(line: &str) -> String {
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
        Topic::Musing,
        Topic::Thanks,
        Topic::Welcome,
        Topic::Answer,
        Topic::Nod,
    ];

    fn scene(name: Option<&str>) -> Scene {
        Scene {
            place: "the bottom right corner",
            color: "dark purple".into(),
            other: "light green".into(),
            spot: (4_095, 4_095),
            percent: 99,
            left: 16_384,
            name: name.map(str::to_owned),
        }
    }

    #[test]
    fn no_line_follows_itself_and_none_is_too_long() {
        let (mut voice, mut rng) = (Voice::default(), StdRng::seed_from_u64(3));
        let scene = scene(Some("A name of thirty-two characters."));
        let mut last = String::new();
        for topic in TOPICS.iter().cycle().take(4_000) {
            for _ in 0..2 {
                let line = voice.say(*topic, &scene, &mut rng);
                assert_ne!(fold(&line), fold(&last));
                assert!(line.chars().count() <= 280, "{line}");
                assert!(!line.contains(['{', '}']), "{line}");
                last = line;
            }
        }
    }

    #[test]
    fn nobody_is_addressed_without_a_name() {
        let (mut voice, mut rng) = (Voice::default(), StdRng::seed_from_u64(3));
        for topic in TOPICS.iter().cycle().take(800) {
            let line = voice.say(*topic, &scene(None), &mut rng);
            assert!(line.starts_with(char::is_uppercase) || line.starts_with(char::is_numeric), "{line}");
            assert!(!line.contains(" ,") && !line.contains("  "), "{line}");
        }
    }

    #[test]
    fn lines_vary() {
        let (mut voice, mut rng) = (Voice::default(), StdRng::seed_from_u64(3));
        let lines: HashSet<_> = (0..300).map(|_| voice.say(Topic::Intent, &scene(None), &mut rng)).collect();
        assert!(lines.len() > 120, "{}", lines.len());
    }

    #[test]
    fn places_are_ninths() {
        let rect = |x1, y1, x2, y2| Rect { x1, y1, x2, y2 };
        assert_eq!(place(rect(0, 0, 10, 10), 128, 128), "the top left corner");
        assert_eq!(place(rect(50, 50, 80, 80), 128, 128), "the middle");
        assert_eq!(place(rect(127, 127, 127, 127), 128, 128), "the bottom right corner");
    }
}
