//! Letters and signs that look like Latin letters.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_security::skeleton;

/// Small letters of other alphabets, each followed by the Latin letter that it resembles.
const PAIRS: &str = "\
    аaбbвbгrдdеeзzиuіiїiјjкkлlмmнhоoпnрpсcтtуyхxцuшwщwьbѕsһhԁdԛqԝwαaβbγyεeηnθoιiκkμuνvοoπnρpσoςsτtυu\
    φoχxωwϲcոnօoսuһhցgհhɑaɡgıiʟlʀrøoðdłlđdħhŧtƒfßsæaœoɓbɗdɠgɩiƙkʋuᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkᴍmɴnᴏoᴘpꜱsᴛt\
    ᴜuᴠvᴡwʏyᴢz";

/// Latin letters with the characters that stand for them in decorated alphabets: Greek, strokes of Chinese
/// characters, syllabaries, currency signs and others. Some stand for several.
const DECORATED: [(char, &str); 26] = [
    ('a', "卂ᗩᐃꭺꮧคλ₳ꪖꍏꋫꁲɐꓮⲁムᚣд亼人"),
    ('b', "ꮟƅ乃ᗷᗸᏼᏸ๒ɮც฿᥇ꌃꃃꋰꓐⲃßზᛒ目日ㅂ"),
    ('c', "匚ᑕᑢꮯፈςᄃƈҽ₵ᥴꉓꏸꀯɔꓚⲥㄈ匸ღ᛫中亡ㄷ"),
    ('d', "ꮷᗪᗞᑯꭰꮄ∂๔ɖᦔꀸꁕꂠꓓりძᛞδ"),
    ('e', "乇ᗴꭼꮛєσɛɇꫀꍟꈼǝꓰⲉモヨეᛖξ㇡㇌巨彐巳"),
    ('f', "千ᖴᖵꭶŧʄ₣ᠻꎇꄘꄞɟꓝϥ下キチჶᚠғφ"),
    ('g', "ꮆᘜꮐςو₲ᧁꁅꁍƃꓖムᄒგᚷγ"),
    ('h', "卄ᕼꮋꮒηђɦɧⱨꫝꃅꑛꍩɥꓧϩん工サჰᚺ卜廾升"),
    ('i', "丨ᓿꭵเɨł꠸ꀤꂑᴉꓲⲓエ工იᛁ㇑ㅣㅡ"),
    ('j', "フᒍᒎꭻꮰנןʝ꠹ꀭ꒻ɾꓙϳᄌしᛃ丿亅"),
    ('k', "ҝᐸꮶӄ₭ᛕꀘꀗʞꓗⲕᄏス片კᚲқ长ㅏ"),
    ('l', "ㄥᒪᒶꮮꮭλᄂɩⱡꪶ꒒ꓡレ乚ლᛚ㇑㇄㇗㇟㇂ㄴ乁ㄟ"),
    ('m', "爪ᗰᘻꮇ๓ʍɱ₥ꪑꂵꁒɯꓟⲙ州从μოᛗㄇ"),
    ('n', "几ᑎᘉꮑνภռŋ₦ꪀꈤꁹꋊꓠⲛれ刀иჩᚾ冂冗凡"),
    ('o', "ㄖᗝꭷω๏өꪮꂦꆂꓳⲟのロ口回ᛟ㇣〇囗囬田ㅇㅁㅎ"),
    ('p', "卩ᑭᕵꮲꭾקք℘₱ꉣꓑⲣア甲尸þᛈπ"),
    ('q', "ɋᑫᕴꭴωզყꪇꆰꁸꁷ甲口"),
    ('r', "尺ᖇꭱꮢρяཞɽ᥅ꋪ꒓ꌅɹꓣⲅᄆ民ʁᚱ厂"),
    ('s', "丂ᔕꮪꮥσรƨֆʂ₴ᦓꌗꌚꓢⲋ五らᛊ㇞己弓ㅅ"),
    ('t', "ㄒᒣꭲꮦȶɬ₮ꪻ꓄꓅ꋖʇꓔⲧイ七ナ†თᛏ丁十丅丆干ㅜㅗ"),
    ('u', "ㄩᑌᕰꮜꮼยʊʉꪊꀎꐇꓴⲩᄇひ凵ᚢ"),
    ('v', "ㄥᐯᐺꮩꮙשʋ۷ꪜꏝꀰʌꓦⲃ"),
    ('w', "山ᗯᘺꮤꮗฬʍա₩᭙ꅏꅐꓪⲱᄍ屮ᚹ"),
    ('x', "乂᙭ጀץӽҳӿ᥊ꊼꇓꇒꓫⲭメ㐅ჯᛉㄨ义"),
    ('y', "ㄚᖻꭹυאყɏꪗꌩꐟꐞʎꓬⲩᅣリ丫ψ"),
    ('z', "乙ᘔꮓፚʐʑⱬɀꁴꓜⲍᄎ之ᛇζ㇅㇠"),
];

static PAIRED: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let letters: Vec<char> = PAIRS.chars().collect();
    letters.chunks_exact(2).rev().map(|pair| (pair[0], pair[1])).collect()
});

static LETTERS_BY_DECORATED: LazyLock<HashMap<char, Vec<char>>> = LazyLock::new(|| {
    let mut letters: HashMap<char, Vec<char>> = HashMap::new();
    for (letter, decorated) in DECORATED {
        decorated.chars().for_each(|c| letters.entry(c).or_default().push(letter));
    }
    letters
});

/// Returns the Latin letter that a small letter resembles, or the letter itself.
pub(crate) fn latin_look_alike(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    if let Some(&letter) = PAIRED.get(&c) {
        return letter;
    }
    let mut buffer = [0; 4];
    let mut skeleton_letters = skeleton(c.encode_utf8(&mut buffer)).map(|c| c.to_ascii_lowercase()).fuse();
    let first = skeleton_letters.next();
    let second = skeleton_letters.next();
    match (enclosed_letter(c), first, second) {
        (Some(letter), _, _) => letter,
        (None, Some(letter), None) if letter.is_ascii_lowercase() => letter,
        _ => c,
    }
}

/// Returns the Latin letters as which a small letter may be read, the most likely first. A letter that
/// resembles none is only itself.
pub(super) fn letters_of_look_alike(c: char) -> [Option<char>; 3] {
    let first = latin_look_alike(c);
    let decorated = LETTERS_BY_DECORATED.get(&c).map_or(&[][..], Vec::as_slice);
    let mut others = decorated.iter().copied().filter(|&letter| letter != first);
    [Some(first), others.next(), others.next()]
}

/// Returns true for characters that are read as letters: in circles, boxes, flags and decorated alphabets.
pub(super) fn is_look_alike(c: char) -> bool {
    enclosed_letter(c).is_some() || LETTERS_BY_DECORATED.contains_key(&c)
}

fn enclosed_letter(c: char) -> Option<char> {
    let alphabet_start =
        [0x1f150, 0x1f170, 0x1f1e6].into_iter().find(|&first| (first..first + 26).contains(&u32::from(c)))?;
    char::from_u32(u32::from('a') + u32::from(c) - alphabet_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_other_alphabets_resemble_latin_ones() {
        for (c, letter) in
            [('а', 'a'), ('η', 'n'), ('ᴀ', 'a'), ('ł', 'l'), ('🅵', 'f'), ('я', 'я'), ('a', 'a')]
        {
            assert_eq!(latin_look_alike(c), letter, "{c}");
        }
        for (c, letter) in
            [('千', 'f'), ('匚', 'c'), ('η', 'h'), ('ᖴ', 'f'), ('ꮮ', 'l'), ('㇄', 'l'), ('₳', 'a')]
        {
            assert!(letters_of_look_alike(c).contains(&Some(letter)), "{c}");
            assert!(c.is_alphabetic() || is_look_alike(c), "{c}");
        }
    }
}
