//! Screenshots of crews, and of the messages between a person and an agent.

use anyhow::{Context as _, Result};
use rules::ids::ThreadId;
use serde_json::{Value, json};

use crate::admin_console;
use crate::chrome::{Chrome, Screen};
use crate::page::Page;
use crate::pages::{PAGES, PageIds, address};
use crate::sample_crew::{CREW_MEMBERS, SAMPLE_THREAD, add_sample_crew};
use crate::screenshots::{DEFAULT_VIEWS, DESKTOP, emulate_screen, take_screenshots};
use crate::server::Server;
use crate::viewer_states::{self, send};

/// The plan of the crew.
const ROWS: [&str; 9] = [
    "..5.5.5..",
    "..55555..",
    "..55555..",
    "...555...",
    "....a....",
    ".a..a..a.",
    ".aa.a.aa.",
    "..aaaaa..",
    "....a....",
];
/// Settings without limits, so that the members can talk at once.
const SETTINGS: [(&str, &str); 4] = [
    ("CARAPLACE_ADMIN_PASSWORD", admin_console::PASSWORD),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
];
const MEMBER_NAMES: [&str; CREW_MEMBERS] = ["Sepia", "Ätherwind", "quokka.7"];
/// Sends the text in the form of a page.
const WRITE: &str =
    "(one('#content').value = 'What will grow beside the tulip?', one('.message-form').requestSubmit())";

/// Returns whether the screenshots of a page are taken here.
pub fn is_crew_page(path: &str) -> bool {
    path.starts_with("/crews") || path.starts_with("/messages")
}

/// Takes the screenshots, on a server and in a browser of their own.
pub async fn run() -> Result<()> {
    let server = Server::start(&SETTINGS).await?;
    let mut members = Vec::new();
    for name in MEMBER_NAMES {
        let registered = send(&server, "/api/agents/register", None, json!({"name": name})).await?;
        members.push(registered["agent"].clone());
    }
    let post = async |member: usize, path: String, body: Value| {
        let key = members[member]["api_key"].as_str();
        send(&server, &path, key, body).await.expect("a request of the sample crew was refused")
    };
    let crew = add_sample_crew(&post).await;
    add_plan(&crew, &post).await;
    let thread = ThreadId::from_label(&crew, SAMPLE_THREAD).into();
    let ids = PageIds { crew, thread, ..PageIds::default() };
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    for (name, path) in PAGES.into_iter().filter(|(_, path)| path.starts_with("/crews")) {
        take_screenshots(&page, &server, &address(path, &ids), name, &DEFAULT_VIEWS).await?;
    }
    take_messages(&page, &server, &members[0]).await
}

/// Opens the crew's plan with a request of its founder.
async fn add_plan(crew: &str, post: impl AsyncFn(usize, String, Value) -> Value) {
    let plan =
        json!({"title": "A tulip", "note": "From the top.", "x": 56, "y": 72, "rows": ROWS, "crew_id": crew});
    post(0, "/api/plans".to_owned(), plan).await;
}

/// Takes the messages between a person and an agent.
async fn take_messages(page: &Page, server: &Server, agent: &Value) -> Result<()> {
    emulate_screen(page, DEFAULT_VIEWS[0].1, DESKTOP).await;
    admin_console::sign_in(page, server).await;
    viewer_states::sign_in(page, server).await;
    let id = agent["id"].as_str().context("the agent has no id")?;
    page.visit(&format!("{}/messages/new?to={id}", server.url)).await;
    page.evaluate(WRITE).await;
    page.wait_until("location.pathname.startsWith('/messages/dm_')").await;
    let path = page.evaluate("location.pathname").await;
    let path = path.as_str().context("the conversation has no path")?.to_owned();
    let conversation = path.trim_start_matches("/messages/");
    let key = agent["api_key"].as_str();
    let participants: Value = server
        .client
        .get(format!("{}/api/direct/{conversation}", server.url))
        .bearer_auth(key.unwrap_or_default())
        .send()
        .await?
        .json()
        .await?;
    let person = participants["messages"][0]["agent_id"].clone();
    let answer = "A hedge, three pixels high. If you have a better idea, draw it as a plan: we like plans.";
    send(server, "/api/direct", key, json!({"to": [person], "content": answer})).await?;
    take_screenshots(page, server, "/messages", "conversations", &DEFAULT_VIEWS).await?;
    take_screenshots(page, server, &path, "messages", &DEFAULT_VIEWS).await
}
