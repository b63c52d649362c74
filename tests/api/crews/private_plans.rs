//! Plans of crews by invitation: nobody but the members sees anything of them.

use std::sync::Arc;

use caraplace_canvas::plans::part::Plans;
use caraplace_canvas::plans::views::find_stored_plan;
use caraplace_log::part::Part as _;
use rules::ids::PlanId;
use rules::plan::record::PlanRecord;
use serde_json::{Value, json};

use super::plans::{change_plan, close_plan, new_plan, open_plan, plan_path, titles};
use super::{SETTINGS, act, change};
use crate::support::actions::{fetch_home, found_crew_of, post_message};
use crate::support::values::id_of;
use crate::support::waiting::{wait_for_finished_plan, wait_for_plan_end};
use crate::support::{Agent, Reply, Server};

/// Settings in which placements and messages cost nothing.
pub(super) fn settings() -> Vec<(&'static str, &'static str)> {
    let free = [
        ("CARAPLACE_CHARGE_SECONDS", "0"),
        ("CARAPLACE_MAX_CHARGES", "1000"),
        ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
        ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ];
    SETTINGS.into_iter().chain(free).collect()
}

/// Founds a crew of two by invitation.
async fn found_pair(owner: &Agent<'_>, member: &Agent<'_>) -> Value {
    found_crew_of(owner, "Secret", "invite", &[member]).await
}

/// Places a pixel at (x, 20) that names a plan.
async fn paint(agent: &Agent<'_>, (x, color): (i64, i64), plan: &Value) -> Reply {
    let digest = agent.server.digest().await;
    let body = json!({"x": x, "y": 20, "color": color, "chat_digest": digest, "plan_id": plan["id"]});
    agent.post("/api/pixel", body).await
}

fn progress(plan: &Value) -> [i64; 3] {
    ["done", "left", "damaged"].map(|name| plan["progress"][name].as_i64().unwrap())
}

async fn read(agent: &Agent<'_>, plan: &Value) -> Value {
    agent.get(&plan_path(plan)).await.assert_status(200)["plan"].clone()
}

/// Asserts that nothing of a plan is to be seen for a caller.
async fn assert_unseen(server: &Server, caller: Option<&Agent<'_>>, plan: &Value, crew: &Value) {
    let get = async |path: &str| server.get_as(caller, path).await;
    let (path, id, crew_id) = (plan_path(plan), id_of(plan), id_of(crew));
    for path in [path.clone(), format!("{path}/next")] {
        get(&path).await.assert_refused(404, "not_found");
    }
    get(&format!("/api/plans?before={id}")).await.assert_refused(400, "bad_cursor");
    for page in ["", "/target.png", "/edit", "/placements"] {
        assert_eq!(get(&format!("/plans/{id}{page}")).await.status, 404, "{page}");
    }
    for query in ["", "?near=10,20", "?author=Ada", "?state=open", &format!("?crew={crew_id}")] {
        assert_eq!(titles(&get(&format!("/api/plans{query}")).await), [""; 0], "{query}");
    }
    let found = get("/api/search?q=vault&in=plans,crews,chat").await;
    assert_eq!(found.body["results"], json!([]), "{}", found.body);
    let pixel = get("/api/pixel?x=10&y=20").await.body;
    assert!(!pixel.to_string().contains(id), "{pixel}");
    assert!(!String::from_utf8(get("/plans").await.bytes).unwrap().contains(id));
}

#[tokio::test]
async fn only_members_see_it() {
    let server = Server::start_with(&settings()).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let crew = found_pair(&ada, &bob).await;
    let head = server.head().await;
    let plan = open_plan(&ada, "A vault", &crew).await;
    assert_eq!(server.head().await, head, "it is no event");
    assert_eq!(paint(&bob, (10, 5), &plan).await.status, 201);
    for member in [&ada, &bob] {
        assert_eq!(progress(&read(member, &plan).await), [1, 1, 0]);
        let crew_query = format!("/api/plans?crew={}", id_of(&crew));
        for path in ["/api/plans", "/api/plans?near=0,0&state=open", "/api/plans?author=ada", &crew_query] {
            assert_eq!(titles(&member.get(path).await), ["A vault"], "{path}");
        }
        let found = member.get("/api/search?q=vault&in=plans").await.body;
        assert_eq!(found["results"][0]["id"], plan["id"], "{found}");
        assert_eq!(member.get("/api/pixel?x=10&y=20").await.body["plan_id"], plan["id"]);
        let home = fetch_home(member, "max_tokens=4096").await;
        assert_eq!(home["plans"][0]["title"], "A vault", "{home}");
        let next = member.get(&format!("{}/next", plan_path(&plan))).await.body;
        assert_eq!(next["pixels"].as_array().unwrap().len(), 1);
    }
    for stranger in [Some(&eve), None] {
        assert_unseen(&server, stranger, &plan, &crew).await;
    }
    assert_eq!(fetch_home(&eve, "max_tokens=4096").await["plans"], Value::Null);
    let body = json!({"expected_version": 1, "title": "x"});
    change_plan(&eve, &plan, body).await.assert_refused(404, "not_found");
    close_plan(&eve, &plan).await.assert_refused(404, "not_found");
    eve.post(&format!("{}/claims", plan_path(&plan)), json!({"n": 1})).await.assert_refused(404, "not_found");
    paint(&eve, (11, 5), &plan).await.assert_field_refused(400, "invalid_field", "plan_id");
    let named = json!({"content": "hello", "plan_id": plan["id"]});
    eve.post("/api/chat", named).await.assert_refused(400, "invalid_field");
    let claimed = bob.post(&format!("{}/claims", plan_path(&plan)), json!({"n": 9})).await;
    assert_eq!((claimed.status, claimed.body["pixels"].as_array().unwrap().len()), (201, 1));
}

#[tokio::test]
async fn dry_runs_and_messages_of_members_tell_others_nothing() {
    let server = Server::start_with(&settings()).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let plan = open_plan(&ada, "A vault", &found_pair(&ada, &bob).await).await;
    let dry_run = async |agent: &Agent<'_>| {
        let digest = server.digest().await;
        let body = json!({"x": 10, "y": 20, "color": 5, "chat_digest": digest, "dry_run": true});
        agent.post("/api/pixel", body).await.body["plans"].clone()
    };
    assert_eq!(dry_run(&bob).await[0]["title"], "A vault");
    assert_eq!(dry_run(&eve).await, json!([]));
    let message = post_message(&bob, json!({"content": "on it", "plan_id": plan["id"]})).await;
    assert_eq!(message.get("plan_id"), None, "the chat is for everyone");
    let listed = server.mcp(Some(&eve.key)).call_tool_ok("plans", json!({})).await;
    assert_eq!(listed.structured["plans"], json!([]));
    let call = server.mcp(Some(&eve.key)).call_tool("plans", json!({"id": plan["id"]})).await;
    call.assert_refused("not_found");
    let listed = server.mcp(Some(&bob.key)).call_tool_ok("plans", json!({})).await;
    assert_eq!(listed.structured["plans"][0]["id"], plan["id"]);
}

#[tokio::test]
async fn a_former_member_loses_it() {
    let server = Server::start_with(&settings()).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found_pair(&ada, &bob).await;
    let plan = open_plan(&bob, "A vault", &crew).await;
    assert_eq!(paint(&bob, (10, 5), &plan).await.status, 201);
    assert_eq!(act(&bob, &crew, "leave").await.status, 200);
    assert_unseen(&server, Some(&bob), &plan, &crew).await;
    assert_eq!(fetch_home(&bob, "max_tokens=4096").await["plans"], Value::Null);
    close_plan(&bob, &plan).await.assert_refused(404, "not_found");
    paint(&bob, (11, 5), &plan).await.assert_refused(400, "invalid_field");
    assert_eq!(close_plan(&ada, &plan).await.status, 200, "the crew keeps it");
}

#[tokio::test]
async fn plans_of_former_members_do_not_count_as_open() {
    let server = Server::start_with(&settings()).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found_pair(&ada, &bob).await;
    for number in 0..3 {
        open_plan(&bob, &format!("Vault {number}"), &crew).await;
        server.advance_clock(60);
    }
    let public = json!({"title": "A roof", "x": 10, "y": 20, "rows": ["55"]});
    bob.post("/api/plans", public.clone()).await.assert_refused(409, "limit_reached");
    assert_eq!(act(&bob, &crew, "leave").await.status, 200);
    bob.post("/api/plans", public).await.assert_status(201);
}

#[tokio::test]
async fn its_progress_counts_damage_and_it_ends() {
    let mut server = Server::start_with(&settings()).await;
    let (ada_id, ada_key, plan) = {
        let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
        let mut body = new_plan("A vault", &found_pair(&ada, &bob).await);
        body["expires_in"] = json!(600);
        let plan = ada.post("/api/plans", body).await.body["plan"].clone();
        for color in [5, 6] {
            assert_eq!(paint(&bob, (10, color), &plan).await.status, 201);
        }
        assert_eq!(progress(&read(&ada, &plan).await), [0, 2, 1]);
        let changed = change_plan(&bob, &plan, json!({"expected_version": 1, "title": "A big vault"})).await;
        assert_eq!((changed.status, progress(&changed.body["plan"])), (200, [0, 2, 1]), "{}", changed.body);
        assert_eq!(paint(&bob, (11, 5), &plan).await.status, 201);
        (ada.id.clone(), ada.key.clone(), plan)
    };
    server.restart().await;
    let ada = Agent { server: &server, id: ada_id, key: ada_key };
    assert_eq!(read(&ada, &plan).await["title"], "A big vault");
    assert_eq!(progress(&read(&ada, &plan).await), [1, 1, 1]);
    server.advance_clock(601);
    let plan = wait_for_plan_end(async || read(&ada, &plan).await).await;
    assert_eq!((&plan["state"], progress(&plan)), (&json!("expired"), [1, 1, 1]));
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn it_stays_finished_after_damage() {
    let server = Server::start_with(&settings()).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_plan(&ada, "A vault", &found_pair(&ada, &bob).await).await;
    for x in [10, 11] {
        assert_eq!(paint(&bob, (x, 5), &plan).await.status, 201);
    }
    wait_for_finished_plan(async || read(&ada, &plan).await).await;
    assert_eq!(paint(&bob, (10, 6), &plan).await.status, 201);
    let damaged = read(&ada, &plan).await;
    assert_eq!((&damaged["state"], progress(&damaged)), (&json!("finished"), [1, 1, 1]), "{damaged}");
    assert_eq!(ada.get(&format!("{}/next", plan_path(&plan))).await.body["pixels"], json!([]));
    assert_eq!(fetch_home(&ada, "").await["plans"], Value::Null);
    assert_eq!(titles(&ada.get("/api/plans?state=open").await), [""; 0]);
}

#[tokio::test]
async fn a_crew_that_was_taken_down_hides_its_plans() {
    let server = Server::start_with(&settings()).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found_pair(&ada, &bob).await;
    let plan = open_plan(&ada, "A vault", &crew).await;
    server.execute("update crew set hidden = true").await;
    assert_unseen(&server, Some(&ada), &plan, &crew).await;
}

#[tokio::test]
async fn that_of_a_shadow_banned_member_is_seen_by_it_alone() {
    let server = Server::start_with(&settings()).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let crew = found_pair(&ada, &eve).await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "shadow").await;
    let plan = open_plan(&eve, "A vault", &crew).await;
    assert_eq!(titles(&eve.get("/api/plans").await), ["A vault"]);
    assert_unseen(&server, Some(&ada), &plan, &crew).await;
    operator.apply_sanction(&eve, "unshadow").await;
    assert_unseen(&server, Some(&ada), &plan, &crew).await;
    assert_eq!(change(&ada, &crew, json!({"visibility": "open"})).await.status, 200);
    assert_unseen(&server, None, &plan, &crew).await;
}

#[tokio::test]
async fn all_of_them_can_be_listed() {
    let server = Server::start_with(&settings()).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found_pair(&ada, &bob).await;
    assert_eq!(close_plan(&ada, &open_plan(&ada, "A vault", &crew).await).await.status, 200);
    let copy = "insert into plan
                select (jsonb_populate_record(p, jsonb_build_object('no', p.no - n, 'id', 'plan_' || md5(n::text)))).*
                from plan p, generate_series(1, 300) n";
    server.execute(copy).await;
    server.execute("alter table plan alter column no restart with -1000").await;
    server.advance_clock(60);
    open_plan(&ada, "Another one", &crew).await;
    for (query, count) in [("", 302), ("&state=closed", 301), ("&state=open", 1), ("&near=0,0", 302)] {
        let (mut ids, mut before) = (Vec::new(), String::new());
        loop {
            let page = bob.get(&format!("/api/plans?limit=100{query}{before}")).await.body;
            let plans = page["plans"].as_array().unwrap();
            ids.extend(plans.iter().map(|plan| id_of(plan).to_owned()));
            let Some(next) = page["next_before"].as_str() else { break };
            before = format!("&before={next}");
        }
        let listed = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!((listed, ids.len()), (count, count), "{query}");
    }
}

#[tokio::test]
async fn an_unanswered_change_of_a_private_plan_is_found_in_the_database() {
    let server = Server::start_with(&settings()).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let plan = open_plan(&ada, "A vault", &found_pair(&ada, &bob).await).await;
    let id = PlanId::parse(id_of(&plan)).unwrap();
    let stored = find_stored_plan(&server.running().state, &id).await.unwrap().unwrap();
    let is_stored = async |record: PlanRecord| {
        let mut part = Plans::default();
        part.change(Arc::new(record));
        part.is_stored(&mut server.pool.acquire().await.unwrap()).await.unwrap()
    };
    let record = || PlanRecord::clone(&stored);
    assert_eq!(is_stored(record()).await, Some(true));
    assert_eq!(is_stored(PlanRecord { version: 2, ..record() }).await, Some(false));
    assert_eq!(is_stored(PlanRecord { is_hidden: true, ..record() }).await, Some(false));
    assert_eq!(is_stored(PlanRecord { id: "plan_of_a_lost_batch".into(), ..record() }).await, Some(false));
}
