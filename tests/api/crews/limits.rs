//! How many crews and members there may be, and how often they may change.

use serde_json::{Value, json};

use super::{SETTINGS, act, act_on, change, crew_of, found, path_of};
use crate::moderation::apply_sanction;
use crate::support::values::id_of;
use crate::support::{Agent, Server};

#[tokio::test]
async fn an_agent_founds_one_crew_per_minute() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let body = json!({"name": "!", "visibility": "open"});
    ada.post("/api/crews", body).await.assert_refused(400, "invalid_field");
    found(&ada, "One", "open").await;
    let again = ada.post("/api/crews", json!({"name": "Two", "visibility": "open"})).await;
    again.assert_refused(429, "too_many_requests");
    assert!((1..=60).contains(&again.header("retry-after").parse::<i64>().unwrap()));
    server.advance_clock(60);
    found(&ada, "Two", "open").await;
}

#[tokio::test]
async fn an_agent_is_in_five_crews_at_most() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crews = found_five_crews(&ada).await;
    let of_bob = found(&bob, "Others", "open").await;
    let sixth = ada.post("/api/crews", json!({"name": "Sixth", "visibility": "open"})).await;
    sixth.assert_refused(409, "limit_reached");
    assert_eq!(sixth.body["limit"], 5);
    act(&ada, &of_bob, "join").await.assert_refused(409, "limit_reached");
    assert_eq!(act(&ada, &crews[0], "leave").await.status, 200);
    assert_eq!(act(&ada, &of_bob, "join").await.status, 200);
}

/// Fills a crew up to a number of members, by rows: registering so many agents takes long.
pub(super) async fn fill(server: &Server, crew: &Value, count: i64) {
    let insert = "with extra as (
             insert into agent (id, name, name_folded, name_skeleton, key_hash, created_at, last_seen_at, charges_full_at,
                                reactions_full_at, next_message_at)
             select 'agent_' || md5(n::text), 'Extra ' || n, 'extra ' || n, 'extra ' || n, sha256(n::text::bytea), now(), now(),
                    now(), now(), now()
             from generate_series(2, $2) n returning no
         )
         insert into channel_member (channel, account, role, joined_at)
         select c.no, extra.no, 'member', now() from extra, channel c where c.id = $1";
    sqlx::query(insert).bind(id_of(crew)).bind(count).execute(&server.pool).await.unwrap();
}

/// Founds five crews, one a minute.
async fn found_five_crews(owner: &Agent<'_>) -> Vec<Value> {
    let mut crews = Vec::new();
    for number in 0..5 {
        crews.push(found(owner, &format!("Crew {number} of A"), "open").await);
        owner.server.advance_clock(60);
    }
    crews
}

#[tokio::test]
async fn a_crew_has_fifty_members_at_most() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, cyd, dan] = server.register_agents(["Ada", "Bob", "Cyd", "Dan"]).await;
    let crew = found(&ada, "Roofers", "open").await;
    fill(&server, &crew, 49).await;
    assert_eq!(crew_of(act(&bob, &crew, "join").await, 200)["members"], 50);
    let refused = act(&cyd, &crew, "join").await;
    refused.assert_refused(409, "limit_reached");
    assert_eq!(refused.body["limit"], 50);
    act_on(&ada, &crew, "invite", &dan).await.assert_refused(409, "limit_reached");
    assert_eq!(act(&bob, &crew, "leave").await.status, 200);
    assert_eq!(act(&cyd, &crew, "join").await.status, 200);
}

#[tokio::test]
async fn changes_are_limited() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Roofers", "open").await;
    for number in 0..20 {
        change(&ada, &crew, json!({"note": format!("{number}")})).await.assert_status(200);
    }
    let same = json!({"note": "19"});
    assert_eq!(change(&ada, &crew, same).await.status, 200, "what changes nothing is not counted");
    let refused = change(&ada, &crew, json!({"note": "more"})).await;
    refused.assert_refused(429, "too_many_requests");
    assert!((1..=3).contains(&refused.header("retry-after").parse::<i64>().unwrap()));
    assert_eq!(server.get(&path_of(&crew)).await.body["crew"]["note"], "19");
    server.advance_clock(3);
    assert_eq!(change(&ada, &crew, json!({"note": "more"})).await.status, 200);
}

#[tokio::test]
async fn banned_and_muted_agents_have_fewer_rights() {
    let server = Server::start_with(&SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (crew, other) = (found(&ada, "Roofers", "open").await, found(&bob, "Others", "open").await);
    operator.apply_sanction(&ada, "mute").await;
    let another = json!({"name": "More", "visibility": "open"});
    ada.post("/api/crews", another).await.assert_refused(403, "muted");
    act(&ada, &other, "join").await.assert_refused(403, "muted");
    change(&ada, &crew, json!({"note": "x"})).await.assert_refused(403, "muted");
    act_on(&ada, &crew, "invite", &bob).await.assert_refused(403, "muted");
    assert_eq!(act(&bob, &crew, "join").await.status, 200);
    assert_eq!(act_on(&ada, &crew, "hand_over", &bob).await.status, 200, "a muted agent may hand over");
    assert_eq!(act(&ada, &crew, "leave").await.status, 200, "a muted agent may leave");
    apply_sanction(&operator, &bob.id, "ban", json!({"reason": "graffiti"})).await;
    act(&bob, &crew, "leave").await.assert_refused(403, "banned");
}

#[tokio::test]
async fn crews_that_operators_have_hidden_count_until_their_members_leave_them() {
    let server = Server::start_with(&SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let hidden = &found_five_crews(&ada).await[1];
    assert_eq!(change(&ada, hidden, json!({"note": "rude"})).await.status, 200);
    assert_eq!(act(&bob, hidden, "join").await.status, 200);
    let path = format!("/api/admin/crews/{}", id_of(hidden));
    assert_eq!(operator.post(&format!("{path}/hide"), json!({"reason": "rude"})).await.status, 200);
    let sixth = ada.post("/api/crews", json!({"name": "Sixth", "visibility": "open"})).await;
    sixth.assert_refused(409, "limit_reached");
    assert!(sixth.body["hint"].as_str().unwrap().contains(id_of(hidden)), "{}", sixth.body);

    act(&ada, hidden, "leave").await.assert_refused(409, "owner_must_hand_over");
    act_on(&ada, hidden, "remove", &bob).await.assert_refused(404, "not_found");
    let handed_over = crew_of(act_on(&ada, hidden, "hand_over", &bob).await, 200);
    assert_eq!((&handed_over["owner_id"], handed_over.get("note")), (&json!(bob.id), None));
    let left = crew_of(act(&ada, hidden, "leave").await, 200);
    assert_eq!((&left["members"], left.get("note")), (&json!(1), None), "its texts stay hidden");
    act(&ada, hidden, "leave").await.assert_refused(404, "not_found");
    found(&ada, "Sixth", "open").await;
    assert_eq!(operator.post(&format!("{path}/restore"), json!({"reason": "not rude"})).await.status, 200);
    assert_eq!(ada.get(&path_of(hidden)).await.body["crew"]["note"], "rude");
}

#[tokio::test]
async fn fifty_invitations_of_a_crew_are_open_at_most() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let (crew, other) = (found(&ada, "Roofers", "invite").await, found(&bob, "Others", "open").await);
    fill(&server, &other, 50).await;
    let invite = "insert into crew_invite (channel, agent, invited_by, invited_at)
                  select c.channel, m.account, c.owner, now() from crew c, channel_member m
                  where c.name = 'Roofers' and m.role = 'member'";
    assert_eq!(sqlx::query(invite).execute(&server.pool).await.unwrap().rows_affected(), 49);
    assert_eq!(act_on(&ada, &crew, "invite", &bob).await.status, 200);
    let refused = act_on(&ada, &crew, "invite", &cyd).await;
    refused.assert_refused(409, "limit_reached");
    assert_eq!(refused.body["limit"], 50);
    assert_eq!(act_on(&ada, &crew, "invite", &bob).await.status, 200, "inviting again changes nothing");
    assert_eq!(act(&bob, &crew, "join").await.status, 200);
    assert_eq!(act_on(&ada, &crew, "invite", &cyd).await.status, 200);
}
