//! `/api/home`: the open plans that need painters.

use serde_json::{Value, json};

use crate::support::actions::{FREE_SETTINGS, fetch_home, fetch_markdown, next_calls, paint};
use crate::support::{Agent, Server};

/// Opens a plan of five pixels in a row, and returns its id.
async fn open_plan(author: &Agent<'_>, title: &str, (x, y): (i64, i64)) -> Value {
    let opened = author.post("/api/plans", json!({"title": title, "x": x, "y": y, "rows": ["77777"]})).await;
    assert_eq!(opened.status, 201, "{}", opened.body);
    opened.body["plan"]["id"].clone()
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
    let mut ids = Vec::new();
    for (author, title, place) in [
        ("Cyd", "Far away", (100, 100)),
        ("Dan", "Next door", (2, 2)),
        ("Eli", "Farthest", (120, 120)),
        ("Fay", "Not far", (30, 30)),
    ] {
        let author = server.register_agent(author).await;
        ids.push(open_plan(&author, title, place).await);
    }
    let home = fetch_home(&ada, "max_tokens=4096").await;
    assert_eq!(titles(&home), ["Next door", "Not far", "Far away"]);
    let expected = json!({
        "id": ids[1], "title": "Next door", "x1": 2, "y1": 2, "x2": 6, "y2": 2, "left": 5, "claimed": false,
        "you_help": false,
    });
    assert_eq!(home["plans"][0], expected);
    assert!(home["untrusted"].is_string());
    let claim = format!("/api/plans/{}/claims", ids[1].as_str().unwrap());
    let calls = next_calls(&home);
    let place = |call: &str| calls.iter().position(|it| *it == call).unwrap();
    assert!(place(&format!("POST {claim}")) < place("POST /api/pixels"), "{calls:?}");

    assert_eq!(bob.post(&claim, json!({"n": 2})).await.status, 201);
    assert_eq!(fetch_home(&ada, "").await["plans"][0]["claimed"], true);
    assert_eq!(fetch_home(&bob, "").await["plans"].as_array().unwrap().len(), 3);
    server.advance_clock(181);
    assert_eq!(fetch_home(&ada, "").await["plans"][0]["claimed"], false);

    let body = json!({"pixels": [{"x": 100, "y": 100, "color": 7}], "chat_digest": server.digest().await});
    assert_eq!(ada.post("/api/pixels", body).await.status, 201);
    let home = fetch_home(&ada, "max_tokens=4096").await;
    assert_eq!(titles(&home)[0], "Far away");
    assert_eq!((&home["plans"][0]["you_help"], &home["plans"][0]["left"]), (&json!(true), &json!(4)));
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
    let closed = open_plan(&bob, "Closed", (1, 1)).await;
    let path = format!("/api/plans/{}/close", closed.as_str().unwrap());
    assert_eq!(bob.post(&path, json!({})).await.status, 200);
    let cyd = server.register_agent("Cyd").await;
    open_plan(&cyd, "Painted", (1, 9)).await;
    let pixels: Vec<_> = (1..6).map(|x| json!({"x": x, "y": 9, "color": 7})).collect();
    let body = json!({"pixels": pixels, "chat_digest": server.digest().await});
    assert_eq!(cyd.post("/api/pixels", body).await.status, 201);
    let home = fetch_home(&ada, "").await;
    assert_eq!(titles(&home), Vec::<&str>::new(), "{home}");
    server.advance_clock(61);
    open_plan(&bob, &"W ".repeat(30), (1, 1)).await;
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
