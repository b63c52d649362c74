//! The final checks: every acknowledged placement is on the canvas or was painted over by a later one.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use anyhow::Result;
use futures_util::{StreamExt, stream};
use rand::{rngs::StdRng, seq::SliceRandom};
use serde::{Serialize, de::DeserializeOwned};
use tokio::time::{self, Instant};

use crate::{
    api_types::{Canvas, Page, PixelInfo},
    client::ApiRequest,
    crews::{CrewRun, CrewSummary},
    failure::Failure,
    ledger::AckedPlacement,
    plans::{PlanRun, PlanSummary},
    run_context::RunContext,
    spectator::Spectator,
    stop::{POLL_INTERVAL, Polling},
};

/// Maximum number of concurrent look-ups.
pub const MAX_CONCURRENT_LOOKUPS: usize = 16;
/// Time for caches to expire (up to a second) and for followers to catch up.
pub const SETTLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of items in a page.
const PAGE_LENGTH: usize = 100;
/// Maximum number of earlier placements that `GET /api/pixel` returns.
const MAX_HISTORY_LENGTH: usize = 20;

/// The results of the final checks.
#[derive(Default, Serialize)]
pub struct Verdict {
    pub acknowledged: usize,
    pub messages: usize,
    pub places: usize,
    pub standing: usize,
    pub painted_over: usize,
    pub looked_up: usize,
    /// Number of accounts that were checked.
    pub accounts: usize,
    /// Number of spectators whose canvas equals the server's.
    pub pictures: usize,
    /// Number of resets, in which a stream announces a gap, over all streams.
    pub resets: u32,
    pub plans: Option<PlanSummary>,
    pub crews: Option<CrewSummary>,
    pub streams: Vec<String>,
    pub faults: Vec<String>,
}

/// The status of the newest acknowledged placement at one point.
#[derive(Debug, PartialEq, Eq)]
enum PlacementStatus {
    Visible,
    PaintedOver,
    Missing(String),
}

/// The final checks of a run.
pub struct Verifier<'a> {
    pub context: &'a RunContext,
    pub spectators: &'a [Arc<Spectator>],
    /// The plans of the run, if there are any.
    pub plans: Option<&'a PlanRun>,
    /// The crews of the run, if there are any.
    pub crews: Option<&'a CrewRun>,
    /// A time not later than the first registration.
    pub registration_start: Instant,
}

impl Verifier<'_> {
    /// Runs all checks.
    pub async fn verify(&self, rng: &mut StdRng) -> Result<Verdict> {
        let (acks, messages) = (self.context.ledger.acks(), self.context.ledger.messages());
        let seqs = acks.iter().map(|ack| ack.seq).chain(messages.iter().map(|message| message.seq));
        let faults = find_duplicates(seqs);
        let mut verdict =
            Verdict { acknowledged: acks.len(), messages: messages.len(), faults, ..Verdict::default() };
        self.compare_streams(&acks, &messages, &mut verdict).await;
        self.compare_replicas(&mut verdict).await;
        self.check_accounts(&mut verdict).await;
        self.check_plans(&acks, &mut verdict).await?;
        self.check_crews(&mut verdict).await?;
        self.verify_pixels(acks, rng, &mut verdict).await?;
        Ok(verdict)
    }

    /// Returns the body of a read from any server.
    pub(crate) async fn fetch_json<T: DeserializeOwned>(&self, request: ApiRequest) -> Result<T, Failure> {
        Ok(self.context.client.send_with_retries(&request, &self.context.stop_spectators).await?.body)
    }

    /// Returns the pages of a list that this request reads.
    pub(crate) async fn fetch_pages<T: DeserializeOwned>(
        &self,
        request: &ApiRequest,
    ) -> Result<Vec<Vec<T>>, Failure> {
        let mut pages = Vec::new();
        let mut query = format!("?limit={PAGE_LENGTH}");
        loop {
            let page: Page<T> = self.fetch_json(request.clone().with_query(query)).await?;
            pages.push(page.items);
            match page.next_before {
                Some(id) => query = format!("?limit={PAGE_LENGTH}&before={id}"),
                None => return Ok(pages),
            }
        }
    }

    /// Checks that each acknowledged placement is visible or was painted over.
    async fn verify_pixels(
        &self,
        acks: Vec<AckedPlacement>,
        rng: &mut StdRng,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let head = acks.iter().map(|ack| ack.seq).max().unwrap_or(0);
        let season_seq = self.spectators.iter().map(|w| w.state().season_seq).max().unwrap_or(0);
        let acks: Vec<AckedPlacement> = acks.into_iter().filter(|ack| ack.seq > season_seq).collect();
        let newest_acks = newest_per_pixel(&acks);
        verdict.places = newest_acks.len();
        let canvas = self.wait_for_canvas(head, verdict).await?;
        let (mut visible, mismatches): (Vec<&AckedPlacement>, Vec<&AckedPlacement>) =
            newest_acks.into_iter().partition(|ack| canvas.color_at(ack.x, ack.y) == Some(ack.color));
        verdict.standing = visible.len();
        self.check_mismatches(mismatches, &canvas, verdict).await?;
        let (sample, _) = visible.partial_shuffle(rng, self.context.args.check);
        self.check_sample(sample, &acks, verdict).await
    }

    /// Loads the canvas once its version has reached the newest acknowledged number.
    async fn wait_for_canvas(&self, head: u64, verdict: &mut Verdict) -> Result<Canvas, Failure> {
        let mut polling = Polling::new(SETTLE_TIMEOUT);
        loop {
            let canvas = self.fetch_json::<Canvas>(ApiRequest::get("/api/canvas")).await?;
            let version = canvas.version;
            if version >= head {
                return Ok(canvas);
            }
            if !polling.wait().await {
                let fault = format!("canvas version {version} is behind the acknowledged number {head}");
                verdict.faults.push(fault);
                return Ok(canvas);
            }
        }
    }

    /// Checks the points at which the canvas shows another colour than the newest acknowledged one.
    async fn check_mismatches(
        &self,
        mismatches: Vec<&AckedPlacement>,
        canvas: &Canvas,
        verdict: &mut Verdict,
    ) -> Result<()> {
        for (ack, info) in self.look_up_pixels(&mismatches).await? {
            match placement_status(ack, &info) {
                PlacementStatus::PaintedOver => verdict.painted_over += 1,
                PlacementStatus::Missing(details) => verdict.faults.push(details),
                PlacementStatus::Visible => verdict.faults.push(format!(
                    "({},{}) number {}: the canvas shows {:?}, GET /api/pixel {}",
                    ack.x,
                    ack.y,
                    ack.seq,
                    canvas.color_at(ack.x, ack.y),
                    ack.color
                )),
            }
        }
        Ok(())
    }

    /// Checks a sample in detail: the colour alone could match by chance, so number, painter and history must
    /// match.
    async fn check_sample(
        &self,
        sample: &[&AckedPlacement],
        acks: &[AckedPlacement],
        verdict: &mut Verdict,
    ) -> Result<()> {
        verdict.looked_up = sample.len();
        let points: HashSet<(u32, u32)> = sample.iter().map(|ack| (ack.x, ack.y)).collect();
        let mut acks_by_pixel: HashMap<(u32, u32), Vec<&AckedPlacement>> = HashMap::new();
        for ack in acks.iter().filter(|ack| points.contains(&(ack.x, ack.y))) {
            acks_by_pixel.entry((ack.x, ack.y)).or_default().push(ack);
        }
        for (ack, info) in self.look_up_pixels(sample).await? {
            let painter = &self.context.accounts[ack.agent].id;
            match placement_status(ack, &info) {
                PlacementStatus::Missing(details) => verdict.faults.push(details),
                PlacementStatus::Visible if info.agent_id.as_ref() != Some(painter) => {
                    verdict.faults.push(format!("({},{}) number {}: wrong painter", ack.x, ack.y, ack.seq));
                }
                PlacementStatus::Visible | PlacementStatus::PaintedOver => {}
            }
            let acks_here = acks_by_pixel.get(&(ack.x, ack.y)).into_iter().flatten();
            verdict.faults.extend(acks_here.filter_map(|ack| history_fault(ack, &info)));
        }
        Ok(())
    }

    /// Looks up each point, and once more those where a placement seems to be missing, because an instance
    /// may be slightly behind.
    async fn look_up_pixels<'a>(
        &self,
        acks: &[&'a AckedPlacement],
    ) -> Result<Vec<(&'a AckedPlacement, PixelInfo)>, Failure> {
        let (missing, mut found): (Vec<_>, Vec<_>) = self
            .fetch_pixels(acks)
            .await?
            .into_iter()
            .partition(|(ack, info)| matches!(placement_status(ack, info), PlacementStatus::Missing(_)));
        if !missing.is_empty() {
            time::sleep(10 * POLL_INTERVAL).await;
            let missing_acks: Vec<&AckedPlacement> = missing.into_iter().map(|(ack, _)| ack).collect();
            found.extend(self.fetch_pixels(&missing_acks).await?);
        }
        Ok(found)
    }

    async fn fetch_pixels<'a>(
        &self,
        acks: &[&'a AckedPlacement],
    ) -> Result<Vec<(&'a AckedPlacement, PixelInfo)>, Failure> {
        let lookups = acks.iter().map(|ack| async move {
            let call = ApiRequest::get("/api/pixel").with_query(format!("?x={}&y={}", ack.x, ack.y));
            self.fetch_json(call).await.map(|info| (*ack, info))
        });
        let results: Vec<_> = stream::iter(lookups).buffer_unordered(MAX_CONCURRENT_LOOKUPS).collect().await;
        results.into_iter().collect()
    }
}

/// Returns a fault for each number that was acknowledged twice.
fn find_duplicates(seqs: impl Iterator<Item = u64>) -> Vec<String> {
    let mut seen = HashSet::new();
    let duplicates = seqs.filter(|seq| !seen.insert(*seq));
    duplicates.map(|seq| format!("number {seq} was acknowledged twice")).collect()
}

/// Returns the newest acknowledged placement of each point, in the order of their numbers.
fn newest_per_pixel(acks: &[AckedPlacement]) -> Vec<&AckedPlacement> {
    let mut newest_by_pixel: HashMap<(u32, u32), &AckedPlacement> = HashMap::new();
    for ack in acks {
        let entry = newest_by_pixel.entry((ack.x, ack.y)).or_insert(ack);
        if ack.seq > entry.seq {
            *entry = ack;
        }
    }
    let mut newest: Vec<&AckedPlacement> = newest_by_pixel.into_values().collect();
    newest.sort_by_key(|ack| ack.seq);
    newest
}

fn placement_status(ack: &AckedPlacement, info: &PixelInfo) -> PlacementStatus {
    let missing = |reason: &str| {
        PlacementStatus::Missing(format!("({},{}) number {} is missing: {reason}", ack.x, ack.y, ack.seq))
    };
    match info.seq {
        Some(seq) if seq > ack.seq => PlacementStatus::PaintedOver,
        Some(seq) if seq == ack.seq && info.color == ack.color => PlacementStatus::Visible,
        Some(seq) if seq == ack.seq => missing(&format!("its colour is {}, not {}", info.color, ack.color)),
        Some(seq) => missing(&format!("the newest there is {seq}")),
        None => missing("the pixel is unpainted"),
    }
}

/// Returns the fault if a placement should be in the history and is not.
fn history_fault(ack: &AckedPlacement, info: &PixelInfo) -> Option<String> {
    let is_found = info.seq == Some(ack.seq) || info.history.iter().any(|entry| entry.seq == ack.seq);
    let oldest = info.history.iter().map(|entry| entry.seq).min().unwrap_or(0);
    let is_too_old = info.history.len() >= MAX_HISTORY_LENGTH && ack.seq < oldest;
    let describe = || format!("({},{}) number {} is not in the history", ack.x, ack.y, ack.seq);
    (!is_found && !is_too_old).then(describe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api_types::HistoryEntry;

    fn ack(seq: u64, x: u32, color: u8) -> AckedPlacement {
        AckedPlacement { seq, x, y: 0, color, agent: 0 }
    }

    fn info(seq: u64, color: u8, history: &[u64]) -> PixelInfo {
        let history = history.iter().map(|seq| HistoryEntry { seq: *seq }).collect();
        PixelInfo { color, agent_id: None, seq: Some(seq), history }
    }

    #[test]
    fn only_the_newest_at_a_point_counts() {
        let acks = [ack(9, 1, 5), ack(4, 1, 6), ack(5, 2, 7)];
        assert_eq!(newest_per_pixel(&acks), [&acks[2], &acks[0]]);
    }

    #[test]
    fn later_seq_means_painted_over_and_earlier_means_missing() {
        assert_eq!(placement_status(&ack(9, 1, 5), &info(9, 5, &[])), PlacementStatus::Visible);
        assert_eq!(placement_status(&ack(9, 1, 5), &info(12, 3, &[])), PlacementStatus::PaintedOver);
        assert!(matches!(placement_status(&ack(9, 1, 5), &info(8, 5, &[])), PlacementStatus::Missing(_)));
        assert!(matches!(placement_status(&ack(9, 1, 5), &info(9, 4, &[])), PlacementStatus::Missing(_)));
        let blank = PixelInfo { color: 0, agent_id: None, seq: None, history: vec![] };
        assert!(matches!(placement_status(&ack(9, 1, 5), &blank), PlacementStatus::Missing(_)));
    }

    #[test]
    fn duplicate_seqs_are_found() {
        assert!(find_duplicates([1, 2].into_iter()).is_empty());
        assert_eq!(find_duplicates([1, 2, 1].into_iter()).len(), 1);
    }

    #[test]
    fn history_is_expected_to_reach_twenty_back() {
        assert_eq!(history_fault(&ack(4, 0, 0), &info(9, 0, &[9, 4])), None);
        assert!(history_fault(&ack(4, 0, 0), &info(9, 0, &[9, 5])).is_some());
        let long: Vec<u64> = (5..25).collect();
        assert_eq!(history_fault(&ack(4, 0, 0), &info(24, 0, &long)), None);
    }
}
