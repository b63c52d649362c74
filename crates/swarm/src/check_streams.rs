//! Compares the spectators' streams with the acknowledged writes and with the canvas.

use std::sync::Arc;

use crate::{
    client::{ApiRequest, CanvasBody},
    ledger::{AckedMessage, AckedPlacement},
    spectator::Spectator,
    stop::Polling,
    stream_state::{StreamRecord, StreamState},
    verify::{SETTLE_TIMEOUT, Verdict, Verifier},
};

impl Verifier<'_> {
    /// Checks that every number came once and in order, with every acknowledged write among them.
    pub(crate) async fn compare_streams(
        &self,
        acks: &[AckedPlacement],
        messages: &[AckedMessage],
        verdict: &mut Verdict,
    ) {
        let pixels = acks.iter().map(|ack| ack.seq);
        let head = pixels.chain(messages.iter().map(|message| message.seq)).max().unwrap_or(0);
        for spectator in self.spectators {
            let mut polling = Polling::new(SETTLE_TIMEOUT);
            let is_behind = || spectator.state().last_seq < head;
            while is_behind() && polling.wait().await {}
            let state = spectator.state();
            let base_url = &spectator.base_url;
            verdict.resets += state.resets;
            if state.first_seq.is_none() {
                verdict.faults.push(format!("{base_url}: no stream was ever opened"));
            } else if state.last_seq < head {
                let last_seq = state.last_seq;
                let fault = format!("{base_url}: the stream ends at {last_seq}, before number {head}");
                verdict.faults.push(fault);
            }
            if let Some(record) = &state.record {
                verdict.streams.push(summary(base_url, &state));
                verdict.faults.extend(acks.iter().filter_map(|ack| placement_fault(ack, &state, record)));
                let missing = messages.iter().filter_map(|message| message_fault(message, &state, record));
                verdict.faults.extend(missing);
            }
            verdict.faults.extend(state.faults.iter().map(|fault| format!("{base_url}: stream: {fault}")));
        }
    }

    /// Checks that each spectator's replica equals the canvas of its server.
    pub(crate) async fn compare_replicas(&self, verdict: &mut Verdict) {
        let mut pending: Vec<&Arc<Spectator>> =
            self.spectators.iter().filter(|spectator| spectator.state().first_seq.is_some()).collect();
        pending.sort_by_key(|spectator| spectator.server_index);
        let mut polling = Polling::new(SETTLE_TIMEOUT);
        loop {
            pending = self.compare_pictures_once(pending, verdict).await;
            if pending.is_empty() || !polling.wait().await {
                break;
            }
        }
        let late = pending.iter().map(|spectator| &spectator.base_url);
        let late = late.map(|url| format!("{url}: a spectator's replica never reached the canvas version"));
        verdict.faults.extend(late);
    }

    /// Returns the spectators that could not be compared yet.
    async fn compare_pictures_once<'a>(
        &self,
        spectators: Vec<&'a Arc<Spectator>>,
        verdict: &mut Verdict,
    ) -> Vec<&'a Arc<Spectator>> {
        let mut pending = Vec::new();
        let mut body: Option<(usize, CanvasBody)> = None;
        for spectator in spectators {
            if body.as_ref().is_none_or(|(server, _)| *server != spectator.server_index) {
                let server = Some(spectator.server_index);
                let call = ApiRequest { server, ..ApiRequest::get("/api/canvas.bin") };
                let loaded = self.context.client.fetch_canvas(&call).await.ok();
                body = loaded.map(|body| (spectator.server_index, body));
            }
            match body.as_ref().and_then(|(_, body)| spectator.state().replica.as_ref()?.compare(body)) {
                Some(Ok(())) => verdict.pictures += 1,
                Some(Err(difference)) => {
                    let url = &spectator.base_url;
                    verdict.faults.push(format!("{url}: stream and canvas differ: {difference}"));
                }
                None => pending.push(spectator),
            }
        }
        pending
    }
}

fn summary(base_url: &str, state: &StreamState) -> String {
    format!(
        "{base_url}: numbers {} to {}, {} pixels ({} reconnects, {} resets)",
        state.first_seq.unwrap_or(0),
        state.last_seq,
        state.placement_count,
        state.reconnects,
        state.resets
    )
}

/// Returns the fault if the stream did not send a placement, or sent another one.
fn placement_fault(ack: &AckedPlacement, state: &StreamState, record: &StreamRecord) -> Option<String> {
    let streamed = record.placements.get(&ack.seq);
    let is_wrong = state.covers(ack.seq) && streamed != Some(&(ack.x, ack.y, ack.color));
    is_wrong.then(|| {
        format!("stream: number {} should be {:?}, received {streamed:?}", ack.seq, (ack.x, ack.y, ack.color))
    })
}

/// Returns the fault if the stream did not send a message, or sent another one.
fn message_fault(message: &AckedMessage, state: &StreamState, record: &StreamRecord) -> Option<String> {
    let streamed = record.messages.get(&message.seq);
    let is_wrong = state.covers(message.seq) && streamed != Some(&message.id);
    is_wrong.then(|| {
        format!("stream: number {} should be message {}, received {streamed:?}", message.seq, message.id)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_must_contain_every_covered_placement() {
        let ack = |seq, x, color| AckedPlacement { seq, x, y: 0, color, agent: 0 };
        let state = StreamState { first_seq: Some(5), last_seq: 9, ..StreamState::default() };
        let mut record = StreamRecord::default();
        record.placements.insert(6, (1, 0, 5));
        assert_eq!(placement_fault(&ack(6, 1, 5), &state, &record), None);
        assert_eq!(placement_fault(&ack(4, 1, 5), &state, &record), None, "before the stream began");
        assert!(placement_fault(&ack(6, 1, 4), &state, &record).is_some());
        assert!(placement_fault(&ack(7, 1, 5), &state, &record).is_some());
    }

    #[test]
    fn stream_must_contain_every_covered_message() {
        let state = StreamState { first_seq: Some(5), last_seq: 9, ..StreamState::default() };
        let mut record = StreamRecord::default();
        record.messages.insert(7, "msg_a".into());
        let message = |seq, id: &str| AckedMessage { seq, id: id.into(), agent: 0 };
        assert_eq!(message_fault(&message(7, "msg_a"), &state, &record), None);
        assert!(message_fault(&message(7, "msg_b"), &state, &record).is_some());
        assert!(message_fault(&message(8, "msg_a"), &state, &record).is_some());
    }
}
