//! The classes of cases, each with its bar.

use rand::rngs::StdRng;

use crate::chain::{shown, without_secrets};
use crate::corpora::{lines, named};
use crate::disguise::{Disguise, OF_HOSTS, OF_WORDS};
use crate::draw::{one, seeded, token};

/// Which corpora are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Tuned,
    HeldOut,
}

/// What a class must come to.
#[derive(Clone, Copy)]
pub enum Bar {
    /// Of a hundred at least so many are caught.
    Caught(f64),
    /// Of a hundred at most so many are changed.
    Changed(f64),
}

/// A message, and the part of it that must go.
pub struct Case {
    pub text: String,
    pub bad: Option<String>,
}

/// Cases of one kind.
pub struct Class {
    pub name: &'static str,
    pub bar: Bar,
    /// What its cases are told by to the byte.
    pub stage: fn(&str) -> String,
    pub cases: Vec<Case>,
}

/// How often each token is drawn.
const DRAWS: usize = 8;

impl Half {
    fn file(self, name: &str) -> String {
        match self {
            Self::Tuned => name.to_owned(),
            Self::HeldOut => format!("held-out/{name}"),
        }
    }
}

/// Every class, drawn with this seed.
pub fn all(half: Half, seed: u64) -> Vec<Class> {
    let rng = &mut seeded(seed);
    vec![
        class("secrets by format", Bar::Caught(97.0), tokens(half, rng)),
        class("secrets by name", Bar::Caught(85.0), values(half, rng)),
        class("look-alikes", Bar::Changed(0.4), plain(half, "look-alikes.txt")),
        class(
            "insults, plain",
            Bar::Caught(85.0),
            insults(half, rng, &[("plain", |_, word| word.to_owned())]),
        ),
        class("insults, disguised", Bar::Caught(90.0), insults(half, rng, &OF_WORDS)),
        class("names and places", Bar::Changed(5.0), plain(half, "names.txt")),
        class("ordinary talk", Bar::Changed(1.0), plain(half, "ordinary.txt")),
        class("identity", Bar::Changed(1.0), plain(half, "identity.txt")),
        class("canvas talk", Bar::Changed(0.0), plain(half, "canvas.txt")),
        class(
            "links, with a scheme",
            Bar::Caught(97.0),
            links(half, rng, &[("scheme", |_, host| format!("https://{host}"))]),
        ),
        class("links, bare", Bar::Caught(97.0), links(half, rng, &[("bare", |_, host| host.to_owned())])),
        class("links, disguised", Bar::Caught(85.0), links(half, rng, &OF_HOSTS)),
        class("not links", Bar::Changed(2.0), plain(half, "not-links.txt")),
        class("insults, rare", Bar::Caught(40.0), rare(half, rng)),
    ]
}

fn class(name: &'static str, bar: Bar, cases: Vec<Case>) -> Class {
    let stage = if name.starts_with("secrets") { without_secrets } else { shown };
    Class { name, bar, stage, cases }
}

fn plain(half: Half, file: &str) -> Vec<Case> {
    lines(&half.file(file)).into_iter().map(|text| Case { text, bad: None }).collect()
}

/// What goes into a context may say by brackets that only a part of it is bad.
fn within(context: &str, put: &str) -> Case {
    let bad = put.split_once('⟦').and_then(|(_, rest)| rest.split_once('⟧')).map_or(put, |(bad, _)| bad);
    Case { text: context.replace("{}", &put.replace(['⟦', '⟧'], "")), bad: Some(bad.to_owned()) }
}

fn tokens(half: Half, rng: &mut StdRng) -> Vec<Case> {
    let (formats, contexts) = (named(&half.file("tokens.tsv")), lines(&half.file("token-contexts.txt")));
    let each = formats.iter().flat_map(|format| std::iter::repeat_n(&format.1, DRAWS));
    each.map(|format| within(&one(rng, &contexts), &token(rng, format))).collect()
}

fn values(half: Half, rng: &mut StdRng) -> Vec<Case> {
    let (formats, contexts) = (named(&half.file("values.tsv")), lines(&half.file("value-contexts.txt")));
    let each = contexts.iter().flat_map(|context| formats.iter().map(move |format| (context, &format.1)));
    each.map(|(context, format)| within(context, &token(rng, format))).collect()
}

fn insults(half: Half, rng: &mut StdRng, disguises: &[(&str, Disguise)]) -> Vec<Case> {
    let (words, contexts) = (lines(&half.file("insults.txt")), lines(&half.file("insult-contexts.txt")));
    let times = if disguises.len() == 1 { DRAWS } else { 1 };
    let each = words.iter().flat_map(|word| disguises.iter().map(move |(_, disguise)| (word, disguise)));
    let each = each.flat_map(|pair| std::iter::repeat_n(pair, times));
    each.map(|(word, disguise)| {
        let disguised = disguise(rng, word);
        within(&one(rng, &contexts), &disguised)
    })
    .collect()
}

fn rare(half: Half, rng: &mut StdRng) -> Vec<Case> {
    let contexts = lines(&half.file("insult-contexts.txt"));
    lines(&half.file("rare-insults.txt")).iter().map(|word| within(&one(rng, &contexts), word)).collect()
}

fn links(half: Half, rng: &mut StdRng, disguises: &[(&str, Disguise)]) -> Vec<Case> {
    let (hosts, contexts) = (lines(&half.file("hosts.txt")), lines(&half.file("link-contexts.txt")));
    let paths = lines("paths.txt");
    let each = hosts.iter().flat_map(|host| disguises.iter().map(move |(_, disguise)| (host, disguise)));
    each.flat_map(|pair| std::iter::repeat_n(pair, 2))
        .map(|(host, disguise)| {
            let link = format!("{}{}", disguise(rng, host), one(rng, &paths));
            within(&one(rng, &contexts), &link)
        })
        .collect()
}
