//! Plans on the canvas page: the list, the outlines, the missing pixels, and the way to a plan.

use serde_json::json;

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::fixtures::{UNLIMITED, next_season};
use super::keyboard::{ENTER, ESCAPE};
use super::page::Page;
use super::support::waiting::wait_for_finished_plan;
use super::support::{Agent, Server};

const MARKUP: &str = "<img src=x onerror=\"document.title='taken'\">";
/// The text of the list about its first plan.
const FACTS: &str =
    "text('#plans .plan .plan-facts').replace(/ · ends [^·]*$/, '').replace(/, about [^ ]+ [^ ]+/, '')";
/// True while the overlay has this opacity, 0 to 255, on a cell of the fitted canvas.
const HAS_ALPHA: &str = "(() => {
    const overlay = one('#overlay');
    const [x, y, alpha] = given;
    const at = (cell, size) => Math.floor((cell + 0.5) * size / 128);
    const [left, top] = [at(x, overlay.width), at(y, overlay.height)];
    return Math.abs(overlay.getContext('2d').getImageData(left, top, 1, 1).data[3] - alpha) < 3;
})()";
/// True while the overlay has an outline just above this cell of the fitted canvas.
const HAS_OUTLINE: &str = "(() => {
    const overlay = one('#overlay');
    const [left, top] = given.map((cell) => Math.round(cell * overlay.width / 128));
    return overlay.getContext('2d').getImageData(left, top - 1, 12, 1).data.some((part) => part > 0);
})()";
const POINT_AT_FIRST: &str =
    "one('#plans .plan').dispatchEvent(new PointerEvent('pointerenter', { pointerType: 'mouse' }))";
const LEAVE_FIRST: &str = "one('#plans .plan').dispatchEvent(new PointerEvent('pointerleave'))";

/// Opens a plan whose top left pixel is at this position. Returns its id.
async fn open_plan(agent: &Agent<'_>, title: &str, (x, y): (i64, i64), rows: &[&str]) -> String {
    let body = json!({"title": title, "x": x, "y": y, "rows": rows, "note": "Row by row."});
    let reply = agent.post("/api/plans", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["plan"]["id"].as_str().unwrap().to_owned()
}

async fn paint(agent: &Agent<'_>, x: i64, y: i64, color: i64) {
    let reply = agent.paint(x, y, color).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
}

/// Opens the page with the list of plans.
async fn page_with_list(server: &Server, screen: Screen) -> Page {
    let page = Page::open(&server.url("/"), screen).await;
    page.evaluate("one('#plans-toggle').click()").await;
    page.wait_until("shown('#plans') && text('#plans .plan-status') !== 'Loading…'").await;
    page
}

async fn wait_for_facts(page: &Page, facts: &str) {
    page.wait_until_with(&format!("{FACTS} === given"), json!(facts)).await;
}

#[tokio::test]
async fn the_list_follows_each_pixel_and_agrees_with_the_server() {
    let server = Server::start_with(&UNLIMITED).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let id = open_plan(&ada, MARKUP, (10, 10), &["55", "5."]).await;
    paint(&bob, 11, 10, 5).await;
    paint(&bob, 11, 10, 6).await;
    let page = page_with_list(&server, Screen::Desktop).await;
    wait_for_facts(&page, "3 pixels left · 1 damaged").await;
    assert_eq!(page.evaluate("text('#plans .plan-title')").await, MARKUP, "a title stays text");
    // Once the picture is known, the page counts by itself.
    page.wait_until(
        "performance.getEntriesByType('resource').some(({ name }) => /plans\\/plan_/.test(name))",
    )
    .await;
    page.wait_for_paint().await;
    page.block_urls(&["*/api/plans*"]).await;
    let steps = [
        ((10, 10, 5), "2 pixels left · 1 damaged"),
        ((11, 11, 5), "2 pixels left · 1 damaged"),
        ((10, 10, 7), "3 pixels left · 2 damaged"),
        ((10, 10, 5), "2 pixels left · 1 damaged"),
    ];
    for ((x, y, color), facts) in steps {
        paint(&bob, x, y, color).await;
        wait_for_facts(&page, facts).await;
        let progress = server.get(&format!("/api/plans/{id}")).await.body["plan"]["progress"].clone();
        assert_eq!(format!("{} pixels left · {} damaged", progress["left"], progress["damaged"]), facts);
    }
    page.block_urls(&[]).await;
    paint(&bob, 11, 10, 5).await;
    paint(&bob, 10, 11, 5).await;
    page.wait_until(
        "text('#plans h3 + ol .plan-facts') === 'Finished' && !one('#plans ol:first-of-type .plan')",
    )
    .await;
    page.wait_until("text('#plans .plan-people') === 'By Ada · painted by Bob'").await;
    let path = format!("/api/plans/{id}");
    wait_for_finished_plan(async || server.get(&path).await.body["plan"].clone()).await;
    paint(&bob, 10, 11, 6).await;
    page.wait_until(
        "text('#plans h3 + ol .plan-facts') === 'Finished · 1 pixel painted over since' && !one('#plans ol:first-of-type .plan')",
    )
    .await;
    assert_eq!(ada.post(&format!("/api/plans/{id}/close"), json!({})).await.status, 200);
    page.wait_until("!one('#plans .plan')").await;
    assert_ne!(page.evaluate("document.title").await, "taken");
}

#[tokio::test]
async fn the_list_follows_new_plans_changes_and_seasons() {
    let server = Server::start_with(&UNLIMITED).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let page = page_with_list(&server, Screen::Desktop).await;
    page.wait_until("text('#plans .plan-status').startsWith('No plan is open')").await;
    let id = open_plan(&ada, "A house", (10, 10), &["55"]).await;
    wait_for_facts(&page, "2 pixels left").await;
    open_plan(&bob, "A boat", (30, 10), &["666"]).await;
    page.wait_until("text('#plans .plan-title') === 'A boat' && text('#plans h3') === 'Open · 2'").await;
    let change = json!({"expected_version": 1, "title": "A mill", "rows": ["5555"]});
    let change =
        server.client.put(server.url(&format!("/api/plans/{id}"))).bearer_auth(&ada.key).json(&change);
    assert_eq!(change.send().await.unwrap().status(), 200);
    page.wait_until("text('#plans .plan:nth-child(2)').includes('A mill') && text('#plans .plan:nth-child(2) .plan-facts').startsWith('4 pixels left')").await;
    next_season(&server, 64).await;
    page.wait_until("!one('#plans .plan') && text('#plans .plan-status').startsWith('No plan is open')")
        .await;
}

#[tokio::test]
async fn outlines_are_switched_kept_and_those_of_the_shown_moment() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    paint(&ada, 3, 3, 5).await;
    let seq = server.head().await;
    let id = open_plan(&ada, "A house", (10, 10), &["5555", "5555"]).await;
    let seq_with_plan = server.head().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until_with(HAS_OUTLINE, json!([10, 10])).await;
    assert_eq!(page.evaluate("one('#plan-outlines').ariaPressed").await, "true");
    page.evaluate_with("location.hash = `at=${given}`", json!(seq)).await;
    page.wait_until("text('#status').trim() === 'Past'").await;
    page.wait_until_with(&format!("!{HAS_OUTLINE}"), json!([10, 10])).await;
    page.evaluate_with("location.hash = `at=${given}`", json!(seq_with_plan)).await;
    page.wait_until_with(HAS_OUTLINE, json!([10, 10])).await;
    // A plan that has ended since was still there.
    assert_eq!(ada.post(&format!("/api/plans/{id}/close"), json!({})).await.status, 200);
    page.evaluate("one('#time-live').click()").await;
    page.wait_until_with(&format!("live() && !{HAS_OUTLINE}"), json!([10, 10])).await;
    page.evaluate_with("location.hash = `at=${given}`", json!(seq_with_plan)).await;
    page.wait_until_with(&format!("!live() && {HAS_OUTLINE}"), json!([10, 10])).await;
    page.evaluate("one('#time-live').click()").await;
    let bob = server.register_agent("Bob").await;
    open_plan(&bob, "A house", (10, 10), &["5555", "5555"]).await;
    page.wait_until_with(&format!("live() && {HAS_OUTLINE}"), json!([10, 10])).await;
    page.evaluate("one('#pixels').focus()").await;
    page.evaluate("press('o')").await;
    page.wait_until_with(&format!("!{HAS_OUTLINE}"), json!([10, 10])).await;
    page.visit(&server.url("/")).await;
    page.evaluate("one('#plans-toggle').click()").await;
    page.wait_until("shown('#plans .plan')").await;
    assert_eq!(page.evaluate("one('#plan-outlines').ariaPressed").await, "false");
    page.wait_for_paint().await;
    assert_eq!(page.evaluate_with(HAS_OUTLINE, json!([10, 10])).await, false);
}

#[tokio::test]
async fn the_picture_shows_what_is_missing_and_what_is_damaged() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    open_plan(&ada, "A house", (10, 10), &["5555", "...."]).await;
    paint(&ada, 10, 10, 5).await;
    paint(&ada, 11, 10, 5).await;
    paint(&ada, 11, 10, 6).await;
    let page = page_with_list(&server, Screen::Desktop).await;
    page.wait_until("one('#plans .plan')").await;
    page.evaluate(POINT_AT_FIRST).await;
    let (nothing, half, full) = (0, 153, 255);
    for (x, y, alpha) in [(10, 10, nothing), (11, 10, full), (12, 10, half), (10, 11, nothing)] {
        page.wait_until_with(HAS_ALPHA, json!([x, y, alpha])).await;
    }
    paint(&ada, 12, 10, 5).await;
    page.wait_until_with(HAS_ALPHA, json!([12, 10, nothing])).await;
    page.evaluate(LEAVE_FIRST).await;
    page.wait_until_with(HAS_ALPHA, json!([13, 10, nothing])).await;
}

#[tokio::test]
async fn a_selected_plan_is_shown_and_can_be_linked() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let id = open_plan(&ada, "A “house”", (90, 20), &["5555", "5555"]).await;
    let page = page_with_list(&server, Screen::Desktop).await;
    page.wait_until("one('#plans .plan')").await;
    page.evaluate("one('#plans .plan-title').click()").await;
    page.wait_until_with(
        "location.hash.includes(`plan=${given}`) && text('.plan-label') === 'A “house”0 %'",
        json!(id),
    )
    .await;
    page.wait_until("location.hash.includes('x=92&y=21&')").await;
    assert_eq!(page.evaluate("shown('#plans .plan-note')").await, true);
    page.evaluate("one('#plans .actions button').click()").await;
    let origin = server.url("");
    let line = format!(
        "Help paint plan {id} (“A house”) at {origin}: read {origin}/skill.md, then GET {origin}/api/plans/{id}/next?n=8"
    );
    page.wait_until_with("text('#plans code') === given && shown('#plans code')", json!(line)).await;
    assert_eq!(
        page.evaluate("one('#plans .actions a').getAttribute('href')").await,
        json!(format!("/plans/{id}"))
    );
    page.chrome.press(&[ESCAPE]).await;
    page.evaluate("one('#plans .icon-button').click()").await;
    page.evaluate("one('#pixels').focus()").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!location.hash.includes('plan=') && !one('.plan-label[data-marked]')").await;

    page.visit(&server.url(&format!("/#plan={id}"))).await;
    page.wait_until("shown('#plans .plan[data-selected]') && location.hash.includes('x=92&y=21&')").await;
    assert_eq!(ada.post(&format!("/api/plans/{id}/close"), json!({})).await.status, 200);
    page.wait_until("!one('.plan-label') && !location.hash.includes('plan=')").await;
    page.visit(&server.url(&format!("/#plan={id}"))).await;
    page.wait_until_with(
        "text('#plans .plan-status').startsWith('That plan has ended.') && one('#plans .plan-status a').getAttribute('href') === `/plans/${given}`",
        json!(id),
    )
    .await;
}

#[tokio::test]
async fn the_card_of_a_pixel_names_the_plans_for_its_spot() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let id = open_plan(&ada, "A house", (60, 60), &["55", "55"]).await;
    let page = Page::open(&server.url("/#pixel=60.60"), Screen::Desktop).await;
    page.wait_until("text('#inspect .plans-here .plan-chip') === 'A house'").await;
    paint(&ada, 60, 60, 5).await;
    page.wait_until("text('#inspect .card-agent') === 'Ada' && !one('#inspect .plans-here')").await;
    paint(&ada, 60, 60, 6).await;
    page.wait_until("one('#inspect .plans-here .plan-chip')").await;
    page.evaluate("one('#inspect .plans-here .plan-chip').click()").await;
    page.wait_until_with(
        "shown('#plans .plan[data-selected]') && location.hash.includes(`plan=${given}`)",
        json!(id),
    )
    .await;
}

#[tokio::test]
async fn the_card_of_a_pixel_names_the_plan_and_the_intent_of_its_painter() {
    let server = Server::start_with(&UNLIMITED).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let id = open_plan(&ada, "A house", (60, 60), &["55", "55"]).await;
    let intent = json!({"content": "I take the roof.", "type": "intent", "plan_id": id, "region": {"x1": 60, "y1": 60, "x2": 61, "y2": 60}, "color_palette": [5]});
    assert_eq!(bob.post("/api/chat", intent).await.status, 201);
    let pixel = json!({"x": 60, "y": 60, "color": 5, "chat_digest": server.digest().await, "plan_id": id});
    assert_eq!(bob.post("/api/pixel", pixel).await.status, 201);
    assert_eq!(bob.post_message("It rains.").await.status, 201);
    paint(&bob, 30, 30, 5).await;
    let page = Page::open(&server.url("/#pixel=60.60"), Screen::Desktop).await;
    page.wait_until("text('#inspect .why') === 'For the plan A house' && text('#inspect blockquote') === 'I take the roof.'").await;
    assert_eq!(page.evaluate("text('#inspect figcaption').startsWith('Intent, ')").await, true);
    page.evaluate("location.hash = 'pixel=30.30'").await;
    page.wait_until("text('#inspect blockquote') === 'It rains.' && !one('#inspect .why')").await;
    assert_eq!(page.evaluate("text('#inspect figcaption').startsWith('Said about that time')").await, true);
}

#[tokio::test]
async fn a_plan_that_a_message_names_is_selected_from_the_chat() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let id = open_plan(&ada, "A house", (60, 60), &["55", "55"]).await;
    let message = ada.post("/api/chat", json!({"content": "I take the roof.", "plan_id": id})).await;
    assert_eq!(message.status, 201, "{}", message.body);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("text('#messages .plan-chip') === 'Plan: A house'").await;
    page.evaluate("one('#messages .plan-chip').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until_with(
        "location.hash.includes(`plan=${given}`) && document.activeElement.matches('#plans .plan-title')",
        json!(id),
    )
    .await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('#plans') && document.activeElement.matches('.plan-chip')").await;
    for (x, y) in [(60, 60), (61, 60), (60, 61), (61, 61)] {
        paint(&ada, x, y, 5).await;
    }
    page.wait_until("text('.msg:last-child .msg-body').startsWith('The plan is finished: all 4 pixels')")
        .await;
    page.wait_until("text('.msg:last-child .plan-chip') === 'Plan: A house'").await;
}

#[tokio::test]
async fn the_list_is_accessible_and_fits_small_screens() {
    let server = Server::start_with(&UNLIMITED).await;
    let (ada, bob) =
        (server.register_agent("Ätherwind von der langen Pfote").await, server.register_agent("Bob").await);
    open_plan(&ada, &"A house with a name ".repeat(3), (10, 10), &["5555", "5555"]).await;
    open_plan(&bob, "A dot", (40, 10), &["6"]).await;
    paint(&ada, 10, 10, 5).await;
    paint(&ada, 10, 10, 6).await;
    paint(&bob, 40, 10, 6).await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    for (width, height, is_touch) in
        [(1440, 900, false), (768, 1024, true), (390, 844, true), (320, 568, true)]
    {
        page.chrome.emulate_screen(width, height, is_touch).await;
        page.visit(&server.url("/")).await;
        page.evaluate("one('#plans-toggle').click()").await;
        page.wait_until("document.querySelectorAll('#plans .plan').length === 2").await;
        page.evaluate("one('#plans .plan-title').click()").await;
        page.wait_until("shown('.plan-label')").await;
        assert_accessible(&page, &format!("plans at {width}")).await;
        let problems = page.evaluate(PROBLEMS_IN_LIST).await;
        assert_eq!(problems, json!([]), "at {width}");
    }
}

/// The layout problems of the list and the toolbar.
const PROBLEMS_IN_LIST: &str = "misfits().filter((problem) => /class=\"plan|plans|icon-button|Copy a line|the page is/.test(problem) && !problem.startsWith('covered'))";

#[tokio::test]
async fn a_list_that_does_not_load_is_tried_again() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    open_plan(&ada, "A house", (10, 10), &["5555"]).await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.block_urls(&["*/api/plans*"]).await;
    page.ignore_first_view().await;
    page.visit(&server.url("/")).await;
    page.evaluate("one('#plans-toggle').click()").await;
    page.wait_until("text('#plans .plan-status') === 'The plans did not load.'").await;
    page.block_urls(&[]).await;
    page.evaluate("[...document.querySelectorAll('#plans button')].find((button) => button.textContent === 'Try again').click()").await;
    wait_for_facts(&page, "4 pixels left").await;
}
