//! Changes of crews at the same time, on several instances.

use futures_util::future::join_all;
use serde_json::json;

use super::{SETTINGS, act, act_on, found, member_names, path_of};
use crate::support::Server;

#[tokio::test]
async fn one_of_several_gets_the_last_place() {
    let [server, other] = Server::start_two_instances(&SETTINGS).await;
    let crew = found(&server.register_agent("Ada").await, "Roofers", "open").await;
    super::limits::fill(&server, &crew, 49).await;
    let mut agents = Vec::new();
    for number in 0..6 {
        agents.push(server.register_agent(&format!("Joiner {number} x")).await);
    }
    let joins = agents.iter().enumerate().map(|(number, agent)| {
        let agent = agent.on(if number % 2 == 0 { &server } else { &other });
        let crew = &crew;
        async move { act(&agent, crew, "join").await.status }
    });
    let mut statuses = join_all(joins).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409]);
    assert_eq!(server.get(&path_of(&crew)).await.body["crew"]["members"], 50);
}

#[tokio::test]
async fn a_crew_never_loses_its_owner() {
    let [server, other] = Server::start_two_instances(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Roofers", "open").await;
    for _ in 0..3 {
        assert_eq!(act(&bob, &crew, "join").await.status, 200);
        let on_other = bob.on(&other);
        let (handed, left) =
            tokio::join!(act_on(&ada, &crew, "hand_over", &bob), act(&on_other, &crew, "leave"));
        let members = member_names(&ada, &crew).await;
        match (handed.status, left.status) {
            // The member left before it could get the crew.
            (400, 200) => assert_eq!(members, ["Ada"]),
            // The new owner could not leave the former one alone.
            (200, 409) => {
                assert_eq!(members, ["Bob", "Ada"]);
                assert_eq!(act_on(&bob, &crew, "hand_over", &ada).await.status, 200);
            }
            other => panic!("{other:?}"),
        }
        server.advance_clock(60);
    }
}

#[tokio::test]
async fn one_of_several_gets_a_name() {
    let [server, other] = Server::start_two_instances(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let on_other = bob.on(&other);
    let (first, second) = tokio::join!(
        ada.post("/api/crews", json!({"name": "Roofers", "visibility": "open"})),
        on_other.post("/api/crews", json!({"name": "ROOFERS", "visibility": "open"})),
    );
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409], "{} {}", first.body, second.body);
}

#[tokio::test]
async fn a_sixth_crew_is_refused_also_at_the_same_time() {
    let [server, other] = Server::start_two_instances(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let mut crews = Vec::new();
    for number in 0..7 {
        let owner = server.register_agent(&format!("Owner {number} x")).await;
        crews.push(found(&owner, &format!("Crew {number} x"), "open").await);
    }
    let joins = crews.iter().enumerate().map(|(number, crew)| {
        let agent = ada.on(if number % 2 == 0 { &server } else { &other });
        async move { act(&agent, crew, "join").await.status }
    });
    let mut statuses = join_all(joins).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 409, 409]);
}
