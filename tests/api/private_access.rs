//! Private texts stay private: every read of the table of routes, the search, the streams and the tools, as
//! every kind of caller. The table is walked as a whole, so that new routes are covered.

mod callers;
mod streams;
mod tools;
mod walk;

use serde_json::{Value, json};

use crate::direct::{block, operate, send_ok, text, viewer_with_pass};
use crate::support::actions::FREE_CONSOLE_SETTINGS;
use crate::support::{Agent, Server};
use callers::Caller;
use walk::{Read, assert_silent, collect_reads};

/// Words that stand in private texts only, two in each: a response may repeat the one that was searched for.
const DIRECT_WORDS: [&str; 4] = ["umbrafox", "quokkabell", "zephyrink", "maplewisp"];
const CREW_WORDS: [&str; 12] = [
    "nimbusoak",
    "duskheron",
    "fjordlamp",
    "velvetgnu",
    "sirocco",
    "tidepool",
    "glimmerjay",
    "ottoman",
    "waxwing",
    "larkspur",
    "basaltic",
    "peregrin",
];

/// The texts that must not be seen, and how to ask for them.
pub struct Secrets {
    /// Words and ids.
    needles: Vec<String>,
    /// The ids among them.
    ids: Vec<String>,
    /// The words among them.
    words: Vec<String>,
    /// The ids of those who talk, which everyone may see.
    accounts: Vec<String>,
}

impl Secrets {
    fn new(place: &Neighbourhood<'_>, ids: &[&Value], words: &[&str]) -> Self {
        let ids: Vec<String> = ids.iter().map(|id| text(id).to_owned()).collect();
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let accounts = vec![place.ada.id.clone(), place.bob.id.clone()];
        Self { needles: [ids.clone(), words.clone()].concat(), ids, words, accounts }
    }
}

/// A server with agents of every relation to those who talk in private: Ada and Bob.
struct Neighbourhood<'a> {
    server: &'a Server,
    operator: String,
    ada: Agent<'a>,
    bob: Agent<'a>,
    /// Has been a member of Ada's crew, if there is one.
    cyd: Agent<'a>,
    outsiders: Vec<Caller<'a>>,
}

impl<'a> Neighbourhood<'a> {
    async fn settle(server: &'a Server) -> Self {
        let operator = server.create_operator_key("test").await;
        let [ada, bob, cyd, eve, mal, fay] =
            server.register_agents(["Ada", "Bob", "Cyd", "Eve", "Mal", "Fay"]).await;
        assert_eq!(block(&bob, &mal.id).await.status, 200);
        let ban = format!("/api/admin/agents/{}/ban", fay.id);
        operate(server, &operator, &ban, json!({"reason": "because"})).await;
        let grace = viewer_with_pass(server, &operator, "Grace").await;
        let outsiders = vec![
            Caller::without_key(server),
            Caller::with_key("stranger", &eve),
            Caller::with_key("blocked", &mal),
            Caller::with_key("banned", &fay),
            Caller::with_key("pass holder", &grace),
            Caller::with_key("former member", &cyd),
        ];
        Self { server, operator, ada, bob, cyd, outsiders }
    }

    fn operator_caller(&self) -> Caller<'a> {
        Caller::new("operator", self.server, Some(&self.operator))
    }
}

/// Asserts that these reads show all secrets.
fn assert_all_found(seen: &[Read], secrets: &Secrets) {
    let is_shown = |needle: &&String| seen.iter().any(|read| read.shows(needle));
    let missing: Vec<&String> = secrets.needles.iter().filter(|needle| !is_shown(needle)).collect();
    assert!(missing.is_empty(), "the walk does not find {missing:?}");
}

/// Asserts that a call of a tool shows a word to those who may see it, so that the walk would find it
/// elsewhere.
fn assert_found_by_tool(seen: &[Read], tool: &str, word: &str) {
    assert_found_by(seen, &json!(tool).to_string(), word);
}

/// Does the same for the reads whose requests have this part.
fn assert_found_by(seen: &[Read], part: &str, word: &str) {
    assert!(seen.iter().any(|read| read.request.contains(part) && read.shows(word)), "{part}: {word}");
}

/// Talks in a conversation of Ada's and Bob's. Returns what nobody else may see.
async fn talk_directly(place: &Neighbourhood<'_>) -> Secrets {
    let (ada, bob) = (&place.ada, &place.bob);
    let first = send_ok(ada, &[&bob.id], "the umbrafox and the quokkabell").await;
    let id = &first["message"]["id"];
    let body = json!({"to": [ada.id], "content": "a zephyrink on a maplewisp", "reply_to": id});
    let second = bob.post("/api/direct", body).await.assert_status(201);
    Secrets::new(place, &[&first["conversation_id"], id, &second["message"]["id"]], &DIRECT_WORDS)
}

#[tokio::test]
async fn outsiders_and_operators_see_nothing_of_a_conversation() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let mut place = Neighbourhood::settle(&server).await;
    let secrets = talk_directly(&place).await;
    for participant in [&place.ada, &place.bob] {
        let seen = collect_reads(&Caller::with_key("participant", participant), &secrets).await;
        assert_all_found(&seen, &secrets);
        assert_found_by_tool(&seen, "messages", "umbrafox");
        assert_found_by_tool(&seen, "search", "umbrafox");
        assert_found_by(&seen, "in=messages", "umbrafox");
    }
    place.outsiders.push(place.operator_caller());
    for outsider in &place.outsiders {
        assert_silent(outsider, &secrets).await;
    }
}

/// Gives a crew a private name, texts, a plan and a former member. Returns what nobody but its members may
/// see.
async fn live_in_a_crew(place: &Neighbourhood<'_>) -> Secrets {
    let (ada, bob, cyd) = (&place.ada, &place.bob, &place.cyd);
    let post = async |agent: &Agent<'_>, path: String, body: Value| {
        let reply = agent.post(&path, body).await;
        assert!([200, 201].contains(&reply.status), "{path}: {}", reply.body);
        reply.body
    };
    let crew =
        json!({"name": "Nimbusoak Duskheron", "description": "fjordlamp velvetgnu", "visibility": "invite"});
    let crew = post(ada, "/api/crews".into(), crew).await["crew"].clone();
    let id = text(&crew["id"]).to_owned();
    for member in [bob, cyd] {
        post(ada, format!("/api/crews/{id}/invite"), json!({"agent_id": member.id})).await;
        post(member, format!("/api/crews/{id}/join"), json!({})).await;
    }
    ada.patch(&format!("/api/crews/{id}"), json!({"note": "sirocco tidepool"})).await.assert_status(200);
    let message = json!({"content": "@Ada, glimmerjay ottoman", "thread": "waxwing larkspur"});
    let message = post(bob, format!("/api/crews/{id}/messages"), message).await["message"].clone();
    let plan = json!({"title": "basaltic", "note": "peregrin", "x": 3, "y": 3, "rows": ["5"], "crew_id": id});
    let plan = post(ada, "/api/plans".into(), plan).await["plan"].clone();
    post(ada, format!("/api/crews/{id}/remove"), json!({"agent_id": cyd.id})).await;
    let ids = [&crew["id"], &message["thread_id"], &message["id"], &plan["id"]];
    Secrets::new(place, &ids, &CREW_WORDS)
}

#[tokio::test]
async fn outsiders_and_former_members_see_nothing_of_an_invite_crew() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let place = Neighbourhood::settle(&server).await;
    let secrets = live_in_a_crew(&place).await;
    let seen = collect_reads(&Caller::with_key("member", &place.ada), &secrets).await;
    assert_all_found(&seen, &secrets);
    for (tool, word) in
        [("messages", "glimmerjay"), ("search", "glimmerjay"), ("crews", "sirocco"), ("plans", "basaltic")]
    {
        assert_found_by_tool(&seen, tool, word);
    }
    assert_found_by(&seen, "in=messages", "glimmerjay");
    for outsider in &place.outsiders {
        assert_silent(outsider, &secrets).await;
    }
}
