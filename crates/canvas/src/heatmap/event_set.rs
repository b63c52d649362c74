//! A set of events of a season.

use std::ops::Range;

use rules::numbers::Seq;

/// A set of events of a season, with one bit for each event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EventSet {
    /// The sequence number of the first bit: that of the event that opened the season.
    first: Seq,
    /// The bits, the lowest of each byte first. Bits after the last byte are 0.
    bytes: Vec<u8>,
}

impl EventSet {
    /// Returns an empty set of events of the season that this event opened.
    pub fn new(first: Seq) -> Self {
        Self { first, bytes: Vec::new() }
    }

    /// Returns the set with these bits.
    pub fn from_bytes(first: Seq, bytes: Vec<u8>) -> Self {
        Self { first, bytes }
    }

    /// Returns the bits, the lowest of each byte first.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds an event. One from before the season is ignored.
    pub fn insert(&mut self, seq: Seq) {
        let Ok(bit) = usize::try_from(seq.events_since(self.first)) else { return };
        if bit / 8 >= self.bytes.len() {
            self.bytes.resize(bit / 8 + 1, 0);
        }
        self.bytes[bit / 8] |= 1 << (bit % 8);
    }

    /// Returns the number of events in each step, given the last event of each. The first step begins with
    /// the season.
    pub fn counts_by_step(&self, step_ends: &[Seq]) -> Vec<i64> {
        let mut start = 0;
        let count = |end: &Seq| {
            let end = usize::try_from(end.next().events_since(self.first)).unwrap_or(0).max(start);
            let count = self.count_in(start..end);
            start = end;
            count
        };
        step_ends.iter().map(count).collect()
    }

    fn count_in(&self, bits: Range<usize>) -> i64 {
        let byte_of = |bit: usize| (bit / 8).min(self.bytes.len());
        let whole = self.bytes[byte_of(bits.start)..byte_of(bits.end)].iter();
        let count: i64 = whole.map(|byte| i64::from(byte.count_ones())).sum();
        // The bits before the range in its first byte are not in it, and those before its end in its last
        // byte are.
        count + self.count_in_byte_before(bits.end) - self.count_in_byte_before(bits.start)
    }

    /// Returns the number of events before a bit whose bits are in the same byte.
    fn count_in_byte_before(&self, bit: usize) -> i64 {
        let byte = self.bytes.get(bit / 8).copied().unwrap_or(0);
        i64::from((byte & ((1 << (bit % 8)) - 1)).count_ones())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_are_those_of_a_plain_set(
            events in btree_set(5_i64..200, 0..80), mut ends in vec(5_i64..260, 0..9)
        ) {
            ends.sort_unstable();
            let mut set = EventSet::new(Seq(5));
            events.iter().for_each(|seq| set.insert(Seq(*seq)));
            let starts = std::iter::once(&4).chain(&ends);
            let expected: Vec<i64> = starts
                .zip(&ends)
                .map(|(start, end)| events.iter().filter(|seq| *seq > start && *seq <= end).count() as i64)
                .collect();
            let ends: Vec<Seq> = ends.into_iter().map(Seq).collect();
            prop_assert_eq!(set.counts_by_step(&ends), expected);
            let stored = EventSet::from_bytes(Seq(5), set.as_bytes().to_vec());
            prop_assert_eq!(stored, set);
        }
    }

    #[test]
    fn events_before_the_season_are_ignored() {
        let mut set = EventSet::new(Seq(5));
        set.insert(Seq(4));
        assert_eq!(set.counts_by_step(&[Seq(3), Seq(9)]), [0, 0]);
    }
}
