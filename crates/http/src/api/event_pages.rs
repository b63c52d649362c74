//! The pages of past events that streams read when they resume. Few streams read at a time, in the order in
//! which they ask, and those that wait for the same page share it.

use std::sync::Arc;
use std::time::Instant;

use actix_web::web::Bytes;
use caraplace_live::event::Event;
use caraplace_live::frame::frames;
use caraplace_log::state::AppState;
use platform::cache::Cache;
use platform::clock::monotonic_now;
use platform::refusal::Refusal;
use rules::numbers::Seq;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::yield_now;

/// The maximum number of events in a page. A stream that is not read must not hold more.
const MAX_PAGE_EVENTS: i64 = 256;
/// The maximum number of streams that read from memory at a time, and of those that read from the database.
/// Further ones wait, so that a worker has few of them to run between two other requests.
const MAX_READERS: usize = 2;
/// The size of the cache of pages. A page with placements only has 14 kB.
const MAX_CACHED_BYTES: u32 = 4 << 20;

/// The events that a stream reads at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PageRange {
    /// The number before that of the first event.
    pub after: Seq,
    /// The number of the last event.
    pub up_to: Seq,
}

impl PageRange {
    /// Returns the next events after a number, up to `last` at most. A page ends at a multiple of its size,
    /// so that streams that resume at different events read the same pages after the first.
    pub fn next(after: Seq, last: Seq) -> Self {
        let up_to = after.plus(MAX_PAGE_EVENTS - after.0 % MAX_PAGE_EVENTS).min(last);
        Self { after, up_to }
    }
}

/// A page of events, encoded as everyone sees them.
pub struct EncodedPage {
    pub frames: Vec<Bytes>,
    /// The time at which reading the events began.
    read_at: Instant,
}

/// The pages of past events.
pub struct EventPages {
    memory_permits: Semaphore,
    /// The permits to read from the database, which may be slow while the events in memory are not.
    database_permits: Semaphore,
    cache: Cache<PageRange, Arc<EncodedPage>>,
}

impl Default for EventPages {
    fn default() -> Self {
        let cache = Cache::new("event_pages", MAX_CACHED_BYTES, None, |page: &Arc<EncodedPage>| {
            page.frames.iter().map(Bytes::len).sum()
        });
        Self {
            memory_permits: Semaphore::new(MAX_READERS),
            database_permits: Semaphore::new(MAX_READERS),
            cache,
        }
    }
}

impl EventPages {
    /// Returns the page of these events, read after this call.
    ///
    /// # Errors
    /// `Unavailable` if the database cannot be read.
    pub async fn get(&self, state: &AppState, range: PageRange) -> Result<Arc<EncodedPage>, Refusal> {
        let is_in_memory = state.hub.has_events_after(range.after);
        let permits = if is_in_memory { &self.memory_permits } else { &self.database_permits };
        // Boxed, because the future is large and would be moved several times.
        self.share(permits, range, Box::pin(read_shown_events(state, range))).await
    }

    /// Returns these events from the database, for a stream whose caller sees them differently.
    ///
    /// # Errors
    /// `Unavailable` if the database cannot be read.
    pub async fn read_events(&self, state: &AppState, range: PageRange) -> Result<Vec<Event>, Refusal> {
        let _permit = acquire(&self.database_permits).await;
        state.log.events_between(range.after, range.up_to).await
    }

    /// Returns the page of the events that `read` returns, or one that another stream has begun to read since
    /// this call: what was hidden before the call is in neither.
    async fn share(
        &self,
        permits: &Semaphore,
        range: PageRange,
        read: impl Future<Output = Result<Vec<Event>, Refusal>> + Send,
    ) -> Result<Arc<EncodedPage>, Refusal> {
        let asked_at = monotonic_now();
        let _permit = acquire(permits).await;
        let compute = async {
            let read_at = monotonic_now();
            let frames = frames(&read.await?).into_iter().map(|frame| frame.bytes).collect();
            Ok(Arc::new(EncodedPage { frames, read_at }))
        };
        self.cache.get_or_compute(range, |page| page.read_at >= asked_at, compute).await
    }
}

/// Waits for a permit, and lets other tasks of the worker run before it is used: streams that ask meanwhile
/// share what is read, and a stream that resumes far back does not block the worker.
async fn acquire(permits: &Semaphore) -> Option<SemaphorePermit<'_>> {
    // The semaphore is never closed.
    let permit = permits.acquire().await.ok();
    yield_now().await;
    permit
}

async fn read_shown_events(state: &AppState, range: PageRange) -> Result<Vec<Event>, Refusal> {
    let events = match state.hub.events_between(range.after, range.up_to) {
        Some(events) => events,
        None => state.log.events_between(range.after, range.up_to).await?,
    };
    Ok(as_shown(events, state.game().chat_enabled))
}

/// Returns events as they are sent: without texts while the chat is switched off.
pub(super) fn as_shown(events: Vec<Event>, is_chat_enabled: bool) -> Vec<Event> {
    if is_chat_enabled { events } else { events.into_iter().map(Event::without_text).collect() }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join_all;

    use super::*;

    const RANGE: PageRange = PageRange { after: Seq::ZERO, up_to: Seq(MAX_PAGE_EVENTS) };

    #[test]
    fn pages_end_at_multiples_of_their_size() {
        for (after, last, up_to) in [
            (0, 1_000, 256),
            (1, 1_000, 256),
            (255, 1_000, 256),
            (256, 1_000, 512),
            (700, 1_000, 768),
            (768, 1_000, 1_000),
            (256, 257, 257),
        ] {
            let expected = PageRange { after: Seq(after), up_to: Seq(up_to) };
            assert_eq!(PageRange::next(Seq(after), Seq(last)), expected);
        }
    }

    #[tokio::test]
    async fn streams_that_wait_share_a_page_that_was_read_after_they_asked() {
        let pages = EventPages::default();
        let reads = &AtomicUsize::new(0);
        let ask = || {
            pages.share(&pages.database_permits, RANGE, async move {
                reads.fetch_add(1, Ordering::SeqCst);
                yield_now().await;
                Ok(Vec::new())
            })
        };
        let shared = join_all((0..500).map(|_| ask())).await;
        assert!(shared.iter().all(Result::is_ok));
        assert_eq!(reads.load(Ordering::SeqCst), 1);
        assert!(ask().await.is_ok());
        assert_eq!(reads.load(Ordering::SeqCst), 2, "a text may have been hidden since");
    }

    #[tokio::test]
    async fn few_streams_read_at_a_time() {
        let pages = EventPages::default();
        let reading = &AtomicUsize::new(0);
        let most = &AtomicUsize::new(0);
        let ask = |number: i64| {
            let after = Seq(number * MAX_PAGE_EVENTS);
            pages.share(&pages.database_permits, PageRange::next(after, Seq::MAX), async move {
                most.fetch_max(reading.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                yield_now().await;
                reading.fetch_sub(1, Ordering::SeqCst);
                Ok(Vec::new())
            })
        };
        let read = join_all((0..100).map(ask)).await;
        assert!(read.iter().all(Result::is_ok));
        assert_eq!(most.load(Ordering::SeqCst), MAX_READERS);
    }

    #[tokio::test]
    async fn streams_that_wait_for_the_database_do_not_hold_up_those_in_memory() {
        let pages = EventPages::default();
        let _taken = [acquire(&pages.database_permits).await, acquire(&pages.database_permits).await];
        assert!(pages.share(&pages.memory_permits, RANGE, async { Ok(Vec::new()) }).await.is_ok());
    }
}
