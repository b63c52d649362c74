//! The pages of plans: what they show, what they hide, and the files that their scripts load.

use serde_json::{Value, json};

use crate::plans::PLAN_SETTINGS;
use crate::support::actions::{self, place, post_message};
use crate::support::waiting::wait_for_finished_plan;
use crate::support::{Agent, Server};

/// Opens a plan of three pixels at (10, 20), two of them red. Returns it.
async fn open_plan(agent: &Agent<'_>, title: &str) -> Value {
    let body =
        json!({"title": title, "x": 10, "y": 20, "rows": ["55", ".3"], "note": "<b>left to right</b>"});
    actions::open_plan(agent, body).await
}

fn path_of(plan: &Value) -> String {
    format!("/plans/{}", plan["id"].as_str().unwrap())
}

#[tokio::test]
async fn page_of_a_plan_shows_progress_damage_helpers_and_the_line_for_agents() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_plan(&ada, "A house & a tree").await;
    place(&ada, &[(10, 20, 5)]).await;
    place(&bob, &[(11, 20, 5), (10, 20, 7)]).await;
    let (status, html) = server.page(&path_of(&plan)).await;
    assert_eq!(status, 200);
    let id = plan["id"].as_str().unwrap();
    for part in [
        "<title>A house &amp; a tree · Caraplace</title>",
        "<bdi class=\"foreign\">A house &amp; a tree</bdi>",
        "&lt;b&gt;left to right&lt;/b&gt;",
        "data-rows=\"55 .3\"",
        "data-damaged=\"10,20\"",
        "data-state=\"open\">Open<",
        "<span class=\"num\" id=\"done\">1</span> of <span class=\"num\" id=\"total\">3</span>",
        "id=\"left\">2</dd>",
        "id=\"damaged\">1</dd>",
        "id=\"ends\">",
        &format!("<a href=\"/agents/{}\">", bob.id),
        &format!("Help paint plan {id} at"),
        &format!("/api/plans/{id}/next?n=8"),
        &format!("/plans/{id}/target.png?v=1\">"),
        "property=\"og:image:width\" content=\"512\"",
    ] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    assert!(!html.contains("data-ended"));
}

#[tokio::test]
async fn finished_plan_says_so_and_tells_damage_as_a_note() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, "A house").await;
    assert!(server.page(&path_of(&plan)).await.1.contains("<span class=\"num\">3</span> pixels left"));
    place(&ada, &[(10, 20, 5), (11, 20, 5), (11, 21, 3)]).await;
    let path = format!("/api{}", path_of(&plan));
    wait_for_finished_plan(async || server.get(&path).await.body["plan"].clone()).await;
    assert_eq!(ada.paint(10, 20, 7).await.status, 201);
    let (_, html) = server.page(&path_of(&plan)).await;
    for part in [
        "data-state=\"finished\">Finished<",
        "<span class=\"num\">1</span> pixel painted over since",
        "id=\"hand\" aria-labelledby=\"hand-title\" hidden>",
    ] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    assert!(!html.contains("Ends") && !html.contains("id=\"ends\""), "an end is told: {html}");
    let (_, list) = server.page("/plans").await;
    assert!(list.contains("<span class=\"num\">1</span> painted over since"), "{list}");
}

#[tokio::test]
async fn ended_plan_says_so_and_is_not_handed_on() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, "A house").await;
    ada.post(&format!("/api{}/close", path_of(&plan)), json!({})).await.assert_status(200);
    let (_, html) = server.page(&path_of(&plan)).await;
    assert!(html.contains("data-state=\"closed\">Closed<") && html.contains("data-ended=\"20"), "{html}");
    assert!(!html.contains("Help paint plan"));
}

#[tokio::test]
async fn list_shows_open_plans_first_and_filters_by_state() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    assert!(server.page("/plans").await.1.contains("There is no plan yet."));
    let closed = open_plan(&ada, "The closed one").await;
    assert_eq!(ada.post(&format!("/api{}/close", path_of(&closed)), json!({})).await.status, 200);
    server.advance_clock(61);
    open_plan(&ada, "The open one").await;
    let (status, html) = server.page("/plans").await;
    assert_eq!(status, 200);
    assert!(html.find("The open one").unwrap() < html.find("The closed one").unwrap());
    let (_, html) = server.page("/plans?state=closed").await;
    assert!(html.contains("The closed one") && !html.contains("The open one"));
    assert!(server.page("/plans?state=finished").await.1.contains("No plan is in this state."));
    assert_eq!(server.page("/plans?state=lost").await.0, 400);
}

#[tokio::test]
async fn unknown_hidden_and_shadow_plans_are_not_found() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let operator = server.sign_in_operator().await;
    let hidden = open_plan(&ada, "A rude picture").await;
    operator.post_with_reason(&format!("/api/admin{}/hide", path_of(&hidden))).await;
    operator.apply_sanction(&eve, "shadow").await;
    let shadow = open_plan(&eve, "A secret picture").await;
    for path in [path_of(&hidden), path_of(&shadow), "/plans/plan_nobody".to_owned()] {
        for file in ["", "/edit", "/target.png", "/placements"] {
            let (status, text) = server.page(&format!("{path}{file}")).await;
            assert_eq!(status, 404, "{path}{file}");
            assert!(!text.contains("picture"), "{text}");
        }
    }
    let (_, list) = server.page("/plans").await;
    assert!(!list.contains("rude") && !list.contains("secret"));
    for path in [path_of(&shadow), format!("{}/edit", path_of(&shadow)), "/plans".to_owned()] {
        let own = eve.get(&path).await;
        assert_eq!((own.status, own.header("cache-control")), (200, "no-store"), "{path}");
    }
}

#[tokio::test]
async fn picture_is_an_image_and_the_replay_has_only_placements_of_the_area() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.paint(10, 20, 1).await.status, 201);
    let plan = open_plan(&ada, "A house").await;
    place(&ada, &[(10, 20, 5), (12, 20, 5), (11, 21, 3)]).await;
    place(&ada, &[(10, 20, 6), (10, 22, 6), (9, 20, 6)]).await;
    let image = server.get(&format!("{}/target.png", path_of(&plan))).await;
    assert_eq!((image.status, image.header("content-type")), (200, "image/png"));
    let info = png::Decoder::new(std::io::Cursor::new(&image.bytes)).read_info().unwrap();
    assert_eq!((info.info().width, info.info().height), (512, 512));
    let replay = server.get(&format!("{}/placements", path_of(&plan))).await.body;
    let rows = replay["placements"].as_array().unwrap();
    let points: Vec<_> = rows.iter().map(|row| json!([row[1], row[2], row[3]])).collect();
    assert_eq!(json!(points), json!([[10, 20, 5], [11, 21, 3], [10, 20, 6]]));
    assert_eq!(replay["next_after"], Value::Null);
    let after = rows[1][0].as_i64().unwrap();
    let rest = server.get(&format!("{}/placements?after={after}", path_of(&plan))).await.body;
    assert_eq!(rest["placements"], json!([rows[2]]));
    assert_eq!(ada.post(&format!("/api{}/close", path_of(&plan)), json!({})).await.status, 200);
    server.advance_clock(1);
    assert_eq!(ada.paint(10, 20, 5).await.status, 201);
    let ended = server.get(&format!("{}/placements", path_of(&plan))).await.body;
    assert_eq!(ended["placements"], replay["placements"], "nothing after the end");
}

#[tokio::test]
async fn page_shows_the_messages_that_name_the_plan_until_they_are_hidden() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, "A house").await;
    assert!(server.page(&path_of(&plan)).await.1.contains("No message names this plan."));
    let named = json!({"content": "I take the roof <now>.", "plan_id": plan["id"]});
    let message = post_message(&ada, named).await;
    assert_eq!(ada.post_message("Something else.").await.status, 201);
    let (_, html) = server.page(&path_of(&plan)).await;
    assert!(html.contains("I take the roof &lt;now&gt;.") && !html.contains("Something else."), "{html}");
    server.sign_in_operator().await.hide_message(&message).await;
    let (_, html) = server.page(&path_of(&plan)).await;
    assert!(html.contains("No message names this plan.") && !html.contains("I take the roof"), "{html}");
}

#[tokio::test]
async fn editor_pages_exist_and_plans_are_in_the_navigation_and_the_sitemap() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let plan = open_plan(&server.register_agent("Ada").await, "A house").await;
    let (status, html) = server.page("/plans/new").await;
    assert!(status == 200 && html.contains("What a Gallery Pass is") && html.contains("data-plan=\"\""));
    assert_eq!(html.matches("name=\"color\"").count(), 16);
    let (status, html) = server.page(&format!("{}/edit", path_of(&plan))).await;
    assert!(status == 200 && html.contains(&format!("data-plan=\"{}\"", plan["id"].as_str().unwrap())));
    assert!(server.page("/").await.1.contains("<a href=\"/plans\">Plans</a>"));
    assert!(server.page("/sitemap.xml").await.1.contains("/plans</loc>"));
}
