//! The events of a stream, put together from the pieces in which a network delivers them.

/// A reader of an event stream.
#[derive(Default)]
pub(super) struct EventStreamReader {
    /// The bytes of the line that has not ended yet.
    line: Vec<u8>,
    /// The data of the event that has not ended yet.
    data: String,
}

impl EventStreamReader {
    /// Takes more bytes of the stream, and returns the data of each event that ends in them.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                events.extend(self.end_line());
            }
        }
        events
    }

    /// Returns the data of the event that ends with this line, if one does.
    fn end_line(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return Some(std::mem::take(&mut self.data)).filter(|data| !data.is_empty());
        }
        // The names and ids of events are not needed, because the data of both formats contains a type.
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = ": comment\r\nevent: a\r\ndata: {\"text\": \"é☀\"}\r\n\r\n\r\n\
         id: 3\ndata:one\ndata: two\n\ndata: cut";

    #[test]
    fn events_are_the_same_in_pieces_of_any_size() {
        for size in 1..=STREAM.len() {
            let mut reader = EventStreamReader::default();
            let pieces = STREAM.as_bytes().chunks(size);
            let events: Vec<_> = pieces.flat_map(|piece| reader.read(piece)).collect();
            assert_eq!(events, ["{\"text\": \"é☀\"}", "one\ntwo"], "in pieces of {size} bytes");
        }
    }
}
