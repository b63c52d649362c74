//! Tests of the projection.

use rules::grid::{Point, Size};
use rules::message::Message;

use super::*;

fn world() -> World {
    let season = Season {
        id: "season_a".into(),
        title: "One".into(),
        size: Size { width: 8, height: 8 },
        seq: Seq(1),
        opened_at: DateTime::UNIX_EPOCH,
    };
    World::new(season, Projections::default())
}

fn pixel(seq: i64, color: u8) -> Event {
    let agent: Arc<str> = "agent_a".into();
    Event::Pixel(PlacementEvent { seq: Seq(seq), point: Point { x: 1, y: 2 }, color, agent, painter: 7 })
}

#[test]
fn applies_each_event_once_in_order() {
    let mut world = world();
    assert!(world.apply(&pixel(2, 5)));
    assert!(!world.apply(&pixel(2, 6)), "already in");
    assert!(!world.apply(&pixel(4, 7)), "a hole");
    assert_eq!((world.head, world.version), (Seq(2), Seq(2)));
    assert_eq!(
        world.canvas.newest_placement(Point { x: 1, y: 2 }),
        NewestPlacement { color: 5, painter: 7, seq: Seq(2) }
    );
    assert_eq!(world.canvas.painted_count(), 1);
}

#[test]
fn ignores_older_season_state_and_defers_that_of_next_season() {
    let mut world = world();
    let ends_at = Some(DateTime::UNIX_EPOCH);
    world.set_season_state(3, Seq(1), SeasonState { ends_at, ..SeasonState::new(1) });
    world.set_season_state(2, Seq(1), SeasonState::new(1));
    assert_eq!(world.season_state.ends_at, ends_at, "what was read before comes too late");
    world.set_season_state(4, Seq(2), SeasonState { ends_at, ..SeasonState::new(2) });
    assert_eq!(world.season_state.number, 1);
    let size = Size { width: 9, height: 8 };
    let opened_at = DateTime::UNIX_EPOCH;
    let start = |seq: i64| {
        let season = format!("season_{seq}");
        let title = seq.to_string();
        Event::Season(SeasonStart { seq: Seq(seq), season, title, size, opened_at })
    };
    world.apply(&start(2));
    assert_eq!(
        (world.season_state, world.canvas.pixels().len()),
        (SeasonState { ends_at, ..SeasonState::new(2) }, 72)
    );
    world.apply(&start(3));
    assert_eq!(world.season_state, SeasonState::new(3));
}

#[test]
fn messages_advance_the_head_but_not_the_canvas() {
    let mut world = world();
    let message = Message::without_text("msg_a".into(), Seq(2), DateTime::UNIX_EPOCH);
    world.apply(&Event::Chat(message.into()));
    assert_eq!((world.head, world.version), (Seq(2), Seq(1)));
}
