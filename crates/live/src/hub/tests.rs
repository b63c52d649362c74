//! Tests of the hub.

use rules::grid::Point;
use rules::grid::Size;
use rules::numbers::AccountNo;

use super::*;
use crate::event::{PlacementEvent, SeasonStart};
use chrono::DateTime;

fn pixel(seq: i64) -> Event {
    let point = Point { x: 1, y: 1 };
    Event::Pixel(PlacementEvent { seq: Seq(seq), point, color: 1, agent: "agent_a".into(), painter: 1 })
}

fn season(seq: i64) -> Event {
    let season = "season_a".into();
    let title = "One".into();
    let size = Size { width: 8, height: 8 };
    Event::Season(SeasonStart { seq: Seq(seq), season, title, size, opened_at: DateTime::UNIX_EPOCH })
}

fn spans(subscription: &mut Subscription) -> Vec<(i64, i64)> {
    let mut spans = Vec::new();
    while let Ok(signal) = subscription.signals.try_recv() {
        if let Signal::Frame(frame) = signal {
            spans.push((frame.first.0, frame.last.0));
        }
    }
    spans
}

#[test]
fn pixels_wait_for_flush_and_other_events_flush_at_once() {
    let hub = Hub::new(Seq::ZERO, 0);
    let mut subscription = hub.subscribe();
    hub.publish(&[pixel(1), pixel(2)]);
    assert_eq!(spans(&mut subscription), []);
    hub.publish(&[season(3), pixel(4)]);
    assert_eq!(spans(&mut subscription), [(1, 2), (3, 3)]);
    hub.flush_pixels();
    assert_eq!(spans(&mut subscription), [(4, 4)]);
}

#[test]
fn late_subscriber_starts_after_unsent_events() {
    let hub = Hub::new(Seq::ZERO, 0);
    hub.publish(&[pixel(1)]);
    let mut subscription = hub.subscribe();
    hub.flush_pixels();
    assert_eq!((subscription.head, spans(&mut subscription)), (Seq(1), vec![]));
}

#[test]
fn resuming_returns_missing_events_once() {
    let hub = Hub::new(Seq(10), 0);
    hub.publish(&[pixel(11), pixel(12), season(13)]);
    let head = hub.subscribe().head;
    let missing = hub.events_between(Seq(11), head).unwrap();
    let frames = frames(&missing);
    let spans: Vec<_> = frames.iter().map(|frame| (frame.first.0, frame.last.0)).collect();
    assert_eq!(spans, [(12, 12), (13, 13)]);
    assert!(hub.events_between(Seq(13), head).unwrap().is_empty());
    assert!(hub.events_between(Seq(9), head).is_none(), "they are older than what is in memory");
    assert_eq!([9, 10, 13].map(|after| hub.has_events_after(Seq(after))), [false, true, true]);
    assert!(hub.events_between(Seq(14), head).is_none(), "the number has not been assigned yet");
}

#[test]
fn missing_events_come_in_pages() {
    let hub = Hub::new(Seq::ZERO, 0);
    hub.publish(&(1..=600).map(pixel).collect::<Vec<_>>());
    let numbers = |after, up_to| {
        let page = hub.events_between(Seq(after), Seq(up_to)).unwrap();
        page.iter().map(|event| event.seq().0).collect::<Vec<_>>()
    };
    assert_eq!(numbers(0, 256), (1..=256).collect::<Vec<_>>());
    assert_eq!(numbers(500, 600), (501..=600).collect::<Vec<_>>());
    assert!(numbers(600, 600).is_empty() && hub.events_between(Seq(600), Seq(601)).is_none());
}

fn own(no: i64, seq: i64) -> OwnEvent {
    OwnEvent { no, author: AccountNo(1), at: DateTime::UNIX_EPOCH, event: season(seq) }
}

#[test]
fn an_own_event_follows_its_public_event_once() {
    let hub = Hub::new(Seq(10), 4);
    let mut subscription = hub.subscribe();
    hub.publish_own(vec![own(4, 10), own(5, 10), own(6, 12)]);
    hub.publish_own(vec![own(5, 10), own(6, 12)]);
    assert_eq!(hub.subscribe().newest_own, 5, "the last one still waits");
    hub.publish(&[pixel(11), pixel(12), pixel(13)]);
    hub.flush_pixels();
    let mut sent = Vec::new();
    while let Ok(signal) = subscription.signals.try_recv() {
        match signal {
            Signal::Frame(frame) => sent.push((frame.first.0, frame.last.0)),
            Signal::Own(event) => sent.push((event.no, 0)),
            _ => {}
        }
    }
    assert_eq!(sent, [(5, 0), (11, 12), (6, 0), (13, 13)]);
}

#[test]
fn presence_is_published_when_it_changes() {
    let hub = Hub::new(Seq::ZERO, 0);
    let mut subscription = hub.subscribe();
    hub.publish_presence_if_changed();
    hub.publish_presence_if_changed();
    assert!(matches!(subscription.signals.try_recv(), Ok(Signal::Unnumbered(_))));
    assert!(subscription.signals.try_recv().is_err());
    hub.publish_heartbeat();
    assert!(matches!(subscription.signals.try_recv(), Ok(Signal::Unnumbered(_))));
}
