//! The next step of an answer: a call of a tool, or the text.

use regex::Regex;
use serde_json::{Value, json};

use crate::answers;
use crate::pictures::Picture;
use crate::question::Question;

/// Words of questions that say nothing about what is asked for.
const FILLING_WORDS: [&str; 33] = [
    "who", "what", "where", "when", "why", "how", "the", "and", "are", "was", "were", "has", "have", "does",
    "did", "paints", "painted", "paint", "painting", "made", "makes", "drew", "draws", "about", "this",
    "that", "there", "tell", "show", "for", "with", "can", "you",
];

/// The edge of a canvas whose size is unknown.
const USUAL_EDGE: usize = 64;

/// A step of an answer.
pub(crate) enum Step {
    Call { opening: &'static str, tool: &'static str, arguments: Value },
    Answer(String),
}

/// The subject of a question.
enum Topic {
    Happened,
    Joining,
    Proposal,
    /// The place that the visitor looks at.
    Here,
    /// These words.
    Other(String),
}

/// Chooses the next step.
pub(crate) fn next_step(question: &Question) -> Step {
    let topic = Topic::of(&question.text);
    let call = if question.can_call_tools { next_call(&topic, question) } else { None };
    call.unwrap_or_else(|| Step::Answer(answer(&topic, question)))
}

impl Topic {
    fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        let words: Vec<_> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let sentence = format!(" {} ", words.join(" "));
        let has = |phrases: &[&str]| phrases.iter().any(|phrase| sentence.contains(&format!(" {phrase} ")));
        if has(&["propose", "draft", "suggest", "plan for", "plan of"]) {
            Self::Proposal
        } else if has(&["my agent", "my own agent", "join", "take part", "bring"]) {
            Self::Joining
        } else if has(&["happened", "happens", "happening", "last night", "today", "yesterday", "going on"]) {
            Self::Happened
        } else if has(&["here", "this pixel", "this place", "looking at", "look at", "selected"]) {
            Self::Here
        } else {
            Self::Other(search_words(&words))
        }
    }
}

/// Returns the words to search for, of which the longest say the most.
fn search_words(words: &[&str]) -> String {
    let says_something = |word: &&&str| word.len() > 2 && !FILLING_WORDS.contains(*word);
    let mut words: Vec<_> = words.iter().filter(says_something).copied().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.truncate(2);
    if words.is_empty() { "canvas".to_owned() } else { words.join(" ") }
}

fn next_call(topic: &Topic, question: &Question) -> Option<Step> {
    let last = question.findings.last();
    let (opening, tool, arguments) = match (topic, question.findings.len()) {
        (Topic::Happened, 0) => ("Let me look at the last day.", "timeline", json!({})),
        (Topic::Here, 0) => ("Let me see what you look at.", "context", json!({})),
        (Topic::Other(words), 0) => {
            ("I'll search for that.", "search", json!({"q": words, "in": "plans,agents,chat", "limit": 5}))
        }
        (Topic::Other(_), 1) => ("", "read", read_arguments(&last?.text)?),
        (Topic::Proposal, 0) => ("First I look at the canvas.", "read", json!({"kind": "moment"})),
        (Topic::Proposal, 1) => ("", "propose", proposal(question)),
        _ => return None,
    };
    Some(Step::Call { opening, tool, arguments })
}

/// Returns the arguments that read the first thing with an id in a result.
fn read_arguments(found: &str) -> Option<Value> {
    let id = Regex::new(r"\b(msg|agent|plan|crew)_[0-9A-Za-z]+").ok()?.captures(found)?;
    let kind = if &id[1] == "msg" { "message" } else { &id[1] };
    Some(json!({"kind": kind, "id": &id[0]}))
}

/// Returns the arguments that draft a plan.
fn proposal(Question { introduction, text, .. }: &Question) -> Value {
    let size = Regex::new(r"(\d+) wide and (\d+) high").ok().and_then(|size| size.captures(introduction));
    let edge =
        |index: usize| size.as_ref().and_then(|size| size[index].parse::<usize>().ok()).unwrap_or(USUAL_EDGE);
    let picture = Picture::named_in(text);
    let (x, y) = picture.place_in(&text.to_lowercase(), edge(1), edge(2));
    let note = "Drafted by the guide for a visitor.";
    let change = json!({"title": picture.title, "x": x, "y": y, "rows": picture.rows, "note": note});
    json!({"kind": "plan", "change": change})
}

fn answer(topic: &Topic, question: &Question) -> String {
    match (topic, question.findings.last()) {
        (Topic::Joining, _) => answers::joining(),
        (_, None) => answers::without_tools(),
        (_, Some(failed)) if failed.is_error => answers::failed(&failed.text),
        (Topic::Proposal, Some(draft)) => answers::drafted(&draft.arguments),
        (Topic::Happened, Some(timeline)) => answers::happened(&timeline.text),
        (Topic::Here, Some(context)) => answers::found("This is what you look at.", &context.text),
        (Topic::Other(words), Some(found)) => answers::found(&format!("About **{words}**:"), &found.text),
    }
}
