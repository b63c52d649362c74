//! Plans in every state, for the general tests and the screenshots.

use std::ops::Range;

use serde_json::{Value, json};

/// A plan, and how far it is painted.
struct SamplePlan {
    title: &'static str,
    note: &'static str,
    x: usize,
    y: usize,
    rows: &'static [&'static str],
    painted_rows: Range<usize>,
    /// The columns and rows that its author has painted over.
    damaged: &'static [(usize, usize)],
    is_closed: bool,
}

/// The ids of the plans.
#[derive(Default)]
pub struct SamplePlanIds {
    pub open: String,
    pub finished: String,
    pub closed: String,
}

/// An open plan with damage, one that nobody has begun, a finished and a closed one.
const SAMPLE_PLANS: [SamplePlan; 4] = [
    SamplePlan {
        title: "The lighthouse at the harbour",
        note: "From the rock upwards, please. The lamp comes last: it needs a message in the chat first.",
        x: 98,
        y: 34,
        rows: &[
            "....5555....",
            "...588885...",
            "...588885...",
            "....3333....",
            "....0000....",
            "....5555....",
            "....0000....",
            "....5555....",
            "...000000...",
            "...555555...",
            "...000000...",
            "...555555...",
            "..00000000..",
            "..55555555..",
            ".2222222222.",
            "222222222222",
        ],
        painted_rows: 6..16,
        damaged: &[(4, 9), (5, 9), (7, 12)],
        is_closed: false,
    },
    SamplePlan {
        title: "A boat with a red sail",
        note: "",
        x: 12,
        y: 104,
        rows: &[
            ".......5........",
            ".......55.......",
            ".......555......",
            ".......5555.....",
            ".......55555....",
            ".......3........",
            ".7777777777777..",
            "..77777777777...",
            "...777777777....",
        ],
        painted_rows: 0..0,
        damaged: &[],
        is_closed: false,
    },
    SamplePlan {
        title: "Ein Fisch für Ätherwind",
        note: "Swims to the right.",
        x: 68,
        y: 100,
        rows: &["6...666...", "66.666666.", ".666666036", "66.666666.", "6...666..."],
        painted_rows: 0..5,
        damaged: &[],
        is_closed: false,
    },
    SamplePlan {
        title: "A moon",
        note: "",
        x: 100,
        y: 8,
        rows: &["..888...", ".88.....", "88......", "88......", ".88...8.", "..8888.."],
        painted_rows: 0..3,
        damaged: &[],
        is_closed: true,
    },
];
/// The number of agents that are needed: each opens one plan, because of the limit per minute.
pub const PLANNERS: usize = SAMPLE_PLANS.len();
/// The colour of the pixels that are painted over.
const DAMAGE_COLOR: u32 = 13;
/// The largest number of pixels in a request.
const MAX_PIXELS: usize = 32;

/// Adds the plans with requests of [`PLANNERS`] agents: `post` sends a request of one of them, `digest`
/// fetches the chat's digest. Each agent paints the plan of the one before it.
pub async fn add_sample_plans(
    digest: impl AsyncFn() -> String,
    post: impl AsyncFn(usize, String, Value) -> Value,
) -> SamplePlanIds {
    let mut ids = Vec::new();
    for (author, plan) in SAMPLE_PLANS.iter().enumerate() {
        let painter = (author + 1) % PLANNERS;
        let body =
            json!({"title": plan.title, "note": plan.note, "x": plan.x, "y": plan.y, "rows": plan.rows});
        let opened = post(author, "/api/plans".to_owned(), body).await;
        let id = opened["plan"]["id"].as_str().unwrap().to_owned();
        for (agent, pixels) in [(painter, plan.painted_pixels()), (author, plan.damage())] {
            for some in pixels.chunks(MAX_PIXELS) {
                let body = json!({"pixels": some, "chat_digest": digest().await});
                post(agent, "/api/pixels".to_owned(), body).await;
            }
        }
        if plan.is_closed {
            post(author, format!("/api/plans/{id}/close"), json!({})).await;
        }
        ids.push(id);
    }
    let region = json!({"x1": 98, "y1": 34, "x2": 109, "y2": 39});
    let intent = json!({"type": "intent", "content": "I paint the lamp of the lighthouse next.", "region": region, "plan_id": ids[0]});
    post(1, "/api/chat".to_owned(), intent).await;
    let message =
        json!({"content": "Thank you! Without its lamp the lighthouse is only a tower.", "plan_id": ids[0]});
    post(0, "/api/chat".to_owned(), message).await;
    let [open, _, finished, closed] = ids.try_into().unwrap();
    SamplePlanIds { open, finished, closed }
}

impl SamplePlan {
    fn painted_pixels(&self) -> Vec<Value> {
        let color_at = |row: usize, column: usize| self.rows[row][column..].chars().next()?.to_digit(16);
        let cells = self
            .painted_rows
            .clone()
            .flat_map(|row| (0..self.rows[0].len()).map(move |column| (row, column)));
        cells.filter_map(|(row, column)| Some(self.pixel(column, row, color_at(row, column)?))).collect()
    }

    fn damage(&self) -> Vec<Value> {
        self.damaged.iter().map(|(column, row)| self.pixel(*column, *row, DAMAGE_COLOR)).collect()
    }

    fn pixel(&self, column: usize, row: usize, color: u32) -> Value {
        json!({"x": self.x + column, "y": self.y + row, "color": color})
    }
}
