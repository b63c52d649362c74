//! Keys that say whose they are by how they begin.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Vendors whose keys look alike but for their beginning.
struct Family {
    body: Body,
    /// How many characters follow the prefix, at least or exactly.
    length: usize,
    /// Parted by spaces.
    prefixes: &'static str,
}

/// What follows a prefix.
#[derive(Clone, Copy)]
enum Body {
    /// Letters, digits, `_` and `-`.
    Url,
    /// The same and what else may stand in a token.
    Parts,
    /// Exactly that many capitals and digits.
    Capitals,
    /// Exactly that many hex digits.
    Hex,
}

/// Our own keys' prefixes.
const OWN: &str = "cp_ gp_ ca_";

/// From the vendors' own documents and gitleaks' rules.
const FAMILIES: [Family; 13] = [
    // Our own.
    Family { body: Body::Url, length: 32, prefixes: OWN },
    Family {
        body: Body::Url,
        length: 10,
        prefixes: "PuTTY-User-Key-File- sk_live_ sk_test_ rk_live_ rk_test_ xoxb- xoxp- xoxa- xoxe- xoxr- xoxs- \
            xoxo- xoxc- xoxd- xoxe.xox xapp-",
    },
    Family {
        body: Body::Url,
        length: 16,
        prefixes: "sk-ant- sk-or- sk-proj- sk-svcacct- sk-admin- sk-lf- tgp_v1_ tvly- lsv2_pt_ lsv2_sk_ \
            bb_live_ wandb_v1_ LTAI scw_secret_ glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- \
            gloas- glimt- NRJS-",
    },
    Family {
        body: Body::Url,
        length: 20,
        prefixes: "sk- gsk_ xai- pplx- hf_ api_org_ r8_ csk- nvapi- fw_ pcsk_ jina_ e2b_ KGAT_ GOCSPX- HRKU- fo1_ \
            rnd_ nfp_ sbp_ sb_secret_ napi_ pscale_tkn_ pscale_pw_ pscale_oauth_ CFPAT- vcp_ ATBB \
            dckr_pat_ dckr_oat_ CCIPAT_ CCIPRJ_ lin_api_ lin_oauth_ figd_ NRAK- NRII- \
            whsec_ sq0atp- sq0csp- FLWSECK",
    },
    Family { body: Body::Url, length: 24, prefixes: "aio_" },
    Family {
        body: Body::Url,
        length: 30,
        prefixes: "fc- AIza AKID dop_v1_ doo_v1_ dor_v1_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ npm_ rubygems_ \
            cio bkua_ sgp_ sqp_ squ_ sqa_ PMAK- CLOJARS_ ntn_ tfp_ rdme_ shpat_ shpss_ shpca_ shppa_ \
            glsa_ glc_ sntrys_ sntryu_ access-production- access-sandbox- access-development- \
            shippo_live_ duffel_live_ re_",
    },
    Family {
        body: Body::Url,
        length: 40,
        prefixes: "ops_ey pypi- oy2 pul- secret_ AGE-SECRET-KEY-1 xkeysib- xsmtpsib-",
    },
    Family { body: Body::Url, length: 50, prefixes: "EAAAE EZAK" },
    Family {
        body: Body::Parts,
        length: 20,
        prefixes: "ya29. dp.pt. dp.st. dp.ct. hvs. hvb. dt0c01. dt0s01. ATATT3 fm1_ fm2_",
    },
    Family { body: Body::Parts, length: 50, prefixes: "SG." },
    Family { body: Body::Capitals, length: 16, prefixes: "AKIA ASIA ABIA ACCA" },
    Family { body: Body::Hex, length: 32, prefixes: "dapi SK key-" },
    Family { body: Body::Hex, length: 48, prefixes: "sk_" },
];

/// All prefixes in one automaton, and whose each is.
struct Finder {
    prefixes: AhoCorasick,
    families: Vec<&'static Family>,
}

static FINDER: LazyLock<Option<Finder>> = LazyLock::new(|| {
    let each = || FAMILIES.iter().flat_map(|family| family.each().map(move |prefix| (prefix, family)));
    let prefixes = AhoCorasick::new(each().map(|(prefix, _)| prefix)).ok()?;
    Some(Finder { prefixes, families: each().map(|(_, family)| family).collect() })
});

/// Where keys with a known prefix stand.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let Some(finder) = FINDER.as_ref() else { return Vec::new() };
    let found = finder.prefixes.find_overlapping_iter(text).filter_map(|found| {
        let family = finder.families[found.pattern().as_usize()];
        let length = family.body_length(&text[found.end()..])?;
        let prefix = &text[found.start()..found.end()];
        family.begins(prefix, &text[..found.start()]).then_some(found.start()..found.end() + length)
    });
    found.collect()
}

impl Family {
    fn each(&self) -> impl Iterator<Item = &'static str> {
        self.prefixes.split_whitespace()
    }

    /// Whether a key can begin behind `before`. Our own can anywhere; others' not in the middle of a word, nor, where
    /// the prefix says little, of base64.
    fn begins(&self, prefix: &str, before: &str) -> bool {
        let own = OWN.split_whitespace().any(|known| known == prefix);
        let telling = prefix.len() > 3;
        own || !before.ends_with(|c: char| c.is_ascii_alphanumeric() || (!telling && matches!(c, '_' | '-')))
    }

    /// How many bytes of `rest` belong to the key, if it is one.
    fn body_length(&self, rest: &str) -> Option<usize> {
        let length = rest.bytes().take_while(|&byte| self.body.takes(byte)).count();
        let body = rest[..length].trim_end_matches(['.', ':', '=']);
        self.fits(body, rest[body.len()..].bytes().next()).then_some(body.len())
    }

    fn fits(&self, body: &str, next: Option<u8>) -> bool {
        match self.body {
            Body::Url | Body::Parts => body.len() >= self.length && !is_words(body),
            Body::Capitals | Body::Hex => {
                body.len() == self.length && !next.is_some_and(|byte| byte.is_ascii_alphanumeric())
            }
        }
    }
}

impl Body {
    fn takes(self, byte: u8) -> bool {
        match self {
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Parts => byte.is_ascii_alphanumeric() || b"_-.=+/~:".contains(&byte),
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
        }
    }
}

/// `some-long-but-ordinary-name`: parted, and without digits and capitals.
fn is_words(body: &str) -> bool {
    body.contains(['_', '-'])
        && body.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body that no vendor ever gave out.
    fn body(alphabet: &str, length: usize) -> String {
        alphabet.chars().cycle().take(length).collect()
    }

    #[test]
    fn each_prefix_is_known() {
        for family in &FAMILIES {
            let alphabet = match family.body {
                Body::Hex => "0a1b2c3d",
                Body::Capitals => "A1B2C3D4",
                _ => "a1B2c3D4",
            };
            for prefix in family.each() {
                let key = format!("{prefix}{}", body(alphabet, family.length));
                assert!(find(&format!("see {key} ok")).contains(&(4..4 + key.len())), "{key}");
                let own = OWN.contains(prefix);
                assert_eq!(
                    find(&format!("x{key}")).is_empty(),
                    !own,
                    "{key}: only ours are keys inside a word"
                );
            }
        }
    }

    #[test]
    fn short_or_wordy_ones_are_no_keys() {
        for text in [
            "cp_short",
            "sk-learn",
            "sk-this-is-only-a-very-long-name",
            "AKIA of old",
            "AKIAABCDEFGHIJKLMNOPQ",
            "hf_model",
            "xai-grok",
            "SKYSCRAPER",
            "key-value",
            "secret_santa",
            "re_render",
            "dapi_v2",
            "cio",
            "fw_",
            "npm_config_cache",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_sentence_may_end_after_one() {
        let key = format!("SG.{}.{}", body("a1B2", 22), body("c3D4", 43));
        assert_eq!(find(&format!("({key}).")).first(), Some(&(1..1 + key.len())));
    }
}
