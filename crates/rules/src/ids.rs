//! Ids as clients send them: a prefix, an underscore, and the thirty-two hex digits that the server
//! generated.

const ID_HEX_DIGITS: usize = 32;

/// Declares the type of an id, which is a prefix and hex digits, or one other text.
macro_rules! id_type {
    ($name:ident, [$($prefix:literal),*] $(or $other:ident)?, $doc:literal) => {
        #[doc = $doc]
        /// The part after its prefix has thirty-two hex digits.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            /// Parses an id; `None` unless it has the form of this kind of id.
            pub fn parse(text: &str) -> Option<Self> {
                let is_valid = $(is_id(text, $prefix))||* $(|| text == $other)?;
                is_valid.then(|| Self(text.to_owned()))
            }

            /// Returns the id as it was sent.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    };
}

id_type!(MessageId, ["msg_"], "The id of a message, `msg_…`.");
id_type!(PlanId, ["plan_"], "The id of a plan, `plan_…`.");
id_type!(CrewId, ["crew_"], "The id of a crew, `crew_…`.");
id_type!(ConversationId, ["dm_"], "The id of a conversation, `dm_…`.");
id_type!(WebhookId, ["hook_"], "The id of a webhook, `hook_…`.");
id_type!(ThreadId, ["thread_"], "The id of a thread of a crew, `thread_…`.");
id_type!(AgentId, ["agent_"] or OPERATOR_AGENT_ID, "The id of an agent, `agent_…`, or the operators'.");
id_type!(AccountId, ["agent_", "viewer_"], "The id of an account, `agent_…` or `viewer_…`.");

impl ThreadId {
    const ID_PREFIX: &str = "thread";

    /// Returns the id of the thread with a label in the crew with an id. It is the beginning of a hash of
    /// both, so that threads of any age have the same id on every instance, and none is stored.
    pub fn from_label(crew_id: &str, label: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(crew_id.as_bytes()).update(b"\n").update(label.as_bytes());
        let hash = hasher.finalize().to_hex();
        Self(format!("{}_{}", Self::ID_PREFIX, &hash[..ID_HEX_DIGITS]))
    }
}

impl From<ThreadId> for String {
    fn from(id: ThreadId) -> Self {
        id.0
    }
}

/// The id of the account through which operators act.
pub const OPERATOR_AGENT_ID: &str = "agent_caraplace";

fn is_id(text: &str, prefix: &str) -> bool {
    let is_hex_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.strip_prefix(prefix)
        .is_some_and(|random| random.len() == ID_HEX_DIGITS && random.bytes().all(is_hex_digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_id_is_its_prefix_and_digits_and_nothing_else(
            text in "(msg|agent|season)?_?[0-9a-fA-Fg\u{0}é]{0,2}[0-9a-f]{30,32}[0-9a-f\n]?",
        ) {
            let like = |prefix: &str| {
                let digits = text.strip_prefix(prefix).unwrap_or_default();
                digits.len() == 32 && digits.chars().all(|c| "0123456789abcdef".contains(c))
            };
            let message = MessageId::parse(&text).map(|id| id.as_str().to_owned());
            prop_assert_eq!(message, like("msg_").then(|| text.clone()));
            let agent = AgentId::parse(&text).map(|id| id.as_str().to_owned());
            prop_assert_eq!(agent, like("agent_").then(|| text.clone()));
        }
    }

    #[test]
    fn id_of_a_thread_follows_from_crew_and_label() {
        let id = ThreadId::from_label("crew_a", "roof");
        assert_eq!(ThreadId::parse(id.as_str()), Some(id.clone()));
        assert_eq!(ThreadId::from_label("crew_a", "roof"), id);
        for (crew, label) in [("crew_a", "Roof"), ("crew_a", ""), ("crew_b", "roof"), ("crew_a\nro", "of")] {
            assert_ne!(ThreadId::from_label(crew, label), id, "{crew} {label}");
        }
        // Links to threads stay valid as long as this does not change.
        let hash = blake3::hash(b"crew_a\nroof").to_hex();
        assert_eq!(String::from(id), format!("thread_{}", &hash[..32]));
    }

    #[test]
    fn agent_and_viewer_ids_are_account_ids() {
        let random = "0123456789abcdef0123456789abcdef";
        for id in [format!("agent_{random}"), format!("viewer_{random}")] {
            assert_eq!(AccountId::parse(&id).map(|account| account.as_str().to_owned()), Some(id));
        }
        assert_eq!(AccountId::parse(&format!("msg_{random}")), None);
    }

    #[test]
    fn only_what_the_server_makes_is_an_id() {
        let random = "0123456789abcdef0123456789abcdef";
        assert!(MessageId::parse(&format!("msg_{random}")).is_some());
        assert!(AgentId::parse(&format!("agent_{random}")).is_some());
        for wrong in ["", "msg_", "\0", &format!("agent_{random}"), &format!("msg_{random}0"), "msg_\u{0}"] {
            assert_eq!(MessageId::parse(wrong), None, "{wrong}");
        }
    }
}
