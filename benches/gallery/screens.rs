//! Screenshots of every page and state.

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::admin_console;
use crate::chrome::{Chrome, Screen};
use crate::crew_screens;
use crate::demo_canvas;
use crate::guide_screens;
use crate::page::Page;
use crate::pages::{PAGES, PageIds, address};
use crate::plan_screens;
use crate::screenshots::{
    DEFAULT_VIEWS, DESKTOP, IS_COMPLETE, PHONE, SCHEMES, SETTINGS, Size, copy_to_docs, delete_screenshots,
    emulate_screen, save_screenshot, take_screenshots,
};
use crate::server::Server;
use crate::states::STATES;
use crate::viewer_states::{self, VIEWER_STATES};

/// The screen sizes for the canvas page.
const SIZES: [Size; 5] = [(320, 568, true), PHONE, (768, 1024, true), DESKTOP, (2560, 1440, false)];
/// Time for a picture, and for more messages than a screen shows.
const PAINTING_SECONDS: u32 = 40;
/// Maximum time for all screenshots.
const SCREENSHOT_SECONDS: u32 = 900;

/// Deletes the older screenshots and takes new ones.
pub async fn run() -> Result<()> {
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    delete_screenshots()?;
    let empty_server = Server::start(&SETTINGS).await?;
    take_screenshots(&page, &empty_server, "/", "empty", &DEFAULT_VIEWS).await?;
    take_screenshots(&page, &empty_server, "/plans", "no-plans", &DEFAULT_VIEWS).await?;
    drop(empty_server);
    plan_screens::run().await?;
    crew_screens::run().await?;
    guide_screens::run().await?;

    let server = Server::start(&SETTINGS).await?;
    demo_canvas::start_placements(&server, PAINTING_SECONDS).await?;
    let swarm = demo_canvas::start_swarm(&server, SCREENSHOT_SECONDS)?;
    let ids = PageIds { agent: best_painter(&server).await?, ..PageIds::default() };
    let canvas_views = SIZES.into_iter().flat_map(|size| SCHEMES.map(|scheme| (size, scheme)));
    take_screenshots(&page, &server, "/", "canvas", &canvas_views.collect::<Vec<_>>()).await?;
    for (name, path) in PAGES.into_iter().filter(|(_, path)| *path != "/" && !is_taken_elsewhere(path)) {
        take_screenshots(&page, &server, &address(path, &ids), name, &DEFAULT_VIEWS).await?;
    }
    for state in STATES {
        let size = if state.is_phone { PHONE } else { DESKTOP };
        emulate_screen(&page, SCHEMES[0], size).await;
        page.visit(&format!("{}{}", server.url, address(state.path, &ids))).await;
        page.evaluate(state.action).await;
        page.wait_until(state.condition).await;
        save_screenshot(&page, &format!("{}-{}-{}", state.name, size.0, SCHEMES[0])).await?;
    }
    admin_console::create_reports(&server).await?;
    admin_console::sign_in(&page, &server).await;
    for (name, path) in admin_console::CONSOLE_PAGES {
        take_screenshots(&page, &server, &path.replace("{agent}", &ids.agent), name, &DEFAULT_VIEWS).await?;
    }
    // More messages would move the viewer's own out of those that the page loads.
    drop(swarm);
    emulate_screen(&page, SCHEMES[0], DESKTOP).await;
    viewer_states::sign_in(&page, &server).await;
    viewer_states::converse(&page, &server).await?;
    for (name, action, condition) in VIEWER_STATES {
        for (size, scheme) in DEFAULT_VIEWS {
            emulate_screen(&page, scheme, size).await;
            viewer_states::visit(&page, &server).await;
            viewer_states::enter(&page, action, condition).await;
            save_screenshot(&page, &format!("{name}-{}-{scheme}", size.0)).await?;
        }
    }
    emulate_screen(&page, SCHEMES[0], DESKTOP).await;
    page.visit(&format!("{}/", server.url)).await;
    page.wait_until(IS_COMPLETE).await;
    drop(server);
    page.wait_until("!live() && shown('#notice')").await;
    for scheme in SCHEMES {
        emulate_screen(&page, scheme, DESKTOP).await;
        save_screenshot(&page, &format!("not-live-1440-{scheme}")).await?;
    }
    copy_to_docs()
}

/// Returns true if the screenshots of a page are taken on a server of their own.
fn is_taken_elsewhere(path: &str) -> bool {
    plan_screens::is_plan_page(path) || crew_screens::is_crew_page(path)
}

async fn best_painter(server: &Server) -> Result<String> {
    let board: Value = server.get("/api/leaderboard").await?.json().await?;
    Ok(board["leaderboard"][0]["id"].as_str().context("no agent has painted")?.to_owned())
}
