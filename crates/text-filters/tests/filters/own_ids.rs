//! Random ids of this server in all contexts: no filter may change them, and keys beside them are still
//! removed.

use std::sync::LazyLock;

use rand::rngs::StdRng;
use text_filters::contacts;
use text_filters::ids::{ID_FORMS, IdForm};
use text_filters::links::{OwnOrigin, strip_foreign};
use text_filters::profanity::{ProfanityFilter, WordList};
use text_filters::redact::{KnownTokens, redact};

use crate::random_tokens::{random_token, seeded_rng};

const IDS_PER_FORM: usize = 2_000;
const LINKS_PER_FORM: usize = 400;
/// The places where ids are written.
const CONTEXTS: [&str; 16] = [
    "{}",
    "see {}.",
    "\"{}\"",
    "'{}',",
    "`{}`",
    "plan_id={}",
    "{\"plan_id\":\"{}\",\"x\":4}",
    "plan_id: {}",
    "?plan_id={}&x=4",
    "the key is {}",
    "token={}",
    "my secret plan: {}",
    "password: {}",
    "Authorization: Bearer {}",
    "https://own.example/plans/{}",
    "API_KEY=\"{}\"",
];
/// Addresses of pages of this server.
const PAGES: [&str; 8] = [
    "https://own.example/plans/{}",
    "see https://own.example/plans/{}/edit.",
    "(https://own.example/crews/{})",
    "https://own.example/messages/{} now",
    "https://own.example/plans?plan_id={}&x=4#top",
    "https://own.example/agents/{}, ok",
    "our plan: https://own.example/plans/{}/target.png",
    "https://own.example/api/chat?before={}",
];

static PROFANITY: LazyLock<ProfanityFilter> = LazyLock::new(|| ProfanityFilter::new(&WordList::default()));

fn random_id(rng: &mut StdRng, form: IdForm) -> String {
    format!("{}_{}", form.prefix, random_token(rng, &format!("[0-9a-f]{{{}}}", form.hex_digits)))
}

#[test]
fn ids_are_never_secrets() {
    let mut rng = seeded_rng(33);
    for form in ID_FORMS {
        for _ in 0..IDS_PER_FORM / CONTEXTS.len() {
            for contexts in CONTEXTS.chunks(4) {
                let fill = |context: &&str| context.replace("{}", &random_id(&mut rng, form));
                let text = contexts.iter().map(fill).collect::<Vec<_>>().join(" ; ");
                assert_eq!(redact(&text, &KnownTokens), None, "{text}");
            }
        }
    }
}

#[test]
fn links_to_own_pages_stay_whole() {
    let own = OwnOrigin::from_url("https://own.example");
    let mut rng = seeded_rng(34);
    for form in ID_FORMS {
        for page in PAGES.iter().cycle().take(LINKS_PER_FORM) {
            let text = page.replace("{}", &random_id(&mut rng, form));
            assert_eq!(redact(&text, &KnownTokens), None, "{text}");
            assert_eq!(contacts::mask(&text), None, "{text}");
            assert_eq!(strip_foreign(&text, own.as_ref()), None, "{text}");
            assert_eq!(PROFANITY.mask(&text), None, "{text}");
        }
    }
}

#[test]
fn keys_beside_ids_are_removed() {
    let mut rng = seeded_rng(35);
    for prefix in ["cp_", "gp_", "ca_", "cpa_", "cpi_", "cpn_", "cpr_", "cpc_"] {
        for form in ID_FORMS {
            let id = random_id(&mut rng, form);
            let key = prefix.to_owned() + &random_token(&mut rng, "[0-9a-f]{64}");
            for text in [
                format!("{id} {key}"),
                format!("{id}:{key}"),
                format!("{key}/{id}"),
                format!("id={id}&key={key}"),
                format!("{{\"id\":\"{id}\",\"api_key\":\"{key}\"}}"),
            ] {
                let left = redact(&text, &KnownTokens).unwrap_or(text);
                assert!(left.contains(&id) && !left.contains(&key[4..]), "{left}");
            }
        }
    }
}

#[test]
fn longer_values_with_the_prefix_of_an_id_are_secrets() {
    let mut rng = seeded_rng(36);
    for form in ID_FORMS {
        for format in ["[A-Za-z0-9]{32}", "[A-Za-z0-9]{40}", "[0-9A-F]{32}x[a-z]{8}"] {
            let secret = format!("{}_{}", form.prefix, random_token(&mut rng, format));
            let left = redact(&format!("api_key={secret}"), &KnownTokens);
            assert!(left.is_some_and(|left| !left.contains(&secret[8..])), "{secret}");
        }
    }
}
