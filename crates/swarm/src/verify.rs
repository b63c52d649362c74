//! The end of a run: is what was acknowledged on the canvas, or painted over by something later?

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use anyhow::Result;
use futures_util::{StreamExt, stream};
use rand::{rngs::StdRng, seq::SliceRandom};
use serde::Serialize;
use tokio::time::{self, Instant};

use crate::{
    client::Call,
    failure::Failure,
    ledger::Ack,
    route::Route,
    watcher::Watcher,
    wire::{Account, Canvas, PixelInfo},
    world::World,
};

/// Look-ups under way at once.
pub const LOOKS: usize = 16;
/// Bodies may be a second old, and instances follow each other with a small delay.
pub const SETTLING: Duration = Duration::from_secs(5);
pub const STEP: Duration = Duration::from_millis(200);
/// How many earlier placements `GET /api/pixel` tells.
const HISTORY: usize = 20;

/// What the examination found.
#[derive(Default, Serialize)]
pub struct Verdict {
    pub acknowledged: usize,
    pub messages: usize,
    pub places: usize,
    pub standing: usize,
    pub painted_over: usize,
    pub looked_up: usize,
    /// How many accounts were checked.
    pub accounts: usize,
    /// How many spectators' pictures were the canvas.
    pub pictures: usize,
    /// How often a stream left numbers out and said so, all streams together.
    pub resets: u32,
    pub streams: Vec<String>,
    pub faults: Vec<String>,
}

/// What became of the newest acknowledged placement at one point.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Standing,
    PaintedOver,
    Missing(String),
}

pub struct Examiner<'a> {
    pub world: &'a World,
    pub watchers: &'a [Arc<Watcher>],
    pub crowd: &'a [Account],
    /// When the first account was opened, or before.
    pub opened: Instant,
}

impl Examiner<'_> {
    pub async fn examine(&self, rng: &mut StdRng) -> Result<Verdict> {
        let (acks, said) = (self.world.ledger.acks(), self.world.ledger.messages());
        let numbers = acks.iter().map(|ack| ack.seq).chain(said.iter().map(|spoken| spoken.seq));
        let faults = doubled(numbers);
        let mut verdict =
            Verdict { acknowledged: acks.len(), messages: said.len(), faults, ..Verdict::default() };
        self.compare_streams(&acks, &said, &mut verdict).await;
        self.compare_pictures(&mut verdict).await;
        self.check_books(&mut verdict).await;
        self.judge_pixels(acks, rng, &mut verdict).await?;
        Ok(verdict)
    }

    /// Each acknowledged placement stands, or something later stands in its place.
    async fn judge_pixels(&self, acks: Vec<Ack>, rng: &mut StdRng, verdict: &mut Verdict) -> Result<()> {
        let head = acks.iter().map(|ack| ack.seq).max().unwrap_or(0);
        let season_at = self.watchers.iter().map(|w| w.story().season_at).max().unwrap_or(0);
        let acks: Vec<Ack> = acks.into_iter().filter(|ack| ack.seq > season_at).collect();
        let newest = newest(&acks);
        verdict.places = newest.len();
        let canvas = self.settled_canvas(head, verdict).await?;
        let (mut standing, suspects): (Vec<&Ack>, Vec<&Ack>) =
            newest.into_iter().partition(|ack| canvas.at(ack.x, ack.y) == Some(ack.color));
        verdict.standing = standing.len();
        self.judge_suspects(suspects, &canvas, verdict).await?;
        let (sample, _) = standing.partial_shuffle(rng, self.world.args.check);
        self.judge_sample(sample, &acks, verdict).await
    }

    /// The canvas once its version has reached our last number.
    async fn settled_canvas(&self, head: u64, verdict: &mut Verdict) -> Result<Canvas, Failure> {
        let mut waited = Duration::ZERO;
        loop {
            let canvas = self
                .world
                .client
                .patiently::<Canvas>(&Call::new(Route::Canvas), &self.world.watching)
                .await?
                .body;
            if canvas.version >= head {
                return Ok(canvas);
            }
            if waited >= SETTLING {
                let version = canvas.version;
                verdict
                    .faults
                    .push(format!("canvas version {version} is behind number {head}, acknowledged"));
                return Ok(canvas);
            }
            waited += STEP;
            time::sleep(STEP).await;
        }
    }

    /// Places where the canvas shows another colour than our newest.
    async fn judge_suspects(
        &self,
        suspects: Vec<&Ack>,
        canvas: &Canvas,
        verdict: &mut Verdict,
    ) -> Result<()> {
        for (ack, info) in self.look_up(&suspects).await? {
            match fate(ack, &info) {
                Fate::PaintedOver => verdict.painted_over += 1,
                Fate::Missing(why) => verdict.faults.push(why),
                Fate::Standing => verdict.faults.push(format!(
                    "({},{}) number {}: the canvas shows {:?}, the pixel itself {}",
                    ack.x,
                    ack.y,
                    ack.seq,
                    canvas.at(ack.x, ack.y),
                    ack.color
                )),
            }
        }
        Ok(())
    }

    /// The right colour could be chance: the number, the painter and the history must be right as well.
    async fn judge_sample(&self, sample: &[&Ack], acks: &[Ack], verdict: &mut Verdict) -> Result<()> {
        verdict.looked_up = sample.len();
        let points: HashSet<(u32, u32)> = sample.iter().map(|ack| (ack.x, ack.y)).collect();
        let mut ours: HashMap<(u32, u32), Vec<&Ack>> = HashMap::new();
        for ack in acks.iter().filter(|ack| points.contains(&(ack.x, ack.y))) {
            ours.entry((ack.x, ack.y)).or_default().push(ack);
        }
        for (ack, info) in self.look_up(sample).await? {
            let painter = self.crowd.get(ack.agent).map(|account| &account.id);
            match fate(ack, &info) {
                Fate::Missing(why) => verdict.faults.push(why),
                Fate::Standing if info.agent_id.as_ref() != painter => {
                    verdict.faults.push(format!("({},{}) number {}: wrong painter", ack.x, ack.y, ack.seq));
                }
                Fate::Standing | Fate::PaintedOver => {}
            }
            let own = ours.get(&(ack.x, ack.y)).into_iter().flatten();
            verdict.faults.extend(own.filter_map(|ack| forgotten(ack, &info)));
        }
        Ok(())
    }

    /// Looks at each point, and once more at those where something seems to be missing: an instance may
    /// be a moment behind.
    async fn look_up<'a>(&self, acks: &[&'a Ack]) -> Result<Vec<(&'a Ack, PixelInfo)>, Failure> {
        let (missing, mut found): (Vec<_>, Vec<_>) = self
            .look_once(acks)
            .await?
            .into_iter()
            .partition(|(ack, info)| matches!(fate(ack, info), Fate::Missing(_)));
        if !missing.is_empty() {
            time::sleep(10 * STEP).await;
            let again: Vec<&Ack> = missing.into_iter().map(|(ack, _)| ack).collect();
            found.extend(self.look_once(&again).await?);
        }
        Ok(found)
    }

    async fn look_once<'a>(&self, acks: &[&'a Ack]) -> Result<Vec<(&'a Ack, PixelInfo)>, Failure> {
        let looks = acks.iter().map(|ack| async move {
            let call = Call::new(Route::Inspect).query(format!("?x={}&y={}", ack.x, ack.y));
            self.world
                .client
                .patiently::<PixelInfo>(&call, &self.world.watching)
                .await
                .map(|info| (*ack, info.body))
        });
        let looked: Vec<_> = stream::iter(looks).buffer_unordered(LOOKS).collect().await;
        looked.into_iter().collect()
    }
}

/// One number is one event: it is never given twice.
fn doubled(numbers: impl Iterator<Item = u64>) -> Vec<String> {
    let mut seen = HashSet::new();
    let twice = numbers.filter(|number| !seen.insert(*number));
    twice.map(|number| format!("number {number} was acknowledged twice")).collect()
}

/// The newest acknowledged placement of every point, in the order of their numbers.
fn newest(acks: &[Ack]) -> Vec<&Ack> {
    let mut newest: HashMap<(u32, u32), &Ack> = HashMap::new();
    for ack in acks {
        let entry = newest.entry((ack.x, ack.y)).or_insert(ack);
        if ack.seq > entry.seq {
            *entry = ack;
        }
    }
    let mut newest: Vec<&Ack> = newest.into_values().collect();
    newest.sort_by_key(|ack| ack.seq);
    newest
}

fn fate(ack: &Ack, info: &PixelInfo) -> Fate {
    let missing =
        |why: &str| Fate::Missing(format!("({},{}) number {} is missing: {why}", ack.x, ack.y, ack.seq));
    match info.seq {
        Some(seq) if seq > ack.seq => Fate::PaintedOver,
        Some(seq) if seq == ack.seq && info.color == Some(ack.color) => Fate::Standing,
        Some(seq) if seq == ack.seq => missing(&format!("its colour is {:?}, not {}", info.color, ack.color)),
        Some(seq) => missing(&format!("the newest there is {seq}")),
        None => missing("nobody painted there"),
    }
}

/// A placement that should be in the history and is not.
fn forgotten(ack: &Ack, info: &PixelInfo) -> Option<String> {
    let known = info.seq == Some(ack.seq) || info.history.iter().any(|past| past.seq == ack.seq);
    let oldest = info.history.iter().map(|past| past.seq).min().unwrap_or(0);
    let too_old = info.history.len() >= HISTORY && ack.seq < oldest;
    let fault = || format!("({},{}) number {} is not in the history", ack.x, ack.y, ack.seq);
    (!known && !too_old).then(fault)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::PastPixel;

    fn ack(seq: u64, x: u32, color: u8) -> Ack {
        Ack { seq, x, y: 0, color, agent: 0 }
    }

    fn info(seq: u64, color: u8, history: &[u64]) -> PixelInfo {
        let history = history.iter().map(|seq| PastPixel { seq: *seq }).collect();
        PixelInfo { color: Some(color), agent_id: None, seq: Some(seq), history }
    }

    #[test]
    fn only_the_newest_at_a_point_counts() {
        let acks = [ack(9, 1, 5), ack(4, 1, 6), ack(5, 2, 7)];
        assert_eq!(newest(&acks), [&acks[2], &acks[0]]);
    }

    #[test]
    fn later_seq_means_painted_over_and_earlier_means_missing() {
        assert_eq!(fate(&ack(9, 1, 5), &info(9, 5, &[])), Fate::Standing);
        assert_eq!(fate(&ack(9, 1, 5), &info(12, 3, &[])), Fate::PaintedOver);
        assert!(matches!(fate(&ack(9, 1, 5), &info(8, 5, &[])), Fate::Missing(_)));
        assert!(matches!(fate(&ack(9, 1, 5), &info(9, 4, &[])), Fate::Missing(_)));
        let blank = PixelInfo { color: None, agent_id: None, seq: None, history: vec![] };
        assert!(matches!(fate(&ack(9, 1, 5), &blank), Fate::Missing(_)));
    }

    #[test]
    fn duplicate_seqs_are_found() {
        assert!(doubled([1, 2].into_iter()).is_empty());
        assert_eq!(doubled([1, 2, 1].into_iter()).len(), 1);
    }

    #[test]
    fn history_is_expected_to_reach_twenty_back() {
        assert_eq!(forgotten(&ack(4, 0, 0), &info(9, 0, &[9, 4])), None);
        assert!(forgotten(&ack(4, 0, 0), &info(9, 0, &[9, 5])).is_some());
        let long: Vec<u64> = (5..25).collect();
        assert_eq!(forgotten(&ack(4, 0, 0), &info(24, 0, &long)), None);
    }
}
