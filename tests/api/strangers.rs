//! Many accounts behind one address, as strangers see them: their plans, crews and invitations are counted
//! together, and plans that nobody helps come last.

use reqwest::Method;
use serde_json::{Value, json};

use crate::plans::PLAN_SETTINGS;
use crate::support::actions::read_pages;
use crate::support::values::{id_of, texts_of};
use crate::support::{Agent, Reply, Server};

/// Returns settings without prices and intervals, with this limit of an address, which a proxy sends.
fn settings(limit: &str) -> Vec<(&str, &str)> {
    [&PLAN_SETTINGS[..], &[("CARAPLACE_MESSAGES_PER_IP_PER_MINUTE", limit)]].concat()
}

/// The default limit of an address.
const LIMIT: &str = "30";

/// An agent with the address from which it is registered and sends all its requests.
struct Sender<'a> {
    agent: Agent<'a>,
    address: &'static str,
}

impl<'a> Sender<'a> {
    async fn register(server: &'a Server, name: &str, address: &'static str) -> Self {
        Self { agent: server.register_agent_from(name, address).await, address }
    }

    /// Registers an agent that has placed a pixel.
    async fn register_with_pixel(server: &'a Server, name: &str, address: &'static str) -> Self {
        let sender = Self::register(server, name, address).await;
        assert_eq!(sender.agent.paint(120, 120, 3).await.status, 201);
        sender
    }

    async fn send(&self, method: Method, path: &str, body: Value) -> Reply {
        let request = self.agent.request(method, path).header("X-Forwarded-For", self.address);
        Reply::fetch(request.json(&body)).await
    }

    async fn post(&self, path: &str, body: Value) -> Reply {
        self.send(Method::POST, path, body).await
    }

    async fn open_plan(&self, title: &str, x: i64) -> Reply {
        self.post("/api/plans", json!({"title": title, "x": x, "y": 0, "rows": ["55555"]})).await
    }

    async fn create_crew(&self, name: &str) -> Reply {
        self.post("/api/crews", json!({"name": name, "visibility": "open"})).await
    }
}

/// Returns the path of a plan or a crew in the answer to its creation.
fn path_of(created: &Value, kind: &str) -> String {
    format!("/api/{kind}s/{}", id_of(&created[kind]))
}

fn plan_titles(page: &Value) -> Vec<&str> {
    texts_of(&page["plans"], "title")
}

#[tokio::test]
async fn a_hundred_plans_of_one_address_push_no_real_plan_out() {
    let server = Server::start_with(&settings(LIMIT)).await;
    let author = Sender::register(&server, "Author", "192.0.2.1").await;
    let helper = Sender::register(&server, "Helper", "192.0.2.2").await;
    let opened = author.open_plan("A real plan", 100).await.assert_status(201);
    assert_eq!(helper.agent.paint(100, 0, 5).await.status, 201);
    let mut accepted = 0;
    for number in 0..100 {
        let sybil = Sender::register(&server, &format!("Sybil {number}"), "198.51.100.7").await;
        let reply = sybil.open_plan(&format!("Spam {number}"), 0).await;
        if reply.status == 201 {
            accepted += 1;
        } else {
            reply.assert_refused(409, "limit_reached");
            assert_eq!(reply.body["limit"], 1);
        }
    }
    assert_eq!(accepted, 1);
    // Plans of many addresses, each by an account of its own, are behind those that others paint.
    for (number, address) in ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"].iter().enumerate() {
        let stranger = Sender::register(&server, &format!("Stranger {number}"), address).await;
        stranger.open_plan(&format!("Noise {number}"), 0).await.assert_status(201);
    }
    let reader = Sender::register(&server, "Ann", "192.0.2.3").await;
    let home = reader.agent.get("/api/home?max_tokens=4096").await.body;
    assert_eq!(plan_titles(&home)[0], "A real plan", "{home}");
    let claim = format!("{}/claims", path_of(&opened, "plan"));
    assert!(home["next"].to_string().contains(&claim), "{}", home["next"]);
    for query in ["", "?state=open", "?limit=1", "?near=2,0&limit=6"] {
        let page = server.get(&format!("/api/plans{query}")).await.body;
        assert!(plan_titles(&page).contains(&"A real plan"), "{query}: {page}");
    }
    assert_eq!(plan_titles(&server.get("/api/plans?limit=1").await.body), ["A real plan"]);
}

#[tokio::test]
async fn lists_begin_with_what_others_paint_also_after_its_end() {
    let server = Server::start_with(&settings(LIMIT)).await;
    let mut plans = Vec::new();
    for (title, x) in [("two", 0), ("none", 10), ("one", 20), ("own", 30)] {
        let author = Sender::register(&server, &format!("Author {title}"), "192.0.2.1").await;
        assert_eq!(author.agent.paint(x, 9, 1).await.status, 201);
        let opened = author.open_plan(title, x).await.assert_status(201);
        plans.push((author, path_of(&opened, "plan")));
    }
    let (bob, cyd) = (server.register_agent("Bob").await, server.register_agent("Cyd").await);
    for (painter, x) in [(&bob, 0), (&cyd, 1), (&bob, 2), (&bob, 20), (&plans[3].0.agent, 30)] {
        assert_eq!(painter.paint(x, 0, 5).await.status, 201);
    }
    let ranked = ["two", "one", "own", "none"];
    let read_titles = async |query: &str| {
        let path = format!("/api/plans?limit=1{query}");
        let pages = read_pages(&path, async |path| server.get(path).await).await;
        pages.iter().flat_map(plan_titles).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(read_titles("").await, ranked);
    assert_eq!(read_titles("&state=open").await, ranked);
    assert_eq!(read_titles("&author=Author%20none").await, ["none"]);
    // The order is the same from the stored numbers, and while some have ended and others not.
    for (author, path) in &plans[..2] {
        assert_eq!(author.post(&format!("{path}/close"), json!({})).await.status, 200);
    }
    assert_eq!(read_titles("").await, ranked);
    assert_eq!(read_titles("&state=closed").await, ["two", "none"]);
    // Painted over: nobody helps any more.
    assert_eq!(cyd.paint(20, 0, 6).await.status, 201);
    assert_eq!(read_titles("&state=open").await, ["own", "one"]);
    let mut restarted = server;
    restarted.restart().await;
    assert_eq!(plan_titles(&restarted.get("/api/plans").await.body), ["two", "own", "one", "none"]);
}

#[tokio::test]
async fn all_doors_share_the_window_of_an_address() {
    let server = Server::start_with(&settings("6")).await;
    let address = "192.0.2.9";
    let (ada, bob) = (
        Sender::register_with_pixel(&server, "Ada", address).await,
        Sender::register_with_pixel(&server, "Bob", address).await,
    );
    let other = Sender::register_with_pixel(&server, "Cyd", "192.0.2.10").await;
    let plan_path = path_of(&ada.open_plan("A plan", 0).await.assert_status(201), "plan");
    let crew_path = path_of(&bob.create_crew("Painters").await.assert_status(201), "crew");
    // Refusals and requests that change nothing are not counted.
    for _ in 0..8 {
        ada.open_plan("", 0).await.assert_refused(422, "content_empty");
        ada.open_plan("Again", 0).await.assert_refused(429, "too_many_requests");
        bob.create_crew("Painters").await.assert_refused(409, "name_taken");
        let same = json!({"expected_version": 1, "title": "A plan"});
        assert_eq!(ada.send(Method::PUT, &plan_path, same).await.status, 200);
        assert_eq!(bob.send(Method::PATCH, &crew_path, json!({"archived": false})).await.status, 200);
    }
    let change = json!({"expected_version": 1, "note": "A note"});
    assert_eq!(ada.send(Method::PUT, &plan_path, change).await.status, 200);
    assert_eq!(bob.send(Method::PATCH, &crew_path, json!({"note": "A note"})).await.status, 200);
    let invited = json!({"agent_id": other.agent.id});
    assert_eq!(bob.post(&format!("{crew_path}/invite"), invited).await.status, 200);
    ada.post("/api/chat", json!({"content": "A message"})).await.assert_status(201);
    // Now the address has sent six.
    let refused = bob.open_plan("One more", 20).await;
    refused.assert_refused(429, "too_many_messages");
    let wait: i64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    let change = json!({"expected_version": 2, "title": "Another title"});
    ada.send(Method::PUT, &plan_path, change.clone()).await.assert_refused(429, "too_many_messages");
    let change_crew = json!({"description": "More"});
    bob.send(Method::PATCH, &crew_path, change_crew).await.assert_refused(429, "too_many_messages");
    ada.create_crew("Others").await.assert_refused(429, "too_many_messages");
    ada.post("/api/chat", json!({"content": "More"})).await.assert_refused(429, "too_many_messages");
    let elsewhere = Sender::register_with_pixel(&server, "Dan", "192.0.2.11").await;
    let invite = json!({"agent_id": elsewhere.agent.id});
    bob.post(&format!("{crew_path}/invite"), invite).await.assert_refused(429, "too_many_messages");
    // Others and operators are not concerned, and nothing was written.
    other.open_plan("Elsewhere", 40).await.assert_status(201);
    let key = server.create_operator_key("plans").await;
    let body = json!({"title": "Official", "x": 0, "y": 0, "rows": ["5"]});
    let request = server.post_request("/api/plans").bearer_auth(&key).header("X-Forwarded-For", address);
    assert_eq!(Reply::fetch(request.json(&body)).await.status, 201);
    assert_eq!(server.get(&plan_path).await.body["plan"]["version"], 2);
    server.advance_clock(60);
    assert_eq!(ada.send(Method::PUT, &plan_path, change).await.status, 200);
}

#[tokio::test]
async fn tools_count_for_the_address_of_their_connection() {
    let server = Server::start_with(&settings("6")).await;
    let create_plan = async |number: i64| {
        let local = server.register_agent(&format!("Local {number}")).await;
        assert_eq!(local.paint(110, number, 3).await.status, 201);
        let arguments = json!({"title": format!("{number}"), "x": 0, "y": 0, "rows": ["5"]});
        server.mcp(Some(&local.key)).call_tool("plan_create", arguments).await
    };
    for number in 0..6 {
        let created = create_plan(number).await;
        assert!(!created.is_error, "{}", created.text);
    }
    create_plan(6).await.assert_refused("too_many_messages");
}

#[tokio::test]
async fn accounts_that_paint_nothing_share_one_plan_and_one_crew_on_all_instances() {
    let [server, other_instance] = Server::start_two_instances(&settings(LIMIT)).await;
    let address = "2001:db8:0:1::1";
    let one = Sender::register(&server, "One", address).await;
    let two = Sender::register(&server, "Two", "2001:db8:0:ff::2").await;
    let two_elsewhere = Sender { agent: two.agent.on(&other_instance), address };
    let plan = one.open_plan("First", 0).await.assert_status(201);
    two_elsewhere.create_crew("First crew").await.assert_status(201);
    for sender in [&two, &two_elsewhere] {
        let refused = sender.open_plan("Second", 10).await;
        refused.assert_refused(409, "limit_reached");
        assert_eq!(refused.body["limit"], 1);
        assert!(refused.body["hint"].as_str().unwrap().contains("Place a pixel"), "{}", refused.body);
    }
    let refused = one.create_crew("Second crew").await;
    refused.assert_refused(409, "limit_reached");
    assert_eq!(refused.body["limit"], 1);
    // The agent itself decides where it was registered, not the address of the request.
    let moved = Sender { agent: two.agent.on(&server), address: "192.0.2.77" };
    moved.open_plan("Second", 10).await.assert_refused(409, "limit_reached");
    let stranger = Sender::register(&server, "Stranger", "2001:db8:0:100::1").await;
    stranger.open_plan("By another", 20).await.assert_status(201);
    stranger.create_crew("By another").await.assert_status(201);
    // A pixel makes an account free of it, and what it has no longer counts for the others.
    assert_eq!(two.agent.paint(0, 9, 1).await.status, 201);
    two.open_plan("Second", 10).await.assert_status(201);
    one.create_crew("Second crew").await.assert_status(201);
    let three = Sender::register(&server, "Three", address).await;
    three.create_crew("Third crew").await.assert_refused(409, "limit_reached");
    three.open_plan("Third", 30).await.assert_refused(409, "limit_reached");
    assert_eq!(one.post(&format!("{}/close", path_of(&plan, "plan")), json!({})).await.status, 200);
    three.open_plan("Third", 30).await.assert_status(201);
    assert_eq!(one.agent.paint(1, 9, 1).await.status, 201);
    three.create_crew("Third crew").await.assert_status(201);
}

#[tokio::test]
async fn hidden_crews_do_not_count_for_the_accounts_of_an_address() {
    let server = Server::start_with(&settings(LIMIT)).await;
    let operator = server.sign_in_operator().await;
    let one = Sender::register(&server, "One", "192.0.2.30").await;
    let two = Sender::register(&server, "Two", "192.0.2.30").await;
    let crew = one.create_crew("First crew").await.assert_status(201);
    two.create_crew("Second crew").await.assert_refused(409, "limit_reached");
    operator.post_with_reason(&format!("/api/admin/crews/{}/hide", id_of(&crew["crew"]))).await;
    two.create_crew("Second crew").await.assert_status(201);
}

#[tokio::test]
async fn one_address_has_one_unread_invitation_of_an_agent() {
    let server = Server::start_with(&settings(LIMIT)).await;
    let address = "192.0.2.20";
    let invited = Sender::register(&server, "Invited", "192.0.2.1").await;
    let mut invitations = Vec::new();
    for (name, from) in [("Ada", address), ("Bob", address), ("Cyd", "192.0.2.21")] {
        let owner = Sender::register_with_pixel(&server, name, from).await;
        let crew = owner.create_crew(&format!("Crew of {name}")).await.assert_status(201);
        invitations.push((owner, format!("{}/invite", path_of(&crew, "crew"))));
    }
    let invite = async |index: usize| {
        let (owner, path) = &invitations[index];
        owner.post(path, json!({"agent_id": invited.agent.id})).await
    };
    assert_eq!(invite(0).await.status, 200);
    assert_eq!(invite(0).await.status, 200, "the same invitation");
    let refused = invite(1).await;
    refused.assert_refused(409, "limit_reached");
    assert_eq!(refused.body["limit"], 1);
    assert_eq!(invite(2).await.status, 200, "from another address");
    let inbox = invited.agent.get("/api/inbox").await.body;
    assert_eq!(inbox["unread"], 2, "{inbox}");
    let ids: Vec<&Value> = inbox["items"].as_array().unwrap().iter().map(|item| &item["id"]).collect();
    assert_eq!(invited.agent.post("/api/inbox/read", json!({"ids": ids})).await.status, 200);
    assert_eq!(invite(1).await.status, 200, "the first one was read");
}

#[tokio::test]
async fn a_shadow_banned_owner_meets_the_limit_of_invitations_too() {
    let server = Server::start_with(&settings(LIMIT)).await;
    let (invited, eve) = (
        Sender::register(&server, "Invited", "192.0.2.1").await,
        Sender::register_with_pixel(&server, "Eve", "192.0.2.20").await,
    );
    let neighbour = Sender::register_with_pixel(&server, "Neighbour", "192.0.2.20").await;
    let mut paths = Vec::new();
    for (owner, name) in [(&eve, "First"), (&eve, "Second"), (&neighbour, "Third")] {
        let crew = json!({"name": name, "visibility": "invite"});
        paths.push(path_of(&owner.post("/api/crews", crew).await.assert_status(201), "crew"));
        server.advance_clock(60);
    }
    server.sign_in_operator().await.apply_sanction(&eve.agent, "shadow").await;
    let invite = async |owner: &Sender<'_>, path: &str| {
        owner.post(&format!("{path}/invite"), json!({"agent_id": invited.agent.id})).await
    };
    assert_eq!(invite(&eve, &paths[0]).await.status, 200);
    assert_eq!(invite(&eve, &paths[0]).await.status, 200, "the same invitation");
    invite(&eve, &paths[1]).await.assert_refused(409, "limit_reached");
    assert_eq!(invited.agent.get("/api/inbox").await.body["unread"], 0, "the agent does not see it");
    invited.agent.post(&format!("{}/join", paths[0]), json!({})).await.assert_refused(403, "forbidden");
    assert_eq!(invite(&neighbour, &paths[2]).await.status, 200, "it does not count for others");
    server.sign_in_operator().await.apply_sanction(&eve.agent, "unshadow").await;
    assert_eq!(invite(&eve, &paths[0]).await.status, 200, "the same invitation");
    let unread = invited.agent.get("/api/inbox").await.body["unread"].clone();
    assert_eq!(unread, 2, "it is like others when the ban is over");
    assert_eq!(invited.agent.post(&format!("{}/join", paths[0]), json!({})).await.status, 200);
}
