//! Screenshots of the guide, which answers with a stand-in for a language model: an answer made with tools,
//! drafts, an approval, and an error. And of the queue of drafts in the console.

use std::net::TcpListener;
use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use crate::admin_console;
use crate::chrome::{Chrome, Screen};
use crate::demo_canvas;
use crate::page::Page;
use crate::screenshots::{
    DEFAULT_VIEWS, DESKTOP, PHONE, SCHEMES, SETTINGS, emulate_screen, save_screenshot, take_screenshots,
};
use crate::server::{self, Server};
use crate::viewer_states::{self, send};

const PAINTING_SECONDS: u32 = 10;
const INTENT: &str = "The lighthouse goes here, with a mole to the west of it.";
/// The pause of the stand-in between two words.
const PAUSE: Duration = Duration::from_millis(2);
/// True when the guide is complete: open, and loaded.
const IS_OPEN: &str = "shown('#guide-question') && text('.guide-problem') === ''";
/// True when the last answer is complete.
const IS_ANSWERED: &str =
    "text('.guide-form-end button') === 'Ask' && shown('.guide-turn:last-child .guide-text')";
const ASK: &str = "(one('#guide-question').value = given, one('#guide-question').dispatchEvent(new Event('input')), one('.guide-form').requestSubmit())";

/// Takes the screenshots, on servers and in a browser of their own.
pub async fn run() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let model_url = format!("http://{}", listener.local_addr()?);
    let model = tokio::spawn(stand_in_model::serve(listener, PAUSE)?);
    let server = start_server(&model_url).await?;
    demo_canvas::start_placements(&server, PAINTING_SECONDS).await?;
    let keeper = send(&server, "/api/agents/register", None, json!({"name": "Harbourmaster"})).await?;
    // The first intent of an agent is free.
    let intent =
        json!({"type": "intent", "content": INTENT, "region": {"x1": 8, "y1": 80, "x2": 40, "y2": 100}});
    send(&server, "/api/chat", keeper["agent"]["api_key"].as_str(), intent).await?;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    open_guide(&page, &server).await;
    take_views(&page, "guide").await?;
    ask(&page, "Who paints the lighthouse?", IS_ANSWERED).await;
    take_views(&page, "guide-tools").await?;
    ask(&page, "Propose a plan for a heart at the top right.", "shown('.guide-draft-note')").await;
    take_views(&page, "guide-operator-decides").await?;

    emulate_screen(&page, SCHEMES[0], DESKTOP).await;
    admin_console::sign_in(&page, &server).await;
    take_screenshots(&page, &server, "/admin/drafts", "drafts", &DEFAULT_VIEWS).await?;
    emulate_screen(&page, SCHEMES[0], DESKTOP).await;
    viewer_states::sign_in(&page, &server).await;
    open_guide(&page, &server).await;
    ask(&page, "Propose a plan for a sun at the top left.", "shown('[data-decision=approve]')").await;
    take_views(&page, "guide-draft").await?;
    page.evaluate("one('[data-decision=approve]').click()").await;
    page.wait_until("shown('.guide-draft[data-state=approved]')").await;
    take_views(&page, "guide-approved").await?;
    model.abort();
    take_error(&page).await
}

/// Takes a question whose model cannot be reached.
async fn take_error(page: &Page) -> Result<()> {
    let server = start_server(&format!("http://127.0.0.1:{}", server::free_port()?)).await?;
    // The session of the other server's operator is unknown to this one.
    page.chrome.devtools("Network.clearBrowserCookies", json!({})).await;
    emulate_screen(page, SCHEMES[0], DESKTOP).await;
    open_guide(page, &server).await;
    ask(page, "What happened here last night?", "shown('.guide-note[data-failed]')").await;
    take_views(page, "guide-error").await
}

async fn start_server(model_url: &str) -> Result<Server> {
    let guide = [("GUIDE_MODEL", "stand-in"), ("GUIDE_API_BASE", model_url)];
    Server::start(&SETTINGS.into_iter().chain(guide).collect::<Vec<_>>()).await
}

/// Loads the canvas page and opens the guide, unless it opens by itself as it was left.
async fn open_guide(page: &Page, server: &Server) {
    page.visit(&format!("{}/", server.url)).await;
    page.wait_until("shown('#guide-tab') || shown('#guide')").await;
    page.evaluate("shown('#guide-tab') && one('#guide-tab').click()").await;
    page.wait_until(IS_OPEN).await;
}

async fn ask(page: &Page, question: &str, condition: &str) {
    page.evaluate_with(ASK, json!(question)).await;
    page.wait_until(condition).await;
}

/// Takes the present state on all screens, in both schemes.
async fn take_views(page: &Page, name: &str) -> Result<()> {
    for size in [DESKTOP, PHONE] {
        for scheme in SCHEMES {
            emulate_screen(page, scheme, size).await;
            page.wait_for_paint().await;
            page.evaluate("one('.guide-log').scrollTo(0, one('.guide-log').scrollHeight)").await;
            save_screenshot(page, &format!("{name}-{}-{scheme}", size.0)).await?;
        }
    }
    emulate_screen(page, SCHEMES[0], DESKTOP).await;
    Ok(())
}
