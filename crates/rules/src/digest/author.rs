//! Digests of one author's own: of the chat with what nobody else is shown.

use chrono::{DateTime, Utc};

use super::{Digest, DigestBook, Verdict, shortened};

/// Among how many of the newest public digests the one behind an author's own is looked for.
const LOOKED_AT: usize = 2_000;

impl DigestBook {
    /// What stands for a digest before the eyes of one author, whose newest shadow message has this id.
    pub fn for_author(&self, digest: Digest, author: &str, newest: &str) -> Digest {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        hasher.update(&digest.0).update(author.as_bytes()).update(b"|").update(newest.as_bytes());
        shortened(&hasher)
    }

    /// Judges a digest that an author shows who has said these shadow messages lately: it is worth what the public one
    /// behind it is worth.
    pub fn judge_for(&mut self, shown: Digest, author: &str, newest: &[&str], now: DateTime<Utc>) -> Verdict {
        let verdict = self.judge(shown, now);
        if verdict != Verdict::Unknown {
            return verdict;
        }
        let public = [self.current.0].into_iter().chain(self.early(now));
        let public = public.chain(self.order.iter().rev().take(LOOKED_AT).copied());
        let is_own = |digest: &Digest| newest.iter().any(|id| self.for_author(*digest, author, id) == shown);
        let behind = public.into_iter().find(is_own);
        behind.map_or(Verdict::Unknown, |digest| self.judge(digest, now))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Turn;
    use super::*;
    use chrono::TimeDelta;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(3_000_000 + seconds, 0).unwrap()
    }

    #[test]
    fn an_author_digest_is_valid_for_its_author_only() {
        let mut book = DigestBook::new([7; 32], TimeDelta::seconds(300), at(0));
        book.record(&Turn::Said("msg_a".into()), at(2));
        let public = book.current(at(10));
        let own = book.for_author(public, "agent_a", "msg_s");
        assert_ne!(own, public);
        assert_eq!(book.judge(own, at(10)), Verdict::Unknown);
        let mut judge = |author, newest: &[&str], seconds| book.judge_for(own, author, newest, at(seconds));
        assert_eq!(judge("agent_a", &["msg_t", "msg_s"], 10), Verdict::Fresh);
        assert_eq!(judge("agent_b", &["msg_s"], 10), Verdict::Unknown);
        assert_eq!(judge("agent_a", &["msg_t"], 10), Verdict::Unknown);
        assert_eq!(judge("agent_a", &["msg_s"], 601), Verdict::Fresh);
        assert_eq!(judge("agent_a", &["msg_s"], 602), Verdict::Stale);
    }
}
