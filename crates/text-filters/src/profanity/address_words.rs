//! English words around insults that address someone.

/// Words after which an insult may follow, but not a name.
pub(super) const WORDS_BEFORE_INSULTS: [&str; 27] = [
    "a", "an", "you", "u", "ya", "your", "ur", "such", "what", "these", "those", "this", "fucking", "stupid",
    "dumb", "little", "big", "total", "absolute", "complete", "fat", "ugly", "old", "dirty", "filthy",
    "lazy", "damn",
];
/// Words that address someone.
pub(super) const ADDRESS_WORDS: [&str; 11] =
    ["you", "u", "ya", "yall", "hey", "oi", "listen", "youre", "ur", "your", "yer"];
/// Words that address someone and include a verb or possessive, after which an article may follow.
pub(super) const ADDRESS_WITH_VERB: [&str; 8] = ["youre", "ur", "your", "yer", "are", "r", "re", "such"];
pub(super) const ARTICLES: [&str; 2] = ["a", "an"];
/// Words that may be between the address and the insult.
pub(super) const INSULT_FILLERS: [&str; 31] = [
    "are",
    "r",
    "re",
    "is",
    "a",
    "an",
    "such",
    "so",
    "all",
    "just",
    "really",
    "fucking",
    "f******",
    "stupid",
    "dumb",
    "little",
    "total",
    "absolute",
    "complete",
    "big",
    "fat",
    "ugly",
    "old",
    "utter",
    "bloody",
    "pathetic",
    "worthless",
    "nothing",
    "but",
    "lazy",
    "filthy",
];
/// Maximum number of words between the address and the insult.
pub(super) const MAX_FILLER_WORDS: usize = 5;
/// Words that may follow an insult.
pub(super) const STATEMENT_CONTINUATIONS: [&str; 24] = [
    "and",
    "but",
    "who",
    "that",
    "for",
    "of",
    "lol",
    "lmao",
    "bro",
    "man",
    "mate",
    "get",
    "stop",
    "go",
    "leave",
    "i",
    "you",
    "haha",
    "shut",
    "at",
    "if",
    "because",
    "seriously",
    "honestly",
];
