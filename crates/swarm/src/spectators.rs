//! What the spectators saw, against what was acknowledged and what the canvas shows.

use std::{sync::Arc, time::Duration};

use tokio::time;

use crate::{
    client::{Body, Call},
    copy::Likeness,
    ledger::{Ack, Spoken},
    route::Route,
    stream::{Record, Story},
    verify::{Examiner, SETTLING, STEP, Verdict},
    watcher::Watcher,
};

impl Examiner<'_> {
    /// Every number once and in order, and every acknowledged one among them.
    pub(crate) async fn compare_streams(&self, acks: &[Ack], said: &[Spoken], verdict: &mut Verdict) {
        let pixels = acks.iter().map(|ack| ack.seq);
        let head = pixels.chain(said.iter().map(|spoken| spoken.seq)).max().unwrap_or(0);
        for watcher in self.watchers {
            let mut waited = Duration::ZERO;
            while watcher.story().last < head && waited < SETTLING {
                waited += STEP;
                time::sleep(STEP).await;
            }
            let story = watcher.story();
            let base = &watcher.base;
            verdict.resets += story.resets;
            if story.from.is_none() {
                verdict.faults.push(format!("{base}: no stream was ever opened"));
            } else if story.last < head {
                let last = story.last;
                verdict.faults.push(format!("{base}: the stream ends at {last}, behind number {head}"));
            }
            if let Some(record) = &story.record {
                verdict.streams.push(summary(base, &story));
                verdict.faults.extend(acks.iter().filter_map(|ack| untold(ack, &story, record)));
                verdict.faults.extend(said.iter().filter_map(|spoken| unheard(spoken, &story, record)));
            }
            verdict.faults.extend(story.faults.iter().map(|fault| format!("{base}: stream: {fault}")));
        }
    }

    /// What each spectator drew from its stream is the canvas that the same server gives.
    pub(crate) async fn compare_pictures(&self, verdict: &mut Verdict) {
        let mut left: Vec<&Arc<Watcher>> =
            self.watchers.iter().filter(|watcher| watcher.story().from.is_some()).collect();
        left.sort_by_key(|watcher| watcher.server);
        let mut waited = Duration::ZERO;
        while !left.is_empty() && waited < SETTLING {
            left = self.look_at_pictures(left, verdict).await;
            if !left.is_empty() {
                waited += STEP;
                time::sleep(STEP).await;
            }
        }
        for watcher in left {
            verdict.faults.push(format!("{}: a spectator's picture never met the canvas", watcher.base));
        }
    }

    /// Returns those that could not be compared yet.
    async fn look_at_pictures<'a>(
        &self,
        watchers: Vec<&'a Arc<Watcher>>,
        verdict: &mut Verdict,
    ) -> Vec<&'a Arc<Watcher>> {
        let mut left = Vec::new();
        let mut body: Option<(usize, Body)> = None;
        for watcher in watchers {
            if body.as_ref().is_none_or(|(server, _)| *server != watcher.server) {
                let call = Call::new(Route::Bytes).server(watcher.server);
                body = self.world.client.body(&call).await.ok().map(|body| (watcher.server, body));
            }
            let likeness =
                body.as_ref().and_then(|(_, body)| Some(watcher.story().copy.as_ref()?.compare(body)));
            match likeness {
                Some(Likeness::Same) => verdict.pictures += 1,
                Some(Likeness::Differs(why)) => {
                    verdict.faults.push(format!("{}: stream and canvas differ: {why}", watcher.base));
                }
                Some(Likeness::Behind | Likeness::Ahead) | None => left.push(watcher),
            }
        }
        left
    }
}

fn summary(base: &str, story: &Story) -> String {
    format!(
        "{base}: numbers {} to {}, {} pixels ({} reconnects, {} resets)",
        story.from.unwrap_or(0),
        story.last,
        story.strokes,
        story.reconnects,
        story.resets
    )
}

/// A placement the stream should have told, and did not or told otherwise.
fn untold(ack: &Ack, story: &Story, record: &Record) -> Option<String> {
    let told = record.strokes.get(&ack.seq);
    let wrong = story.covers(ack.seq) && told != Some(&(ack.x, ack.y, ack.color));
    wrong.then(|| {
        format!("stream: number {} should be {:?}, told {told:?}", ack.seq, (ack.x, ack.y, ack.color))
    })
}

/// The same for a message.
fn unheard(spoken: &Spoken, story: &Story, record: &Record) -> Option<String> {
    let told = record.messages.get(&spoken.seq);
    let wrong = story.covers(spoken.seq) && told != Some(&spoken.id);
    wrong.then(|| format!("stream: number {} should be message {}, told {told:?}", spoken.seq, spoken.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_must_contain_every_covered_placement() {
        let ack = |seq, x, color| Ack { seq, x, y: 0, color, agent: 0 };
        let story = Story { from: Some(5), last: 9, ..Story::default() };
        let mut record = Record::default();
        record.strokes.insert(6, (1, 0, 5));
        assert_eq!(untold(&ack(6, 1, 5), &story, &record), None);
        assert_eq!(untold(&ack(4, 1, 5), &story, &record), None, "before the stream began");
        assert!(untold(&ack(6, 1, 4), &story, &record).is_some());
        assert!(untold(&ack(7, 1, 5), &story, &record).is_some());
    }

    #[test]
    fn stream_must_contain_every_covered_message() {
        let story = Story { from: Some(5), last: 9, ..Story::default() };
        let mut record = Record::default();
        record.messages.insert(7, "msg_a".into());
        let spoken = |seq, id: &str| Spoken { seq, id: id.into(), agent: 0 };
        assert_eq!(unheard(&spoken(7, "msg_a"), &story, &record), None);
        assert!(unheard(&spoken(7, "msg_b"), &story, &record).is_some());
        assert!(unheard(&spoken(8, "msg_a"), &story, &record).is_some());
    }
}
