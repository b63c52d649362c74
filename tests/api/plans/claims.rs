//! The next pixels, and claims.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{PLAN_SETTINGS, close, new_plan, paint, paint_values, path_of, progress, read_plan};
use crate::support::actions::open_plan;
use crate::support::{Agent, Reply, Server};

async fn next(agent: &Agent<'_>, plan: &Value, n: i64) -> Vec<Value> {
    let reply = agent.get(&format!("{}/next?n={n}", path_of(plan))).await;
    assert_eq!((reply.status, &reply.body["claims_expire_at"]), (200, &Value::Null), "{}", reply.body);
    reply.body["pixels"].as_array().unwrap().clone()
}

async fn claim(agent: &Agent<'_>, plan: &Value, n: i64) -> Reply {
    let reply = agent.post(&format!("{}/claims", path_of(plan)), json!({"n": n})).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply
}

/// Claims pixels, and returns where they are.
async fn claim_points(agent: &Agent<'_>, plan: &Value, n: i64) -> Vec<(i64, i64)> {
    points(claim(agent, plan, n).await.body["pixels"].as_array().unwrap())
}

fn points(pixels: &[Value]) -> Vec<(i64, i64)> {
    pixels.iter().map(|pixel| (pixel["x"].as_i64().unwrap(), pixel["y"].as_i64().unwrap())).collect()
}

/// Returns a plan of one pixel at (0, 0).
fn new_door() -> Value {
    json!({"title": "A door", "x": 0, "y": 0, "rows": ["7"]})
}

#[tokio::test]
async fn next_pixels_can_be_posted_as_they_are() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let body = json!({"title": "A roof", "x": 10, "y": 20, "rows": ["5.7", "505", "..."]});
    let plan = open_plan(&ada, body).await;
    paint(&ada, &[(10, 20, 3), (12, 21, 5)]).await;
    let pixels = next(&ada, &plan, 256).await;
    let expected = json!([
        {"x": 10, "y": 20, "color": 5, "expected_color": 3},
        {"x": 10, "y": 21, "color": 5, "expected_color": 0},
        {"x": 12, "y": 20, "color": 7, "expected_color": 0},
    ]);
    assert_eq!(json!(pixels), expected, "(11, 21) is white already, and (12, 21) red");
    assert_eq!(next(&ada, &plan, 2).await, pixels[..2]);
    paint_values(&ada, json!(pixels)).await;
    assert_eq!(next(&ada, &plan, 256).await, Vec::<Value>::new());
    let finished = read_plan(&server, &plan).await;
    assert_eq!((&finished["state"], &finished["progress"]), (&json!("finished"), &progress(5, 5, 0)));
    let nothing = json!({"pixels": [], "left": 0, "claims_expire_at": null});
    assert_eq!(claim(&ada, &plan, 9).await.body_without_attention(), nothing);
}

#[tokio::test]
async fn without_a_number_sixteen_pixels_are_returned_to_anyone() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let plan = open_plan(&server.register_agent("Ada").await, new_plan("A wall", 10, 3)).await;
    let reply = server.get(&format!("{}/next", path_of(&plan))).await;
    assert_eq!(reply.body["pixels"].as_array().unwrap().len(), 16);
}

#[tokio::test]
async fn a_claim_is_compact_and_hides_its_pixels_from_others() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_plan(&ada, new_plan("A wall", 8, 8)).await;
    let before = server.clock.now();
    let mine = claim(&ada, &plan, 9).await.body;
    let expires_at: DateTime<Utc> = mine["claims_expire_at"].as_str().unwrap().parse().unwrap();
    assert!((180..=182).contains(&(expires_at - before).num_seconds()), "{expires_at}");
    let square: HashSet<_> = (0..9).map(|number| (10 + number % 3, 20 + number / 3)).collect();
    let claimed = points(mine["pixels"].as_array().unwrap());
    assert_eq!(square, HashSet::from_iter(claimed));
    let others = next(&bob, &plan, 256).await;
    assert_eq!(others.len(), 64, "claimed ones are offered, too");
    assert_eq!(square, HashSet::from_iter(points(&others[55..])), "but last");
    assert!(points(&next(&ada, &plan, 9).await).iter().all(|point| square.contains(point)), "to Ada first");
    let theirs = claim_points(&bob, &plan, 256).await;
    assert!(theirs.iter().all(|point| !square.contains(point)));
    assert_eq!(theirs.len(), 55);
    assert_eq!(square, HashSet::from_iter(claim_points(&ada, &plan, 256).await));
}

#[tokio::test]
async fn a_claim_ends_by_time_or_by_the_next_claim() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_plan(&ada, new_plan("A wall", 2, 1)).await;
    let other = open_plan(&bob, new_door()).await;
    assert_eq!(claim_points(&ada, &plan, 2).await.len(), 2);
    assert_eq!(claim_points(&bob, &plan, 1).await, [], "nothing is left");
    claim(&ada, &other, 1).await;
    assert_eq!(claim_points(&bob, &plan, 1).await, [(10, 20)], "a claim replaces that of any plan");
    assert_eq!(claim_points(&ada, &plan, 2).await, [(11, 20)]);
    server.advance_clock(180);
    assert_eq!(claim_points(&ada, &plan, 2).await.len(), 2);
    assert_eq!(close(&ada, &plan).await.status, 200);
    bob.post(&format!("{}/claims", path_of(&plan)), json!({"n": 1})).await.assert_refused(409, "closed");
}

#[tokio::test]
async fn a_claim_that_finds_nothing_keeps_that_of_another_plan() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_plan(&ada, new_plan("A wall", 2, 1)).await;
    let door = open_plan(&bob, new_door()).await;
    paint(&bob, &[(0, 0, 7)]).await;
    assert_eq!(claim_points(&ada, &plan, 1).await, [(10, 20)]);
    assert_eq!(claim_points(&ada, &door, 1).await, [], "it is finished");
    assert_eq!(claim_points(&bob, &plan, 2).await, [(11, 20)], "Ada still has (10, 20)");
    paint(&ada, &[(10, 20, 5)]).await;
    assert_eq!(claim_points(&ada, &plan, 1).await, [], "this one replaces a claim of the same plan");
    paint(&bob, &[(10, 20, 6)]).await;
    assert_eq!(claim_points(&bob, &plan, 2).await, [(10, 20), (11, 20)]);
}

#[tokio::test]
async fn ten_agents_that_claim_and_paint_get_disjoint_shares() {
    let [server, other] = Server::start_two_instances(&PLAN_SETTINGS).await;
    let plan = open_plan(&server.register_agent("Author").await, new_plan("A wall", 20, 5)).await;
    let mut agents = Vec::new();
    for number in 0..10 {
        agents.push(server.register_agent(&format!("Painter {number}")).await);
    }
    let mut painted: HashSet<(i64, i64)> = HashSet::new();
    // Each round claims everything that is left: equal shares, and the rest for the last.
    for (share, rest) in [(11, 1), (10, 0), (9, 0)] {
        let at_once = agents.iter().enumerate().map(|(number, agent)| {
            let agent = agent.on(if number % 2 == 0 { &server } else { &other });
            let plan = &plan;
            async move { claim_points(&agent, plan, share).await }
        });
        let shares = join_all(at_once).await;
        let distinct: HashSet<_> = shares.concat().into_iter().collect();
        assert_eq!(distinct.len(), shares.concat().len(), "shares overlap");
        assert!(distinct.is_disjoint(&painted), "a right pixel was claimed");
        assert_eq!(distinct.len(), 100 - painted.len(), "something is left");
        assert_eq!(shares.iter().map(Vec::len).min(), Some(rest));
        // Everyone paints one pixel of its share, on the other instance, and claims again at once.
        let firsts: Vec<_> = shares.iter().map(|share| share.first().copied()).collect();
        let painting = agents.iter().zip(&firsts).enumerate().map(|(number, (agent, first))| {
            let agent = agent.on(if number % 2 == 0 { &other } else { &server });
            async move {
                if let Some((x, y)) = *first {
                    paint(&agent, &[(x, y, 5)]).await;
                }
            }
        });
        join_all(painting).await;
        painted.extend(firsts.into_iter().flatten());
        server.advance_clock(181);
    }
}

#[tokio::test]
async fn pixels_that_were_placed_through_another_instance_are_counted_and_not_handed_out() {
    let [server, other] = Server::start_two_instances(&PLAN_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_plan(&ada, new_plan("A wall", 40, 1)).await;
    let bob = bob.on(&other);
    for x in 10..30 {
        paint(&ada, &[(x, 20, 5)]).await;
        let expected: Vec<_> = (x + 1..50).map(|left| (left, 20)).collect();
        if x % 3 == 0 {
            assert_eq!(read_plan(&other, &plan).await["progress"]["done"], x - 9);
        }
        let offered = if x % 2 == 0 {
            claim_points(&bob, &plan, 256).await
        } else {
            points(&next(&bob, &plan, 256).await)
        };
        assert_eq!(offered, expected);
    }
}

#[tokio::test]
async fn a_slow_claim_delays_only_claims_of_its_plan() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_plan(&ada, new_plan("A wall", 2, 1)).await;
    let other = open_plan(&bob, new_door()).await;
    let mut slow = server.pool.begin().await.unwrap();
    sqlx::query("select pg_advisory_xact_lock(hashtextextended('claims of ' || $1, 0))")
        .bind(plan["id"].as_str().unwrap())
        .execute(&mut *slow)
        .await
        .unwrap();
    let path = format!("{}/claims", path_of(&plan));
    let (blocked, ()) = tokio::join!(bob.post(&path, json!({"n": 1})), async {
        let rename = json!({"expected_version": 1, "title": "A wide wall"});
        super::change(&ada, &plan, rename).await.assert_status(200);
        paint(&ada, &[(10, 20, 5)]).await;
        claim(&ada, &other, 1).await;
    });
    blocked.assert_refused(503, "overloaded");
    assert!(blocked.header("retry-after").parse::<i64>().unwrap() >= 1);
    slow.rollback().await.unwrap();
    assert_eq!(claim_points(&bob, &plan, 2).await, [(11, 20)]);
}

#[tokio::test]
async fn expired_claims_are_deleted() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_plan(&ada, new_plan("A wall", 4, 1)).await;
    claim(&ada, &plan, 2).await;
    server.advance_clock(181);
    claim(&bob, &plan, 2).await;
    caraplace_canvas::plans::claims::sweep(&server.running().state).await.unwrap();
    let query = "select a.id from plan_claim join agent a on a.no = agent";
    assert_eq!(server.fetch_scalars::<String>(query).await, [bob.id]);
}
