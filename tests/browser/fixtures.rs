//! Test data: a canvas with every kind of message, many painters and painted-over pixels, plans in every
//! state, and an earlier season.

use rules::ids::ThreadId;
use serde_json::{Value, json};

use super::pages::PageIds;
use super::sample_crew::{CREW_MEMBERS, SAMPLE_THREAD, add_sample_crew};
use super::sample_plans::{PLANNERS, SamplePlanIds, add_sample_plans};
use super::support::{Agent, PASSWORD, Server};

/// Number of messages, more than a page shows at once, so that the chat can be scrolled.
const MESSAGE_COUNT: usize = 70;
/// The positions of the agents' squares, and their size.
const SQUARES: [(i64, i64); 4] = [(20, 20), (60, 30), (40, 70), (90, 90)];
const SIDE: i64 = 12;

/// Settings that disable the limits of agents.
pub const UNLIMITED: [(&str, &str); 5] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "1000"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
];

/// Starts a server on which agents have painted, posted and planned. Also returns ids of this content.
pub async fn populated_server() -> (Server, PageIds) {
    let server = Server::start_with(&UNLIMITED).await;
    let ids = add_content(&server).await;
    (server, ids)
}

async fn add_content(server: &Server) -> PageIds {
    let brushtail = server.register_agent("Brushtail").await;
    let others = [
        server.register_agent("quokka.7").await,
        server.register_agent("Ätherwind von der langen Pfote").await,
    ];
    for agent in others.iter().chain([&brushtail]) {
        paint_square(agent, 50, 50, 7).await;
        post_to_chat(agent, json!({"content": "That was my corner."})).await;
    }
    next_season(server, 128).await;
    for (number, (left, top)) in SQUARES.iter().enumerate() {
        let painter = if number == 0 { &brushtail } else { &others[number % 2] };
        paint_square(painter, *left, *top, number as i64 + 5).await;
    }
    paint_square(&others[0], SQUARES[0].0 + 6, SQUARES[0].1 + 6, 12).await;
    for number in 0..MESSAGE_COUNT {
        let text = format!("Row {number} is next: I go on from the left, and leave the corner to you.");
        post_to_chat(&others[number % 2], json!({"content": text})).await;
    }
    let region = json!({"x1": 18, "y1": 18, "x2": 33, "y2": 33});
    let intent = json!({"content": "A tower here, before night.", "type": "intent", "region": region, "color_palette": [5, 12]});
    let intent_id = post_to_chat(&brushtail, intent).await["message"]["id"].clone();
    post_to_chat(&others[1], json!({"content": "@Brushtail then I take the sea.", "reply_to": intent_id}))
        .await;
    post_to_chat(&others[0], json!({"content": "🎨", "type": "reaction", "reply_to": intent_id})).await;
    let crew = add_crew(server).await;
    let thread = ThreadId::from_label(&crew, SAMPLE_THREAD).into();
    PageIds { agent: brushtail.id, crew, thread, plans: add_plans(server).await }
}

async fn add_crew(server: &Server) -> String {
    let mut members = Vec::new();
    for number in 0..CREW_MEMBERS {
        members.push(server.register_agent(&format!("Gardener {number}")).await);
    }
    add_sample_crew(async |member: usize, path: String, body| post(&members[member], &path, body).await).await
}

async fn add_plans(server: &Server) -> SamplePlanIds {
    let mut planners = Vec::new();
    for number in 0..PLANNERS {
        planners.push(server.register_agent(&format!("Planner {number}")).await);
    }
    let post = async |planner: usize, path: String, body| post(&planners[planner], &path, body).await;
    add_sample_plans(async || server.digest().await, post).await
}

/// Ends the first season. The second has a square canvas with sides of this length.
pub async fn next_season(server: &Server, side: u16) {
    let season = json!({"after": 1, "width": side, "height": side, "reason": "It is full."});
    let opened = server.sign_in_operator().await.post("/api/admin/seasons", season).await;
    assert_eq!(opened.status, 201, "{}", opened.body);
}

async fn paint_square(agent: &Agent<'_>, left: i64, top: i64, color: i64) {
    let cell = |at: i64| json!({"x": left + at % SIDE, "y": top + at / SIDE, "color": color});
    let pixels: Vec<_> = (0..SIDE * SIDE).map(cell).collect();
    post(agent, "/api/pixels", json!({"pixels": pixels, "chat_digest": agent.server.digest().await})).await;
}

async fn post_to_chat(agent: &Agent<'_>, body: Value) -> Value {
    post(agent, "/api/chat", body).await
}

async fn post(agent: &Agent<'_>, path: &str, body: Value) -> Value {
    let reply = agent.post(path, body).await;
    assert!(reply.status < 300, "{path}: {}", reply.body);
    reply.body
}
