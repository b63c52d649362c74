//! Twenty agents finish a plan together, on one instance and on two of which one is killed.

use std::time::Duration;

use rand::RngExt;
use serde_json::Value;

use crate::database_check;
use crate::environment::{Instance, TestEnvironment};
use crate::swarm_process::SwarmProcess;

/// Charges are few and come back quickly, and the plan is larger than the canvas of the other tests.
const SETTINGS: [(&str, &str); 4] = [
    ("CARAPLACE_MAX_CHARGES", "40"),
    ("CARAPLACE_CHARGE_SECONDS", "1"),
    ("CARAPLACE_CANVAS_WIDTH", "40"),
    ("CARAPLACE_CANVAS_HEIGHT", "40"),
];
/// Many small claims, so that they meet.
const OPTIONS: &str =
    "--agents 20 --plan 32x32 --seconds 120 --think-ms 50 --reread-ms 500 --batch 8 --chatty 40";
const PLAN_PIXELS: u64 = 1_024;
/// Maximum percentage of placements that no pixel of the plan needed.
const MAX_WASTED_PERCENT: f64 = 3.0;

/// The sums over all rounds.
#[derive(Default)]
struct Totals {
    placements: u64,
    wasted: u64,
    claims: u64,
    longest: Duration,
}

/// Twenty agents finish a plan on one instance.
pub async fn finished(rounds: u32) -> String {
    let mut totals = Totals::default();
    for _ in 0..rounds {
        let environment = TestEnvironment::single_with(&SETTINGS).await;
        let swarm = start_swarm(&environment, environment.first_instance());
        finish_and_check(&environment, environment.first_instance(), swarm, &mut totals).await;
    }
    format!("{rounds} plans; {}", totals.summary())
}

/// Twenty agents finish a plan on two instances of which one is killed, and not restarted.
pub async fn finished_after_kill(rounds: u32) -> String {
    let mut totals = Totals::default();
    for _ in 0..rounds {
        let users = ["caraplace", "caraplace"];
        let mut environment = TestEnvironment::with_settings_and_shared_postgres(&users, &SETTINGS).await;
        let victim = environment.rng.random_range(0..2);
        let placements = environment.rng.random_range(50..700);
        let survivor = &environment.instances[1 - victim];
        let swarm = start_swarm(&environment, survivor);
        survivor.wait_for_placements(placements).await;
        environment.instances[victim].process.kill();
        finish_and_check(&environment, survivor, swarm, &mut totals).await;
    }
    format!("{rounds} plans and kills; {}", totals.summary())
}

/// Starts agents that use all instances and watch one.
fn start_swarm(environment: &TestEnvironment, watched: &Instance) -> SwarmProcess {
    let watch = ["--watch", &watched.proxy.base_url, "--spectators", "2"];
    let options: Vec<&str> = OPTIONS.split_whitespace().chain(watch).collect();
    let urls = environment.instances.iter().map(|instance| instance.proxy.base_url.as_str());
    SwarmProcess::with_options(&urls.collect::<Vec<_>>(), &options)
}

/// Waits for the end of the run, and checks the plan on one instance.
async fn finish_and_check(
    environment: &TestEnvironment,
    instance: &Instance,
    swarm: SwarmProcess,
    totals: &mut Totals,
) {
    let (report, acks) = swarm.finish_by_itself().await;
    let plans = &report["plans"];
    let number = |name: &str| plans[name].as_u64().unwrap();
    assert_eq!(["plans", "finished", "pixels", "wrong"].map(number), [1, 1, PLAN_PIXELS, 0], "{plans}");
    assert_eq!(number("needed"), PLAN_PIXELS, "{plans}");
    assert!(plans["wasted_percent"].as_f64().unwrap() <= MAX_WASTED_PERCENT, "{plans}");
    check_canvas(instance).await;
    database_check::check(&environment.database_url(), std::slice::from_ref(instance), &acks).await;
    totals.add(plans, &report);
}

/// Asserts that an instance shows the plan as finished, and the canvas as the plan wants it.
async fn check_canvas(instance: &Instance) {
    let list = instance.get_when_ready("/api/plans").await.body;
    let id = list["plans"][0]["id"].as_str().unwrap();
    let plan = &instance.get_when_ready(&format!("/api/plans/{id}")).await.body["plan"];
    assert_eq!(plan["state"], "finished", "{plan}");
    let progress = &plan["progress"];
    assert_eq!((&progress["done"], &progress["left"]), (&PLAN_PIXELS.into(), &0.into()), "{progress}");
    let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| plan[name].as_u64().unwrap());
    let (x2, y2) = (x + width - 1, y + height - 1);
    let region =
        instance.get_when_ready(&format!("/api/canvas/region?x1={x}&y1={y}&x2={x2}&y2={y2}")).await.body;
    assert_eq!(region["rows"], plan["rows"]);
}

impl Totals {
    fn add(&mut self, plans: &Value, report: &Value) {
        let number = |name: &str| plans[name].as_u64().unwrap();
        self.placements += number("placements");
        self.wasted += number("wasted");
        self.claims += number("claims");
        let duration = Duration::from_secs_f64(report["seconds"].as_f64().unwrap());
        self.longest = self.longest.max(duration);
    }

    fn summary(&self) -> String {
        let Self { placements, wasted, claims, longest } = self;
        let percent = 100.0 * *wasted as f64 / *placements as f64;
        let seconds = longest.as_secs_f64();
        format!(
            "{placements} placements, {wasted} wasted ({percent:.2} %), {claims} claims, at most {seconds:.1} s"
        )
    }
}
