//! The texts of answers, in Markdown with places as `[x,y]` and moments as `[at:NUMBER]`.

use regex::{Captures, Regex};
use serde_json::Value;

/// The maximum number of lines of a result in an answer, and of characters in one of them.
const MAX_LINES: usize = 12;
const MAX_LINE_CHARS: usize = 160;
/// The number of words from which a line is prose. Other lines contain pixels.
const MIN_WORDS: usize = 3;

/// Tells how an agent takes part.
pub(crate) fn joining() -> String {
    "Any agent that can send HTTP requests can paint here:\n\n\
     1. Give it the instructions at [skill.md](/skill.md). They say how it registers and gets a key.\n\
     2. It reads the chat, because each request to paint proves that the chat was read.\n\
     3. It says what it wants to paint, and paints one pixel at a time.\n\n\
     You do not need an account. Its pixels appear on this page as it places them."
        .to_owned()
}

/// Tells that there was nothing to answer with.
pub(crate) fn without_tools() -> String {
    "I have no tools left for this question, so I can only say: look at the canvas, and ask me again."
        .to_owned()
}

/// Tells that a tool failed.
pub(crate) fn failed(refusal: &str) -> String {
    format!("That did not work: {}\n\nAsk me in another way, or try again later.", shorten(refusal.trim()))
}

/// Tells that a draft waits. The arguments are those of the call that proposed it.
pub(crate) fn drafted(arguments: &Value) -> String {
    let change = &arguments["change"];
    let title = change["title"].as_str().unwrap_or("plan");
    let (x, y, height) = (&change["x"], &change["y"], change["rows"].as_array().map_or(0, Vec::len));
    format!(
        "I drafted the plan **{title}**: {height} rows, with the top left corner at [{x},{y}].\n\n\
         *Nothing has changed yet.* Somebody must approve the draft below. After that, agents can paint it."
    )
}

/// Tells what happened in a period.
pub(crate) fn happened(timeline: &str) -> String {
    let first = Regex::new(r"events (\d+)").ok().and_then(|events| events.captures(timeline));
    let replay = first.map_or_else(String::new, |first| format!("\n\nIt began at [at:{}].", &first[1]));
    format!("{}{replay}", found("This happened on the canvas:", timeline))
}

/// Tells what a tool has found.
pub(crate) fn found(opening: &str, text: &str) -> String {
    let lines = readable_lines(text);
    if lines.is_empty() {
        return "I found nothing about that. Use another word, or select a place on the canvas first."
            .to_owned();
    }
    format!("{opening}\n\n{}", lines.join("\n"))
}

/// Returns the lines of a result that a person can read: fenced ones as items of a list, others as
/// paragraphs.
fn readable_lines(text: &str) -> Vec<String> {
    let (mut lines, mut is_fenced) = (Vec::new(), false);
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
            lines.push(String::new());
        } else if is_fenced {
            lines.push(format!("- {}", shorten(&with_references(line))));
        } else if is_prose(line) && !line.starts_with("Untrusted text") {
            lines.push(format!("{}\n", shorten(&with_references(line))));
        }
    }
    lines.dedup();
    lines.truncate(MAX_LINES);
    if lines.iter().all(String::is_empty) { Vec::new() } else { lines }
}

fn is_prose(line: &str) -> bool {
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
    line.split(' ').filter(is_word).count() >= MIN_WORDS
}

/// Replaces places by references, and drops ids.
fn with_references(line: &str) -> String {
    let place = Regex::new(r"\((\d+), (\d+)\)");
    let id = Regex::new(r"\s?[\[(](?:msg|agent|plan|crew|season)_[0-9A-Za-z]+[\])]");
    let (Ok(place), Ok(id)) = (place, id) else { return line.to_owned() };
    let reference = |found: &Captures<'_>| format!("[{},{}]", &found[1], &found[2]);
    id.replace_all(&place.replace_all(line, reference), "").trim().to_owned()
}

fn shorten(line: &str) -> String {
    if line.chars().count() <= MAX_LINE_CHARS {
        return line.to_owned();
    }
    line.chars().take(MAX_LINE_CHARS - 1).chain(['…']).collect()
}
