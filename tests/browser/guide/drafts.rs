//! Drafts on the page: approved and rejected by the visitor, or by an operator elsewhere.

use serde_json::{Value, json};

use super::{ask, ask_and_wait, open_guide, open_page, start_server, start_server_with, wait_until_open};
use crate::axe::assert_accessible;
use crate::page::Page;
use crate::support::{FakeModel, PASSWORD, ScriptedAnswer, Server};
use crate::viewers::viewer_page;

fn propose(kind: &str, change: &Value) -> ScriptedAnswer {
    ScriptedAnswer::call("propose", json!({"kind": kind, "change": change}))
}

fn sun(x: i64) -> ScriptedAnswer {
    propose(
        "plan",
        &json!({"title": "A sun", "x": x, "y": 4, "rows": [".8.", "888", ".8."], "note": "Bright."}),
    )
}

/// Returns the id of the draft on the page.
async fn draft_id(page: &Page) -> String {
    let drafts = page.evaluate("fetch('/api/guide/drafts').then((response) => response.json())").await;
    drafts["drafts"][0]["id"].as_str().unwrap().to_owned()
}

async fn open_plans(server: &Server) -> usize {
    server.get("/api/plans").await.body["plans"].as_array().unwrap().len()
}

/// Starts a server whose guide drafts a message.
async fn start_drafting_server() -> (FakeModel, Server) {
    let message = propose("message", &json!({"content": "Hello, machines."}));
    start_server(vec![message, ScriptedAnswer::Text("I drafted it.")]).await
}

/// Lets the guide draft a message for a pass holder, and returns the page with its card.
async fn open_drafted_message(server: &Server) -> Page {
    let (page, _) = viewer_page(server).await;
    open_guide(&page).await;
    ask_and_wait(&page, "Greet them for me.").await;
    page.wait_until("shown('[data-decision=approve]')").await;
    page
}

#[tokio::test]
async fn pass_holder_approves_and_rejects_drafts() {
    let message = || propose("message", &json!({"content": "Hello, machines."}));
    let drafted = || ScriptedAnswer::Text("I drafted it.");
    let (_model, server) = start_server(vec![message(), drafted(), sun(100), drafted()]).await;
    let (page, _) = viewer_page(&server).await;
    open_guide(&page).await;
    ask_and_wait(&page, "Greet them for me.").await;
    page.wait_until("shown('.guide-draft [data-decision=approve]')").await;
    assert!(page.evaluate("text('.guide-change')").await.as_str().unwrap().contains("Hello, machines."));
    assert_eq!(page.evaluate("document.querySelectorAll('.msg').length").await, 0);
    assert_accessible(&page, "a draft").await;
    page.evaluate("one('[data-decision=approve]').click()").await;
    page.wait_until(
        "one('.guide-draft').dataset.state === 'approved' && text('.msg .msg-body') === 'Hello, machines.'",
    )
    .await;
    page.evaluate("one('.guide-draft-buttons .guide-pointer').click()").await;
    page.wait_until("document.activeElement.matches('.msg')").await;
    assert_accessible(&page, "an approved draft").await;

    ask_and_wait(&page, "Propose a plan for a sun.").await;
    page.wait_until("shown('.guide-turn:last-child [data-decision=approve]')").await;
    assert_eq!(
        page.evaluate(
            "[shown('.guide-picture'), text('.guide-change .guide-pointer').endsWith('100,4 to 102,6')]"
        )
        .await,
        json!([true, true])
    );
    page.evaluate("one('.guide-turn:last-child [data-decision=reject]').click()").await;
    page.wait_until("one('.guide-turn:last-child .guide-draft').dataset.state === 'rejected'").await;
    assert_eq!(open_plans(&server).await, 0);
    // The states are those of the server after a reload, too.
    page.visit(&server.url("/")).await;
    wait_until_open(&page).await;
    let states = "[...document.querySelectorAll('.guide-draft')].map(({ dataset }) => dataset.state)";
    assert_eq!(page.evaluate(states).await, json!(["approved", "rejected"]));
}

#[tokio::test]
async fn operator_decides_on_the_plan_of_a_visitor_without_pass() {
    let (_model, server) = start_server(vec![sun(10), ScriptedAnswer::Text("An operator decides.")]).await;
    let page = open_page(&server).await;
    ask_and_wait(&page, "Propose a plan for a sun.").await;
    page.wait_until("text('.guide-draft-note').startsWith('An operator decides.')").await;
    assert_eq!(page.evaluate("one('.guide-shared').hidden").await, true);
    assert_eq!(
        page.evaluate(
            "[...document.querySelectorAll('[data-decision]')].map(({ dataset }) => dataset.decision)"
        )
        .await,
        json!(["reject"])
    );
    assert_accessible(&page, "a draft for operators").await;
    let id = draft_id(&page).await;
    let operator = server.sign_in_operator().await;
    let approved = operator.post(&format!("/api/admin/drafts/{id}/approve"), json!({})).await;
    assert_eq!(approved.status, 200, "{}", approved.body);
    assert_eq!(open_plans(&server).await, 1);
    // The page looks again when the visitor comes back to it.
    page.evaluate("window.dispatchEvent(new Event('focus'))").await;
    page.wait_until("one('.guide-draft').dataset.state === 'approved' && shown('.guide-draft-buttons a[href^=\"/plans/plan_\"]')").await;
}

#[tokio::test]
async fn operator_approves_on_the_page_what_the_guide_has_drafted() {
    let announcement = json!({"content": "The season ends on Sunday.", "reason": "people ask"});
    let script = vec![propose("announcement", &announcement), ScriptedAnswer::Text("Approve it below.")];
    let (_model, server) = start_server(script).await;
    let page = open_page(&server).await;
    page.visit(&server.url("/admin/sign-in")).await;
    page.evaluate_with(
        "(one('#password').value = given, one('form.fields').requestSubmit())",
        json!(PASSWORD),
    )
    .await;
    page.wait_until("location.pathname === '/admin'").await;
    page.visit(&server.url("/")).await;
    wait_until_open(&page).await;
    page.wait_until("shown('.guide-shared')").await;
    ask(&page, "Tell everybody when the season ends.").await;
    page.wait_until("shown('.guide-draft [data-decision=approve]')").await;
    page.evaluate("one('[data-decision=approve]').click()").await;
    page.wait_until("one('.guide-draft').dataset.state === 'approved' && text('.msg .msg-body').includes('The season ends on Sunday.')").await;
    page.visit(&server.url("/admin/drafts")).await;
    assert_eq!(page.evaluate("location.pathname").await, "/admin/drafts");
}

#[tokio::test]
async fn refused_approval_says_why_and_can_be_tried_again() {
    let (_model, server) = start_drafting_server().await;
    let page = open_drafted_message(&server).await;
    page.block_urls(&["*/approve"]).await;
    page.evaluate("one('[data-decision=approve]').click()").await;
    page.wait_until("text('.guide-draft-state').startsWith('The server cannot be reached. Try again: it is done only once.')").await;
    assert_accessible(&page, "a refused draft").await;
    page.block_urls(&[]).await;
    page.evaluate("one('[data-decision=approve]').click()").await;
    page.wait_until("one('.guide-draft').dataset.state === 'approved'").await;
}

#[tokio::test]
async fn approval_whose_response_is_lost_counts() {
    let (_model, server) = start_drafting_server().await;
    let page = open_drafted_message(&server).await;
    lose_responses(&page, "/approve").await;
    page.evaluate("one('[data-decision=approve]').click()").await;
    page.wait_until("one('.guide-draft').dataset.state === 'approved'").await;
    assert_eq!(page.evaluate("text('.guide-draft-state')").await, "Approved.");
}

#[tokio::test]
async fn draft_of_a_failed_turn_is_removed() {
    let script = vec![sun(10), ScriptedAnswer::Hang];
    let (_model, server) = start_server_with(script, &[("CARAPLACE_GUIDE_TIMEOUT_SECONDS", "3")]).await;
    let page = open_page(&server).await;
    ask(&page, "Propose a plan for a sun.").await;
    page.wait_until("shown('.guide-draft [data-decision=reject]')").await;
    page.evaluate("one('[data-decision=reject]').focus()").await;
    page.wait_until("shown('.guide-note[data-failed] .guide-retry') && !one('.guide-draft')").await;
    assert_eq!(page.evaluate("document.activeElement.matches('.guide-log')").await, true);
}

#[tokio::test]
async fn ended_session_is_told_on_the_card() {
    let (_model, server) = start_drafting_server().await;
    let page = open_drafted_message(&server).await;
    sqlx::query("delete from gallery_session").execute(&server.pool).await.unwrap();
    page.evaluate("one('[data-decision=approve]').click()").await;
    page.wait_until("text('.guide-draft-state').startsWith('You have been signed out. Sign in again on /gallery or /admin. ')").await;
    super::type_question(&page, "Who am I?").await;
    page.evaluate("one('.guide-form').requestSubmit()").await;
    page.wait_until("text('.guide-form-status') === 'You have been signed out. Sign in again on /gallery or /admin; your question is still in the field.'").await;
}

/// Sends requests to addresses with this end, and loses their responses.
async fn lose_responses(page: &Page, end: &str) {
    page.evaluate_with("(() => { const send = window.fetch; window.fetch = async (path, how) => { const answer = await send(path, how); if (String(path).endsWith(given)) throw new TypeError('lost'); return answer; }; })()", json!(end)).await;
}
