//! Disguises that are drawn from many signs and spellings, so that each seed gives others.

use rand::RngExt as _;
use rand::rngs::StdRng;

use crate::disguise::{Disguise, join_chars};
use crate::random_tokens::choose;

pub const WIDE_DISGUISES: [(&str, Disguise); 12] = [
    ("leet", to_wide_leet),
    ("leet and case", |word, rng| to_random_case(&to_wide_leet(word, rng), rng)),
    ("by ear", to_spelling_by_ear),
    ("by ear and leet", |word, rng| replace_letters(&to_spelling_by_ear(word, rng), rng, 0.2, &DIGITS)),
    ("separated", separate_letters),
    ("starred", star_letters),
    ("stretched", stretch_letters),
    ("stretched and leet", |word, rng| replace_letters(&stretch_letters(word, rng), rng, 0.3, &DIGITS)),
    ("decorated", to_decorated_alphabet),
    ("look-alikes", to_mixed_look_alikes),
    ("marks", add_random_marks),
    ("framed", add_frame),
];

/// Letters with the digits that stand for them.
const DIGITS: [(char, &str); 9] = [
    ('a', "4"),
    ('b', "8"),
    ('e', "3"),
    ('g', "9"),
    ('i', "1"),
    ('l', "1"),
    ('o', "0"),
    ('s', "5"),
    ('t', "7"),
];
/// Letters with the digits and signs that stand for them.
const SIGNS: [(char, &str); 11] = [
    ('a', "4@"),
    ('b', "8"),
    ('c', "("),
    ('e', "3"),
    ('g', "96"),
    ('i', "1!|"),
    ('l', "1|"),
    ('o', "0"),
    ('s', "5$"),
    ('t', "7+"),
    ('u', "v"),
];
const LOOK_ALIKES: [(char, &str); 14] = [
    ('a', "аαɑᴀａ"),
    ('b', "ЬƅᏏｂ"),
    ('c', "сϲᴄｃ"),
    ('d', "ԁᏧｄ"),
    ('e', "еєεｅ"),
    ('h', "һհｈ"),
    ('i', "іιıｉ"),
    ('k', "кκᴋｋ"),
    ('n', "ոηｎ"),
    ('o', "оοօｏ"),
    ('p', "рρｐ"),
    ('s', "ѕꜱｓ"),
    ('t', "тτｔ"),
    ('u', "υսᴜｕ"),
];
/// The small letters from a to z in alphabets that programs for decorated texts offer.
const ALPHABETS: [&str; 10] = [
    "卂乃匚ᗪ乇千Ꮆ卄丨ﾌҜㄥ爪几ㄖ卩Ɋ尺丂ㄒㄩᐯ山乂ㄚ乙",
    "ᗩᗷᑕᗪEᖴGᕼIᒍKᒪᗰᑎOᑭᑫᖇᔕTᑌᐯᗯ᙭Yᘔ",
    "ᏗᏰፈᎴᏋᎦᎶᏂᎥᏠᏦᏝᎷᏁᎧᎮᎤᏒᏕᏖᏬᏉᏇጀᎩፚ",
    "αвς∂єƒgнιנкℓмησρqяѕтυνωχуz",
    "ǟɮƈɖɛʄɢɦɨʝӄʟʍռօքզʀֆȶʊʋաӼʏʐ",
    "ₐbcdₑfgₕᵢⱼₖₗₘₙₒₚqᵣₛₜᵤᵥwₓyz",
    "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡxʏᴢ",
    "₳฿₵ĐɆ₣₲ⱧłJ₭Ⱡ₥₦Ø₱QⱤ₴₮ɄV₩ӾɎⱫ",
    "ꍏꌃꉓꀸꍟꎇꁅꃅꀤꀭꀘ꒒ꂵꈤꂦꉣꆰꋪꌗ꓄ꀎᐯꅏꊼꌩꁴ",
    "αβcδεfgηικκλμnοπqrστυvωxγz",
];
/// Groups of letters, with letters that sound like them.
const SOUNDS: [(&str, &[&str]); 10] = [
    ("ck", &["k", "kk", "q"]),
    ("ss", &["zz", "z", "s"]),
    ("gg", &["g"]),
    ("ph", &["f"]),
    ("f", &["ph"]),
    ("er", &["a", "ah", "ur", "r"]),
    ("ea", &["e"]),
    ("i", &["y"]),
    ("c", &["k"]),
    ("s", &["z"]),
];

/// Replaces some letters, at least one if any can be.
fn replace_letters(word: &str, rng: &mut StdRng, share: f64, signs: &[(char, &str)]) -> String {
    let find = |c: char| signs.iter().find(|(letter, _)| *letter == c).map(|(_, signs)| *signs);
    let places: Vec<usize> =
        word.char_indices().filter(|(_, c)| find(*c).is_some()).map(|(at, _)| at).collect();
    let always = if places.is_empty() { 0 } else { choose(rng, &places) };
    let mut replaced = String::new();
    for (at, c) in word.char_indices() {
        let signs = find(c).filter(|_| at == always || rng.random_bool(share));
        replaced.push(signs.map_or(c, |signs| choose(rng, &signs.chars().collect::<Vec<_>>())));
    }
    replaced
}

fn to_wide_leet(word: &str, rng: &mut StdRng) -> String {
    let (share, signs) =
        choose(rng, &[(0.2, &SIGNS[..]), (0.5, &SIGNS[..]), (0.5, &DIGITS[..]), (0.9, &DIGITS[..])]);
    replace_letters(word, rng, share, signs)
}

fn to_random_case(word: &str, rng: &mut StdRng) -> String {
    word.chars().map(|c| if rng.random_bool(0.5) { c.to_ascii_uppercase() } else { c }).collect()
}

fn to_spelling_by_ear(word: &str, rng: &mut StdRng) -> String {
    let is_ch = |group: &str| group == "c" && word.contains("ch");
    let found: Vec<_> = SOUNDS.iter().filter(|(group, _)| word.contains(group) && !is_ch(group)).collect();
    if found.is_empty() {
        return replace_letters(word, rng, 0.3, &DIGITS);
    }
    let (group, sounds) = choose(rng, &found);
    word.replacen(group, choose(rng, sounds), 1)
}

fn separate_letters(word: &str, rng: &mut StdRng) -> String {
    let separator =
        choose(rng, &[" ", ".", "-", "_", "*", "~", "·", "  ", ". ", "..", "|", "'", "\u{200b}", "\u{200c}"]);
    join_chars(word, separator)
}

/// Replaces one or two inner letters by stars, in longer words only.
fn star_letters(word: &str, rng: &mut StdRng) -> String {
    let count = if word.len() > 4 { rng.random_range(1..3) } else { 1 };
    let vowel = word.char_indices().skip(1).find(|(_, c)| "aeiou".contains(*c)).map_or(1, |(at, _)| at);
    let sign = choose(rng, &['*', '*', '#', '-']);
    let count = if sign == '*' { count } else { 1 };
    let is_hidden = |at: usize| (vowel..vowel + count).contains(&at) && at + 1 < word.len();
    word.char_indices().map(|(at, c)| if is_hidden(at) && c != ' ' { sign } else { c }).collect()
}

fn stretch_letters(word: &str, rng: &mut StdRng) -> String {
    let share = choose(rng, &[0.3, 0.6]);
    let mut stretch = |c: char| if c != ' ' && rng.random_bool(share) { rng.random_range(2..6) } else { 1 };
    let counts: Vec<usize> = word.chars().map(&mut stretch).collect();
    word.chars().zip(counts).flat_map(|(c, count)| std::iter::repeat_n(c, count)).collect()
}

fn to_decorated_alphabet(word: &str, rng: &mut StdRng) -> String {
    let alphabet: Vec<char> = choose(rng, &ALPHABETS).chars().collect();
    word.chars()
        .map(|c| if c.is_ascii_lowercase() { alphabet[usize::from(c as u8 - b'a')] } else { c })
        .collect()
}

fn to_mixed_look_alikes(word: &str, rng: &mut StdRng) -> String {
    replace_letters(word, rng, 0.5, &LOOK_ALIKES)
}

fn add_random_marks(word: &str, rng: &mut StdRng) -> String {
    let mut marked = String::new();
    for c in word.chars() {
        marked.push(c);
        let marks = if c == ' ' { 0 } else { rng.random_range(0..3) };
        marked.extend((0..marks).map(|_| choose_mark(rng)));
    }
    marked
}

fn choose_mark(rng: &mut StdRng) -> char {
    choose(rng, &['\u{301}', '\u{308}', '\u{327}', '\u{335}', '\u{32f}', '\u{34f}'])
}

fn add_frame(word: &str, rng: &mut StdRng) -> String {
    let (before, after) = choose(
        rng,
        &[("xx_", "_xx"), ("**", "**"), ("_", "_"), ("", "69"), ("", "1"), ("#", ""), ("~", "~")],
    );
    let word = if rng.random_bool(0.5) { to_random_case(word, rng) } else { word.to_owned() };
    format!("{before}⟦{word}⟧{after}")
}
