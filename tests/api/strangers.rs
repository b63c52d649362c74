//! Many accounts behind one address, as strangers see them: their plans, crews and invitations are counted
//! together, and plans that nobody helps come last.

use reqwest::Method;
use serde_json::{Value, json};

use crate::moderation::apply_sanction;
use crate::support::{Agent, PASSWORD, Reply, Server};

/// The default limit of an address, without prices and intervals; a proxy sends the address.
const SETTINGS: [(&str, &str); 7] = [
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "1000"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_MESSAGES_PER_IP_PER_MINUTE", "30"),
];

/// An agent with the address from which it is registered and sends all its requests.
struct Sender<'a> {
    agent: Agent<'a>,
    address: &'static str,
}

impl<'a> Sender<'a> {
    async fn register(server: &'a Server, name: &str, address: &'static str) -> Self {
        let request = server.post_request("/api/agents/register").header("X-Forwarded-For", address);
        let reply = Reply::fetch(request.json(&json!({"name": name}))).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        let text = |field: &str| reply.body["agent"][field].as_str().unwrap().to_owned();
        Self { agent: Agent { server, id: text("id"), key: text("api_key") }, address }
    }

    /// Registers an agent that has placed a pixel.
    async fn register_painter(server: &'a Server, name: &str, address: &'static str) -> Self {
        let sender = Self::register(server, name, address).await;
        assert_eq!(sender.agent.paint(120, 120, 3).await.status, 201);
        sender
    }

    async fn send(&self, method: Method, path: &str, body: Value) -> Reply {
        let request = self.agent.server.client.request(method, self.agent.server.url(path));
        let request = request.bearer_auth(&self.agent.key).header("X-Forwarded-For", self.address);
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

#[track_caller]
fn assert_created(reply: &Reply) {
    assert_eq!(reply.status, 201, "{}", reply.body);
}

fn plan_titles(page: &Value) -> Vec<&str> {
    page["plans"].as_array().unwrap().iter().map(|plan| plan["title"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_hundred_plans_of_one_address_push_no_real_plan_out() {
    let server = Server::start_with(&SETTINGS).await;
    let author = Sender::register(&server, "Author", "192.0.2.1").await;
    let helper = Sender::register(&server, "Helper", "192.0.2.2").await;
    let opened = author.open_plan("A real plan", 100).await;
    assert_created(&opened);
    assert_eq!(helper.agent.paint(100, 0, 5).await.status, 201);
    let (mut accepted, mut refused) = (0, 0);
    for number in 0..100 {
        let sybil = Sender::register(&server, &format!("Sybil {number}"), "198.51.100.7").await;
        let reply = sybil.open_plan(&format!("Spam {number}"), 0).await;
        match reply.status {
            201 => accepted += 1,
            _ => {
                reply.assert_refused(409, "limit_reached");
                assert_eq!(reply.body["limit"], 1);
                refused += 1;
            }
        }
    }
    assert_eq!((accepted, refused), (1, 99));
    // Plans of many addresses, each by an account of its own, are behind those that others paint.
    for (number, address) in ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"].iter().enumerate() {
        let stranger = Sender::register(&server, &format!("Stranger {number}"), address).await;
        assert_created(&stranger.open_plan(&format!("Noise {number}"), 0).await);
    }
    let reader = Sender::register(&server, "Ann", "192.0.2.3").await;
    let home = reader.agent.get("/api/home?max_tokens=4096").await.body;
    assert_eq!(plan_titles(&home)[0], "A real plan", "{home}");
    let claim = format!("/api/plans/{}/claims", opened.body["plan"]["id"].as_str().unwrap());
    assert!(home["next"].to_string().contains(&claim), "{}", home["next"]);
    for query in ["", "?state=open", "?limit=1", "?near=2,0&limit=6"] {
        let page = server.get(&format!("/api/plans{query}")).await.body;
        assert!(plan_titles(&page).contains(&"A real plan"), "{query}: {page}");
    }
    assert_eq!(plan_titles(&server.get("/api/plans?limit=1").await.body), ["A real plan"]);
}

#[tokio::test]
async fn lists_begin_with_what_others_paint_also_after_its_end() {
    let server = Server::start_with(&SETTINGS).await;
    let mut plans = Vec::new();
    for (title, x) in [("two", 0), ("none", 10), ("one", 20), ("own", 30)] {
        let author = Sender::register(&server, &format!("Author {title}"), "192.0.2.1").await;
        assert_eq!(author.agent.paint(x, 9, 1).await.status, 201);
        let opened = author.open_plan(title, x).await;
        assert_created(&opened);
        plans.push((author, opened.body["plan"]["id"].as_str().unwrap().to_owned()));
    }
    let (bob, cyd) = (server.register_agent("Bob").await, server.register_agent("Cyd").await);
    for (painter, x) in [(&bob, 0), (&cyd, 1), (&bob, 2), (&bob, 20), (&plans[3].0.agent, 30)] {
        assert_eq!(painter.paint(x, 0, 5).await.status, 201);
    }
    let ranked = ["two", "one", "own", "none"];
    let read_pages = async |query: &str| {
        let (mut titles, mut before) = (Vec::new(), String::new());
        loop {
            let page = server.get(&format!("/api/plans?limit=1{query}{before}")).await.body;
            titles.extend(plan_titles(&page).into_iter().map(str::to_owned));
            let Some(next) = page["next_before"].as_str() else { return titles };
            before = format!("&before={next}");
        }
    };
    assert_eq!(read_pages("").await, ranked);
    assert_eq!(read_pages("&state=open").await, ranked);
    assert_eq!(read_pages("&author=Author%20none").await, ["none"]);
    // The order is the same from the stored numbers, and while some have ended and others not.
    for (author, id) in &plans[..2] {
        assert_eq!(author.post(&format!("/api/plans/{id}/close"), json!({})).await.status, 200);
    }
    assert_eq!(read_pages("").await, ranked);
    assert_eq!(read_pages("&state=closed").await, ["two", "none"]);
    // Painted over: nobody helps any more.
    assert_eq!(cyd.paint(20, 0, 6).await.status, 201);
    assert_eq!(read_pages("&state=open").await, ["own", "one"]);
    let mut restarted = server;
    restarted.restart().await;
    assert_eq!(plan_titles(&restarted.get("/api/plans").await.body), ["two", "own", "one", "none"]);
}

#[tokio::test]
async fn all_doors_share_the_window_of_an_address() {
    let settings = [&SETTINGS[..], &[("CARAPLACE_MESSAGES_PER_IP_PER_MINUTE", "6")]].concat();
    let server = Server::start_with(&settings).await;
    let address = "192.0.2.9";
    let (ada, bob) = (
        Sender::register_painter(&server, "Ada", address).await,
        Sender::register_painter(&server, "Bob", address).await,
    );
    let other = Sender::register_painter(&server, "Cyd", "192.0.2.10").await;
    let plan = ada.open_plan("A plan", 0).await;
    assert_created(&plan);
    let plan_path = format!("/api/plans/{}", plan.body["plan"]["id"].as_str().unwrap());
    let crew = bob.create_crew("Painters").await;
    assert_created(&crew);
    let crew_path = format!("/api/crews/{}", crew.body["crew"]["id"].as_str().unwrap());
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
    assert_created(&ada.post("/api/chat", json!({"content": "A message"})).await);
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
    let elsewhere = Sender::register_painter(&server, "Dan", "192.0.2.11").await;
    let invite = json!({"agent_id": elsewhere.agent.id});
    bob.post(&format!("{crew_path}/invite"), invite).await.assert_refused(429, "too_many_messages");
    // Others and operators are not concerned, and nothing was written.
    assert_created(&other.open_plan("Elsewhere", 40).await);
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
    let settings = [&SETTINGS[..], &[("CARAPLACE_MESSAGES_PER_IP_PER_MINUTE", "6")]].concat();
    let server = Server::start_with(&settings).await;
    for number in 0..6 {
        let local = server.register_agent(&format!("Local {number}")).await;
        assert_eq!(local.paint(110, number, 3).await.status, 201);
        let arguments = json!({"title": format!("{number}"), "x": 0, "y": 0, "rows": ["5"]});
        server.mcp(Some(&local.key)).call_tool_ok("plan_create", arguments).await;
    }
    let local = server.register_agent("Local more").await;
    assert_eq!(local.paint(110, 9, 3).await.status, 201);
    let arguments = json!({"title": "more", "x": 0, "y": 0, "rows": ["5"]});
    let refused = server.mcp(Some(&local.key)).call_tool("plan_create", arguments).await;
    refused.assert_refused("too_many_messages");
}

#[tokio::test]
async fn accounts_that_paint_nothing_share_one_plan_and_one_crew_on_all_instances() {
    let server = Server::start_with(&SETTINGS).await;
    let other_instance = server.start_instance(&SETTINGS).await;
    let address = "2001:db8:0:1::1";
    let one = Sender::register(&server, "One", address).await;
    let two = Sender::register(&server, "Two", "2001:db8:0:ff::2").await;
    let two_elsewhere = Sender { agent: two.agent.on(&other_instance), address };
    let plan = one.open_plan("First", 0).await;
    assert_created(&plan);
    assert_created(&two_elsewhere.create_crew("First crew").await);
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
    assert_created(&stranger.open_plan("By another", 20).await);
    assert_created(&stranger.create_crew("By another").await);
    // A pixel makes an account free of it, and what it has no longer counts for the others.
    assert_eq!(two.agent.paint(0, 9, 1).await.status, 201);
    assert_created(&two.open_plan("Second", 10).await);
    assert_created(&one.create_crew("Second crew").await);
    let three = Sender::register(&server, "Three", address).await;
    three.create_crew("Third crew").await.assert_refused(409, "limit_reached");
    three.open_plan("Third", 30).await.assert_refused(409, "limit_reached");
    let path = format!("/api/plans/{}/close", plan.body["plan"]["id"].as_str().unwrap());
    assert_eq!(one.post(&path, json!({})).await.status, 200);
    assert_created(&three.open_plan("Third", 30).await);
    assert_eq!(one.agent.paint(1, 9, 1).await.status, 201);
    assert_created(&three.create_crew("Third crew").await);
}

#[tokio::test]
async fn hidden_crews_do_not_count_for_the_accounts_of_an_address() {
    let server = Server::start_with(&SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let one = Sender::register(&server, "One", "192.0.2.30").await;
    let two = Sender::register(&server, "Two", "192.0.2.30").await;
    let crew = one.create_crew("First crew").await;
    assert_created(&crew);
    two.create_crew("Second crew").await.assert_refused(409, "limit_reached");
    let path = format!("/api/admin/crews/{}/hide", crew.body["crew"]["id"].as_str().unwrap());
    assert_eq!(operator.post(&path, json!({"reason": "rude"})).await.status, 200);
    assert_created(&two.create_crew("Second crew").await);
}

#[tokio::test]
async fn one_address_has_one_unread_invitation_of_an_agent() {
    let server = Server::start_with(&SETTINGS).await;
    let address = "192.0.2.20";
    let invited = Sender::register(&server, "Invited", "192.0.2.1").await;
    let mut invitations = Vec::new();
    for (name, from) in [("Ada", address), ("Bob", address), ("Cyd", "192.0.2.21")] {
        let owner = Sender::register_painter(&server, name, from).await;
        let crew = owner.create_crew(&format!("Crew of {name}")).await;
        assert_created(&crew);
        let path = format!("/api/crews/{}/invite", crew.body["crew"]["id"].as_str().unwrap());
        invitations.push((owner, path));
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
    let server = Server::start_with(&SETTINGS).await;
    let (invited, eve) = (
        Sender::register(&server, "Invited", "192.0.2.1").await,
        Sender::register_painter(&server, "Eve", "192.0.2.20").await,
    );
    let neighbour = Sender::register_painter(&server, "Neighbour", "192.0.2.20").await;
    let mut paths = Vec::new();
    for (owner, name) in [(&eve, "First"), (&eve, "Second"), (&neighbour, "Third")] {
        let crew = owner.post("/api/crews", json!({"name": name, "visibility": "invite"})).await;
        assert_created(&crew);
        server.advance_clock(60);
        paths.push(format!("/api/crews/{}", crew.body["crew"]["id"].as_str().unwrap()));
    }
    apply_sanction(&server.sign_in_operator().await, &eve.agent.id, "shadow", json!({})).await;
    let invite = async |owner: &Sender<'_>, path: &str| {
        owner.post(&format!("{path}/invite"), json!({"agent_id": invited.agent.id})).await
    };
    assert_eq!(invite(&eve, &paths[0]).await.status, 200);
    assert_eq!(invite(&eve, &paths[0]).await.status, 200, "the same invitation");
    invite(&eve, &paths[1]).await.assert_refused(409, "limit_reached");
    assert_eq!(invited.agent.get("/api/inbox").await.body["unread"], 0, "the agent does not see it");
    invited.agent.post(&format!("{}/join", paths[0]), json!({})).await.assert_refused(403, "forbidden");
    assert_eq!(invite(&neighbour, &paths[2]).await.status, 200, "it does not count for others");
    apply_sanction(&server.sign_in_operator().await, &eve.agent.id, "unshadow", json!({})).await;
    assert_eq!(invite(&eve, &paths[0]).await.status, 200, "the same invitation");
    assert_eq!(
        invited.agent.get("/api/inbox").await.body["unread"],
        2,
        "it is like others when the ban is over"
    );
    assert_eq!(invited.agent.post(&format!("{}/join", paths[0]), json!({})).await.status, 200);
}
