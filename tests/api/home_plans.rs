//! `/api/home`: the open plans that need painters.

use serde_json::{Value, json};

use crate::support::actions::{
    FREE_SETTINGS, fetch_home, fetch_markdown, next_calls, open_plan, paint, place,
};
use crate::support::values::{fields_of, id_of};
use crate::support::{Agent, Server};

/// Opens a plan of five pixels in a row, and returns it.
async fn open_row(author: &Agent<'_>, title: &str, (x, y): (i64, i64)) -> Value {
    open_plan(author, json!({"title": title, "x": x, "y": y, "rows": ["77777"]})).await
}

fn titles(home: &Value) -> Vec<&str> {
    home["plans"].as_array().into_iter().flatten().map(|plan| plan["title"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn nearest_open_plans_are_shown_and_those_that_the_agent_helps_first() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    assert_eq!(fetch_home(&ada, "").await["plans"], Value::Null);
    paint(&ada, [(0, 0)]).await;
    let [cyd, dan, eli, fay] = server.register_agents(["Cyd", "Dan", "Eli", "Fay"]).await;
    open_row(&cyd, "Far away", (100, 100)).await;
    let nearest = open_row(&dan, "Next door", (2, 2)).await;
    open_row(&eli, "Farthest", (120, 120)).await;
    open_row(&fay, "Not far", (30, 30)).await;
    let home = fetch_home(&ada, "max_tokens=4096").await;
    assert_eq!(titles(&home), ["Next door", "Not far", "Far away"]);
    let expected = json!({
        "id": nearest["id"], "title": "Next door", "x1": 2, "y1": 2, "x2": 6, "y2": 2, "left": 5,
        "claimed": false, "you_help": false,
    });
    assert_eq!(home["plans"][0], expected);
    assert!(home["untrusted"].is_string());
    let claim = format!("/api/plans/{}/claims", id_of(&nearest));
    let calls = next_calls(&home);
    let position = |call: &str| calls.iter().position(|it| *it == call).unwrap();
    assert!(position(&format!("POST {claim}")) < position("POST /api/pixels"), "{calls:?}");

    assert_eq!(bob.post(&claim, json!({"n": 2})).await.status, 201);
    assert_eq!(fetch_home(&ada, "").await["plans"][0]["claimed"], true);
    assert_eq!(fetch_home(&bob, "").await["plans"].as_array().unwrap().len(), 3);
    server.advance_clock(181);
    assert_eq!(fetch_home(&ada, "").await["plans"][0]["claimed"], false);

    place(&ada, &[(100, 100, 7)]).await;
    let home = fetch_home(&ada, "max_tokens=4096").await;
    assert_eq!(titles(&home)[0], "Far away");
    assert_eq!(fields_of(&home["plans"][0], ["you_help", "left"]), json!([true, 4]));
    let text = fetch_markdown(&ada, "max_tokens=4096").await;
    let (before, section) = text.split_once("## Plans that need painters\n").unwrap();
    assert!(section.contains("(100,100)-(104,100) 4 px left, you help: Far away"), "{text}");
    assert!(before.contains("Go on with the plan that you help: 4 pixels left."), "{text}");
    assert!(!before.contains("Far away"), "titles stand in fences only: {text}");
}

#[tokio::test]
async fn only_open_plans_are_shown_and_within_the_budget() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let closed = open_row(&bob, "Closed", (1, 1)).await;
    bob.post(&format!("/api/plans/{}/close", id_of(&closed)), json!({})).await.assert_status(200);
    let cyd = server.register_agent("Cyd").await;
    open_row(&cyd, "Painted", (1, 9)).await;
    place(&cyd, &[(1, 9, 7), (2, 9, 7), (3, 9, 7), (4, 9, 7), (5, 9, 7)]).await;
    let home = fetch_home(&ada, "").await;
    assert_eq!(titles(&home), Vec::<&str>::new(), "{home}");
    server.advance_clock(61);
    open_row(&bob, &"W ".repeat(30), (1, 1)).await;
    let more = json!("GET /api/plans?state=open");
    for tokens in (64..700).step_by(17) {
        let home = fetch_home(&ada, &format!("max_tokens={tokens}")).await;
        assert!(home.to_string().len() <= tokens * 3, "{tokens}: {home}");
        let is_cut = home["more"].as_array().is_some_and(|calls| calls.contains(&more));
        assert!(!is_cut || home["plans"].is_null(), "{tokens}: {home}");
        let text = fetch_markdown(&ada, &format!("max_tokens={tokens}")).await;
        assert!(text.len() <= tokens * 3, "{tokens}: {text}");
    }
}
