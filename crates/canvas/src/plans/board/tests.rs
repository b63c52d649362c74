//! Tests of the live plans.

use chrono::TimeDelta;
use rules::audience::Audience;
use rules::grid::Size;
use rules::numbers::{AccountNo, Seq};
use rules::plan::record::{PlanAuthor, PlanEnd};
use rules::plan::{PlanState, Target};

use super::*;

const CANVAS: Size = Size { width: 200, height: 200 };

/// A plan of 64 × 64 black pixels whose picture begins beside the border of a tile.
fn record(no: i64, target_seq: i64) -> PlanRecord {
    let rows = vec!["3".repeat(64); 64];
    let now = DateTime::UNIX_EPOCH;
    PlanRecord {
        no,
        id: format!("plan_{no}"),
        season: Seq(1),
        author: PlanAuthor { no: AccountNo(1), id: "agent_a".into(), name: "Ada".into() },
        crew: None,
        version: 1,
        title: "Night".into(),
        note: None,
        target: Arc::new(Target::parse(CANVAS, 63, 63, &rows).unwrap()),
        target_seq: Seq(target_seq),
        created_at: now,
        changes_until: None,
        expires_at: now + TimeDelta::days(1),
        finished_at: None,
        told_state: PlanState::Open,
        is_announced: false,
        is_hidden: false,
        audience: Audience::Everyone,
        is_private: false,
        shadow_change: None,
        member_changes: BTreeMap::new(),
        end: None,
    }
}

fn change(seq: i64, record: &PlanRecord) -> PlanChange {
    let plan_id = record.id.clone();
    let state = record.told_state;
    let version = record.version;
    PlanChange { seq: Seq(seq), plan_id, state, version, record: Arc::new(record.clone()) }
}

fn placed(color: u8, painter: u32, seq: i64) -> NewestPlacement {
    NewestPlacement { color, painter, seq: Seq(seq) }
}

fn blank(_: Point) -> NewestPlacement {
    placed(0, 0, 0)
}

fn paint(board: &mut PlanBoard, point: Point, color: u8) {
    board.apply_placement(point, placed(color, 2, 100), blank(point));
}

fn counts(board: &PlanBoard, no: i64) -> (usize, usize) {
    let progress = board.get(no).unwrap().progress();
    (progress.done, progress.damaged)
}

#[test]
fn placements_reach_a_plan_in_each_tile_that_it_touches() {
    let mut board = PlanBoard::default();
    board.apply_change(&change(5, &record(5, 5)), blank);
    for (index, (x, y)) in [(63, 63), (64, 63), (63, 64), (126, 126)].into_iter().enumerate() {
        paint(&mut board, Point { x, y }, 3);
        assert_eq!(counts(&board, 5), (index + 1, 0), "({x}, {y})");
        assert_eq!(board.at(Point { x, y }).count(), 1);
    }
    paint(&mut board, Point { x: 62, y: 63 }, 3);
    paint(&mut board, Point { x: 64, y: 63 }, 4);
    assert_eq!(counts(&board, 5), (3, 1));
    assert_eq!(board.at(Point { x: 127, y: 63 }).count(), 0);
}

#[test]
fn only_a_new_picture_begins_the_progress_anew() {
    let mut board = PlanBoard::default();
    board.apply_change(&change(5, &record(5, 5)), blank);
    paint(&mut board, Point { x: 63, y: 63 }, 3);
    paint(&mut board, Point { x: 63, y: 63 }, 0);
    let renamed = PlanRecord { title: "Dusk".into(), version: 2, ..record(5, 5) };
    board.apply_change(&change(8, &renamed), blank);
    assert_eq!((&*board.get(5).unwrap().record.title, counts(&board, 5)), ("Dusk", (0, 1)));
    board.apply_change(&change(9, &record(5, 9)), blank);
    assert_eq!(counts(&board, 5), (0, 0));
}

#[test]
fn a_picture_that_was_read_early_begins_anew_with_its_own_event() {
    let mut board = PlanBoard::default();
    // The event 5 opened the plan, but its row was read after the event 9 had set the picture again.
    board.apply_change(&change(5, &record(5, 9)), blank);
    paint(&mut board, Point { x: 63, y: 63 }, 3);
    paint(&mut board, Point { x: 63, y: 63 }, 0);
    board.apply_change(&change(9, &record(5, 9)), blank);
    assert_eq!(counts(&board, 5), (0, 0));
}

#[test]
fn plans_that_ended_or_were_taken_down_leave_the_board() {
    let progress = Progress::default();
    let helpers = Vec::new();
    let end = Some(PlanEnd { at: DateTime::UNIX_EPOCH, progress, helpers });
    for gone in [PlanRecord { end, ..record(5, 5) }, PlanRecord { is_hidden: true, ..record(5, 5) }] {
        let mut board = PlanBoard::default();
        board.apply_change(&change(5, &record(5, 5)), blank);
        board.apply_change(&change(6, &gone), blank);
        assert!(board.iter().next().is_none() && board.find("plan_5").is_none());
        assert!(board.tiles.is_empty() && board.numbers_by_id.is_empty());
    }
}

#[test]
fn a_plan_is_found_by_its_id() {
    let mut board = PlanBoard::default();
    board.apply_change(&change(5, &record(5, 5)), blank);
    board.apply_change(&change(6, &record(6, 6)), blank);
    board.apply_change(&change(7, &record(5, 7)), blank);
    for no in [5, 6] {
        assert_eq!(board.find(&format!("plan_{no}")).unwrap().record.no, no);
    }
    assert!(board.find("plan_7").is_none());
}

#[test]
fn helpers_are_counted_by_their_right_pixels_since_the_opening() {
    let placement = |color, painter, seq| NewestPlacement { color, painter, seq: Seq(seq) };
    let newest = |point: Point| match (point.x, point.y) {
        (63, 63..=65) => placement(3, 7, 9),
        (64, 63) => placement(3, 8, 10),
        (65, 63) => placement(4, 8, 11),
        (66, 63) => placement(3, 8, 4),
        (67, 63) => placement(3, 0, 12),
        _ => placement(0, 0, 0),
    };
    let helpers = count_helpers(&record(5, 5), newest);
    let expected =
        [(7, 3), (8, 1)].map(|(painter, pixels)| HelperPixels { painter: AccountNo(painter), pixels });
    assert_eq!(helpers, expected);
}

#[test]
fn painters_other_than_the_author_are_counted_while_their_pixels_are_right() {
    let mut board = PlanBoard::default();
    let before = |point: Point| if point.x == 63 { placed(3, 9, 4) } else { blank(point) };
    board.apply_change(&change(5, &record(5, 5)), before);
    let left = Point { x: 63, y: 63 };
    let right = Point { x: 64, y: 63 };
    let mut count_after = |point, placement, covered| {
        board.apply_placement(point, placement, covered);
        board.get(5).unwrap().other_painters()
    };
    let by = |painter, seq| placed(3, painter, seq);
    assert_eq!(count_after(left, by(7, 6), by(9, 4)), 1, "what was there before the plan does not count");
    assert_eq!(count_after(right, by(7, 7), blank(right)), 1, "the same painter again");
    assert_eq!(count_after(right, by(8, 8), by(7, 7)), 2);
    assert_eq!(count_after(left, by(1, 9), by(7, 6)), 1, "the author does not count");
    assert_eq!(count_after(right, placed(4, 8, 10), by(8, 8)), 0, "painted over");
    let read_again = |point: Point| if point.y == 70 { by(u32::from(point.x), 10) } else { blank(point) };
    board.load_plan(Arc::new(record(5, 5)), read_again, []);
    assert_eq!(board.get(5).unwrap().other_painters(), 64, "counted from the canvas");
}

/// Returns the memory of this process in bytes, without files.
fn anonymous_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

#[test]
fn a_thousand_large_plans_take_few_megabytes() {
    let template = record(0, 0);
    let before = anonymous_bytes();
    let mut board = PlanBoard::default();
    for no in 1..=1_000 {
        let target = Arc::new(Target::clone(&template.target));
        let record = PlanRecord { no, id: format!("plan_{no}"), target, ..template.clone() };
        board.load_plan(Arc::new(record), |_| placed(3, 0, 1), []);
    }
    let grown = anonymous_bytes().saturating_sub(before);
    assert_eq!(board.iter().filter(|plan| plan.progress().done == 64 * 64).count(), 1_000);
    println!("1000 plans of 64 x 64 pixels take {grown} bytes");
    assert!(grown < 8 << 20, "{grown} bytes");
}
