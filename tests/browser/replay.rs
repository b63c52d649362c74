//! The replay: its button and choices, the time at the pointer, the chapters, and the replay of a first
//! visit.

use serde_json::json;

use super::card_history::open_card;
use super::chrome::{Chrome, Screen};
use super::fixtures::{UNLIMITED, next_season};
use super::page::Page;
use super::support::{Agent, Server, waiting};

const ESCAPE: char = '\u{e00c}';
/// The titles of the chapters.
const CHAPTERS: &str =
    "[...document.querySelectorAll('#time-chapters-menu li span')].map((title) => title.textContent)";
/// The number of times that the list of all plans was read.
const PLAN_READS: &str = "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/api/plans?limit=100')).length";
/// True once the page knows the season, and so whether it replays it.
const HAS_DECIDED: &str = "live() && one('#time').hasAttribute('data-ready')";
/// True if the page replays the season or has replayed it: a replay begins with the canvas of a past moment.
const HAS_REPLAYED: &str = "shown('#replay-note') || !live() || performance.getEntriesByType('resource').some(({ name }) => name.includes('/api/canvas?at='))";

/// Paints a row of ten pixels.
async fn paint_row(agent: &Agent<'_>, row: i64) {
    paint_row_in(agent, row, 1 + row % 15).await;
}

async fn paint_row_in(agent: &Agent<'_>, row: i64, color: i64) {
    let pixels: Vec<_> = (0..10).map(|x| json!({"x": 20 + x, "y": row, "color": color})).collect();
    let body = json!({"pixels": pixels, "chat_digest": agent.server.digest().await});
    let reply = agent.post("/api/pixels", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
}

/// Opens a plan of two pixels at a column, and paints them. An agent opens plans a minute apart.
async fn open_and_finish_plan(agent: &Agent<'_>, title: &str, x: i64) {
    agent.server.advance_clock(120);
    assert_eq!(agent.paint(x, 40, 3).await.status, 201);
    let plan = json!({"title": title, "x": x, "y": 20, "rows": ["55"]});
    let reply = agent.post("/api/plans", plan).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    for x in [x, x + 1] {
        assert_eq!(agent.paint(x, 20, 5).await.status, 201);
    }
}

/// Waits until a plan has the time at which it was finished.
async fn wait_for_finished_plan(server: &Server, title: &str) {
    let read_plan = async || {
        let list = server.get("/api/plans").await.body;
        let mut plans = list["plans"].as_array().into_iter().flatten();
        plans.find(|plan| plan["title"] == title).cloned().unwrap_or_default()
    };
    waiting::wait_for_finished_plan(read_plan).await;
}

/// Starts a server on which an agent has painted a row of ten pixels every two minutes.
async fn server_with_rows(rows: i64) -> Server {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Brushtail").await;
    for row in 0..rows {
        server.advance_clock(120);
        paint_row(&agent, row).await;
    }
    server
}

async fn open_page(server: &Server) -> Page {
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    page
}

#[tokio::test]
async fn replay_button_says_what_it_does() {
    let server = server_with_rows(9).await;
    let page = open_page(&server).await;
    assert_eq!(page.evaluate("text('#time-play').trim()").await, "Replay");
    page.evaluate("(one('#time-speed').value = '180', one('#time-play').click())").await;
    page.wait_until("text('#status').trim() === 'Past' && text('#time-play').trim() === 'Pause'").await;
    page.evaluate("one('#time-play').click()").await;
    page.wait_until(
        "text('#time-play').trim() === 'Replay' && one('#time-play').title === 'Play on from here'",
    )
    .await;
    // The chosen part of the season begins where it says.
    page.evaluate("choose('#time-range', 'hour')").await;
    page.wait_until("text('#status').trim() === 'Past' && one('#time-slider').value < 0.01").await;
    page.evaluate("choose('#time-speed', '10')").await;
    page.evaluate("one('#time-play').click()").await;
    page.wait_until("live() && text('#time-play').trim() === 'Replay'").await;
}

#[tokio::test]
async fn replay_of_a_season_with_long_pauses_takes_the_chosen_time() {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Brushtail").await;
    for burst in 0..3 {
        for row in 0..3 {
            server.advance_clock(10);
            paint_row(&agent, 3 * burst + row).await;
        }
        server.advance_clock(5 * 86_400);
    }
    let page = open_page(&server).await;
    page.evaluate("choose('#time-speed', '10')").await;
    page.evaluate("(globalThis.began = performance.now(), one('#time-play').click())").await;
    page.wait_until("text('#status').trim() === 'Past'").await;
    page.wait_until("live() && text('#time-play').trim() === 'Replay'").await;
    let seconds = page.evaluate("(performance.now() - began) / 1000").await;
    assert!(seconds.as_f64().unwrap() > 9.0, "{seconds}");
}

#[tokio::test]
async fn pace_makes_up_for_any_pauses() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url("/how")).await;
    let script = "const [done] = arguments;
        import('/js/time/pace.js').then(({ paceFor, watchingTime }) => {
            const few = [12.3, 600000, 1500000, 180000, 2400000, 480000, 1020000];
            const many = Array.from({ length: 45 }, (_, number) => 1000.1 * (1 + number * number));
            const times = [[0, few, 30000], [0, many, 60000], [50000, few, 10000], [0, [86400000], 10000]].map(
                ([busy, pauses, watching]) => {
                    const stretches = { busy, pauses };
                    return Math.round(100 * watchingTime(stretches, paceFor(stretches, watching)) / watching);
                });
            done(times);
        });";
    assert_eq!(page.chrome.run_async(script, vec![]).await.unwrap(), json!([100, 100, 100, 100]));
}

#[tokio::test]
async fn time_bar_begins_at_the_first_pixel() {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Brushtail").await;
    server.advance_clock(100 * 3_600);
    paint_row(&agent, 0).await;
    let first = server.get(&format!("/api/canvas?at={}", server.head().await)).await.body;
    server.advance_clock(3_600);
    paint_row(&agent, 1).await;
    let page = open_page(&server).await;
    let script = "(one('#time-slider').value = 0.5, one('#time-slider').dispatchEvent(new Event('input')))";
    page.evaluate(script).await;
    page.wait_until("text('#status').trim() === 'Past'").await;
    page.wait_until_with("same(given)", first).await;
}

#[tokio::test]
async fn time_at_the_pointer_is_shown_over_the_track() {
    let server = server_with_rows(4).await;
    let page = open_page(&server).await;
    let point = "(({ left, width, top }, part) => ({ clientX: left + width * part, clientY: top + 2, bubbles: true }))(one('#time-slider').getBoundingClientRect(), given)";
    let move_pointer = format!("one('#time-slider').dispatchEvent(new PointerEvent('pointermove', {point}))");
    page.evaluate_with(&move_pointer, json!(0.2)).await;
    assert_eq!(page.evaluate("shown('#time-tip')").await, true);
    let early = page.evaluate("text('#time-tip')").await;
    page.evaluate_with(&move_pointer, json!(0.8)).await;
    assert_ne!(page.evaluate("text('#time-tip')").await, early);
    // It lies within the bar, and in place of the label rather than over it.
    assert_eq!(
        page.evaluate("(({ left, right }, bar) => left >= bar.left && right <= bar.right)(one('#time-tip').getBoundingClientRect(), one('#time').getBoundingClientRect())").await,
        true
    );
    assert_eq!(page.evaluate("getComputedStyle(one('.time-labels')).visibility").await, "hidden");
    page.evaluate("one('#time-slider').dispatchEvent(new PointerEvent('pointerleave'))").await;
    assert_eq!(page.evaluate("shown('#time-tip')").await, false);
}

#[tokio::test]
async fn chapters_lead_to_their_moments() {
    let server = server_with_rows(8).await;
    let agent = server.register_agent("Otter").await;
    let plan = json!({"title": "A mill", "x": 60, "y": 60, "rows": ["55"]});
    assert_eq!(agent.post("/api/plans", plan).await.status, 201);
    for x in [60, 61] {
        assert_eq!(agent.paint(x, 60, 5).await.status, 201);
    }
    wait_for_finished_plan(&server, "A mill").await;
    let other = server.register_agent("Heron").await;
    assert_eq!(other.paint(5, 100, 3).await.status, 201);
    // One is not finished, and of the other nothing was left to paint.
    let unfinished = json!({"title": "A barn", "x": 70, "y": 60, "rows": ["55"]});
    assert_eq!(other.post("/api/plans", unfinished).await.status, 201);
    let third = server.register_agent("Magpie").await;
    assert_eq!(third.paint(6, 100, 3).await.status, 201);
    let complete = json!({"title": "A copy", "x": 60, "y": 60, "rows": ["55"]});
    assert_eq!(third.post("/api/plans", complete).await.status, 201);
    let page = open_page(&server).await;
    page.evaluate("one('#time-chapters').click()").await;
    page.wait_until(&format!("shown('#time-chapters-menu') && {CHAPTERS}.includes('Plan finished: A mill')"))
        .await;
    for other in ["A barn", "A copy"] {
        let is_listed = format!("{CHAPTERS}.includes(`Plan finished: ${{given}}`)");
        assert_eq!(page.evaluate_with(&is_listed, json!(other)).await, false, "{other}");
    }
    let titles = [25, 50, 75, 100].map(|share| format!("{share} % of the pixels"));
    assert_eq!(
        page.evaluate_with(&format!("given.every((title) => {CHAPTERS}.includes(title))"), json!(titles))
            .await,
        true
    );
    // One tick for each chapter.
    assert_eq!(
        page.evaluate(&format!(
            "one('#time-ticks').getAttribute('d').split('M').length - 1 === {CHAPTERS}.length"
        ))
        .await,
        true
    );
    let open_second = "document.querySelectorAll('#time-chapters-menu button')[1].click()";
    page.evaluate(open_second).await;
    page.wait_until("text('#status').trim() === 'Past' && !shown('#time-chapters-menu')").await;
    page.wait_until("Math.abs(one('#time-slider').value - 0.5) < 0.2").await;
}

/// Opens the chapter with this number in the list.
async fn open_chapter(page: &Page, number: usize) {
    page.evaluate("one('#time-chapters').click()").await;
    page.wait_until("shown('#time-chapters-menu')").await;
    let press = "document.querySelectorAll('#time-chapters-menu button')[given].click()";
    page.evaluate_with(press, json!(number)).await;
}

#[tokio::test]
async fn back_returns_to_the_moment_before_a_chapter() {
    let server = server_with_rows(8).await;
    let page = open_page(&server).await;
    let names_other_moment = "location.hash !== given && /^#at=\\d+$/.test(location.hash)";
    open_chapter(&page, 0).await;
    page.wait_until_with(names_other_moment, json!("")).await;
    let first = page.evaluate("location.hash").await;
    open_chapter(&page, 2).await;
    page.wait_until_with(names_other_moment, first.clone()).await;
    page.evaluate("history.back()").await;
    page.wait_until_with(
        "location.hash === given && !live() && Math.abs(one('#time-slider').value - 0.25) < 0.2",
        first.clone(),
    )
    .await;
    page.evaluate("history.back()").await;
    page.wait_until("live() && location.hash === ''").await;
    page.evaluate("history.forward()").await;
    page.wait_until_with("location.hash === given && !live()", first).await;
}

#[tokio::test]
async fn back_from_a_chapter_leaves_the_card_open() {
    let server = server_with_rows(8).await;
    let page = open_page(&server).await;
    open_card(&page, (25, 3)).await;
    open_chapter(&page, 0).await;
    page.wait_until("!live() && /^#at=\\d+$/.test(location.hash)").await;
    page.evaluate("history.back()").await;
    page.wait_until("live() && location.hash === '' && text('#inspect-title') === 'x 25  y 3' && shown('#inspect .card-agent')").await;
    page.evaluate("history.back()").await;
    page.wait_until("!shown('#inspect') && live()").await;
}

#[tokio::test]
async fn chapters_and_outlines_of_the_past_read_the_plans_once() {
    let server = server_with_rows(12).await;
    let agent = server.register_agent("Otter").await;
    open_and_finish_plan(&agent, "A mill", 60).await;
    wait_for_finished_plan(&server, "A mill").await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url("/")).await;
    page.wait_until(&format!("shown('#replay-note') && {PLAN_READS} === 1")).await;
    page.wait_until("!one('#replay-note') && live()").await;
    page.evaluate("one('#time-chapters').click()").await;
    page.wait_until(&format!("{CHAPTERS}.includes('Plan finished: A mill')")).await;
    let show_past = "document.querySelector('#time-chapters-menu button').click()";
    page.evaluate(show_past).await;
    page.wait_until("text('#status').trim() === 'Past'").await;
    assert_eq!(page.evaluate(PLAN_READS).await, 1);
    // A plan that is finished since is in the list when it is opened again.
    open_and_finish_plan(&agent, "A barn", 70).await;
    let is_listed = format!(
        "(one('#time-chapters-menu').matches(':popover-open') || one('#time-chapters').click(), {CHAPTERS}.includes('Plan finished: A barn') || (one('#time-chapters-menu').hidePopover(), false))"
    );
    page.wait_until(&is_listed).await;
}

#[tokio::test]
async fn chapters_name_disputes() {
    let server = Server::start_with(&UNLIMITED).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    // The hours of the chapters begin with the first pixel.
    assert_eq!(ada.paint(0, 0, 5).await.status, 201);
    for hour in 0..8 {
        server.advance_clock(1_800);
        // One pixel of another agent in each hour is no dispute.
        for (agent, color) in [(&ada, 5), (&bob, 6)] {
            assert_eq!(agent.paint(hour, 10, color).await.status, 201);
        }
        if hour == 5 {
            for row in 30..33 {
                paint_row_in(&ada, row, 3).await;
                paint_row_in(&bob, row, 4).await;
            }
        }
        server.advance_clock(1_800);
    }
    // On a busy machine the page would learn of them only with the next timeline, a minute later.
    waiting::fetch_overpainted(&server, 960).await;
    let page = open_page(&server).await;
    page.evaluate("one('#time-chapters').click()").await;
    let disputes = format!("{CHAPTERS}.filter((title) => title.startsWith('A dispute')).join()");
    page.wait_until(&format!("{disputes} === 'A dispute: 31 pixels painted over'")).await;
    page.evaluate("[...document.querySelectorAll('#time-chapters-menu button')].find(({ textContent }) => textContent.startsWith('A dispute')).click()").await;
    page.wait_until("text('#status').trim() === 'Past' && Math.abs(one('#time-slider').value - 5 / 8) < 0.1")
        .await;
}

#[tokio::test]
async fn chapters_of_an_ended_season_have_its_finished_plans() {
    let server = server_with_rows(8).await;
    let agent = server.register_agent("Otter").await;
    open_and_finish_plan(&agent, "A mill", 60).await;
    wait_for_finished_plan(&server, "A mill").await;
    next_season(&server, 48).await;
    open_and_finish_plan(&agent, "A barn", 20).await;
    wait_for_finished_plan(&server, "A barn").await;
    for (path, own, other) in [("/seasons/1", "A mill", "A barn"), ("/", "A barn", "A mill")] {
        let page = Page { chrome: Chrome::start(Screen::Desktop).await };
        page.visit(&server.url(path)).await;
        page.wait_until("one('#time').hasAttribute('data-ready')").await;
        page.evaluate("one('#time-chapters').click()").await;
        let is_listed = format!("{CHAPTERS}.includes(`Plan finished: ${{given}}`)");
        page.wait_until_with(&is_listed, json!(own)).await;
        assert_eq!(page.evaluate_with(&is_listed, json!(other)).await, false, "{path}");
    }
}

#[tokio::test]
async fn first_visit_replays_the_season_once() {
    let server = server_with_rows(12).await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url("/")).await;
    page.wait_until("shown('#replay-note') && text('#status').trim() === 'Past'").await;
    assert_eq!(page.evaluate("live()").await, false);
    let now = server.get("/api/canvas").await.body;
    assert_eq!(page.evaluate_with("same(given)", now.clone()).await, false);
    // It lands on now by itself.
    page.wait_until("!one('#replay-note') && live() && location.hash === ''").await;
    page.wait_until_with("same(given)", now).await;
    page.visit(&server.url("/")).await;
    page.wait_until(HAS_DECIDED).await;
    page.wait_for_paint().await;
    assert_eq!(page.evaluate(HAS_REPLAYED).await, false, "never twice");
}

#[tokio::test]
async fn replay_of_a_first_visit_is_skipped() {
    let server = server_with_rows(12).await;
    let forget = "localStorage.removeItem('caraplace-replay-seen')";
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    let skips = [
        "one('#replay-note button').click()",
        "one('#pixels').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))",
        "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true, cancelable: true }))",
    ];
    for skip in skips {
        page.visit(&server.url("/")).await;
        page.wait_until("shown('#replay-note')").await;
        page.evaluate(skip).await;
        page.wait_until("!one('#replay-note') && live()").await;
        assert_eq!(
            page.evaluate("shown('#inspect') || one('#pixels').hasAttribute('data-zoomed')").await,
            false
        );
        page.evaluate(forget).await;
    }
    page.visit(&server.url("/")).await;
    page.wait_until("shown('#replay-note')").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!one('#replay-note') && live()").await;
}

#[tokio::test]
async fn first_visit_without_motion_or_with_a_link_is_not_replayed() {
    let server = server_with_rows(12).await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url("/#x=20&y=5&z=12")).await;
    page.wait_until(HAS_DECIDED).await;
    page.wait_for_paint().await;
    assert_eq!(page.evaluate(HAS_REPLAYED).await, false);
    page.chrome.set_color_scheme("dark").await;
    page.visit(&server.url("/")).await;
    page.wait_until(HAS_DECIDED).await;
    page.wait_for_paint().await;
    assert_eq!(page.evaluate(HAS_REPLAYED).await, false);
    assert_eq!(page.evaluate("localStorage.getItem('caraplace-replay-seen')").await, json!(null));
}
