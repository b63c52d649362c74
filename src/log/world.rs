//! The world in memory: the log folded into a canvas, the newest messages and their digests.

use std::collections::VecDeque;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use rules::digest::{ChatChange, DigestTracker};
use rules::grid::{Point, Size};
use rules::message::Message;
use rules::palette::BLANK_COLOR;
use rules::rights::AccountKind;
use rules::season::SeasonState;

use crate::live::event::{Event, Mark, Reaction, SeasonStart, Stroke};
use crate::refusal::Refusal;

/// How many visible messages are kept; more than the longest page has.
pub const MESSAGES_KEPT: usize = 200;

/// One canvas from blank to archive.
#[derive(Clone, Debug)]
pub struct Season {
    /// `season_…`.
    pub id: String,
    pub title: String,
    pub size: Size,
    /// The number of the event that opened it.
    pub seq: i64,
    pub opened_at: DateTime<Utc>,
}

/// The newest placement on a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewestPlacement {
    /// Index into the palette.
    pub color: u8,
    /// The painter's number, as [`crate::live::event::compact_painter`] gives it.
    pub painter: u32,
    /// The number of its event; 0 where nobody painted.
    pub seq: i64,
}

/// Everything that reading needs, exactly as of event `head`.
pub struct World {
    pub season: Season,
    /// How far the season has come.
    pub course: SeasonState,
    /// The entry of the control log as of which that is known.
    course_as_of: i64,
    /// The course of a season whose opening has not been folded in yet, by its opening.
    next_course: Option<(i64, SeasonState)>,
    /// Number of the newest event.
    pub head: i64,
    /// Number of the newest event that changed a pixel.
    pub version: i64,
    /// Number of the newest event that changed what the chat shows.
    pub chat_version: i64,
    /// Rises when it changes without an event: by a name, or by what was read anew.
    pub chat_edition: u64,
    pixels: Vec<u8>,
    /// Number of each pixel's newest placement; 0 where nobody painted.
    latest: Vec<i64>,
    /// Number of each pixel's newest painter; 0 where nobody painted.
    painters: Vec<u32>,
    painted_count: usize,
    messages: VecDeque<Arc<Message>>,
    /// Whether older messages than those kept exist.
    pub older_messages: bool,
    /// Whether messages must be read anew: too many were hidden, or one was restored.
    pub(super) has_gaps: bool,
    digests: Mutex<DigestTracker>,
}

impl World {
    /// A blank canvas and an empty chat at the season's opening.
    pub fn new(season: Season, digests: DigestTracker) -> Self {
        let area = season.size.area();
        Self {
            course: SeasonState::new(1),
            course_as_of: 0,
            next_course: None,
            head: season.seq,
            version: season.seq,
            chat_version: season.seq,
            chat_edition: 0,
            pixels: vec![BLANK_COLOR.index(); area],
            latest: vec![0; area],
            painters: vec![0; area],
            painted_count: 0,
            messages: VecDeque::with_capacity(MESSAGES_KEPT + 1),
            older_messages: false,
            has_gaps: false,
            digests: Mutex::new(digests),
            season,
        }
    }

    /// The pixels, row-major, one palette index each.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The colour at a point.
    pub fn color(&self, point: Point) -> u8 {
        self.pixels[self.season.size.index(point)]
    }

    /// The number of the newest placement at a point; none where nobody painted.
    pub fn latest(&self, point: Point) -> Option<i64> {
        Some(self.latest[self.season.size.index(point)]).filter(|seq| *seq > 0)
    }

    /// The newest placement at a point; the blank colour, without a number, where nobody painted.
    pub fn top(&self, point: Point) -> NewestPlacement {
        let index = self.season.size.index(point);
        NewestPlacement { color: self.pixels[index], painter: self.painters[index], seq: self.latest[index] }
    }

    /// The number of each pixel's newest placement, row-major; 0 where nobody painted.
    pub fn placements(&self) -> &[i64] {
        &self.latest
    }

    /// The number of each pixel's newest painter, row-major; 0 where nobody painted.
    pub fn painters(&self) -> &[u32] {
        &self.painters
    }

    /// How many pixels were ever painted.
    pub fn painted_count(&self) -> usize {
        self.painted_count
    }

    /// The newest visible messages, oldest first.
    pub fn messages(&self) -> &VecDeque<Arc<Message>> {
        &self.messages
    }

    /// Takes the newest messages, read as of `head`; of another moment they are of no use.
    pub fn refill(&mut self, head: i64, messages: Vec<Message>) {
        if self.head == head {
            (self.has_gaps, self.older_messages) = (false, false);
            self.chat_edition += 1;
            self.messages.clear();
            messages.into_iter().for_each(|message| self.keep_message(message.into()));
        }
    }

    /// An author has another name now.
    pub fn rename(&mut self, author: &Arc<str>, name: &Arc<str>) {
        for message in &mut self.messages {
            if message.agent_id.as_ref() == Some(author) && message.agent_name != *name {
                Arc::make_mut(message).agent_name = name.clone();
                self.chat_edition += 1;
            }
        }
    }

    /// The digests of the chat.
    pub fn digests(&self) -> parking_lot::MutexGuard<'_, DigestTracker> {
        self.digests.lock()
    }

    /// Folds one event in, if it is the next; what is already in is passed over.
    pub fn apply(&mut self, event: &Event) -> bool {
        if event.seq() != self.head + 1 {
            return false;
        }
        self.head = event.seq();
        match event {
            Event::Pixel(stroke) => self.paint(stroke),
            Event::Chat(message) => self.hear(message),
            Event::Reaction(reaction) => self.react(reaction),
            Event::Hidden(mark) => self.mark(mark, true),
            Event::Restored(mark) => self.mark(mark, false),
            Event::Season(start) => self.begin(start),
        }
        true
    }

    /// Passes those who may act in the season as it is: operators even when it is over.
    ///
    /// # Errors
    /// `SeasonOver`.
    pub fn check_season(&self, kind: AccountKind, now: DateTime<Utc>) -> Result<(), Refusal> {
        let over = self.course.ended_at(now).filter(|_| kind != AccountKind::Operator);
        over.map_or(Ok(()), |since| Err(Refusal::SeasonOver { since }))
    }

    /// Takes the course of the season that opened there, read as of an entry of the control log or a later one.
    pub fn set_course(&mut self, as_of: i64, opening: i64, course: SeasonState) {
        if as_of < self.course_as_of {
            return;
        }
        self.course_as_of = as_of;
        if opening == self.season.seq {
            self.course = course;
        } else {
            self.next_course = Some((opening, course)).filter(|_| opening > self.season.seq);
        }
    }

    /// Puts a colour where the log's fold says it is.
    pub fn set_pixel(&mut self, point: Point, top: NewestPlacement) {
        let NewestPlacement { color, painter, seq } = top;
        let index = self.season.size.index(point);
        self.pixels[index] = color;
        self.painters[index] = painter;
        self.painted_count += usize::from(std::mem::replace(&mut self.latest[index], seq) == 0);
    }

    /// Takes a canvas that was folded before; one of another size is none.
    pub fn lay(&mut self, pixels: Vec<u8>, latest: Vec<i64>, painters: Vec<u32>) -> bool {
        let area = self.season.size.area();
        if pixels.len() != area || latest.len() != area || painters.len() != area {
            return false;
        }
        self.painted_count = latest.iter().filter(|seq| **seq > 0).count();
        (self.pixels, self.latest, self.painters) = (pixels, latest, painters);
        true
    }

    /// Keeps a message without judging its number.
    pub fn keep_message(&mut self, message: Arc<Message>) {
        self.messages.push_back(message);
        if self.messages.len() > MESSAGES_KEPT {
            self.messages.pop_front();
            self.older_messages = true;
        }
    }

    fn paint(&mut self, stroke: &Stroke) {
        self.version = stroke.seq;
        let &Stroke { seq, point, color, painter, .. } = stroke;
        self.set_pixel(point, NewestPlacement { color, painter, seq });
    }

    fn hear(&mut self, message: &Arc<Message>) {
        self.chat_version = message.seq;
        self.digests.get_mut().record(&ChatChange::Posted(message.id.clone()), message.timestamp);
        self.keep_message(message.clone());
    }

    fn mark(&mut self, mark: &Mark, hidden: bool) {
        self.chat_version = mark.seq;
        let id = mark.message_id.clone();
        let turn = if hidden { ChatChange::Hidden(id) } else { ChatChange::Restored(id) };
        self.digests.get_mut().record(&turn, mark.at);
        self.messages.retain(|message| message.id != mark.message_id);
        self.has_gaps |= !hidden || self.older_messages && self.messages.len() < MESSAGES_KEPT / 2;
    }

    /// A blank canvas and an empty chat.
    fn begin(&mut self, start: &SeasonStart) {
        let SeasonStart { seq, season, title, size, opened_at } = start.clone();
        let season = Season { id: season, title, size, seq, opened_at };
        self.digests.get_mut().record(&ChatChange::Cleared, opened_at);
        let spare = DigestTracker::new([0; 32], TimeDelta::seconds(1), opened_at);
        let digests = std::mem::replace(self.digests.get_mut(), spare);
        let known = self.next_course.take().filter(|(opening, _)| *opening == seq);
        let course = known.map_or_else(|| SeasonState::new(self.course.number + 1), |(_, course)| course);
        *self = Self { course, course_as_of: self.course_as_of, ..Self::new(season, digests) };
    }

    fn react(&mut self, reaction: &Reaction) {
        self.chat_version = reaction.seq;
        let found = self.messages.iter_mut().find(|message| message.id == reaction.message_id);
        if let Some(message) = found {
            Arc::make_mut(message).reactions.clone_from(&reaction.reactions);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> World {
        let season = Season {
            id: "season_a".into(),
            title: "One".into(),
            size: Size { width: 8, height: 8 },
            seq: 1,
            opened_at: DateTime::UNIX_EPOCH,
        };
        let book = DigestTracker::new([0; 32], TimeDelta::seconds(300), DateTime::UNIX_EPOCH);
        World::new(season, book)
    }

    fn pixel(seq: i64, color: u8) -> Event {
        let agent: Arc<str> = "agent_a".into();
        Event::Pixel(Stroke { seq, point: Point { x: 1, y: 2 }, color, agent, painter: 7 })
    }

    #[test]
    fn applies_each_event_once_in_order() {
        let mut world = world();
        assert!(world.apply(&pixel(2, 5)));
        assert!(!world.apply(&pixel(2, 6)), "already in");
        assert!(!world.apply(&pixel(4, 7)), "a hole");
        assert_eq!((world.head, world.version), (2, 2));
        assert_eq!(world.top(Point { x: 1, y: 2 }), NewestPlacement { color: 5, painter: 7, seq: 2 });
        assert_eq!(world.painted_count(), 1);
    }

    #[test]
    fn ignores_older_season_state_and_defers_that_of_next_season() {
        let mut world = world();
        let ends_at = Some(DateTime::UNIX_EPOCH);
        world.set_course(3, 1, SeasonState { ends_at, ..SeasonState::new(1) });
        world.set_course(2, 1, SeasonState::new(1));
        assert_eq!(world.course.ends_at, ends_at, "what was read before comes too late");
        world.set_course(4, 2, SeasonState { ends_at, ..SeasonState::new(2) });
        assert_eq!(world.course.number, 1);
        let (size, opened_at) = (Size { width: 9, height: 8 }, DateTime::UNIX_EPOCH);
        let start = |seq: i64| {
            let (season, title) = (format!("season_{seq}"), seq.to_string());
            Event::Season(SeasonStart { seq, season, title, size, opened_at })
        };
        world.apply(&start(2));
        assert_eq!(
            (world.course, world.pixels().len()),
            (SeasonState { ends_at, ..SeasonState::new(2) }, 72)
        );
        world.apply(&start(3));
        assert_eq!(world.course, SeasonState::new(3));
    }

    #[test]
    fn chat_advances_head_but_not_canvas_version() {
        let mut world = world();
        let message = Message::without_text("msg_a".into(), 2, DateTime::UNIX_EPOCH);
        world.apply(&Event::Chat(message.into()));
        assert_eq!((world.head, world.version, world.chat_version), (2, 1, 2));
    }
}
