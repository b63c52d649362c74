//! What the neighbours say: parts of sentences, put together by `voice`.
//!
//! `{place}` `{color}` `{other}` are a part of the canvas and two colours at work, `{x}` `{y}` the next
//! stroke, `{percent}` `{left}` the state of the share, `{name}` somebody addressed.

/// An optional opening, one sentence that carries the meaning, an optional ending.
pub struct Phrases {
    pub openings: &'static [&'static str],
    pub bodies: &'static [&'static str],
    pub endings: &'static [&'static str],
}

pub const INTENT: Phrases = Phrases {
    openings: &[
        "",
        "",
        "Hello all.",
        "Next for me:",
        "Plan:",
        "Heads up.",
        "Morning, neighbours.",
        "Fresh brush.",
    ],
    bodies: &[
        "I'm taking {place}, starting at {x},{y} in {color}.",
        "Working on {place} with {color} and {other}.",
        "Laying down {color} around {x},{y}.",
        "I'll carry {color} across {place} now.",
        "{place} needs {color}, so that is where I'll be.",
        "Going over {place}: {color} first, {other} after.",
        "The {color} patch near {x},{y} is mine for a while.",
        "About {left} pixels to go in {place}, mostly {color}.",
    ],
    endings: &[
        "",
        "",
        "",
        "Shout if I'm in your way.",
        "Region attached.",
        "Please keep the edge free.",
        "Join in if you have {other} to spare.",
        "Back with news soon.",
    ],
};

pub const ASK: Phrases = Phrases {
    openings: &["", "", "Question:", "Quick one.", "{name},", "Anyone around?"],
    bodies: &[
        "Does {color} next to {other} look right to you in {place}?",
        "Who has the strip beside {x},{y}?",
        "Should {place} be darker, or is {color} enough?",
        "Is somebody already working on {place}?",
        "Where does your part end, is it near {x},{y}?",
        "Would you leave {x},{y} in {color}, or soften it with {other}?",
        "Can anybody spare a few charges for {place}?",
        "What are you making over there?",
    ],
    endings: &[
        "",
        "",
        "",
        "No hurry.",
        "I have {left} pixels left here.",
        "I'd rather ask than paint over it.",
    ],
};

pub const PROGRESS: Phrases = Phrases {
    openings: &["", "", "", "Update:", "Small report:", "So far so good."],
    bodies: &[
        "{percent} % of my share stands, {left} pixels left.",
        "The {color} in {place} is nearly closed.",
        "Reached {x},{y}, still in {color}.",
        "{place} is coming along, {percent} % by my count.",
        "Out of {color} soon, {other} comes next.",
        "Only {left} more and {place} is whole.",
        "The seam at {x},{y} fits at last.",
        "Slow and steady in {place}: {percent} %.",
    ],
    endings: &[
        "",
        "",
        "",
        "Onwards.",
        "Waiting for charges.",
        "The picture shows from far away now.",
        "Lovely to watch it grow.",
    ],
};

pub const MUSING: Phrases = Phrases {
    openings: &["", "", "", "Hm.", "Funny:", "Thinking aloud:"],
    bodies: &[
        "{color} looks different every time its neighbour changes.",
        "A single {other} pixel can hold a whole corner together.",
        "I could look at {place} all day.",
        "From {x},{y} the whole canvas looks like one big breath.",
        "Nobody owns a pixel, we only mind it for a while.",
        "{place} was blank a moment ago.",
        "Sixteen colours turn out to be plenty.",
        "I like how {color} fades into {other} around here.",
    ],
    endings: &["", "", "", "Anyway, back to work.", "Carry on.", "That's all."],
};

pub const THANKS: Phrases = Phrases {
    openings: &["", "", "{name},", "{name}!", "Dear {name},"],
    bodies: &[
        "thank you for leaving room at {x},{y}.",
        "your part next to {place} is beautiful.",
        "thanks, that helps me with {place}.",
        "nice work, the {color} really carries.",
        "I saw you paint, that was quick.",
        "your edge meets mine exactly, thank you.",
    ],
    endings: &["", "", "", "I owe you some {color}.", "On we go.", "{percent} % done on my side."],
};

pub const WELCOME: Phrases = Phrases {
    openings: &["", "{name},", "{name}:", "Noted, {name}:", "Good plan, {name}:"],
    bodies: &[
        "I'll stay out of there.",
        "go ahead, I'm in {place}.",
        "that goes well with the {color} I'm laying.",
        "I end at {x},{y}, so we meet in the middle.",
        "take what you need, I keep to {color}.",
        "looking forward to that.",
    ],
    endings: &["", "", "", "Tell me when you're done.", "Have fun.", "{left} to go here."],
};

pub const ANSWER: Phrases = Phrases {
    openings: &["", "{name},", "{name}:", "To your question, {name}:"],
    bodies: &[
        "I'd keep {color}, it reads well from afar.",
        "not me, I'm over in {place}.",
        "yes, with a touch of {other}.",
        "I think {other} is safer there.",
        "my part ends around {x},{y}.",
        "I can help when my next charges are in.",
        "let's leave it for now and look again later.",
    ],
    endings: &["", "", "", "Just my view.", "Others may see it differently.", "Happy to change it."],
};

pub const NOD: Phrases = Phrases {
    openings: &["", "{name},", "{name}:", "Ha, {name},"],
    bodies: &[
        "same here, {percent} % and counting.",
        "I noticed that too.",
        "well put.",
        "it shows, even from {place}.",
        "then let's finish this together.",
        "I'm right behind you with {color}.",
    ],
    endings: &["", "", "", "See you at {x},{y}.", "Keep going.", "{left} left for me."],
};

pub const EMOJI: [&str; 16] =
    ["🔥", "👍", "❤️", "🎨", "👀", "🙌", "✨", "🌊", "🦀", "🌙", "😄", "👏", "🤝", "💡", "🖌️", "💙"];

pub const PLACES: [[&str; 3]; 3] = [
    ["the top left corner", "the top strip", "the top right corner"],
    ["the left third", "the middle", "the right third"],
    ["the bottom left corner", "the bottom strip", "the bottom right corner"],
];
