//! Plans of shadow-banned authors, and plans that operators have taken down.

use caraplace_log::audit_reason::AuditReason;
use serde_json::{Value, json};

use super::{
    PLAN_SETTINGS, change, close, list_titles, new_plan, paint, path_of, progress, read_events, read_plan,
    titles,
};
use crate::support::actions::open_plan;
use crate::support::values::fields_of;
use crate::support::waiting::wait_until;
use crate::support::{Agent, Server};

async fn titles_for(agent: &Agent<'_>, query: &str) -> Vec<String> {
    titles(&agent.get(&format!("/api/plans?{query}")).await.body)
}

#[tokio::test]
async fn only_its_author_sees_the_plan_of_a_shadow_banned_agent() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    open_plan(&ada, new_plan("first", 1, 1)).await;
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let head = server.head().await;
    let plan = open_plan(&eve, new_plan("hidden door", 2, 1)).await;
    assert_eq!(server.head().await, head, "it is no event");
    server.advance_clock(60);
    open_plan(&ada, new_plan("last", 1, 1)).await;
    paint(&eve, &[(11, 20, 5)]).await;
    let own = eve.get(&path_of(&plan)).await;
    assert_eq!((own.status, &own.body["plan"]["progress"]), (200, &progress(2, 1, 0)), "{}", own.body);
    assert_eq!(own.body["plan"]["helpers"][0]["agent_name"], "Eve");
    assert_eq!(titles_for(&eve, "").await, ["last", "hidden door", "first"]);
    assert_eq!(titles_for(&eve, "state=open&near=0,0").await, ["last", "hidden door", "first"]);
    assert_eq!(eve.get("/api/plans?limit=2").await.body["next_before"], plan["id"]);
    let rest = format!("before={}", plan["id"].as_str().unwrap());
    assert_eq!(titles_for(&eve, &rest).await, ["first"]);
    let author = format!("author={}", eve.id);
    assert_eq!(titles_for(&eve, &author).await, ["hidden door"]);
    let path = path_of(&plan);
    for other in [Some(&ada), None] {
        let read = async |path: &str| server.get_as(other, path).await;
        read(&path).await.assert_refused(404, "not_found");
        read(&format!("{path}/next")).await.assert_refused(404, "not_found");
        read(&format!("/api/plans?{rest}")).await.assert_refused(400, "bad_cursor");
        assert_eq!(titles(&read("/api/plans").await.body), ["last", "first"]);
        assert_eq!(titles(&read(&format!("/api/plans?{author}")).await.body), [""; 0]);
    }
    ada.post(&format!("{path}/claims"), json!({"n": 1})).await.assert_refused(404, "not_found");
    close(&ada, &plan).await.assert_refused(404, "not_found");
    let body = json!({"expected_version": 1, "title": "mine"});
    change(&ada, &plan, body).await.assert_refused(404, "not_found");
    let claimed = eve.post(&format!("{path}/claims"), json!({"n": 9})).await;
    assert_eq!((claimed.status, claimed.body["pixels"].as_array().unwrap().len()), (201, 1));
    let changed = change(&eve, &plan, json!({"expected_version": 1, "title": "secret door"})).await;
    assert_eq!((changed.status, &changed.body["plan"]["version"]), (200, &json!(2)), "{}", changed.body);
    let closed = close(&eve, &plan).await;
    assert_eq!((closed.status, &closed.body["plan"]["state"]), (200, &json!("closed")), "{}", closed.body);
    assert_eq!(titles_for(&eve, "state=closed").await, ["secret door"]);
    assert_eq!(list_titles(&server, "state=closed").await, [""; 0]);
    let events = read_events(&server, 1).await.to_string();
    assert!(!events.contains(plan["id"].as_str().unwrap()), "{events}");
}

#[tokio::test]
async fn a_plan_that_was_taken_down_is_not_found() {
    let [server, other] = Server::start_two_instances(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, new_plan("ugly", 2, 1)).await;
    super::wait_for_state(&other, &plan, "open").await;
    set_hidden(&server, &plan, true).await;
    let path = path_of(&plan);
    for instance in [&server, &other] {
        wait_until(async || instance.get(&path).await.status == 404, "it is still there").await;
        instance.get(&format!("{path}/next")).await.assert_refused(404, "not_found");
        assert_eq!(list_titles(instance, "").await, [""; 0]);
        assert_eq!(list_titles(instance, "near=10,20&state=closed").await, [""; 0]);
    }
    ada.get(&path).await.assert_refused(404, "not_found");
    assert_eq!(titles_for(&ada, "").await, [""; 0]);
    close(&ada, &plan).await.assert_refused(404, "not_found");
    ada.post(&format!("{path}/claims"), json!({"n": 1})).await.assert_refused(404, "not_found");
    set_hidden(&server, &plan, false).await;
    assert_eq!(read_plan(&server, &plan).await["state"], "closed");
}

async fn set_hidden(server: &Server, plan: &Value, hidden: bool) {
    let id = rules::ids::PlanId::parse(plan["id"].as_str().unwrap()).unwrap();
    let reason = AuditReason::new("test", "ugly").unwrap();
    caraplace_canvas::plans::hide::set_hidden(&server.running().state, reason, id, hidden).await.unwrap();
}

#[tokio::test]
async fn only_a_shadow_banned_author_sees_its_changes_of_a_public_plan() {
    let [server, other] = Server::start_two_instances(&PLAN_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let plan = open_plan(&eve, new_plan("door", 2, 1)).await;
    paint(&ada, &[(10, 20, 5)]).await;
    let public = read_plan(&server, &plan).await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "shadow").await;
    let head = server.head().await;
    let body = json!({"expected_version": 1, "title": "rude door", "note": "rude", "x": 9, "rows": ["75"]});
    let changed = change(&eve, &plan, body).await;
    assert_eq!((changed.status, &changed.body["plan"]["version"]), (200, &json!(2)), "{}", changed.body);
    let own = &changed.body["plan"];
    let expected = json!(["rude door", ["75"], progress(2, 1, 0)]);
    assert_eq!(fields_of(own, ["title", "rows", "progress"]), expected);
    assert_eq!((server.head().await, &read_plan(&server, &plan).await), (head, &public), "it is no event");
    let path = path_of(&plan);
    let eve_there = eve.on(&other);
    for agent in [&eve, &eve_there] {
        assert_eq!(&agent.get(&path).await.body["plan"], own);
        assert_eq!(titles_for(agent, "").await, ["rude door"]);
        assert_eq!(titles_for(agent, "state=open&near=0,0").await, ["rude door"]);
        let next = agent.get(&format!("{path}/next")).await.body["pixels"].clone();
        assert_eq!(next, json!([{"x": 9, "y": 20, "color": 7, "expected_color": 0}]));
    }
    let claimed = eve.post(&format!("{path}/claims"), json!({"n": 9})).await.body["pixels"].clone();
    assert_eq!(claimed[0]["x"], 9);
    let pixel = json!({"x": 10, "y": 20, "color": 6, "chat_digest": server.digest().await, "dry_run": true});
    for (agent, title, left) in [(&eve, "rude door", 1), (&ada, "door", 1)] {
        let home = agent.get("/api/home").await.body["plans"].clone();
        assert_eq!((&home[0]["title"], &home[0]["left"]), (&json!(title), &json!(left)), "{home}");
        let effects = agent.post("/api/pixel", pixel.clone()).await.body["plans"].clone();
        assert_eq!(effects.as_array().unwrap().len(), 1, "{effects}");
        assert_eq!(effects[0]["title"], json!(title), "{effects}");
    }
    for reply in [ada.get(&path).await, other.get(&path).await] {
        assert_eq!(reply.body["plan"], public);
    }
    assert_eq!(titles_for(&ada, "").await, ["door"]);
    let title = |version: i64, title: &str| json!({"expected_version": version, "title": title});
    let stale = change(&eve_there, &plan, title(1, "door 2")).await;
    stale.assert_refused(409, "plan_changed");
    assert_eq!(stale.body["version"], 2);
    assert_eq!(change(&eve_there, &plan, title(2, "door 2")).await.body["plan"]["version"], 3);
    assert_eq!(read_plan(&server, &plan).await, public);
    operator.apply_sanction(&eve, "unshadow").await;
    assert_eq!(eve.get(&path).await.body["plan"], public, "it sees what everyone sees again");
    let changed = change(&eve, &plan, title(1, "a tidy door")).await;
    assert_eq!((changed.status, &changed.body["plan"]["version"]), (200, &json!(2)), "{}", changed.body);
    assert_eq!(read_plan(&server, &plan).await, changed.body["plan"]);
}

#[tokio::test]
async fn a_shadow_banned_author_finds_its_changed_plan_by_the_words_that_it_sees() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let plan = open_plan(&eve, new_plan("brown door", 2, 1)).await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "shadow").await;
    let body = json!({"expected_version": 1, "title": "green gate", "x": 30});
    change(&eve, &plan, body).await.assert_status(200);
    let find = async |agent: &Agent<'_>, word: &str| {
        let found = agent.get(&format!("/api/search?in=plans&q={word}")).await.assert_status(200);
        let results = found["results"].as_array().unwrap().iter();
        results.map(|result| json!([result["text"], result["x"]])).collect::<Vec<_>>()
    };
    assert_eq!(find(&eve, "gate").await, [json!(["green gate", 30])]);
    assert_eq!(find(&ada, "brown").await, [json!(["brown door", 10])]);
    for (agent, word) in [(&eve, "brown"), (&ada, "gate")] {
        assert_eq!(find(agent, word).await, [Value::Null; 0], "{word}");
    }
    operator.apply_sanction(&eve, "unshadow").await;
    assert_eq!(find(&eve, "gate").await, [Value::Null; 0]);
    assert_eq!(find(&eve, "brown").await, [json!(["brown door", 10])]);
}
