//! Lists of plans: filters, order and pages.

use serde_json::{Value, json};

use super::{PLAN_SETTINGS, close, list_titles, paint, read_plan, titles};
use crate::support::actions::open_plan;
use crate::support::waiting::{wait_for_finished_plan, wait_for_plan_end};
use crate::support::{Agent, Server};

fn dot(title: &str, (x, y): (i64, i64)) -> Value {
    json!({"title": title, "x": x, "y": y, "rows": ["5"]})
}

/// Opens plans of several agents, one pixel each, in this order.
async fn open_dots<'a>(server: &'a Server, dots: &[(&str, (i64, i64))]) -> Vec<(Agent<'a>, Value)> {
    let mut opened = Vec::new();
    for (title, place) in dots {
        let agent = server.register_agent(&format!("Painter {title}")).await;
        let plan = open_plan(&agent, dot(title, *place)).await;
        opened.push((agent, plan));
    }
    opened
}

/// Returns the titles of all pages of a list.
async fn read_pages(server: &Server, query: &str) -> Vec<Vec<String>> {
    let (mut pages, mut before) = (Vec::new(), String::new());
    loop {
        let page = server.get(&format!("/api/plans?{query}{before}")).await.body;
        pages.push(titles(&page));
        let Some(next) = page["next_before"].as_str() else { return pages };
        before = format!("&before={next}");
    }
}

#[tokio::test]
async fn plans_are_listed_newest_first_in_pages() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let dots = ["a", "b", "c", "d", "e"].map(|title| (title, (1, 1)));
    let opened = open_dots(&server, &dots).await;
    close(&opened[1].0, &opened[1].1).await;
    close(&opened[3].0, &opened[3].1).await;
    assert_eq!(list_titles(&server, "").await, ["e", "d", "c", "b", "a"]);
    for limit in 1..=5 {
        let pages = read_pages(&server, &format!("limit={limit}")).await;
        assert_eq!(pages.concat(), ["e", "d", "c", "b", "a"], "limit {limit}");
        assert!(pages.iter().all(|page| page.len() <= limit && !page.is_empty()), "{pages:?}");
    }
}

#[tokio::test]
async fn states_follow_the_canvas_and_the_end() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let dots = ["a", "b", "c", "d"].map(|title| (title, (i64::from(title.as_bytes()[0]), 1)));
    let opened = open_dots(&server, &dots).await;
    let painter = &opened[0].0;
    close(&opened[0].0, &opened[0].1).await;
    paint(painter, &[('b' as i64, 1, 5)]).await;
    for (state, expected) in
        [("open", vec!["d", "c"]), ("finished", vec!["b"]), ("closed", vec!["a"]), ("expired", vec![])]
    {
        assert_eq!(list_titles(&server, &format!("state={state}")).await, expected, "{state}");
    }
    wait_for_finished_plan(async || read_plan(&server, &opened[1].1).await).await;
    paint(painter, &[('b' as i64, 1, 6), ('c' as i64, 1, 5)]).await;
    assert_eq!(list_titles(&server, "state=open").await, ["d"], "damage opens none again");
    server.advance_clock(86_400);
    for (state, expected) in
        [("open", vec![]), ("finished", vec!["c", "b"]), ("closed", vec!["a"]), ("expired", vec!["d"])]
    {
        assert_eq!(list_titles(&server, &format!("state={state}")).await, expected, "{state}");
        let pages = read_pages(&server, &format!("state={state}&limit=1")).await;
        assert_eq!(pages.concat(), expected, "{state}");
    }
    wait_for_plan_end(async || read_plan(&server, &opened[3].1).await).await;
    assert_eq!(list_titles(&server, "state=expired").await, ["d"], "as it was stored");
    assert_eq!(list_titles(&server, "state=finished").await, ["c", "b"]);
}

#[tokio::test]
async fn the_nearest_come_first() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let places = [
        ("far", (100, 100)),
        ("beside", (21, 20)),
        ("here", (20, 20)),
        ("ended", (20, 23)),
        ("here again", (20, 20)),
    ];
    let opened = open_dots(&server, &places).await;
    close(&opened[3].0, &opened[3].1).await;
    let wide = server.register_agent("Wide").await;
    open_plan(&wide, json!({"title": "wide", "x": 22, "y": 0, "rows": vec!["5".repeat(60); 40]})).await;
    let expected = ["here again", "here", "beside", "wide", "ended", "far"];
    assert_eq!(list_titles(&server, "near=20,20").await, expected);
    assert_eq!(read_pages(&server, "near=20,20&limit=2").await.concat(), expected);
    assert_eq!(list_titles(&server, "near=20,20&state=open&limit=2").await, ["here again", "here"]);
}

#[tokio::test]
async fn an_author_is_named_by_id_or_name() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let opened = open_dots(&server, &[("a", (1, 1)), ("b", (1, 1))]).await;
    close(&opened[0].0, &opened[0].1).await;
    server.advance_clock(60);
    open_plan(&opened[0].0, dot("c", (2, 2))).await;
    for author in [&*opened[0].0.id, "Painter%20a", "painter%20A"] {
        assert_eq!(list_titles(&server, &format!("author={author}")).await, ["c", "a"], "{author}");
    }
    assert_eq!(list_titles(&server, &format!("author={}&state=open", opened[1].0.id)).await, ["b"]);
    for nobody in ["Nobody", "agent_nobody", ""] {
        assert_eq!(list_titles(&server, &format!("author={nobody}")).await, [""; 0], "{nobody}");
    }
}
