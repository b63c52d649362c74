//! Progress equals a recount from the placements, after anything that happens to the canvas.

use std::collections::{BTreeMap, HashMap};

use caraplace::server::nouns::NOUNS;
use caraplace_canvas::plans::board::PlanBoard;
use caraplace_log::state::AppState;
use platform::config::Config;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use rules::ids::OPERATOR_AGENT_ID;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::{PLAN_SETTINGS, change, paint, path_of, progress};
use crate::support::actions::open_plan;
use crate::support::values::id_of;
use crate::support::waiting::wait_for_rollback;
use crate::support::{Agent, OperatorBrowser, Server};

const SIDE: i64 = 20;
const ROUNDS: usize = 25;
/// A canvas on which many pixels stay blank for long.
const CANVAS: [(&str, &str); 2] = [("CARAPLACE_CANVAS_WIDTH", "20"), ("CARAPLACE_CANVAS_HEIGHT", "20")];

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

/// A live plan, as it must be.
struct KnownPlan<'a> {
    author: &'a Agent<'a>,
    /// True if only its author can see it.
    is_shadow: bool,
    plan: Value,
    version: i64,
    opened_at: i64,
    picture: Picture,
}

impl<'a> KnownPlan<'a> {
    async fn open(server: &Server, author: &'a Agent<'a>, is_shadow: bool, random: &mut StdRng) -> Self {
        let (x, y) = (random.random_range(0..14), random.random_range(0..14));
        let body = json!({"title": "A mosaic", "x": x, "y": y, "rows": random_rows(random)});
        let plan = open_plan(author, body).await;
        let opened_at = server.head().await;
        let picture = Picture::of(&plan, opened_at);
        Self { author, is_shadow, plan, version: 1, opened_at, picture }
    }

    /// Returns the plan as its author sees it.
    async fn read(&self) -> Value {
        self.author.get(&path_of(&self.plan)).await.assert_status(200)["plan"].clone()
    }

    /// Changes the plan at random: its title, its place, or its place and its picture.
    async fn change(&mut self, server: &Server, random: &mut StdRng) {
        let mut body = json!({"expected_version": self.version, "title": format!("Mosaic {}", self.version)});
        if random.random_bool(0.7) {
            (body["x"], body["y"]) = (random.random_range(0..14).into(), random.random_range(0..14).into());
        }
        if random.random_bool(0.4) {
            body["rows"] = json!(random_rows(random));
        }
        server.advance_clock(5);
        let changed = change(self.author, &self.plan, body).await.assert_status(200);
        self.version += 1;
        let picture = Picture::of(&changed["plan"], server.head().await);
        if (picture.x, picture.y, &picture.rows) != (self.picture.x, self.picture.y, &self.picture.rows) {
            self.picture = picture;
        }
    }

    /// Returns the progress and the helpers, counted from all placements. Rollbacks, which are placements of
    /// the operators' account, help no one.
    async fn recount(&self, server: &Server) -> (Value, BTreeMap<String, usize>) {
        // Nothing tells when a plan without an event was opened, so its helpers count from its picture.
        let helps_since = if self.is_shadow { self.picture.set_at } else { self.opened_at };
        let by_point = read_placements(server).await;
        let (mut done, mut damaged, mut helpers) = (0, 0, BTreeMap::new());
        for (point, wanted) in self.picture.pixels() {
            let placed = by_point.get(&point).map(Vec::as_slice).unwrap_or_default();
            let (before, after): (Vec<&StoredPlacement>, Vec<&StoredPlacement>) =
                placed.iter().partition(|placement| placement.seq <= self.picture.set_at);
            let color = |placement: &StoredPlacement| i64::from(placement.color);
            let at_start = before.last().map_or(0, |placement| color(placement));
            let now = placed.last().map_or(0, color);
            let was_right = at_start == wanted || after.iter().any(|placement| color(placement) == wanted);
            done += usize::from(now == wanted);
            damaged += usize::from(now != wanted && was_right);
            let is_helpful = |last: &&StoredPlacement| {
                now == wanted && last.seq > helps_since && last.agent_id != OPERATOR_AGENT_ID
            };
            if let Some(last) = placed.last().filter(is_helpful) {
                *helpers.entry(last.agent_id.clone()).or_default() += 1;
            }
        }
        (progress(self.picture.pixels().count(), done, damaged), helpers)
    }

    /// Checks the plan and its next pixels against a recount.
    async fn check(&self, server: &Server, label: &str) {
        let shown = self.read().await;
        let (progress, helpers) = self.recount(server).await;
        assert_eq!((&shown["progress"], shown_helpers(&shown)), (&progress, helpers), "{label}");
        let next = self.author.get(&format!("{}/next?n=256", path_of(&self.plan))).await.body;
        let point = |pixel: &Value| {
            assert_ne!(pixel["color"], pixel["expected_color"], "{label}");
            (pixel["x"].as_i64().unwrap(), pixel["y"].as_i64().unwrap())
        };
        let next: Vec<(i64, i64)> = next["pixels"].as_array().unwrap().iter().map(point).collect();
        if shown["finished_at"].is_string() {
            assert_eq!((&shown["state"], next.len()), (&json!("finished"), 0), "{label}");
            return;
        }
        assert_eq!(next.len(), progress["left"].as_u64().unwrap() as usize, "{label}");
        let rows: Vec<String> =
            serde_json::from_value(server.get("/api/canvas").await.body["rows"].clone()).unwrap();
        let color_at =
            |(x, y): (i64, i64)| rows[y as usize].chars().nth(x as usize).unwrap().to_digit(16).unwrap();
        for (point, wanted) in self.picture.pixels() {
            assert_eq!(next.contains(&point), i64::from(color_at(point)) != wanted, "{label}: {point:?}");
        }
    }
}

fn shown_helpers(plan: &Value) -> BTreeMap<String, usize> {
    let helpers = plan["helpers"].as_array().unwrap().iter();
    let pair = |helper: &Value| {
        (helper["agent_id"].as_str().unwrap().to_owned(), helper["pixels"].as_u64().unwrap() as usize)
    };
    helpers.map(pair).collect()
}

/// Returns the placements of the current season on each point, oldest first.
async fn read_placements(server: &Server) -> HashMap<(i64, i64), Vec<StoredPlacement>> {
    let query = "select p.seq, p.x::int as x, p.y::int as y, p.color, a.id as agent_id
         from placement p join agent a on a.no = p.agent
         where p.seq > (select max(seq) from season) order by p.seq";
    let placements = sqlx::query_as::<_, StoredPlacement>(query).fetch_all(&server.pool).await.unwrap();
    let mut by_point: HashMap<(i64, i64), Vec<StoredPlacement>> = HashMap::new();
    for placement in placements {
        by_point.entry((placement.x.into(), placement.y.into())).or_default().push(placement);
    }
    by_point
}

/// Checks that an instance that has just started shows all live plans as the running one does.
async fn check_replay(server: &Server, label: &str) {
    let config = Config::read(|name| {
        CANVAS.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    });
    let pool = PgPool::connect(server.database_url()).await.unwrap();
    let opened = AppState::open(pool, server.clock.clone(), &config.unwrap(), &NOUNS).await;
    let (fresh, tasks) = opened.unwrap();
    let shown = |state: &AppState| {
        let now = state.clock.now();
        let world = state.world.read();
        let plans = PlanBoard::of(&world).iter();
        let views = plans.map(|plan| plan.view(&world.canvas, now));
        views.map(|view| (view.record.id.clone(), view.progress, view.helpers)).collect::<Vec<_>>()
    };
    assert_eq!(shown(&fresh), shown(&server.running().state), "{label}");
    fresh.close(&tasks).await;
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
        wait_for_rollback(operator, id_of(&started.body), "done").await;
    }
}

/// Ends the season. The plans keep what a recount has given before.
async fn open_next_season(
    server: &Server,
    operator: &OperatorBrowser<'_>,
    (number, plans): (i64, &[KnownPlan<'_>]),
    label: &str,
) {
    let mut expected = Vec::new();
    for plan in plans {
        expected.push(plan.recount(server).await);
    }
    operator.open_season(number, SIDE, SIDE).await;
    for (plan, (progress, helpers)) in plans.iter().zip(expected) {
        let ended = plan.read().await;
        let is_finished = progress["left"] == 0 || ended["finished_at"].is_string();
        let state = if is_finished { "finished" } else { "expired" };
        assert_eq!((&ended["state"], &ended["progress"]), (&json!(state), &progress), "{label}");
        assert_eq!(shown_helpers(&ended), helpers, "{label}");
    }
    server.advance_clock(60);
}

/// Opens plans of three authors, one of whom is shadow-banned.
async fn open_plans<'a>(
    server: &Server,
    authors: &'a [Agent<'a>; 3],
    random: &mut StdRng,
) -> Vec<KnownPlan<'a>> {
    let mut plans = Vec::new();
    for (author, is_shadow) in authors.iter().zip([false, false, true]) {
        plans.push(KnownPlan::open(server, author, is_shadow, random).await);
    }
    plans
}

/// Does at random what changes plans or the canvas, and checks all plans after each step.
async fn play(seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let server = Server::start_with(&[&PLAN_SETTINGS[..], &CANVAS].concat()).await;
    let operator = server.sign_in_operator().await;
    let authors = server.register_agents(["Ada", "Bob", "Eve"]).await;
    operator.apply_sanction(&authors[2], "shadow").await;
    paint_randomly(&authors[0], &mut random).await;
    let mut plans = open_plans(&server, &authors, &mut random).await;
    let mut season = 1;
    for round in 0..ROUNDS {
        let label = format!("seed {seed}, round {round}");
        match random.random_range(0..12) {
            0 => {
                open_next_season(&server, &operator, (season, &plans), &label).await;
                season += 1;
                plans = open_plans(&server, &authors, &mut random).await;
            }
            1 => {
                let from = random.random_range(0..server.head().await);
                roll_back(&operator, &authors[random.random_range(0..3)], from).await;
            }
            2..5 => plans[random.random_range(0..3)].change(&server, &mut random).await,
            _ => paint_randomly(&authors[random.random_range(0..3)], &mut random).await,
        }
        for plan in &plans {
            plan.check(&server, &label).await;
        }
        check_replay(&server, &label).await;
    }
}

#[tokio::test]
async fn progress_equals_a_recount_of_the_placements() {
    tokio::join!(play(18), play(19), play(20), play(21));
}
