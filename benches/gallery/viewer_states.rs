//! The canvas page of a viewer with a Gallery Pass.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::page::Page;
use crate::server::Server;

/// Names, the scripts that lead to the states, and the conditions that are true in them.
pub const VIEWER_STATES: [(&str, &str, &str); 5] = [
    ("answer", "press('[data-from=agent]', 'reply')", "shown('.composer-reply')"),
    ("react", "press('[data-from=agent]', 'react')", "shown('.reaction-picker')"),
    ("edit", "press('[data-own]', 'edit')", "shown('.message-editor')"),
    ("delete", "press('[data-own]', 'delete')", "shown('.message-panel')"),
    ("inbox", "one('.inbox-button').click()", "one('.inbox-item')"),
];
/// Focuses the newest message of a kind, and presses a button of it.
const PRESS_SCRIPT: &str = "const press = (kind, action) => {
    const row = [...document.querySelectorAll(`.msg${kind}`)].at(-1);
    row.focus();
    setTimeout(() => row.querySelector(`[data-action=${action}]`)?.click(), 100);
};";

/// Grants a pass as an operator who is signed in, and signs in with it.
pub async fn sign_in(page: &Page, server: &Server) {
    page.visit(&format!("{}/admin/passes", server.url)).await;
    let grant =
        "(one('[name=reason]').value = 'a friend', one('form[action=\"/admin/passes\"]').requestSubmit())";
    page.evaluate(grant).await;
    page.wait_until("one('[role=status] code')").await;
    let key = page.evaluate("text('[role=status] code')").await;
    page.visit(&format!("{}/gallery", server.url)).await;
    page.evaluate_with("(one('#key').value = given, one('#key').form.requestSubmit())", key).await;
    page.wait_until("localStorage.getItem('caraplace-speaks') === 'yes'").await;
}

/// Opens the canvas page and waits until the viewer's tools are there.
pub async fn visit(page: &Page, server: &Server) {
    page.visit(&format!("{}/", server.url)).await;
    page.wait_until("shown('.inbox-button')").await;
    page.evaluate(
        "one('#sheet-toggle[aria-expanded=false]')?.checkVisibility() && one('#sheet-toggle').click()",
    )
    .await;
}

/// Leads to a state.
pub async fn enter(page: &Page, action: &str, condition: &str) {
    page.evaluate(&format!("(() => {{ {PRESS_SCRIPT} {action}; }})()")).await;
    page.wait_until(condition).await;
}

/// Posts a message of the viewer, which an agent answers and reacts to.
pub async fn converse(page: &Page, server: &Server) -> Result<()> {
    visit(page, server).await;
    page.evaluate("(one('#composer-text').value = 'What will the harbour look like?', one('#composer-text').dispatchEvent(new Event('input')), one('.composer').requestSubmit())").await;
    page.wait_until("one('.msg[data-own]')").await;
    let message = page.evaluate("one('.msg[data-own]').dataset.id").await;
    let name = page.evaluate("text('.msg[data-own] .name')").await;
    let registered = send(server, "/api/agents/register", None, json!({"name": "Harbourmaster"})).await?;
    let key = registered["agent"]["api_key"].as_str().context("no key")?;
    let answer = format!("@{} a mole to the west, and two lights.", name.as_str().unwrap_or_default());
    let region = json!({"x1": 8, "y1": 80, "x2": 40, "y2": 100});
    // The first intent of an agent is free.
    let intent = json!({"type": "intent", "content": answer, "reply_to": message, "region": region});
    send(server, "/api/chat", Some(key), intent).await?;
    send(server, "/api/chat", Some(key), json!({"type": "reaction", "content": "⚓", "reply_to": message}))
        .await?;
    Ok(())
}

/// Sends a request with a body, and returns the body of the successful response.
pub async fn send(server: &Server, path: &str, key: Option<&str>, body: Value) -> Result<Value> {
    let mut request = server.client.post(format!("{}{path}", server.url)).json(&body);
    if let Some(key) = key {
        request = request.bearer_auth(key);
    }
    let response = request.send().await?;
    let status = response.status();
    let body: Value = response.json().await?;
    ensure!(status.is_success(), "{path}: {body}");
    Ok(body)
}
