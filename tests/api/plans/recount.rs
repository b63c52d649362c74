//! Progress equals a recount from the placements, after anything that happens to the canvas.

use std::collections::{BTreeMap, HashMap};

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use rules::ids::OPERATOR_AGENT_ID;
use serde_json::{Value, json};

use super::{FREE_SETTINGS, agent_on, change, open_plan, paint, read_plan};
use crate::support::{Agent, OperatorBrowser, Server};

const SIDE: i64 = 12;
const ROUNDS: usize = 40;

/// The picture of a plan and its place, as of the event that set them.
struct Picture {
    set_at: i64,
    x: i64,
    y: i64,
    rows: Vec<String>,
}

impl Picture {
    fn of(plan: &Value, set_at: i64) -> Self {
        let rows = serde_json::from_value(plan["rows"].clone()).unwrap();
        Self { set_at, x: plan["x"].as_i64().unwrap(), y: plan["y"].as_i64().unwrap(), rows }
    }

    /// Returns the wanted colours.
    fn pixels(&self) -> impl Iterator<Item = ((i64, i64), i64)> {
        let rows = self.rows.iter().zip(self.y..);
        rows.flat_map(move |(row, y)| row.chars().zip(self.x..).map(move |(digit, x)| ((x, y), digit)))
            .filter_map(|(point, digit)| Some((point, digit.to_digit(16)?.into())))
    }
}

/// A placement with its painter, as the database has it.
#[derive(sqlx::FromRow)]
struct StoredPlacement {
    seq: i64,
    x: i32,
    y: i32,
    color: i16,
    agent_id: String,
}

/// Returns the progress and the helpers of a picture, counted from all placements. Rollbacks, which are placements of the
/// operators' account, help no one.
async fn recount(server: &Server, picture: &Picture, opened_at: i64) -> (Value, BTreeMap<String, usize>) {
    let placements: Vec<StoredPlacement> = sqlx::query_as(
        "select p.seq, p.x::int as x, p.y::int as y, p.color, a.id as agent_id from placement p join agent a on a.no = p.agent order by p.seq",
    )
    .fetch_all(&server.pool)
    .await
    .unwrap();
    let (mut done, mut damaged, mut helpers) = (0, 0, BTreeMap::new());
    let mut by_point: HashMap<(i64, i64), Vec<&StoredPlacement>> = HashMap::new();
    for placement in &placements {
        by_point.entry((placement.x.into(), placement.y.into())).or_default().push(placement);
    }
    for (point, wanted) in picture.pixels() {
        let placed = by_point.get(&point).map(Vec::as_slice).unwrap_or_default();
        let (before, after): (Vec<&StoredPlacement>, Vec<&StoredPlacement>) =
            placed.iter().copied().partition(|placement| placement.seq <= picture.set_at);
        let at_start = before.last().map_or(0, |placement| i64::from(placement.color));
        let now = placed.last().map_or(0, |placement| i64::from(placement.color));
        let was_right =
            at_start == wanted || after.iter().any(|placement| i64::from(placement.color) == wanted);
        done += usize::from(now == wanted);
        damaged += usize::from(now != wanted && was_right);
        let is_helpful = |last: &&&StoredPlacement| {
            now == wanted && last.seq > opened_at && last.agent_id != OPERATOR_AGENT_ID
        };
        if let Some(last) = placed.last().filter(is_helpful) {
            *helpers.entry(last.agent_id.clone()).or_default() += 1;
        }
    }
    (super::progress(picture.pixels().count(), done, damaged), helpers)
}

/// Checks a plan and its next pixels against a recount.
async fn check(server: &Server, plan: &Value, picture: &Picture, opened_at: i64, what: &str) {
    let shown = read_plan(server, plan).await;
    let (progress, helpers) = recount(server, picture, opened_at).await;
    assert_eq!(shown["progress"], progress, "{what}");
    let shown_helpers = shown["helpers"].as_array().unwrap().iter();
    let shown_helpers: BTreeMap<String, usize> = shown_helpers
        .map(|helper| {
            (helper["agent_id"].as_str().unwrap().to_owned(), helper["pixels"].as_u64().unwrap() as usize)
        })
        .collect();
    assert_eq!(shown_helpers, helpers, "{what}");
    let next = server.get(&format!("{}/next?n=256", super::path_of(plan))).await.body;
    let next: Vec<(i64, i64)> = next["pixels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pixel| {
            assert_ne!(pixel["color"], pixel["expected_color"], "{what}");
            (pixel["x"].as_i64().unwrap(), pixel["y"].as_i64().unwrap())
        })
        .collect();
    assert_eq!(next.len(), progress["left"].as_u64().unwrap() as usize, "{what}");
    let rows: Vec<String> =
        serde_json::from_value(server.get("/api/canvas").await.body["rows"].clone()).unwrap();
    let color_at =
        |(x, y): (i64, i64)| rows[y as usize].chars().nth(x as usize).unwrap().to_digit(16).unwrap();
    for (point, wanted) in picture.pixels() {
        assert_eq!(next.contains(&point), i64::from(color_at(point)) != wanted, "{what}: {point:?}");
    }
}

fn random_rows(random: &mut StdRng) -> Vec<String> {
    let (width, height) = (random.random_range(1..7), random.random_range(1..7));
    let digit = |random: &mut StdRng| ['.', '0', '1', '2'][random.random_range(0..4)];
    let mut rows: Vec<String> = (0..height).map(|_| (0..width).map(|_| digit(random)).collect()).collect();
    rows[0].replace_range(0..1, "1");
    rows
}

async fn paint_randomly(agent: &Agent<'_>, random: &mut StdRng) {
    let points: BTreeMap<(i64, i64), i64> = (0..random.random_range(1..25))
        .map(|_| ((random.random_range(0..SIDE), random.random_range(0..SIDE)), random.random_range(0..3)))
        .collect();
    let pixels: Vec<_> = points.into_iter().map(|((x, y), color)| (x, y, color)).collect();
    paint(agent, &pixels).await;
}

async fn roll_back(operator: &OperatorBrowser<'_>, agent: &Agent<'_>, from: i64) {
    let order = json!({"agent_id": agent.id, "from": from.to_string(), "reason": "graffiti"});
    let started = operator.post("/api/admin/rollbacks", order).await;
    if started.status == 201 {
        let path = format!("/api/admin/rollbacks/{}", started.body["id"].as_str().unwrap());
        while operator.get(&path).await.body["state"] != "done" {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn progress_equals_a_recount_of_the_placements() {
    let mut random = StdRng::seed_from_u64(18);
    let small = [("CARAPLACE_CANVAS_WIDTH", "12"), ("CARAPLACE_CANVAS_HEIGHT", "12")];
    let settings = [&FREE_SETTINGS[..], &small].concat();
    let server = Server::start_with(&settings).await;
    let operator = server.sign_in_operator().await;
    let agents = [server.register_agent("Ada").await, server.register_agent("Bob").await];
    paint_randomly(&agents[0], &mut random).await;
    let body = json!({"title": "A mosaic", "x": 2, "y": 3, "rows": random_rows(&mut random)});
    let plan = open_plan(&agents[0], body).await;
    let opened_at = server.head().await;
    let mut picture = Picture::of(&plan, opened_at);
    let mut version = 1;
    for round in 0..ROUNDS {
        let what = match random.random_range(0..10) {
            0 => {
                let from = random.random_range(0..server.head().await);
                roll_back(&operator, &agents[random.random_range(0..2)], from).await;
                "rollback"
            }
            1 | 2 => {
                let (x, y) = (random.random_range(0..6), random.random_range(0..6));
                let mut body = json!({"expected_version": version, "x": x, "y": y});
                if random.random_bool(0.5) {
                    body["rows"] = json!(random_rows(&mut random));
                }
                let before = read_plan(&server, &plan).await;
                let changed = change(&agents[0], &plan, body).await;
                assert_eq!(changed.status, 200, "{}", changed.body);
                let changed = &changed.body["plan"];
                version += 1;
                if ["x", "y", "rows"].iter().any(|name| before[*name] != changed[*name]) {
                    picture = Picture::of(changed, server.head().await);
                }
                "change"
            }
            3 => {
                let body = json!({"expected_version": version, "title": format!("Mosaic {round}")});
                assert_eq!(change(&agents[0], &plan, body).await.status, 200);
                version += 1;
                "new title"
            }
            _ => {
                paint_randomly(&agents[random.random_range(0..2)], &mut random).await;
                "placements"
            }
        };
        check(&server, &plan, &picture, opened_at, &format!("round {round}, {what}")).await;
    }
    let late = server.start_instance(&settings).await;
    check(&late, &plan, &picture, opened_at, "after a replay of the log").await;
    paint_randomly(&agent_on(&late, &agents[1]), &mut random).await;
    check(&late, &plan, &picture, opened_at, "on another instance").await;
}
