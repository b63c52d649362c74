//! Tests of the texts that are accepted as names, and of names that count as the same.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use text_filters::profanity::WordList;

use super::*;

static CHECKER: LazyLock<NameChecker> = LazyLock::new(|| NameChecker::new(&WordList::default()));

fn parse(raw: &str) -> Result<AgentName, NameRefusal> {
    AgentName::parse(raw, &CHECKER)
}

fn keys(raw: &str) -> (String, String) {
    let NameKeys { folded, skeleton } = parse(raw).unwrap().keys();
    (folded, skeleton)
}

#[test]
fn names_are_trimmed_and_composed() {
    for (raw, expected) in [
        ("  PixelCrab ", "PixelCrab"),
        ("ok", "ok"),
        ("a_b-c.d e", "a_b-c.d e"),
        ("Jose\u{301}", "José"),
        ("नमस्ते", "नमस्ते"),
        ("カニ", "カニ"),
        ("краб 7", "краб 7"),
        ("سرطان", "سرطان"),
    ] {
        assert_eq!(parse(raw).unwrap().as_str(), expected);
    }
}

#[test]
fn length_is_counted_in_characters() {
    assert_eq!(parse("a"), Err(NameRefusal::Length));
    assert_eq!(parse("  a  "), Err(NameRefusal::Length));
    assert!(parse(&"é".repeat(32)).is_ok());
    assert_eq!(parse(&"é".repeat(33)), Err(NameRefusal::Length));
}

#[test]
fn a_name_is_more_than_separators_marks_and_their_look_alikes() {
    for raw in ["--", "_ _", "...", "ःः", "٠٠", "۰۰"] {
        assert_eq!(parse(raw), Err(NameRefusal::OnlySigns), "{raw}");
    }
    assert!(parse("7.").is_ok());
}

#[test]
fn disallowed_characters_are_reported() {
    for c in [
        '!', '/', '<', '@', '🦀', '\u{200b}', '\u{202e}', '\n', '\u{a0}', '\u{3164}', 'Ⓐ', '\u{20dd}', '½',
        '’',
    ] {
        assert_eq!(parse(&format!("a{c}b")), Err(NameRefusal::Character(c)), "{c:?}");
    }
    assert_eq!(parse("x\u{338}\u{338}y"), Err(NameRefusal::Character('\u{338}')));
    // A mark of the same script, which encloses the letter before it.
    assert_eq!(parse("бог\u{488}"), Err(NameRefusal::Character('\u{488}')));
}

#[test]
fn a_decomposed_name_of_the_greatest_length_is_a_name() {
    assert_eq!(parse(&"e\u{301}".repeat(32)).unwrap().as_str(), "é".repeat(32));
}

#[test]
fn a_skeleton_is_the_same_in_other_scripts_and_not_for_other_names() {
    let skeleton = |raw| parse(raw).unwrap().skeleton();
    assert_eq!(skeleton("PixelCrab"), skeleton("РiхеlСrаb"));
    assert_ne!(skeleton("PixelCrab"), skeleton("Ada"));
}

#[test]
fn the_lookup_key_ignores_case_and_width() {
    assert_eq!(parse("Pixel Crab").unwrap().folded(), "pixel crab");
    assert_eq!(lookup_key("  ＰＩＸＥＬ   crab "), "pixel crab");
}

#[test]
fn a_quoted_name_cannot_end_its_quotation() {
    assert_eq!(quote("Pixel Crab"), "`Pixel Crab`");
    assert_eq!(quote("a`\nb"), "`ab`");
}

#[test]
fn names_that_look_alike_share_a_key() {
    let (folded, skeleton) = keys("PixelCrab");
    for raw in [
        "PIXELCRAB",
        "pixelcrab",
        "ＰｉｘｅｌＣｒａｂ",
        "PIXEL CRAB",
        "pixel_crab",
        "Pixel.Crab",
        "P-i-x-e-l Crab",
        "Pixélcrab",
        "PĨXELCRAB",
    ] {
        assert_eq!(keys(raw).0, folded, "{raw}");
    }
    for raw in [
        "PIXELCRAB",
        "pixeIcrab",
        "pixe1crab",
        "PIXEICRAB",
        "p1xe1crab",
        "plxelcrab",
        "Ріxelcrab",
        "ΡIXELCRAB",
        "ріхеlсrаb",
        "𝐏𝐢𝐱𝐞𝐥𝐂𝐫𝐚𝐛",
        "ＰｉｘｅｌＣｒａｂ",
        "PIXELСRАВ",
        "PIXEL CRAB",
        "pixe1.crab",
        "Pixélcrab",
        "PíxeIcrab",
        "Ріxеl_сráb",
    ] {
        assert_eq!(keys(raw).1, skeleton, "{raw}");
    }
    for (one, other) in [
        ("modem bot", "modern bot"),
        ("MODEM", "modern"),
        ("b0t", "BOT"),
        ("НЕLLO", "hello"),
        ("a  b", "A b"),
    ] {
        assert_eq!(keys(one).1, keys(other).1, "{one} {other}");
    }
}

#[test]
fn other_names_have_other_keys() {
    for (one, other) in [
        ("PixelCrab", "PixelCrabs"),
        ("crab_1", "crab_2"),
        ("crab", "crabs"),
        ("José", "Josef"),
        ("cat", "cut"),
    ] {
        let one = keys(one);
        let other = keys(other);
        assert!(one.0 != other.0 && one.1 != other.1);
    }
}

#[test]
fn reserved_names_are_refused_in_every_spelling() {
    for raw in reserved::BUILT_IN_WORDS.into_iter().chain([
        "SYSTEM",
        "Аdmin",
        "Аdmín",
        "ad min 1 2",
        "ad mins 1",
        "mode_rators_7",
        "ad.min-2.0",
        "s y s t e m",
        "_admin_",
        "admin.",
        "adm1n",
        "admln",
        "Ｏｐｅｒａｔｏｒ",
        "rnoderator",
        "hurnan",
        "Viewer",
        "Cara-Place",
        "The Admin",
        "admin2",
        "viewers",
        "CaraplaceOperator",
    ]) {
        assert_eq!(parse(raw), Err(NameRefusal::Reserved), "{raw}");
    }
    for raw in ["sysadmin", "humane", "Ecosystem", "Badminton", "Moderately Blue"] {
        assert!(parse(raw).is_ok(), "{raw}");
    }
}

#[test]
fn an_operators_reserved_words_are_refused() {
    let custom = NameChecker::new(&WordList::parse("=zorg\n+plop"));
    for raw in ["Zorg", "The Zorgs", "z.o.r.g"] {
        assert_eq!(AgentName::parse(raw, &custom), Err(NameRefusal::Reserved), "{raw}");
        assert!(parse(raw).is_ok(), "{raw}");
    }
    assert!(AgentName::parse("Zorgon", &custom).is_ok());
    assert_eq!(AgentName::parse("plop", &custom), Err(NameRefusal::Profane));
}

#[test]
fn hosts_links_and_tokens_are_refused_as_names() {
    for raw in ["evil.com", "Visit evil.com now", "www.example.org", "buy_evil.com", "EVIL.COM", "пример.рф"]
    {
        assert_eq!(parse(raw), Err(NameRefusal::Link), "{raw}");
    }
    for raw in
        ["127.0.0.1", "at 10.0.0.7", "127.0.0.1-x", "-127.0.0.1.", "１２７.０.０.１", "WWW.x", "ｗｗｗ.x"]
    {
        assert_eq!(parse(raw), Err(NameRefusal::Link), "{raw}");
    }
    assert_eq!(parse("AKIAQ3EGRZ7T4LHVKP2M"), Err(NameRefusal::Token));
    for raw in ["J. R. Crab", "crab.7", "v1.2.3", "1.2.3", "www", "Mr.Crab", "quokka.7", "a.b-c"] {
        assert!(parse(raw).is_ok(), "{raw}");
    }
}

#[test]
fn long_texts_are_refused_before_normalization() {
    for text in ["a", "\u{301}", "\u{200d}", " ", "क\u{93c}"] {
        assert_eq!(parse(&format!("x{}x", text.repeat(50_000))), Err(NameRefusal::Length));
    }
}

#[test]
fn profane_names_are_refused_and_numbers_are_not() {
    for raw in ["fuck", "FuckBot", "xx_sh1t_xx", "f u c k", "ａｓｓｈｏｌｅ"] {
        assert_eq!(parse(raw), Err(NameRefusal::Profane), "{raw}");
    }
    for raw in [
        "agent-455",
        "bot_a55",
        "a55",
        "Scunthorpe",
        "b00b5",
        "550e8400-e29b-41d4-a716",
        "deadbeef",
        "Hancock",
    ] {
        assert!(parse(raw).is_ok(), "{raw}");
    }
}

proptest! {
    #[test]
    fn case_never_makes_another_name(raw in "[A-Za-z0-9_. -]{2,32}") {
        if let (Ok(name), Ok(upper)) = (parse(&raw), parse(&raw.to_uppercase())) {
            prop_assert_eq!(name.folded(), upper.folded());
            prop_assert_eq!(name.keys(), upper.keys());
        }
    }

    #[test]
    fn separators_and_accents_never_make_another_name(
        letters in vec("[A-Za-z0-9]", 2..10), parts in vec("[ _.\\-\u{301}\u{327}]{0,2}", 10)
    ) {
        let plain = letters.concat();
        let join = |(letter, part): (&String, &String)| format!("{letter}{part}");
        let separated: String = letters.iter().zip(&parts).map(join).collect();
        prop_assert_eq!(NameKeys::from_name(&separated), NameKeys::from_name(&plain));
    }

    #[test]
    fn a_parsed_name_parses_again(raw in any::<String>()) {
        if let Ok(name) = parse(&raw) {
            prop_assert_eq!(parse(name.as_str()), Ok(name));
        }
    }
}
