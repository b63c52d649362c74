//! The modes of registration: slow for new networks, by approval, and by invitation code.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::actions::{FREE_CONSOLE_SETTINGS, fetch_home, paint};
use crate::support::values::{fields_of, id_of, texts_of};
use crate::support::waiting::wait_until;
use crate::support::{Agent, OperatorBrowser, Reply, Server};

const DAY_SECONDS: i64 = 86_400;

/// Tries to register an agent from an address.
async fn register_from(server: &Server, name: &str, address: &str) -> Reply {
    let request = server.post_request("/api/agents/register").header("X-Forwarded-For", address);
    Reply::fetch(request.json(&json!({"name": name}))).await
}

/// Tries to register an agent with an invitation code.
async fn register_with(server: &Server, name: &str, code: &str) -> Reply {
    server.post("/api/agents/register", json!({"name": name, "invitation_code": code})).await
}

/// Changes the mode of registration, and waits until another instance has it, too.
async fn set_mode(operator: &OperatorBrowser<'_>, other: &Server, mode: &str) {
    operator.change_setting("registration", json!(mode)).await;
    let is_current = async || {
        let settings = other.running().state.settings.current();
        format!("{:?}", settings.values.registration).to_lowercase() == mode
    };
    wait_until(is_current, "the other instance never learns the mode").await;
}

/// Returns the names of the accounts that wait for an approval.
async fn waiting_names(operator: &OperatorBrowser<'_>) -> Vec<String> {
    let page = operator.get("/api/admin/accounts?state=waiting").await.assert_status(200);
    texts_of(&page["accounts"], "name").into_iter().map(str::to_owned).collect()
}

async fn create_code(operator: &OperatorBrowser<'_>, body: Value) -> Value {
    operator.post("/api/admin/invitation-codes", body).await.assert_status(201)
}

#[tokio::test]
async fn a_new_network_registers_one_agent_a_day_until_it_is_established() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let ada = one.register_agent_from("Ada", "203.0.113.5").await;
    let operator = one.sign_in_operator().await;
    set_mode(&operator, &other, "slow").await;
    for server in [&one, &other] {
        let refused = register_from(server, "Bob", "203.0.113.77").await;
        refused.assert_refused(429, "too_many_requests");
        let wait: i64 = refused.header("retry-after").parse().unwrap();
        assert!((DAY_SECONDS - 600..=DAY_SECONDS).contains(&wait), "{wait}");
        assert!(refused.body["detail"].as_str().unwrap().contains("one agent per day"), "{}", refused.body);
    }
    let servers = [&one, &other, &one, &other];
    let names = ["Cyd", "Dee", "Eve", "Fay"];
    let tries = servers.iter().zip(names).map(|(server, name)| register_from(server, name, "198.51.100.1"));
    let statuses: Vec<u16> = join_all(tries).await.iter().map(|reply| reply.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 3, "{statuses:?}");
    for name in ["Zoe", "Yan"] {
        assert_eq!(one.try_register_agent(name).await.status, 201, "this machine is no network");
    }
    paint(&ada, (0..10).map(|x| (x, 90))).await;
    register_from(&one, "Bob", "203.0.113.77").await.assert_refused(429, "too_many_requests");
    one.advance_clock(DAY_SECONDS + 1);
    for name in ["Bob", "Gus"] {
        assert_eq!(register_from(&other, name, "203.0.113.77").await.status, 201, "{name}");
    }
    one.sign_in_operator().await.apply_sanction(&ada, "ban").await;
    let refused = register_from(&other, "Hal", "203.0.113.77").await;
    refused.assert_refused(429, "too_many_requests");
}

/// Asserts that an agent that waits can read, but nothing else.
async fn assert_waits(agent: &Agent<'_>) {
    for refused in [
        agent.paint(1, 1, 5).await,
        agent.post_message("hello").await,
        agent.post("/api/canvas/report", json!({"x1": 0, "y1": 0, "x2": 1, "y2": 1, "reason": "x"})).await,
        agent.post("/api/crews", json!({"name": "Harbour", "visibility": "open"})).await,
    ] {
        refused.assert_refused(403, "forbidden");
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(detail.contains("operator must approve"), "{detail}");
    }
    for path in ["/api/agents/me", "/api/chat", "/api/inbox"] {
        assert_eq!(agent.get(path).await.status, 200, "{path}");
    }
    let home = fetch_home(agent, "").await;
    assert!(home["next"][0]["do"].as_str().unwrap().contains("must approve you"), "{home}");
}

#[tokio::test]
async fn an_agent_can_only_read_until_an_operator_approves_it() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let ada = one.register_agent("Ada").await;
    let operator = one.sign_in_operator().await;
    set_mode(&operator, &other, "approval").await;
    let registered = register_from(&other, "Eve", "203.0.113.5").await.assert_status(201)["agent"].clone();
    assert_eq!(registered["status"], "waiting");
    let key = registered["api_key"].as_str().unwrap().to_owned();
    let eve = Agent { server: &other, id: id_of(&registered).to_owned(), key };
    assert_waits(&eve).await;
    assert_waits(&eve.on(&one)).await;
    let extra = eve.on(&one).with_extra_key(&["paint"]).await;
    extra.paint(1, 1, 5).await.assert_refused(403, "forbidden");
    ada.paint(2, 2, 5).await.assert_status(201);
    assert_eq!(waiting_names(&operator).await, ["Eve"]);
    let active = one.get("/api/agents").await.body;
    assert_eq!(texts_of(&active["agents"], "name"), ["Ada"], "it is not announced to others");
    let (_, page) = operator.page("/admin").await;
    assert!(page.contains("1 agent waits for approval"), "{page}");
    // A change of the mode approves nobody.
    set_mode(&operator, &other, "open").await;
    assert_waits(&eve).await;
    let path = format!("/admin/agents/{}/approve", eve.id);
    assert_eq!(operator.submit(&path, &[("reason", "known")]).await.status, 303);
    assert_eq!(eve.paint(1, 1, 5).await.status, 201, "at once on every instance");
    assert_eq!(extra.paint(1, 1, 6).await.status, 201);
    let can_post = async || eve.post_message("hello").await.status == 201;
    wait_until(can_post, "the other instance never learns of the approval").await;
    operator.post_with_reason(&format!("/api{path}")).await;
    let approvals = "select count(*) from audit where act = 'approve'";
    assert_eq!(one.fetch_number(approvals).await, 1, "it was approved before");
    assert_eq!(waiting_names(&operator).await, [""; 0]);
}

#[tokio::test]
async fn a_refused_agent_is_banned_and_several_are_approved_at_once() {
    let settings = [&FREE_CONSOLE_SETTINGS[..], &[("CARAPLACE_REGISTRATION", "approval")]].concat();
    let mut server = Server::start_with(&settings).await;
    let ids = {
        let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
        let operator = server.sign_in_operator().await;
        operator.apply_sanction(&eve, "ban").await;
        assert_eq!(waiting_names(&operator).await, ["Bob", "Ada"], "newest first");
        eve.paint(1, 1, 5).await.assert_refused(403, "banned");
        operator.apply_sanction(&eve, "unban").await;
        assert_waits(&eve).await;
        [(ada.id, ada.key), (bob.id, bob.key)]
    };
    server.restart().await;
    let operator = server.sign_in_operator().await;
    let listed = operator.get("/api/admin/accounts?state=waiting&sort=oldest").await.body["accounts"].clone();
    assert_eq!((texts_of(&listed, "name").len(), &listed[0]["state"]), (3, &json!(["waiting"])));
    let chosen: Vec<&str> = ids.iter().map(|(id, _)| id.as_str()).collect();
    let act = json!({"ids": chosen, "act": "approve", "reason": "known"});
    let done = operator.post("/api/admin/accounts/act", act).await.assert_status(200);
    assert!(done["results"].as_array().unwrap().iter().all(|result| result["ok"] == true), "{done}");
    for (x, (_, key)) in (0..).zip(&ids) {
        assert_eq!(server.client_with_key(key).paint(x, 1, 5).await.status, 201);
    }
    assert_eq!(waiting_names(&operator).await, ["Eve"]);
}

#[tokio::test]
async fn an_invitation_code_is_needed_and_its_last_use_is_used_once() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let operator = one.sign_in_operator().await;
    let made = create_code(&operator, json!({"uses": 2, "reason": "for friends"})).await;
    let code = made["code"].as_str().unwrap();
    assert_eq!(register_with(&one, "Open", code).await.status, 201, "no code is needed yet");
    set_mode(&operator, &other, "invitation").await;
    for server in [&one, &other] {
        for refused in
            [server.try_register_agent("Ada").await, register_with(server, "Ada", &format!("{code}0")).await]
        {
            refused.assert_field_refused(403, "forbidden", "invitation_code");
        }
        server.mcp(None).call_tool("register", json!({"name": "Ada"})).await.assert_refused("forbidden");
    }
    register_with(&one, "Open", code).await.assert_refused(409, "name_taken");
    assert_eq!(register_with(&one, "Ada", &format!(" {code} ")).await.status, 201);
    let names: Vec<String> = (0..6).map(|number| format!("Racer {number}")).collect();
    let tries = names.iter().zip([&one, &other].into_iter().cycle());
    let replies = join_all(tries.map(|(name, server)| register_with(server, name, code))).await;
    let (admitted, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!(admitted.len(), 1, "one use was left");
    refused.iter().for_each(|reply| reply.assert_refused(403, "forbidden"));
    assert_eq!(one.fetch_number("select used::bigint from invitation_code").await, 2);
    assert_eq!(operator.get("/api/admin/invitation-codes").await.body["codes"], json!([]));
    let page = one.get("/skill.md").await;
    assert!(page.text().contains("`invitation_code`"), "{}", page.text());
}

#[tokio::test]
async fn codes_end_are_revoked_and_stored_as_hashes() {
    let settings = [&FREE_CONSOLE_SETTINGS[..], &[("CARAPLACE_REGISTRATION", "invitation")]].concat();
    let server = Server::start_with(&settings).await;
    let operator = server.sign_in_operator().await;
    for uses in [0, 1_001] {
        let refused =
            operator.post("/api/admin/invitation-codes", json!({"uses": uses, "reason": "x"})).await;
        refused.assert_field_refused(400, "invalid_field", "uses");
    }
    let moderator = server.invite_operator("moderator", "Grace").await;
    let refused = moderator.post("/api/admin/invitation-codes", json!({"uses": 1, "reason": "x"})).await;
    refused.assert_refused(403, "scope_missing");
    let until = server.clock.now() + TimeDelta::hours(1);
    let short = create_code(&operator, json!({"uses": 5, "until": until, "reason": "an hour"})).await;
    let shown = operator.submit("/admin/invitation-codes", &[("uses", "5"), ("reason", "friends")]).await;
    assert_eq!(shown.status, 200, "{}", shown.text());
    let (_, rest) = shown.text().split_once("<code>cpn_").unwrap();
    let long = format!("cpn_{}", rest.split('<').next().unwrap());
    let listed = operator.get("/api/admin/invitation-codes").await;
    let codes = &listed.body["codes"];
    assert_eq!(fields_of(&codes[0], ["uses", "used", "until"]), json!([5, 0, null]));
    assert_eq!(codes.as_array().unwrap().len(), 2);
    let stored: String = server.fetch_scalar("select string_agg(c::text, ' ') from invitation_code c").await;
    for secret in [short["code"].as_str().unwrap(), &long] {
        assert!(!stored.contains(secret) && !listed.text().contains(secret), "{stored}");
    }
    assert_eq!(register_with(&server, "Ada", &long).await.status, 201);
    let revoke = format!("/api/admin/invitation-codes/{}/revoke", id_of(&codes[0]));
    operator.post_with_reason(&revoke).await;
    operator.post(&revoke, json!({"reason": "twice"})).await.assert_refused(404, "not_found");
    register_with(&server, "Bob", &long).await.assert_refused(403, "forbidden");
    let short = short["code"].as_str().unwrap();
    assert_eq!(register_with(&server, "Bob", short).await.status, 201);
    server.advance_clock(3_601);
    register_with(&server, "Cyd", short).await.assert_refused(403, "forbidden");
}
