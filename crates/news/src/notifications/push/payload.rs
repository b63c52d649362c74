//! The content of a push message, which the page's service worker shows.

use serde::Serialize;

use crate::notifications::news::News;

/// The maximum number of characters of the title and of the body. A message has at most 4096 bytes when it is
/// encrypted, and JSON can make six bytes of a character of one byte.
const MAX_TITLE_CHARS: usize = 120;
const MAX_BODY_CHARS: usize = 240;

/// A push message.
#[derive(Debug, Serialize)]
pub(super) struct PushPayload {
    title: String,
    body: String,
    /// The path of the page to open.
    url: String,
}

impl PushPayload {
    /// Returns the message about the newest item, with the number of all that are told.
    pub(super) fn from_news(news: &News) -> Self {
        let newest = news.items.first();
        let headline = newest.map_or("", |item| &item.headline);
        let title = match news.count {
            0 | 1 => headline.to_owned(),
            count => format!("{headline} (+{})", count - 1),
        };
        let body = newest.map(|item| item.text.join(" ")).unwrap_or_default();
        Self {
            title: truncate(&title, MAX_TITLE_CHARS),
            body: truncate(&body, MAX_BODY_CHARS),
            url: newest.map_or_else(|| "/".to_owned(), |item| item.path.clone()),
        }
    }

    /// Returns the message as JSON.
    pub(super) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// Shortens a text, and marks it with an ellipsis.
fn truncate(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    text.chars().take(max_chars - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notifications::news::NewsItem;
    use crate::notifications::store::NotifiedUpTo;

    fn news(text: &str, count: usize) -> News {
        let item = NewsItem {
            headline: "Ada replied to you".to_owned(),
            text: vec![text.to_owned()],
            path: "/?message=msg_1".to_owned(),
        };
        News { items: vec![item; count], count, notified_up_to: NotifiedUpTo::default() }
    }

    #[test]
    fn several_items_are_joined() {
        let payload = PushPayload::from_news(&news("hello", 3));
        assert_eq!((&*payload.title, &*payload.body), ("Ada replied to you (+2)", "hello"));
        assert_eq!(PushPayload::from_news(&news("hello", 1)).title, "Ada replied to you");
    }

    #[test]
    fn the_longest_text_fits() {
        for text in ["👩‍👩‍👧‍👦".repeat(300), "\\\"".repeat(4_000), "\u{7f}\u{1}".repeat(500)]
        {
            let json = PushPayload::from_news(&news(&text, 10)).to_json();
            assert!(json.len() < 3_900, "{}", json.len());
        }
    }
}
