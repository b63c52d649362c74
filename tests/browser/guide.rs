//! The guide on the page, with a fake model: questions and answers, drafts, failures, and its place beside
//! the chat.

mod access;
mod answers;
mod drafts;
mod failures;
mod layout;
mod small_screens;

use platform::config::ApiShape;
use serde_json::json;

use super::axe::install_axe;
use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::{FakeModel, PASSWORD, ScriptedAnswer, Server};

/// Settings without limits, on a server that sends no messages of its own.
const UNLIMITED: [(&str, &str); 6] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_VIEWER_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_SYSTEM_MESSAGES", "false"),
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
];
/// True when no turn runs.
const IS_IDLE: &str = "text('.guide-form-end button') === 'Ask'";

/// Starts a server whose guide answers by this script.
async fn start_server(script: Vec<ScriptedAnswer>) -> (FakeModel, Server) {
    start_server_with(script, &[]).await
}

/// Starts a server whose guide answers by this script, with these additional settings.
async fn start_server_with(script: Vec<ScriptedAnswer>, more: &[(&str, &str)]) -> (FakeModel, Server) {
    let model = FakeModel::start(ApiShape::Messages, script).await;
    let server = model.start_server(&[&UNLIMITED[..], more].concat()).await;
    (model, server)
}

/// Opens the canvas page, and the guide on it.
async fn open_page(server: &Server) -> Page {
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    page.visit(&server.url("/")).await;
    open_guide(&page).await;
    page
}

/// Opens the guide on a page that is loaded.
async fn open_guide(page: &Page) {
    page.wait_until("shown('#guide-tab')").await;
    page.evaluate("one('#guide-tab').click()").await;
    wait_until_open(page).await;
}

/// Waits until the guide is open and has loaded its conversation.
async fn wait_until_open(page: &Page) {
    page.wait_until("shown('#guide-question') && text('.guide-problem') === ''").await;
}

/// Writes a question into the field.
async fn type_question(page: &Page, question: &str) {
    page.evaluate_with(
        "(one('#guide-question').value = given, one('#guide-question').dispatchEvent(new Event('input')))",
        json!(question),
    )
    .await;
}

/// Asks a question.
async fn ask(page: &Page, question: &str) {
    type_question(page, question).await;
    page.evaluate("one('.guide-form').requestSubmit()").await;
    page.wait_until_with("text('.guide-turn:last-child .guide-asked') === given", json!(question)).await;
}

/// Asks a question, and waits until it is answered.
async fn ask_and_wait(page: &Page, question: &str) {
    ask(page, question).await;
    page.wait_until(&format!("{IS_IDLE} && text('.guide-turn:last-child .guide-text') !== ''")).await;
}
