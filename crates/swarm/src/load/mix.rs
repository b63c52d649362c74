//! The mix of a load: kinds of requests and their shares.

use rand::{rngs::StdRng, seq::IndexedRandom};

/// A kind of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    Pixel,
    Pixels,
    Message,
    /// A GET of this path.
    Read(&'static str),
}

const KINDS: [(&str, RequestKind); 13] = [
    ("pixel", RequestKind::Pixel),
    ("pixels", RequestKind::Pixels),
    ("say", RequestKind::Message),
    ("canvas", RequestKind::Read("/api/canvas")),
    ("canvas.bin", RequestKind::Read("/api/canvas.bin")),
    ("canvas.png", RequestKind::Read("/api/canvas.png")),
    ("region", RequestKind::Read("/api/canvas/region")),
    ("inspect", RequestKind::Read("/api/pixel")),
    ("recent", RequestKind::Read("/api/pixels/recent")),
    ("chat", RequestKind::Read("/api/chat")),
    ("digest", RequestKind::Read("/api/chat/digest")),
    ("stats", RequestKind::Read("/api/stats")),
    ("me", RequestKind::Read("/api/agents/me")),
];

/// Kinds of requests with their shares, as in `pixel=9,chat=1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestMix(Vec<(RequestKind, u32)>);

impl std::str::FromStr for RequestMix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kinds = text.split(',').map(parse_share).collect::<Result<Vec<_>, _>>()?;
        let sum: u64 = kinds.iter().map(|(_, share)| u64::from(*share)).sum();
        if sum == 0 || sum > u64::from(u32::MAX) {
            return Err("the sum of the shares must be greater than 0 and less than 2³²".to_owned());
        }
        Ok(RequestMix(kinds))
    }
}

fn parse_share(text: &str) -> Result<(RequestKind, u32), String> {
    let (name, share) = text.split_once('=').ok_or("write it as kind=share,kind=share")?;
    let entry = KINDS.iter().find(|(known, _)| *known == name.trim());
    let names = || KINDS.map(|(name, _)| name).join(" ");
    let (_, kind) = entry.ok_or_else(|| format!("{name:?} is not one of {}", names()))?;
    Ok((*kind, share.trim().parse().map_err(|error| format!("{share:?}: {error}"))?))
}

impl RequestMix {
    /// Returns a random kind, weighted by the shares.
    pub fn random_kind(&self, rng: &mut StdRng) -> RequestKind {
        self.0.choose_weighted(rng, |(_, share)| *share).map_or(RequestKind::Pixel, |(kind, _)| *kind)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn kinds_are_drawn_in_proportion_to_shares() {
        let mix: RequestMix = "pixel=3, canvas.bin=1,say=0".parse().unwrap();
        let mut rng = StdRng::seed_from_u64(1);
        let kinds: Vec<RequestKind> = (0..4_000).map(|_| mix.random_kind(&mut rng)).collect();
        let count = |kind| kinds.iter().filter(|drawn| **drawn == kind).count();
        assert!((2_850..=3_150).contains(&count(RequestKind::Pixel)));
        assert_eq!(count(RequestKind::Pixel) + count(RequestKind::Read("/api/canvas.bin")), 4_000);
    }

    #[test]
    fn rejects_invalid_mix() {
        for text in ["", "pixel", "pixel=0", "pixel=x", "dance=3"] {
            assert!(text.parse::<RequestMix>().is_err(), "{text}");
        }
        assert!("dance=3".parse::<RequestMix>().unwrap_err().contains("canvas.png"));
    }
}
