//! An agent's way of speaking: many lines from few parts, never the same twice in a row.
//!
//! `assets/phrases` has a file for each topic, with three paragraphs: optional openings, sentences that carry the
//! meaning, optional endings. Each line is one choice, and `-` chooses nothing. `{place}` `{color}` `{other}` are a part
//! of the canvas and two colours at work, `{x}` `{y}` the next stroke, `{percent}` `{left}` the state of the share,
//! `{name}` the agent that is addressed.

use rand::{
    rngs::StdRng,
    seq::{IndexedRandom, IteratorRandom},
};

use crate::wire::Rect;

const EMOJI: [&str; 16] =
    ["🔥", "👍", "❤️", "🎨", "👀", "🙌", "✨", "🌊", "🦀", "🌙", "😄", "👏", "🤝", "💡", "🖌️", "💙"];

const PLACES: [[&str; 3]; 3] = [
    ["the top left corner", "the top strip", "the top right corner"],
    ["the left third", "the middle", "the right third"],
    ["the bottom left corner", "the bottom strip", "the bottom right corner"],
];

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
        let mut line = String::new();
        for _ in 0..9 {
            line = compose(topic.phrases(), scene, rng);
            if fold(&line) != self.last {
                break;
            }
        }
        self.last = fold(&line);
        line
    }
}

impl Topic {
    fn phrases(self) -> &'static str {
        match self {
            Topic::Intent => include_str!("../assets/phrases/intent.txt"),
            Topic::Ask => include_str!("../assets/phrases/ask.txt"),
            Topic::Progress => include_str!("../assets/phrases/progress.txt"),
            Topic::Musing => include_str!("../assets/phrases/musing.txt"),
            Topic::Thanks => include_str!("../assets/phrases/thanks.txt"),
            Topic::Welcome => include_str!("../assets/phrases/welcome.txt"),
            Topic::Answer => include_str!("../assets/phrases/answer.txt"),
            Topic::Nod => include_str!("../assets/phrases/nod.txt"),
        }
    }
}

pub fn emoji(rng: &mut StdRng) -> &'static str {
    EMOJI.choose(rng).copied().unwrap_or("👍")
}

/// The ninth of the canvas in which a region has its middle.
pub fn place(region: Rect, width: u32, height: u32) -> &'static str {
    let third = |low: u32, high: u32, size: u32| ((low + high) * 3 / (2 * size.max(1))).min(2) as usize;
    let (row, column) = (third(region.y1, region.y2, height), third(region.x1, region.x2, width));
    PLACES.get(row).and_then(|places| places.get(column)).copied().unwrap_or("the canvas")
}

fn compose(phrases: &str, scene: &Scene, rng: &mut StdRng) -> String {
    let chosen = phrases.split("\n\n").filter_map(|paragraph| paragraph.lines().choose(rng));
    let parts = chosen.filter(|part| *part != "-" && (scene.name.is_some() || !part.contains("{name}")));
    capitalised(&parts.map(|part| fill(part, scene)).collect::<Vec<_>>().join(" "))
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
    fn never_repeats_a_phrase_and_stays_short() {
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
    fn skips_name_parts_without_a_name() {
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
    fn canvas_is_named_in_ninths() {
        let rect = |x1, y1, x2, y2| Rect { x1, y1, x2, y2 };
        assert_eq!(place(rect(0, 0, 10, 10), 128, 128), "the top left corner");
        assert_eq!(place(rect(50, 50, 80, 80), 128, 128), "the middle");
        assert_eq!(place(rect(127, 127, 127, 127), 128, 128), "the bottom right corner");
    }
}
