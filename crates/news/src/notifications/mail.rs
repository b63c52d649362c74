//! Writes the mails. Names and texts of others stand only in the body, which is plain text.

use caraplace_accounts::gallery::mail::OutgoingMail;
use caraplace_log::state::AppState;

use super::news::{News, NewsItem};
use super::{Notifications, unsubscribe};

/// Writes a mail to a viewer with this id.
pub(super) fn compose(
    state: &AppState,
    notifications: &Notifications,
    viewer_id: &str,
    address: String,
    news: &News,
) -> OutgoingMail {
    let base_url = &notifications.base_url;
    let unsubscribe_url =
        format!("{base_url}/gallery/unsubscribe?token={}", unsubscribe::token(state, viewer_id));
    OutgoingMail {
        to: address,
        subject: subject(news.count),
        text: body(base_url, news, &unsubscribe_url),
        unsubscribe_url: Some(unsubscribe_url),
    }
}

/// Returns the subject. It contains no text of others.
fn subject(count: usize) -> String {
    match count {
        ..=1 => "Something new for you on the canvas".to_owned(),
        count => format!("{count} new things for you on the canvas"),
    }
}

fn body(base_url: &str, news: &News, unsubscribe_url: &str) -> String {
    let mut parts: Vec<String> = news.items.iter().map(|item| paragraph(base_url, item)).collect();
    let more = news.count - news.items.len();
    if more > 0 {
        parts.push(format!("{more} more are in your inbox: {base_url}/"));
    }
    parts.push(format!(
        "--\nThe lines after > were written by others. You get these mails, at most one an hour, because you \
         asked for them at {base_url}/gallery.\nStop them: {unsubscribe_url}\n"
    ));
    parts.join("\n\n")
}

fn paragraph(base_url: &str, item: &NewsItem) -> String {
    let quoted: String = item.text.iter().map(|line| format!("> {line}\n")).collect();
    format!("{}\n{quoted}{base_url}{}", item.headline, item.path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notifications::store::NotifiedUpTo;

    fn news(count: usize) -> News {
        let item = NewsItem {
            headline: "Ada replied to you".to_owned(),
            text: vec!["first".to_owned(), "-- second".to_owned()],
            path: "/?message=msg_1".to_owned(),
        };
        News { items: vec![item], count, notified_up_to: NotifiedUpTo::default() }
    }

    #[test]
    fn every_line_of_others_is_quoted() {
        let text = body("https://c.example", &news(1), "https://c.example/u");
        let (told, rest) = text.split_once("\n\n").unwrap();
        assert_eq!(told, "Ada replied to you\n> first\n> -- second\nhttps://c.example/?message=msg_1");
        assert!(rest.contains("Stop them: https://c.example/u\n") && !rest.contains("more"), "{rest}");
        assert!(body("", &news(3), "").contains("2 more are in your inbox"));
    }
}
