//! Answers: their steps, their text, the places and moments in them, and the conversation after a reload.

use serde_json::{Value, json};

use super::{IS_IDLE, ask, ask_and_wait, open_guide, open_page, start_server, wait_until_open};
use crate::axe::assert_accessible;
use crate::support::{ScriptedAnswer, Server};

/// Returns the conversation as the server has it.
async fn stored_messages(page: &crate::page::Page) -> Value {
    page.evaluate(
        "fetch('/api/guide/messages').then((response) => response.json()).then(({ messages }) => messages)",
    )
    .await
}

/// Paints two pixels and posts a message. Returns the number of the first placement.
async fn paint_tower(server: &Server) -> i64 {
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.paint(64, 60, 5).await.status, 201);
    let seq = server.head().await;
    assert_eq!(ada.paint(65, 60, 5).await.status, 201);
    assert_eq!(ada.post_message("The tower is mine.").await.status, 201);
    seq
}

#[tokio::test]
async fn question_is_answered_with_steps_and_pointers() {
    let script = vec![
        ScriptedAnswer::call("search", json!({"q": "tower"})),
        ScriptedAnswer::Text("**Ada** paints the tower at [64,60], since [at:2].\n\n- one\n- two"),
    ];
    let (model, server) = start_server(script).await;
    paint_tower(&server).await;
    assert!(server.head().await > 2);
    let page = open_page(&server).await;
    assert_accessible(&page, "the guide before the first question").await;
    ask_and_wait(&page, "Who paints the tower?").await;
    assert_eq!(page.evaluate("[text('.guide-question .guide-who'), text('.guide-answer .guide-who'), text('.guide-steps li'), one('.guide-steps li').dataset.status]").await, json!(["You", "Guide", "search tower", "done"]));
    assert_eq!(
        page.evaluate("[text('.guide-text strong'), one('.guide-text ul').children.length]").await,
        json!(["Ada", 2])
    );
    page.wait_until("text('.guide-announcement').startsWith('The guide says: Ada paints the tower')").await;
    assert_accessible(&page, "an answer").await;
    assert_eq!(model.requests().len(), 2);

    let fitted = page.evaluate("text('#zoom-level')").await;
    page.evaluate("one('.guide-text .guide-pointer').click()").await;
    page.wait_until_with("text('#zoom-level') !== given && /^#x=64&y=60&/.test(location.hash)", fitted).await;
    page.evaluate("document.querySelectorAll('.guide-text .guide-pointer')[1].click()").await;
    page.wait_until("text('#status').trim() === 'Past'").await;
    page.wait_until("location.hash.includes('at=2')").await;
}

#[tokio::test]
async fn question_carries_what_the_visitor_looks_at() {
    let (_model, server) = start_server(vec![ScriptedAnswer::Text("A tower.")]).await;
    let seq = paint_tower(&server).await;
    let page = open_page(&server).await;
    page.wait_until("text('#guide-context') === 'Goes with your question: the whole canvas.'").await;
    page.visit(&server.url(&format!("/#x=64&y=60&z=24&pixel=64.60&at={seq}"))).await;
    page.wait_until("shown('#inspect .card-agent') && text('#status').trim() === 'Past'").await;
    wait_until_open(&page).await;
    page.evaluate("one('#guide-question').focus()").await;
    page.wait_until("/pixel 64,60, the canvas from \\d+,\\d+ to \\d+,\\d+, the moment of event/.test(text('#guide-context'))").await;
    ask_and_wait(&page, "What is this?").await;
    let messages = stored_messages(&page).await;
    let context = &messages[0]["context"];
    assert_eq!(
        (&context["x"], &context["y"], &context["at"]),
        (&json!(64), &json!(60), &json!(seq.to_string())),
        "{messages}"
    );
    assert!(context["region"]["x1"].as_u64() > Some(0), "{context}");
}

#[tokio::test]
async fn question_carries_the_selected_message() {
    let (_model, server) = start_server(vec![ScriptedAnswer::Text("Ada did.")]).await;
    paint_tower(&server).await;
    let page = open_page(&server).await;
    let id = page.evaluate("one('.msg').dataset.id").await;
    page.evaluate("(one('.msg').focus(), one('#guide-question').focus())").await;
    page.wait_until("text('#guide-context').includes('the selected message')").await;
    ask_and_wait(&page, "Who wrote this?").await;
    assert_eq!(stored_messages(&page).await[0]["context"]["message_id"], id);
}

#[tokio::test]
async fn text_of_the_model_stays_text() {
    let hostile = "<img src=x onerror=alert(1)> <b>bold</b> [evil](https://evil.example) [script](javascript:alert(1)) \
                   ![picture](https://evil.example/a.png) [admin](/admin) [plans](/plans) [9999,1]\n\n\
                   ```\n<script>alert(1)</script> [1,2]\n```";
    let (_model, server) = start_server(vec![ScriptedAnswer::text(hostile)]).await;
    let page = open_page(&server).await;
    ask_and_wait(&page, "<i>What</i> **is** [1,2]?").await;
    assert_eq!(page.evaluate("one('.guide-asked').children.length").await, 0);
    let found = page
        .evaluate("[...document.querySelectorAll('.guide-text :is(img, b, script, a, button)')].map((node) => node.outerHTML)")
        .await;
    assert_eq!(found, json!(["<a href=\"/plans\">plans</a>"]));
    assert_eq!(page.evaluate("text('.guide-text code')").await, "<script>alert(1)</script> [1,2]");
    let shown = page.evaluate("text('.guide-text p')").await;
    for part in
        ["<img src=x onerror=alert(1)>", "[evil](https://evil.example)", "[admin](/admin)", "[9999,1]"]
    {
        assert!(shown.as_str().unwrap().contains(part), "{part}: {shown}");
    }
}

#[tokio::test]
async fn reload_joins_the_running_turn() {
    let (model, server) =
        start_server(vec![ScriptedAnswer::Slow("First the sea, then the sky, and at last the sun.")]).await;
    let page = open_page(&server).await;
    ask(&page, "What comes next?").await;
    page.wait_until("text('.guide-form-end button') === 'Answering…'").await;
    model.wait_for_request(1).await;
    page.visit(&server.url("/")).await;
    wait_until_open(&page).await;
    page.wait_until("text('.guide-form-end button') === 'Answering…'").await;
    model.release();
    page.wait_until(&format!(
        "{IS_IDLE} && text('.guide-text') === 'First the sea, then the sky, and at last the sun.'"
    ))
    .await;
    page.visit(&server.url("/")).await;
    wait_until_open(&page).await;
    assert_eq!(
        page.evaluate(
            "[document.querySelectorAll('.guide-turn').length, text('.guide-asked'), text('.guide-text')]"
        )
        .await,
        json!([1, "What comes next?", "First the sea, then the sky, and at last the sun."])
    );
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn conversation_can_be_deleted() {
    let (_model, server) = start_server(vec![ScriptedAnswer::Text("Gone soon.")]).await;
    let page = open_page(&server).await;
    ask_and_wait(&page, "What is stored?").await;
    page.evaluate("one('[aria-label=\"Delete the conversation\"]').click()").await;
    page.wait_until("shown('.guide-confirmation') && document.activeElement.textContent === 'Keep it'").await;
    assert_accessible(&page, "the question before the deletion").await;
    page.evaluate("one('.guide-confirmation button').click()").await;
    page.wait_until("!shown('.guide-confirmation') && !one('.guide-turn') && shown('.guide-intro')").await;
    assert_eq!(stored_messages(&page).await, json!([]));
    page.visit(&server.url("/")).await;
    wait_until_open(&page).await;
    assert_eq!(page.evaluate("[!one('.guide-turn'), shown('.guide-offers')]").await, json!([true, true]));
}

#[tokio::test]
async fn offered_question_is_asked_at_once() {
    let (model, server) = start_server(vec![ScriptedAnswer::Text("Send it [this](/skill.md).")]).await;
    let page = open_page(&server).await;
    page.evaluate("[...document.querySelectorAll('.guide-offers button')].at(-1).click()").await;
    page.wait_until("one('.guide-text a[href=\"/skill.md\"]')").await;
    assert!(model.last_question().contains("How do I bring my agent?"));
    page.evaluate("one('[aria-label=\"Collapse the guide\"]').click()").await;
    page.wait_until("!shown('#guide')").await;
    open_guide(&page).await;
    assert_eq!(page.evaluate("document.querySelectorAll('.guide-turn').length").await, 1);
}
