//! Turns without an answer, cut streams, failing steps, and spent budgets.

use serde_json::json;

use super::{IS_IDLE, ask, ask_and_wait, open_page, start_server, start_server_with, type_question};
use crate::axe::assert_accessible;
use crate::support::ScriptedAnswer;

#[tokio::test]
async fn failed_turn_keeps_the_question_and_can_be_tried_again() {
    let script = vec![ScriptedAnswer::Status(400), ScriptedAnswer::Text("Now it works.")];
    let (model, server) = start_server(script).await;
    let page = open_page(&server).await;
    ask(&page, "Does it work?").await;
    page.wait_until("shown('.guide-note[data-failed] .guide-retry')").await;
    page.wait_until("text('.guide-note').startsWith('The guide\\'s model does not answer now.')").await;
    assert_accessible(&page, "a failed turn").await;
    page.visit(&server.url("/")).await;
    super::wait_until_open(&page).await;
    page.wait_until("text('.guide-asked') === 'Does it work?' && shown('.guide-retry')").await;
    page.evaluate("one('.guide-retry').click()").await;
    page.wait_until(&format!("{IS_IDLE} && text('.guide-text') === 'Now it works.'")).await;
    assert_eq!(
        page.evaluate("[shown('.guide-note'), document.querySelectorAll('.guide-turn').length]").await,
        json!([false, 1])
    );
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn cut_stream_is_joined_again() {
    let (model, server) = start_server(vec![ScriptedAnswer::Slow("One half, and the other half.")]).await;
    let page = open_page(&server).await;
    page.block_urls(&["*/api/guide/stream*"]).await;
    ask(&page, "Will it come?").await;
    page.wait_until("text('.guide-note') === 'The connection was lost. Trying again…'").await;
    page.block_urls(&[]).await;
    model.wait_for_request(1).await;
    model.release();
    page.wait_until(&format!("{IS_IDLE} && text('.guide-text') === 'One half, and the other half.'")).await;
}

#[tokio::test]
async fn busy_server_is_asked_again_when_it_says() {
    let script = vec![ScriptedAnswer::Hang, ScriptedAnswer::Text("At last.")];
    let (model, server) = start_server_with(script, &[("CARAPLACE_GUIDE_MAX_TURNS", "1")]).await;
    let mut other = server.visitor();
    let id = other.ask("How long does it take?").await;
    let _stream = other.stream(&id).await;
    model.wait_for_request(1).await;
    let page = open_page(&server).await;
    ask(&page, "And mine?").await;
    page.wait_until(
        "text('.guide-note') === 'The guide is answering as many questions at once as it can. Trying again…'",
    )
    .await;
    model.release();
    page.wait_until(&format!("{IS_IDLE} && text('.guide-text') === 'At last.'")).await;
}

#[tokio::test]
async fn older_question_without_an_answer_can_be_asked_again() {
    let script = vec![ScriptedAnswer::Text("The newer answer."), ScriptedAnswer::Text("The older answer.")];
    let (_model, server) = start_server(script).await;
    let page = open_page(&server).await;
    page.block_urls(&["*/api/guide/stream*"]).await;
    ask(&page, "The older question?").await;
    page.visit(&server.url("/")).await;
    super::wait_until_open(&page).await;
    // It still waits when the next one is asked, as in another tab.
    page.evaluate("fetch('/api/guide/messages', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ content: 'The newer question?' }) })").await;
    page.visit(&server.url("/")).await;
    page.wait_until("text('.guide-turn:last-child .guide-asked') === 'The newer question?'").await;
    page.block_urls(&[]).await;
    page.wait_until("text('.guide-turn:last-child .guide-text') === 'The newer answer.'").await;
    page.wait_until("shown('.guide-turn:first-child .guide-retry')").await;
    page.evaluate("(one('.guide-retry').focus(), one('.guide-retry').click())").await;
    page.wait_until("text('.guide-turn:first-child .guide-text') === 'The older answer.'").await;
    assert_eq!(page.evaluate("document.activeElement.matches('.guide-log')").await, true);
}

#[tokio::test]
async fn failing_step_is_marked_and_the_guide_goes_on() {
    let script = vec![
        ScriptedAnswer::call("read", json!({"kind": "plan", "id": format!("plan_{}", "0".repeat(32))})),
        ScriptedAnswer::Text("There is no such plan."),
    ];
    let (_model, server) = start_server(script).await;
    let page = open_page(&server).await;
    ask_and_wait(&page, "What is in that plan?").await;
    assert_eq!(page.evaluate("one('.guide-steps li').dataset.status").await, "failed");
    page.wait_until("text('.guide-steps li').endsWith(' · failed')").await;
    assert_accessible(&page, "a failed step").await;
}

#[tokio::test]
async fn refused_question_says_what_to_do() {
    let script = vec![ScriptedAnswer::Text("One.")];
    let (_model, server) = start_server_with(script, &[("CARAPLACE_GUIDE_TURNS_PER_IP_PER_DAY", "1")]).await;
    let page = open_page(&server).await;
    page.wait_until("text('.guide-budget') === '1 question left today.'").await;
    server.visitor().ask("I was faster.").await;
    type_question(&page, "First?").await;
    page.evaluate("one('.guide-form').requestSubmit()").await;
    page.wait_until("text('.guide-form-status').includes('Ask again after midnight UTC;')").await;
    assert_eq!(page.evaluate("one('#guide-question').value").await, "First?", "nothing is lost");
}

#[tokio::test]
async fn spent_budget_is_shown_and_ends_the_questions_of_the_day() {
    let script = vec![ScriptedAnswer::Text("One."), ScriptedAnswer::Text("Two.")];
    let (_model, server) = start_server_with(script, &[("CARAPLACE_GUIDE_TURNS_PER_DAY", "2")]).await;
    let page = open_page(&server).await;
    page.wait_until("text('.guide-budget') === '2 questions left today.'").await;
    ask_and_wait(&page, "First?").await;
    page.wait_until("text('.guide-budget') === '1 question left today.'").await;
    ask_and_wait(&page, "Second?").await;
    page.wait_until("text('.guide-budget').startsWith('No questions left today. You can ask again at ')")
        .await;
    page.evaluate(
        "(one('#guide-question').value = 'Third?', one('#guide-question').dispatchEvent(new Event('input')))",
    )
    .await;
    assert_eq!(page.evaluate("one('.guide-form-end button').disabled").await, true);
    assert_accessible(&page, "a spent budget").await;
}
