//! The response of a provider: its status, and the stream with the answer.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};

use super::answer::{AnswerPart, PartialAnswer};
use super::provider_format::ProviderFormat;
use super::sse::EventStreamReader;
use super::{ModelAnswer, ModelError, ModelUsage, safe_tokens};

/// The maximum number of bytes in the stream of an answer.
const MAX_STREAM_BYTES: usize = 1 << 20;
/// The maximum number of bytes in the body of a refusal, of which only the type of the error is read.
const MAX_REFUSAL_BYTES: usize = 1 << 16;
/// The timeout of the body of a refusal.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(5);
/// The time in which the end of a stream must come, so that its connection can be used again.
const END_TIMEOUT: Duration = Duration::from_millis(200);
/// The pause in which pieces of a text collect. Providers send word by word, and each piece that is awaited
/// alone wakes several threads here, and every browser that follows.
const READ_PAUSE: Duration = Duration::from_millis(300);
/// The time in which a piece comes that has been received.
const RECEIVED_TIMEOUT: Duration = Duration::from_millis(5);
/// The longest wait that a provider may ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(10);
/// The maximum length of the type of an error.
const MAX_KIND_LENGTH: usize = 40;

/// The limits of an answer, and the size of its request.
#[derive(Clone, Copy)]
pub(super) struct AnswerLimits {
    /// The longest time without data.
    pub(super) data_timeout: Duration,
    /// The maximum number of bytes of its text and arguments.
    pub(super) max_bytes: usize,
    /// The size of its request, from which its tokens are estimated if the provider does not count them.
    pub(super) request_bytes: usize,
}

/// A request that has no answer.
#[derive(Debug)]
pub(super) struct FailedAttempt {
    pub(super) error: ModelError,
    /// The type of the provider's error, for the log; empty if unknown.
    pub(super) kind: String,
    /// The tokens that it has taken nevertheless.
    pub(super) usage: ModelUsage,
    can_be_repeated: bool,
    /// The wait that the provider asks for.
    retry_after: Option<Duration>,
}

impl FailedAttempt {
    /// Returns a failure after which the request may be repeated.
    pub(super) fn repeatable(error: ModelError) -> Self {
        Self {
            error,
            kind: String::new(),
            usage: ModelUsage::default(),
            can_be_repeated: true,
            retry_after: None,
        }
    }

    /// Returns a failure after which the request is not repeated.
    pub(super) fn last(error: ModelError) -> Self {
        Self { can_be_repeated: false, ..Self::repeatable(error) }
    }

    /// Returns the failure of a request without data for too long, on which the provider has worked
    /// nevertheless.
    pub(super) fn timed_out(request_bytes: usize) -> Self {
        let usage = ModelUsage { input_tokens: safe_tokens(request_bytes), output_tokens: 0 };
        Self { usage, ..Self::last(ModelError::TimedOut) }
    }

    /// Returns the wait before the request is repeated: this one, or that which the provider asks for. `None`
    /// if it is not repeated.
    pub(super) fn retry_delay(&self, usual: Duration) -> Option<Duration> {
        let delay = self.retry_after.unwrap_or(usual);
        (self.can_be_repeated && delay <= MAX_RETRY_AFTER).then_some(delay)
    }

    fn with_kind(self, kind: &str) -> Self {
        let is_word = (1..=MAX_KIND_LENGTH).contains(&kind.len())
            && kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        // Anything else could repeat the prompt or the key.
        Self { kind: if is_word { kind.to_owned() } else { String::new() }, ..self }
    }
}

/// Returns the response if it contains an answer.
pub(super) async fn check_status(response: Response) -> Result<Response, FailedAttempt> {
    let status = response.status().as_u16();
    let failure = match status {
        200 => return Ok(response),
        429 | 503 | 529 => FailedAttempt::repeatable(ModelError::Overloaded),
        500 | 502 => FailedAttempt::repeatable(ModelError::Refused { status }),
        _ => FailedAttempt::last(ModelError::Refused { status }),
    };
    let failure = FailedAttempt { retry_after: retry_after(response.headers()), ..failure };
    let kind = timeout(REFUSAL_TIMEOUT, read_kind(response)).await;
    Err(failure.with_kind(kind.ok().flatten().as_deref().unwrap_or_default()))
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

/// Returns the type of the error in a refusal. The rest of it is never used.
async fn read_kind(mut response: Response) -> Option<String> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.ok()? {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_REFUSAL_BYTES {
            return None;
        }
    }
    let body: Value = serde_json::from_slice(&body).ok()?;
    body.pointer("/error/type")?.as_str().map(str::to_owned)
}

/// Reads an answer to its end.
pub(super) async fn read_answer(
    response: Response,
    format: &dyn ProviderFormat,
    limits: AnswerLimits,
    on_text: &mut (dyn FnMut(&str) + Send),
) -> Result<ModelAnswer, FailedAttempt> {
    let mut answer = PartialAnswer::default();
    let read = read_stream(response, format, limits, &mut answer, on_text).await;
    let lost = answer.lost_usage(limits.request_bytes);
    let complete =
        read.and_then(|()| answer.finish().ok_or_else(|| FailedAttempt::repeatable(ModelError::BrokenOff)));
    let complete = complete.map_err(|failure| FailedAttempt { usage: lost.max(failure.usage), ..failure })?;
    Ok(ModelAnswer { usage: complete.usage_or_estimate(limits.request_bytes), ..complete })
}

async fn read_stream(
    mut response: Response,
    format: &dyn ProviderFormat,
    limits: AnswerLimits,
    answer: &mut PartialAnswer,
    on_text: &mut (dyn FnMut(&str) + Send),
) -> Result<(), FailedAttempt> {
    let mut reader = EventStreamReader::default();
    let mut bytes_read = 0;
    while !answer.has_ended() {
        // The beginning of an answer is passed on at once.
        let may_pause = answer.bytes() > 0;
        let next = next_in_bursts(&mut response, limits.data_timeout, may_pause).await;
        let next = next.map_err(|_| FailedAttempt::timed_out(limits.request_bytes))?;
        let Some(bytes) = next else { break };
        bytes_read += bytes.len();
        if bytes_read > MAX_STREAM_BYTES {
            return Err(FailedAttempt::last(ModelError::Unreadable("it is longer than 1 MiB")));
        }
        for event in reader.read(&bytes) {
            for part in parts(format, &event)? {
                add(answer, part, on_text)?;
                if answer.bytes() > limits.max_bytes {
                    let error = ModelError::Unreadable("it is longer than the request allows");
                    return Err(FailedAttempt::last(error));
                }
            }
        }
    }
    if answer.has_ended() {
        let _ = timeout(END_TIMEOUT, response.chunk()).await;
    }
    Ok(())
}

/// A stream that is read piece by piece.
trait PieceStream {
    /// Waits for the next piece; `None` at the end. A connection that breaks counts as the end, too: an
    /// answer may be complete. If it is dropped, no piece is lost.
    fn next_piece(&mut self) -> impl Future<Output = Option<Bytes>> + Send;
}

impl PieceStream for Response {
    async fn next_piece(&mut self) -> Option<Bytes> {
        self.chunk().await.ok().flatten()
    }
}

/// Returns the next piece of a stream; `None` at its end. Pauses before the wait for a piece that has not
/// been received yet, if it may.
///
/// # Errors
/// If none comes for too long.
async fn next_in_bursts(
    stream: &mut impl PieceStream,
    data_timeout: Duration,
    may_pause: bool,
) -> Result<Option<Bytes>, Elapsed> {
    if may_pause {
        if let Ok(piece) = timeout(RECEIVED_TIMEOUT, stream.next_piece()).await {
            return Ok(piece);
        }
        sleep(READ_PAUSE).await;
    }
    timeout(data_timeout, stream.next_piece()).await
}

fn parts(format: &dyn ProviderFormat, event: &str) -> Result<Vec<AnswerPart>, FailedAttempt> {
    if event == "[DONE]" {
        return Ok(vec![AnswerPart::Ended]);
    }
    let unreadable = |_| FailedAttempt::last(ModelError::Unreadable("an event is not JSON"));
    Ok(format.parts(&serde_json::from_str(event).map_err(unreadable)?))
}

fn add(
    answer: &mut PartialAnswer,
    part: AnswerPart,
    on_text: &mut (dyn FnMut(&str) + Send),
) -> Result<(), FailedAttempt> {
    let kind = if let AnswerPart::Failed(kind) = &part { kind.clone() } else { String::new() };
    answer.add(part, on_text).map_err(|error| FailedAttempt::repeatable(error).with_kind(&kind))
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::Instant;

    use super::*;

    /// A stream whose next piece comes late.
    #[derive(Default)]
    struct LateStream {
        waits: usize,
    }

    impl PieceStream for LateStream {
        async fn next_piece(&mut self) -> Option<Bytes> {
            self.waits += 1;
            if self.waits == 1 { pending().await } else { Some(Bytes::from_static(b"word")) }
        }
    }

    #[tokio::test]
    async fn pieces_that_come_late_collect_in_a_pause() {
        let mut stream = LateStream::default();
        let begin = Instant::now();
        let piece = next_in_bursts(&mut stream, Duration::from_secs(9), true).await.unwrap();
        assert_eq!((piece.as_deref(), stream.waits), (Some(&b"word"[..]), 2));
        assert!(begin.elapsed() >= READ_PAUSE, "{:?}", begin.elapsed());
        let never = next_in_bursts(&mut LateStream::default(), Duration::ZERO, false).await;
        assert!(never.is_err(), "the first piece is awaited without a pause");
    }

    #[test]
    fn only_a_word_of_a_refusal_is_kept() {
        let kind = |kind: &str| FailedAttempt::last(ModelError::Overloaded).with_kind(kind).kind;
        assert_eq!(kind("invalid_request_error"), "invalid_request_error");
        let long = "a".repeat(41);
        for other in ["", "The key is sk-hunter2", "sk-hunter2", "Error", long.as_str()] {
            assert_eq!(kind(other), "");
        }
    }

    #[test]
    fn provider_may_ask_for_a_short_wait_only() {
        let usual = Duration::from_secs(1);
        let after = |seconds| {
            let retry_after = Some(Duration::from_secs(seconds));
            let failure = FailedAttempt::repeatable(ModelError::Overloaded);
            FailedAttempt { retry_after, ..failure }.retry_delay(usual)
        };
        assert_eq!((after(0), after(10)), (Some(Duration::ZERO), Some(MAX_RETRY_AFTER)));
        assert_eq!(after(11), None);
        assert_eq!(FailedAttempt::repeatable(ModelError::BrokenOff).retry_delay(usual), Some(usual));
        assert_eq!(FailedAttempt::last(ModelError::TimedOut).retry_delay(usual), None);
    }
}
