//! Screenshots of plans: their pages, their states on the canvas page, and the board on which one is drawn.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::admin_console;
use crate::chrome::{Chrome, Screen};
use crate::demo_canvas;
use crate::page::Page;
use crate::pages::{PAGES, PageIds, address};
use crate::sample_plans::{PLANNERS, SamplePlanIds, add_sample_plans};
use crate::screenshots::{DEFAULT_VIEWS, DESKTOP, SETTINGS, emulate_screen, save_screenshot};
use crate::server::Server;
use crate::states::PLAN_STATES;
use crate::viewer_states::{self, send};

const PAINTING_SECONDS: u32 = 20;
const PLANNER_NAMES: [&str; PLANNERS] = ["Harbourmaster", "Sepia", "Ätherwind", "quokka.7"];
/// True when the page of a plan shows its part of the canvas, and on other pages.
const IS_LOADED: &str = "!one('#replay') || /: [1-9]\\d* pixels? right/.test(one('#replay-slider').getAttribute('aria-valuetext')) && text('#replay-moment') !== 'Not live'";
/// The drawing that is on the board.
const DRAWING: &str = r#"{
    "title": "A tulip", "note": "Two leaves are enough.", "x": 56, "y": 72, "version": 0,
    "rows": ["..5.5.5..", "..55555..", "..55555..", "...555...", "....a....", ".a..a..a.", ".aa.a.aa.", "..aaaaa..", "....a...."]
}"#;
/// Stores the drawing as a draft for a plan with this id; for a new one if it is empty.
const STORE_DRAFT: &str =
    "localStorage.setItem(`caraplace-plan-draft${given[0] && `-${given[0]}`}`, given[1])";
/// Opens a plan as the viewer who is signed in, and returns its id.
const OPEN_PLAN: &str = "(async () => {
    const body = { title: 'A rose', x: 56, y: 72, rows: ['.e.e.', 'eeeee', '.eee.', '..a..', '..a..'] };
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch('/api/plans', { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()).plan?.id;
})()";

/// Returns whether the screenshots of a page are taken here.
pub fn is_plan_page(path: &str) -> bool {
    path.starts_with("/plans")
}

/// Takes the screenshots, on a server and in a browser of their own.
pub async fn run() -> Result<()> {
    let server = Server::start(&SETTINGS).await?;
    demo_canvas::start_placements(&server, PAINTING_SECONDS).await?;
    let ids = PageIds { plans: add_plans(&server).await?, ..PageIds::default() };
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    for (name, path) in PAGES.into_iter().filter(|(_, path)| is_plan_page(path)) {
        take_in_state(&page, &server, &address(path, &ids), name, ("true", IS_LOADED)).await?;
    }
    for (name, path, action, condition) in PLAN_STATES {
        take_in_state(&page, &server, &address(path, &ids), name, (action, condition)).await?;
    }
    take_board(&page, &server).await
}

/// Takes screenshots of one state of a page.
async fn take_in_state(
    page: &Page,
    server: &Server,
    path: &str,
    name: &str,
    (action, condition): (&str, &str),
) -> Result<()> {
    for (size, scheme) in DEFAULT_VIEWS {
        emulate_screen(page, scheme, size).await;
        page.visit(&format!("{}{path}", server.url)).await;
        page.evaluate(action).await;
        page.wait_until(condition).await;
        save_screenshot(page, &format!("{name}-{}-{scheme}", size.0)).await?;
    }
    Ok(())
}

/// Takes the board with a drawing, and the choice after the plan of a drawing was changed.
async fn take_board(page: &Page, server: &Server) -> Result<()> {
    emulate_screen(page, DEFAULT_VIEWS[0].1, DESKTOP).await;
    admin_console::sign_in(page, server).await;
    viewer_states::sign_in(page, server).await;
    page.evaluate_with(STORE_DRAFT, json!(["", DRAWING])).await;
    let has_board = "shown('#plan-form') && one('#board').width > 100";
    take_in_state(page, server, "/plans/new", "board", ("true", has_board)).await?;
    let id = page.evaluate(OPEN_PLAN).await;
    let id = id.as_str().context("the plan was refused")?;
    page.evaluate_with(STORE_DRAFT, json!([id, DRAWING])).await;
    let path = format!("/plans/{id}/edit");
    take_in_state(page, server, &path, "draft-choice", ("true", "shown('#draft-choice')")).await
}

async fn add_plans(server: &Server) -> Result<SamplePlanIds> {
    let mut keys = Vec::new();
    for name in PLANNER_NAMES {
        let registered = send(server, "/api/agents/register", None, json!({"name": name})).await?;
        keys.push(registered["agent"]["api_key"].as_str().context("no key")?.to_owned());
    }
    let post = async |planner: usize, path: String, body: Value| {
        send(server, &path, Some(&keys[planner]), body).await.expect("a sample plan was refused")
    };
    Ok(add_sample_plans(async || server.digest().await.expect("the digest is missing"), post).await)
}
