//! Positions in the live stream, and the ids of events that tell them.

use rules::numbers::Seq;

/// A position in an author's stream: after an event, and after some of the own events with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StreamPosition {
    /// The number of the event.
    pub seq: Seq,
    /// The number of own events; 0 in the streams of everyone else.
    pub rank: usize,
}

impl StreamPosition {
    /// Returns the position after an event and all own events with its number.
    pub fn after_all_of(seq: Seq) -> Self {
        Self { seq, rank: i32::MAX as usize }
    }

    /// Parses the id of an event. Leading zeros count own events, so that ids are numbers for every
    /// client and a client that sends one back resumes exactly there.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let seq = text.parse().ok().map(Seq).filter(|seq| *seq >= Seq::ZERO)?;
        let digits = text.trim_start_matches('+');
        let zeros = digits.len() - digits.trim_start_matches('0').len();
        Some(Self { seq, rank: if seq == Seq::ZERO { zeros.saturating_sub(1) } else { zeros } })
    }

    /// Returns the id of an event at this position.
    pub(crate) fn to_id(self) -> String {
        format!("{}{}", "0".repeat(self.rank), self.seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_number_and_tells_private_events_apart() {
        for (id, seq, rank) in
            [("814", 814, 0), ("0814", 814, 1), ("000814", 814, 3), ("0", 0, 0), ("00", 0, 1)]
        {
            let position = StreamPosition { seq: Seq(seq), rank };
            assert_eq!(StreamPosition::parse(id), Some(position), "{id}");
            assert_eq!(position.to_id(), id);
            assert_eq!(id.parse::<i64>(), Ok(seq));
        }
        for wrong in ["", "-1", "a", "1.5"] {
            assert_eq!(StreamPosition::parse(wrong), None, "{wrong}");
        }
    }
}
