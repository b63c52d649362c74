//! Watches the line ends of a request's head: one that some readers pass over would hide a line from them.

use std::io;

/// How far a head has been read.
pub struct Lines {
    begun: bool,
    return_before: bool,
    empty: bool,
    ended: bool,
}

impl Default for Lines {
    /// The head's first byte may have come early, with what was before: a line feed may belong to that.
    fn default() -> Self {
        Self { begun: false, return_before: true, empty: false, ended: false }
    }
}

impl Lines {
    /// Reads on, up to the head's end.
    ///
    /// # Errors
    /// That a line feed stands alone.
    pub fn feed(&mut self, bytes: &[u8]) -> io::Result<()> {
        for byte in bytes {
            if self.ended {
                break;
            }
            match byte {
                b'\n' if !self.return_before => {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, "a line feed stands alone"));
                }
                b'\n' => {
                    self.ended = self.begun && self.empty;
                    self.empty = true;
                }
                b'\r' => {}
                _ => (self.begun, self.empty) = (true, false),
            }
            self.return_before = *byte == b'\r';
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn feed(pieces: &[&str]) -> bool {
        let mut lines = Lines::default();
        pieces.iter().try_for_each(|piece| lines.feed(piece.as_bytes())).is_ok()
    }

    #[test]
    fn bare_line_feeds_are_refused_within_the_head() {
        assert!(feed(&["GET / HTTP/1.1\r", "\nHost: x\r\n", "\r\nbody\nbody"]));
        assert!(feed(&["\nGET / HTTP/1.1\r\n\r\n"]));
        assert!(feed(&["\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n\n"]));
        for wrong in
            ["GET /\n", "\r\n\r\nGET / HTTP/1.1\r\nX: y\nZ: z", "GET /\r\nX: y\r\n\n", "GET /\r\r\nX\n"]
        {
            assert!(!feed(&[wrong]), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn result_does_not_depend_on_chunking(text in "[\r\nab]{0,30}", cut in 0_usize..30) {
            let (start, end) = text.split_at(cut.min(text.len()));
            prop_assert_eq!(feed(&[&text]), feed(&[start, end]));
        }

        #[test]
        fn heads_with_crlf_line_ends_are_accepted(lines in proptest::collection::vec("[a-z]{1,5}", 1..6), body in "[\r\nab]{0,20}") {
            let whole = format!("{}\r\n\r\n{body}", lines.join("\r\n"));
            prop_assert!(feed(&[&whole]));
            let bare = format!("{}\n{whole}", lines.join("\r\n"));
            prop_assert!(!feed(&[&bare]));
        }
    }
}
