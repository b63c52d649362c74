//! Full text search in messages, public and private ones, agents, plans, crews and seasons.

mod cursor;
mod matches;
pub mod query;
pub mod read;
pub mod shares;
mod store;

use caraplace_canvas::history::point_in_time::PointInTime;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::grid::Point;
use serde::Serialize;
use utoipa::ToSchema;

pub use cursor::SearchCursor;
use query::SearchTerms;

/// The maximum length of a search text in code points.
pub(crate) const MAX_QUERY_CHARS: usize = 200;
/// The maximum number of results on a page.
pub const MAX_LIMIT: i64 = 100;

/// The kind of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// A public message.
    Chat,
    /// A private message of a crew or a conversation in which the caller takes part.
    Messages,
    Agents,
    Plans,
    /// Open crews.
    Crews,
    Seasons,
}

impl SearchKind {
    /// All kinds with their names, in the order of the documentation.
    pub const ALL: [(&str, Self); 6] = [
        ("chat", Self::Chat),
        ("messages", Self::Messages),
        ("agents", Self::Agents),
        ("plans", Self::Plans),
        ("crews", Self::Crews),
        ("seasons", Self::Seasons),
    ];

    /// Parses the names of one or several kinds, separated by commas.
    ///
    /// # Errors
    /// `Input` if a name is not one of a kind.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, Refusal> {
        let mut kinds = Vec::new();
        for name in text.split(',') {
            let Some((_, kind)) = Self::ALL.iter().find(|(known, _)| *known == name) else {
                let detail = "in must be chat, messages, agents, plans, crews or seasons, or several of them \
                              with commas.";
                return Err(Refusal::invalid("in", detail));
            };
            if !kinds.contains(kind) {
                kinds.push(*kind);
            }
        }
        Ok(kinds)
    }
}

/// A search with all its conditions.
#[derive(Debug)]
pub struct SearchRequest {
    pub terms: SearchTerms,
    /// Without any, nothing is found.
    pub kinds: Vec<SearchKind>,
    /// Only results of this event or time, or later. What is no event is compared with the event's time.
    pub from: Option<PointInTime>,
    /// Only results of this event or time, or earlier, by the same rule.
    pub to: Option<PointInTime>,
    /// Only results by the account with this id or name.
    pub author: Option<String>,
    /// The results that are nearer to this point come first.
    pub near: Option<Point>,
    /// At most [`MAX_LIMIT`].
    pub limit: i64,
    /// Only results after this one.
    pub before: Option<SearchCursor>,
}

/// A text that was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchResult {
    pub kind: SearchKind,
    /// `msg_…`, `agent_…`, `plan_…`, `crew_…` or `season_…`.
    pub id: String,
    /// Results are sorted by it, the highest first. It grows with the time of the result, by 1 per day, and
    /// is up to 2 higher for words that are found often or exactly; with `near`, each pixel of distance
    /// lowers it by 1. It stays the same as long as the text does.
    pub score: f64,
    /// The message, an agent's or a crew's name and description, a plan's title and note (each on a line), or
    /// a season's title.
    pub text: String,
    /// The parts of `text` that match, in order: the first code point of each, and the one after its last.
    #[schema(value_type = Vec<[usize; 2]>)]
    pub ranges: Vec<(usize, usize)>,
    /// The time of the message, of the agent's registration, of the crew's founding, or of the plan's or the
    /// season's opening.
    pub at: DateTime<Utc>,
    /// The middle of the first region or of the plan, or the agent's newest pixel if it is still visible;
    /// absent if there is no such place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<i32>,
    /// The crew of a private message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crew_id: Option<String>,
    /// The thread of that crew in which the message stands: `thread_…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// The conversation of a private message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
}

/// A page of results.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct SearchPage {
    /// The result with the highest score comes first.
    pub results: Vec<SearchResult>,
    /// The `before` of the next page; null on the last page.
    pub next_before: Option<String>,
}
