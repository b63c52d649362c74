//! Compares a channel as one member reads it with the acknowledged messages.

use std::collections::{HashMap, HashSet};

use crate::crews::{
    api_types::PrivateMessage,
    ledger::{AckedPrivate, ReadProgress},
};

/// Maximum number of unread messages that the server counts.
const MAX_UNREAD_COUNT: usize = 100;

/// Returns the faults of a channel: every acknowledged message must be listed once, with its text and its
/// author, and after those that were acknowledged before it was sent. Other messages may be there only if
/// `may_have_others`.
pub fn find_list_faults<'a>(
    acked: &[&AckedPrivate],
    listed: &[PrivateMessage],
    author_id: impl Fn(usize) -> &'a str,
    may_have_others: bool,
) -> Vec<String> {
    let mut faults = Vec::new();
    let (mut ids, mut texts) = (HashSet::new(), HashSet::new());
    for message in listed {
        if !ids.insert(message.id.as_str()) {
            faults.push(format!("{} is listed twice", message.id));
        } else if !texts.insert(message.content.as_deref()) {
            faults.push(format!("{} has the text of another message: {:?}", message.id, message.content));
        }
    }
    let acked_by_id: HashMap<&str, &AckedPrivate> =
        acked.iter().map(|message| (message.id.as_str(), *message)).collect();
    for message in acked {
        let Some(found) = listed.iter().find(|found| found.id == message.id) else {
            faults.push(format!("{} was acknowledged and is not listed", message.id));
            continue;
        };
        let is_same = found.content.as_deref() == Some(&message.content)
            && author_id(message.agent) == found.agent_id
            && found.channel_id() == message.channel_id;
        if !is_same {
            faults.push(format!("{} is not as it was acknowledged: {found:?}", message.id));
        }
    }
    let is_unknown = |message: &&PrivateMessage| !acked_by_id.contains_key(message.id.as_str());
    if !may_have_others {
        let unknown = listed.iter().filter(is_unknown);
        faults.extend(unknown.map(|message| format!("{} was never acknowledged", message.id)));
    }
    faults.extend(find_order_fault(listed.iter().filter_map(|m| acked_by_id.get(m.id.as_str()).copied())));
    faults
}

/// Returns the fault if a message stands after one that was sent later than its acknowledgement.
fn find_order_fault<'a>(listed: impl Iterator<Item = &'a AckedPrivate>) -> Option<String> {
    let mut latest_sent: Option<&AckedPrivate> = None;
    for message in listed {
        if let Some(latest) = latest_sent.filter(|latest| message.acked_at < latest.sent_at) {
            return Some(format!("{} stands after {}, which was sent later", message.id, latest.id));
        }
        if latest_sent.is_none_or(|latest| latest.sent_at < message.sent_at) {
            latest_sent = Some(message);
        }
    }
    None
}

/// Returns the fault if a member has not read all messages of the others, each once and in order.
pub fn find_read_fault(own_id: &str, listed: &[PrivateMessage], received: &[String]) -> Option<String> {
    let others: Vec<&str> = ids_of_others(own_id, listed).collect();
    let received: Vec<&str> = received.iter().map(String::as_str).collect();
    if others == received {
        return None;
    }
    let position = others.iter().zip(&received).take_while(|(listed, read)| listed == read).count();
    Some(format!(
        "read {} of {} messages of others; at {position} it read {:?}, but {:?} is listed",
        received.len(),
        others.len(),
        received.get(position),
        others.get(position)
    ))
}

/// Returns the fault if the number of unread messages does not follow from the messages and what was read.
/// Messages that were received may be marked as read or not, because a request may have got no response.
pub fn find_unread_fault(
    own_id: &str,
    listed: &[PrivateMessage],
    progress: &ReadProgress,
    unread: usize,
) -> Option<String> {
    let others = ids_of_others(own_id, listed).count();
    let least = others.saturating_sub(progress.received.len()).min(MAX_UNREAD_COUNT);
    let most = others.saturating_sub(progress.acked).min(MAX_UNREAD_COUNT);
    let is_valid = (least..=most).contains(&unread);
    (!is_valid).then(|| format!("{unread} messages are unread, not {least} to {most}"))
}

fn ids_of_others<'a>(own_id: &str, listed: &'a [PrivateMessage]) -> impl Iterator<Item = &'a str> {
    listed.iter().filter(move |message| message.agent_id != own_id).map(|message| message.id.as_str())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;

    fn acked(id: &str, sent: u64, acked: u64) -> AckedPrivate {
        // The same start for all, so that the times can be compared.
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        let at = |seconds| *START.get_or_init(Instant::now) + Duration::from_secs(seconds);
        AckedPrivate {
            id: id.into(),
            channel_id: "crew_a".into(),
            agent: 0,
            content: format!("text of {id}"),
            sent_at: at(sent),
            acked_at: at(acked),
        }
    }

    fn listed(id: &str, author: &str) -> PrivateMessage {
        let json = format!(
            r#"{{"id":"{id}","crew_id":"crew_a","agent_id":"{author}","content":"text of {id}",
                "timestamp":"2026-01-01T00:00:00Z"}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn count_faults(acked: &[AckedPrivate], listed: &[PrivateMessage], may_have_others: bool) -> usize {
        let acked: Vec<&AckedPrivate> = acked.iter().collect();
        find_list_faults(&acked, listed, |_| "ada", may_have_others).len()
    }

    #[test]
    fn every_acknowledged_message_is_listed_once_with_its_text() {
        let messages = [acked("a", 0, 1), acked("b", 2, 3)];
        let (a, b) = (listed("a", "ada"), listed("b", "ada"));
        assert_eq!(count_faults(&messages, &[a.clone(), b.clone()], false), 0);
        assert_eq!(count_faults(&messages, std::slice::from_ref(&a), false), 1, "missing");
        assert_eq!(count_faults(&messages, &[a.clone(), a.clone(), b.clone()], false), 1, "twice");
        assert_eq!(count_faults(&messages, &[a.clone(), listed("b", "bob")], false), 1, "another author");
        let changed = PrivateMessage { content: Some("other".into()), ..b.clone() };
        assert_eq!(count_faults(&messages, &[a.clone(), changed], false), 1, "another text");
        let doubled = PrivateMessage { id: "c".into(), ..b.clone() };
        assert_eq!(count_faults(&messages, &[a.clone(), b.clone(), doubled], true), 1, "the same text again");
        let unknown = listed("c", "ada");
        assert_eq!(count_faults(&messages, &[a.clone(), b.clone(), unknown.clone()], true), 0);
        assert_eq!(count_faults(&messages, &[a, b, unknown], false), 1, "never acknowledged");
    }

    #[test]
    fn messages_stand_in_the_order_of_their_acknowledgements() {
        let (a, b) = (listed("a", "ada"), listed("b", "ada"));
        assert_eq!(count_faults(&[acked("a", 0, 1), acked("b", 2, 3)], &[b.clone(), a.clone()], false), 1);
        assert_eq!(
            count_faults(&[acked("a", 0, 2), acked("b", 1, 3)], &[b, a], false),
            0,
            "at the same time"
        );
    }

    #[test]
    fn members_read_what_others_wrote() {
        let messages = [listed("a", "bob"), listed("b", "ada"), listed("c", "bob")];
        let read = |ids: &[&str]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(find_read_fault("ada", &messages, &read(&["a", "c"])), None);
        for wrong in [&["a"][..], &["c", "a"], &["a", "a", "c"], &["a", "b", "c"]] {
            assert!(find_read_fault("ada", &messages, &read(wrong)).is_some(), "{wrong:?}");
        }
        let progress = ReadProgress { received: read(&["a", "c"]), acked: 1, pointer: None };
        let is_valid = |unread| find_unread_fault("ada", &messages, &progress, unread).is_none();
        assert_eq!([0, 1, 2].map(is_valid), [true, true, false]);
    }
}
