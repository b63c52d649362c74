//! The limits of a turn's requests, so that all of them together stay within the tokens of a turn, whatever
//! the model does.

use super::model::{ModelMessage, ModelRequest, ModelTool, ModelUsage, safe_tokens};
use crate::tools::guide::text_limit::MAX_RESULT_BYTES;

/// The maximum number of tool calls in a turn.
pub(super) const MAX_CALLS: usize = 8;
/// The maximum number of requests in a turn: one before each call, and one after all.
pub(super) const MAX_REQUESTS: u64 = MAX_CALLS as u64 + 1;
/// The maximum number of tokens in an answer of the model.
pub(super) const MAX_ANSWER_TOKENS: u64 = 2_000;
/// The fewest tokens for which an answer is worth its request.
const MIN_ANSWER_TOKENS: u64 = 200;
/// Bytes for the names, ids and brackets around a part of a request.
const PART_BYTES: usize = 48;

/// The limits of a request, so that it fits into what is left of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RequestLimits {
    /// False if nothing would be left for the results of calls.
    pub may_call_tools: bool,
    pub max_tokens: u64,
    /// The tokens that are left if the request takes as many as it may.
    pub max_lost_tokens: u64,
}

/// The tokens of a turn: those that are left, and how the provider counts them.
#[derive(Clone, Debug)]
pub(super) struct TokenAccount {
    /// The tokens of all requests.
    limit: u64,
    /// The tokens that the provider has counted.
    spent: ModelUsage,
    /// The estimated tokens of the request that is being answered.
    pending: ModelUsage,
    /// The bytes of the last request, with which the next one begins, and the tokens that the provider has
    /// counted for it.
    counted: (usize, u64),
    /// The largest ratio of counted tokens to [`safe_tokens`], at least 1.
    ratio: f64,
}

impl TokenAccount {
    /// Returns the account of a turn that may take this many tokens.
    pub(super) fn new(limit: u64) -> Self {
        let none = ModelUsage::default();
        Self { limit, spent: none, pending: none, counted: (0, 0), ratio: 1.0 }
    }

    /// Returns the tokens that the turn has taken, with those of a request that was not answered completely.
    pub(super) fn usage(&self) -> ModelUsage {
        self.spent.plus(self.pending)
    }

    /// Returns the limits of the next request with these messages and tools; `None` if too little is left for
    /// any.
    pub(super) fn next_limits(&self, input_bytes: usize, calls_left: usize) -> Option<RequestLimits> {
        let left = self.left().saturating_sub(self.estimate(input_bytes));
        // After a call comes at least one more request: with the same input, this answer and a result.
        let after_call = self.estimate(input_bytes) + self.estimate_new(MAX_RESULT_BYTES) + MIN_ANSWER_TOKENS;
        let with_call = left.saturating_sub(after_call) / 2;
        let may_call_tools = calls_left > 0 && with_call >= MIN_ANSWER_TOKENS;
        let max_tokens = if may_call_tools { with_call } else { left }.min(MAX_ANSWER_TOKENS);
        let limits = RequestLimits { may_call_tools, max_tokens, max_lost_tokens: left - max_tokens };
        (max_tokens >= MIN_ANSWER_TOKENS).then_some(limits)
    }

    /// Returns true if one more tool result leaves enough for a request with these messages and tools.
    pub(super) fn has_room_for_result(&self, input_bytes: usize) -> bool {
        self.estimate(input_bytes) + self.estimate_new(MAX_RESULT_BYTES) + MIN_ANSWER_TOKENS <= self.left()
    }

    /// Counts a request, until its answer is complete.
    pub(super) fn begin_request(&mut self, input_bytes: usize) {
        self.pending = ModelUsage { input_tokens: self.estimate(input_bytes), output_tokens: 0 };
    }

    /// Counts a part of the answer, until it is complete.
    pub(super) fn add_text(&mut self, text: &str) {
        self.pending.output_tokens += safe_tokens(text.len());
    }

    /// Counts what the provider has counted, and what was lost before.
    pub(super) fn end_request(&mut self, input_bytes: usize, usage: ModelUsage, lost: ModelUsage) {
        let (bytes, tokens) = self.counted;
        let new_tokens = usage.input_tokens.saturating_sub(tokens) as f64;
        let estimated = safe_tokens(input_bytes.saturating_sub(bytes)).max(1) as f64;
        self.ratio = self.ratio.max(new_tokens / estimated);
        self.counted = (input_bytes, usage.input_tokens);
        self.spent = self.spent.plus(usage).plus(lost);
        self.pending = ModelUsage::default();
    }

    /// Counts a request without an answer, of which this is known; nothing if the provider has not accepted
    /// it.
    pub(super) fn fail_request(&mut self, usage: ModelUsage) {
        self.pending = if usage.total() == 0 { usage } else { self.pending.max(usage) };
    }

    fn left(&self) -> u64 {
        self.limit.saturating_sub(self.usage().total())
    }

    /// Estimates the tokens of the next request, which begins with the last one.
    fn estimate(&self, bytes: usize) -> u64 {
        let (counted_bytes, counted_tokens) = self.counted;
        counted_tokens + self.estimate_new(bytes.saturating_sub(counted_bytes))
    }

    /// Estimates the tokens of bytes that the provider has not counted.
    fn estimate_new(&self, bytes: usize) -> u64 {
        (safe_tokens(bytes) as f64 * self.ratio).ceil() as u64
    }
}

/// Returns the approximate number of bytes of a request.
pub(super) fn request_bytes(request: &ModelRequest) -> usize {
    let tools: usize = request.tools.iter().map(tool_bytes).sum();
    let messages: usize = request.messages.iter().map(message_bytes).sum();
    request.system.len() + tools + messages
}

fn tool_bytes(tool: &ModelTool) -> usize {
    tool.name.len() + tool.description.len() + tool.schema.to_string().len() + PART_BYTES
}

fn message_bytes(message: &ModelMessage) -> usize {
    let parts: usize = match message {
        ModelMessage::Visitor(text) => text.len(),
        ModelMessage::Model { text, calls } => {
            let calls = calls.iter().map(|call| call.name.len() + call.arguments.len() + PART_BYTES);
            text.len() + calls.sum::<usize>()
        }
        ModelMessage::ToolResults(results) => {
            results.iter().map(|result| result.text.len() + PART_BYTES).sum()
        }
    };
    parts + PART_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guide::model::SAFE_BYTES_PER_TOKEN;

    fn usage(input_tokens: u64, output_tokens: u64) -> ModelUsage {
        ModelUsage { input_tokens, output_tokens }
    }

    /// Runs a turn whose results are as long as they may be, with a model that counts the tokens of each
    /// request.
    fn run(limit: u64, mut count: impl FnMut(usize) -> u64) -> (TokenAccount, Vec<RequestLimits>) {
        let mut account = TokenAccount::new(limit);
        let mut input_bytes = 9_000;
        let mut limits_of_requests = Vec::new();
        while let Some(limits) = account.next_limits(input_bytes, MAX_CALLS) {
            limits_of_requests.push(limits);
            account.begin_request(input_bytes);
            account.end_request(input_bytes, usage(count(input_bytes), limits.max_tokens), usage(0, 0));
            if !limits.may_call_tools {
                break;
            }
            input_bytes += SAFE_BYTES_PER_TOKEN * limits.max_tokens as usize;
            assert!(account.has_room_for_result(input_bytes), "there is room for a result after each call");
            input_bytes += MAX_RESULT_BYTES;
        }
        (account, limits_of_requests)
    }

    #[test]
    fn a_turn_ends_with_an_answer_before_its_tokens_do() {
        let (account, limits_of_requests) = run(30_000, |bytes| (bytes / 3) as u64);
        assert_eq!(limits_of_requests.last().map(|limits| limits.may_call_tools), Some(false));
        assert!(limits_of_requests.len() > 1, "{limits_of_requests:?}");
        assert!(account.usage().total() <= 30_000, "{account:?}");
    }

    #[test]
    fn a_model_that_counts_twice_as_much_for_the_last_results_stays_within_the_tokens() {
        for dense_from in [9_001, 20_000, 30_000, 40_000] {
            // English text first, then digits.
            let count = |bytes: usize| {
                let dense = bytes.saturating_sub(dense_from);
                ((bytes - dense).div_ceil(4) + dense.div_ceil(2)) as u64
            };
            let (account, limits_of_requests) = run(40_000, count);
            assert!(limits_of_requests.len() > 1 && account.usage().total() <= 40_000, "{account:?}");
        }
    }

    #[test]
    fn a_provider_that_counts_more_tokens_is_asked_for_less() {
        let mut account = TokenAccount::new(60_000);
        let before = account.next_limits(30_000, 8).unwrap();
        assert!(before.may_call_tools);
        account.end_request(30_000, usage(30_000, 0), usage(0, 0));
        assert_eq!(account.next_limits(30_000, 8), None, "15 000 estimated tokens were 30 000");
        assert!(!account.has_room_for_result(30_000));
    }

    #[test]
    fn without_calls_left_the_model_must_answer() {
        let limits = TokenAccount::new(60_000).next_limits(3_000, 0).unwrap();
        let expected =
            RequestLimits { may_call_tools: false, max_tokens: MAX_ANSWER_TOKENS, max_lost_tokens: 56_500 };
        assert_eq!(limits, expected);
    }

    #[test]
    fn a_broken_answer_counts_as_estimated_and_a_refused_request_not() {
        let mut account = TokenAccount::new(60_000);
        account.begin_request(300);
        account.add_text("four words of text");
        assert_eq!(account.usage(), usage(150, 9));
        account.fail_request(usage(200, 1));
        assert_eq!(account.usage(), usage(200, 9));
        account.fail_request(usage(0, 0));
        assert_eq!(account.usage(), usage(0, 0));
    }

    #[test]
    fn what_failed_attempts_have_taken_is_counted_but_is_no_sign_of_how_the_provider_counts() {
        let mut account = TokenAccount::new(60_000);
        account.end_request(3_000, usage(1_000, 10), usage(2_000, 5));
        assert_eq!(account.usage(), usage(3_000, 15));
        assert_eq!((account.counted, account.estimate(3_200)), ((3_000, 1_000), 1_100));
    }
}
