//! An answer that is put together from the events of a stream.

use super::{ModelAnswer, ModelError, ModelToolCall, ModelUsage, safe_tokens};

/// A part of an answer, the same for all providers.
#[derive(Debug, PartialEq)]
pub(super) enum AnswerPart {
    Text(String),
    /// The beginning or the continuation of a tool call.
    Call(CallPart),
    /// The tokens so far, where known.
    Usage {
        input_tokens: Option<u64>,
        output_tokens: Option<u64>,
    },
    /// The answer was cut off at the maximum number of tokens.
    CutOff,
    /// The answer is complete, but counts of its tokens may follow.
    Finished,
    /// The answer is complete, and nothing follows.
    Ended,
    /// The provider gave up; the word is the type of its error.
    Failed(String),
}

/// A piece of a tool call.
#[derive(Debug, Default, PartialEq)]
pub(super) struct CallPart {
    /// The place of the call in the answer, the same for all its pieces.
    pub(super) index: u64,
    /// Empty in a continuation.
    pub(super) id: String,
    /// Empty in a continuation.
    pub(super) name: String,
    /// The next characters of the arguments.
    pub(super) arguments: String,
}

/// An answer that is not complete yet.
#[derive(Default)]
pub(super) struct PartialAnswer {
    answer: ModelAnswer,
    /// The place of each call.
    indices: Vec<u64>,
    has_begun: bool,
    is_finished: bool,
    has_ended: bool,
}

impl PartialAnswer {
    /// Adds a part, and calls `on_text` if it is a text.
    ///
    /// # Errors
    /// If the provider gave up.
    pub(super) fn add(
        &mut self,
        part: AnswerPart,
        on_text: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(), ModelError> {
        self.has_begun |= !matches!(part, AnswerPart::Failed(_));
        match part {
            AnswerPart::Text(text) if text.is_empty() => {}
            AnswerPart::Text(text) => {
                on_text(&text);
                self.answer.text.push_str(&text);
            }
            AnswerPart::Call(part) => self.add_call(part),
            AnswerPart::Usage { input_tokens, output_tokens } => {
                // Later counts contain earlier ones, but providers may leave out what they counted before.
                let usage = &mut self.answer.usage;
                usage.input_tokens = usage.input_tokens.max(input_tokens.unwrap_or_default());
                usage.output_tokens = usage.output_tokens.max(output_tokens.unwrap_or_default());
            }
            AnswerPart::CutOff => self.answer.is_cut_off = true,
            AnswerPart::Finished => self.is_finished = true,
            AnswerPart::Ended => (self.is_finished, self.has_ended) = (true, true),
            AnswerPart::Failed(kind) if ["overloaded_error", "rate_limit_error"].contains(&kind.as_str()) => {
                return Err(ModelError::Overloaded);
            }
            AnswerPart::Failed(_) => return Err(ModelError::BrokenOff),
        }
        Ok(())
    }

    /// Returns the number of bytes of the text and of the arguments so far.
    pub(super) fn bytes(&self) -> usize {
        self.answer.bytes()
    }

    /// Returns the tokens that an answer has taken which is not completed: none if no part of it came.
    pub(super) fn lost_usage(&self, request_bytes: usize) -> ModelUsage {
        if !self.has_begun {
            return ModelUsage::default();
        }
        // The count at the beginning of an answer does not contain what followed.
        let came = ModelUsage { input_tokens: 0, output_tokens: safe_tokens(self.bytes()) };
        self.answer.usage_or_estimate(request_bytes).max(came)
    }

    /// Returns true if nothing follows.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Returns the answer; `None` if the stream ended before it was complete.
    pub(super) fn finish(mut self) -> Option<ModelAnswer> {
        for call in self.answer.calls.iter_mut().filter(|call| call.arguments.trim().is_empty()) {
            "{}".clone_into(&mut call.arguments);
        }
        self.is_finished.then_some(self.answer)
    }

    fn add_call(&mut self, part: CallPart) {
        let position = self.indices.iter().rposition(|index| *index == part.index);
        let known = position.and_then(|position| self.answer.calls.get_mut(position));
        // Some servers give all calls the same place, so another id begins another call.
        match known.filter(|call| part.id.is_empty() || part.id == call.id) {
            Some(call) => {
                call.name.push_str(if call.name == part.name { "" } else { &part.name });
                call.arguments.push_str(&part.arguments);
            }
            None => {
                let number = self.indices.len();
                let id = if part.id.is_empty() { format!("call_{number}") } else { part.id };
                self.indices.push(part.index);
                self.answer.calls.push(ModelToolCall { id, name: part.name, arguments: part.arguments });
            }
        }
    }
}

impl ModelAnswer {
    fn bytes(&self) -> usize {
        let calls = self.calls.iter().map(|call| call.name.len() + call.arguments.len());
        self.text.len() + calls.sum::<usize>()
    }

    /// Returns the counted tokens, or an estimate from the size of the request and of the answer. Without
    /// this, a provider that counts nothing would have no limit.
    pub(super) fn usage_or_estimate(&self, request_bytes: usize) -> ModelUsage {
        let estimate = |counted, bytes| if counted == 0 { safe_tokens(bytes) } else { counted };
        ModelUsage {
            input_tokens: estimate(self.usage.input_tokens, request_bytes),
            output_tokens: estimate(self.usage.output_tokens, self.bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(index: u64, id: &str, name: &str, arguments: &str) -> AnswerPart {
        let [id, name, arguments] = [id, name, arguments].map(str::to_owned);
        AnswerPart::Call(CallPart { index, id, name, arguments })
    }

    fn answer(parts: impl IntoIterator<Item = AnswerPart>) -> ModelAnswer {
        let mut partial = PartialAnswer::default();
        for part in parts {
            partial.add(part, &mut |_| ()).unwrap();
        }
        partial.add(AnswerPart::Ended, &mut |_| ()).unwrap();
        partial.finish().unwrap()
    }

    #[test]
    fn calls_are_told_apart_by_place_and_id() {
        let calls = answer([
            call(0, "a", "search", ""),
            call(1, "b", "read", "{"),
            call(0, "", "", "{\"q\""),
            call(1, "", "", "}"),
            call(0, "", "", ": 1}"),
            call(0, "c", "timeline", ""),
            call(2, "", "context", "{}"),
        ])
        .calls;
        let calls = calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str()));
        let expected = [
            ("a", "search", "{\"q\": 1}"),
            ("b", "read", "{}"),
            ("c", "timeline", "{}"),
            ("call_3", "context", "{}"),
        ];
        assert_eq!(calls.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn usage_is_the_largest_count_and_estimated_without_one() {
        let usage = |input_tokens, output_tokens| AnswerPart::Usage { input_tokens, output_tokens };
        let counted = answer([usage(Some(10), Some(1)), usage(None, Some(7)), usage(Some(0), None)]);
        let expected = ModelUsage { input_tokens: 10, output_tokens: 7 };
        assert_eq!(counted.usage_or_estimate(3_000), expected);
        let uncounted = answer([AnswerPart::Text("four".to_owned()), call(0, "a", "read", "{}")]);
        let expected = ModelUsage { input_tokens: 1_500, output_tokens: 5 };
        assert_eq!(uncounted.usage_or_estimate(3_000), expected);
    }

    #[test]
    fn a_failed_answer_costs_nothing_only_if_no_part_of_it_came() {
        let mut partial = PartialAnswer::default();
        partial.add(AnswerPart::Failed("api_error".to_owned()), &mut |_| ()).unwrap_err();
        assert_eq!(partial.lost_usage(3_000), ModelUsage::default());
        let started = AnswerPart::Usage { input_tokens: Some(700), output_tokens: Some(1) };
        partial.add(started, &mut |_| ()).unwrap();
        partial.add(AnswerPart::Text("four words of text".to_owned()), &mut |_| ()).unwrap();
        assert_eq!(partial.lost_usage(3_000), ModelUsage { input_tokens: 700, output_tokens: 9 });
    }

    #[test]
    fn answer_is_incomplete_until_it_is_finished() {
        let mut partial = PartialAnswer::default();
        let mut heard = String::new();
        partial.add(AnswerPart::Text("Hello".to_owned()), &mut |text| heard.push_str(text)).unwrap();
        assert!(partial.finish().is_none());
        assert_eq!(heard, "Hello");
    }
}
