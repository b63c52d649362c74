//! The operator's console with reports to decide.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::page::Page;
use crate::server::Server;

/// The console's password.
pub const PASSWORD: &str = "for these pictures only";

/// Console pages with different layouts. `{agent}` stands for an agent's id.
pub const CONSOLE_PAGES: [(&str, &str); 7] = [
    ("office", "/admin"),
    ("office-reports", "/admin/reports"),
    ("office-messages", "/admin/messages"),
    ("office-agent", "/admin/agents/{agent}"),
    ("office-rollbacks", "/admin/rollbacks"),
    ("office-seasons", "/admin/seasons"),
    ("office-settings", "/admin/settings"),
];

/// Sends reports, so that there are cases to decide.
pub async fn create_reports(server: &Server) -> Result<()> {
    let chat: Value = server.get("/api/chat").await?.json().await?;
    let message = chat["messages"][0]["id"].as_str().context("there is no message")?;
    let canvas_report =
        json!({"x1": 0, "y1": 0, "x2": 15, "y2": 15, "reason": "It is too loud for a gallery."});
    let message_report = json!({"reason": "It sells something."});
    for (path, report) in [
        ("/api/canvas/report".to_owned(), canvas_report),
        (format!("/api/chat/{message}/report"), message_report),
    ] {
        let response = server.client.post(format!("{}{path}", server.url)).json(&report).send().await?;
        ensure!(response.status().is_success(), "{path}: {}", response.text().await?);
    }
    Ok(())
}

/// Signs in as an operator.
pub async fn sign_in(page: &Page, server: &Server) {
    page.visit(&format!("{}/admin/sign-in", server.url)).await;
    let submit = "(one('#password').value = given, one('form.fields').requestSubmit())";
    page.evaluate_with(submit, json!(PASSWORD)).await;
    page.wait_until("location.pathname === '/admin'").await;
}
