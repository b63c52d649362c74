//! Rejects bare line feeds in request heads, which parsers treat differently (request smuggling).

use std::io;

/// The state of checking a request head.
pub struct HeaderGuard {
    has_started: bool,
    after_carriage_return: bool,
    is_line_empty: bool,
    is_done: bool,
}

impl Default for HeaderGuard {
    /// Starts a new head. A leading line feed is accepted, because its carriage return may have arrived with
    /// the previous request.
    fn default() -> Self {
        Self { has_started: false, after_carriage_return: true, is_line_empty: false, is_done: false }
    }
}

impl HeaderGuard {
    /// Checks the next bytes, up to the end of the head.
    ///
    /// # Errors
    /// `InvalidData` for a line feed without a carriage return.
    pub fn check(&mut self, bytes: &[u8]) -> io::Result<()> {
        for byte in bytes {
            if self.is_done {
                break;
            }
            match byte {
                b'\n' if !self.after_carriage_return => {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, "bare line feed"));
                }
                b'\n' => {
                    self.is_done = self.has_started && self.is_line_empty;
                    self.is_line_empty = true;
                }
                b'\r' => {}
                _ => (self.has_started, self.is_line_empty) = (true, false),
            }
            self.after_carriage_return = *byte == b'\r';
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn accepts(pieces: &[&str]) -> bool {
        let mut guard = HeaderGuard::default();
        pieces.iter().try_for_each(|piece| guard.check(piece.as_bytes())).is_ok()
    }

    #[test]
    fn bare_line_feeds_are_refused_within_the_head() {
        assert!(accepts(&["GET / HTTP/1.1\r", "\nHost: x\r\n", "\r\nbody\nbody"]));
        assert!(accepts(&["\nGET / HTTP/1.1\r\n\r\n"]));
        assert!(accepts(&["\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n\n"]));
        for wrong in
            ["GET /\n", "\r\n\r\nGET / HTTP/1.1\r\nX: y\nZ: z", "GET /\r\nX: y\r\n\n", "GET /\r\r\nX\n"]
        {
            assert!(!accepts(&[wrong]), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn result_does_not_depend_on_chunking(text in "[\r\nab]{0,30}", cut in 0_usize..30) {
            let (start, end) = text.split_at(cut.min(text.len()));
            prop_assert_eq!(accepts(&[&text]), accepts(&[start, end]));
        }

        #[test]
        fn heads_with_crlf_line_ends_are_accepted(
            lines in proptest::collection::vec("[a-z]{1,5}", 1..6),
            body in "[\r\nab]{0,20}",
        ) {
            let whole = format!("{}\r\n\r\n{body}", lines.join("\r\n"));
            prop_assert!(accepts(&[&whole]));
            let bare = format!("{}\n{whole}", lines.join("\r\n"));
            prop_assert!(!accepts(&[&bare]));
        }
    }
}
