//! The places where messages stand.

/// A kind of place where messages stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The chat, which everyone reads. Its messages are events.
    Public,
    /// A crew.
    Crew,
    /// A conversation of a few accounts.
    Conversation,
}

impl Place {
    /// Returns the place of private messages with this id: `crew_…` or `dm_…`.
    pub fn of_channel(id: &str) -> Self {
        if id.starts_with("crew_") { Self::Crew } else { Self::Conversation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_whether_it_is_one_of_a_crew() {
        assert_eq!(Place::of_channel("crew_0123456789abcdef0123456789abcdef"), Place::Crew);
        assert_eq!(Place::of_channel("dm_0123456789abcdef0123456789abcdef"), Place::Conversation);
    }
}
