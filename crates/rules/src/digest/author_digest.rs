//! Digests for one author, whose view of the chat includes that author's shadow messages.

use chrono::{DateTime, Utc};

use super::{Digest, DigestTracker, truncate_hash};

/// Number of the newest public digests among which the one behind an author's digest is searched.
const MAX_SEARCHED_DIGESTS: usize = 2_000;

impl DigestTracker {
    /// Returns the digest for one author, derived from a public one and the id of the author's newest shadow
    /// message.
    pub fn digest_for_author(&self, digest: Digest, author: &str, newest: &str) -> Digest {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        hasher.update(&digest.0).update(author.as_bytes()).update(b"|").update(newest.as_bytes());
        truncate_hash(&hasher)
    }

    /// Returns the public digest from which an author's digest derives, or `None` if it derives from none
    /// that is retained. The author has recently posted these shadow messages.
    pub fn find_public_digest(
        &self,
        presented: Digest,
        author: &str,
        newest: &[&str],
        now: DateTime<Utc>,
    ) -> Option<Digest> {
        let candidates = [self.current.0].into_iter().chain(self.upcoming_digest(now));
        let candidates = candidates.chain(self.ended_order.iter().rev().take(MAX_SEARCHED_DIGESTS).copied());
        let is_own = |digest: &Digest| {
            newest.iter().any(|id| self.digest_for_author(*digest, author, id) == presented)
        };
        candidates.into_iter().find(is_own)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ChatChange, DigestStatus};
    use super::*;
    use chrono::TimeDelta;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(3_000_000 + seconds, 0).unwrap()
    }

    #[test]
    fn an_author_digest_is_valid_for_its_author_only() {
        let mut tracker = DigestTracker::new([7; 32], TimeDelta::seconds(300), at(0));
        tracker.record(&ChatChange::Posted("msg_a".into()), at(2));
        let public = tracker.current(at(10));
        let own = tracker.digest_for_author(public, "agent_a", "msg_s");
        assert_ne!(own, public);
        assert_eq!(tracker.evaluate(own, at(10)), DigestStatus::Unknown);
        let mut evaluate = |author, newest: &[&str], seconds| {
            tracker.current(at(seconds));
            let public = tracker.find_public_digest(own, author, newest, at(seconds));
            public.map_or(DigestStatus::Unknown, |digest| tracker.evaluate(digest, at(seconds)))
        };
        assert_eq!(evaluate("agent_a", &["msg_t", "msg_s"], 10), DigestStatus::Fresh);
        assert_eq!(evaluate("agent_b", &["msg_s"], 10), DigestStatus::Unknown);
        assert_eq!(evaluate("agent_a", &["msg_t"], 10), DigestStatus::Unknown);
        assert_eq!(evaluate("agent_a", &["msg_s"], 601), DigestStatus::Fresh);
        assert_eq!(evaluate("agent_a", &["msg_s"], 602), DigestStatus::Stale);
    }
}
