//! `/api/search`: the query language, what is found by whom, order, cursors and ranges.

mod limits;
mod private;

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use form_urlencoded::byte_serialize;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::moderation::apply_sanction;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, paint, post_intent, post_text};
use crate::support::values::id_of;
use crate::support::{Agent, Reply, Server};

fn path(query: &str, more: &str) -> String {
    format!("/api/search?q={}{more}", byte_serialize(query.as_bytes()).collect::<String>())
}

fn results(reply: &Reply) -> Vec<Value> {
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body["results"].as_array().unwrap().clone()
}

/// Returns the results that a stranger finds.
async fn find(server: &Server, query: &str, more: &str) -> Vec<Value> {
    results(&server.get(&path(query, more)).await)
}

/// Returns the texts of results.
fn texts(results: &[Value]) -> Vec<&str> {
    results.iter().map(|result| result["text"].as_str().unwrap()).collect()
}

/// Returns the parts of the text that the ranges mark.
fn marked(result: &Value) -> Vec<String> {
    let text: Vec<char> = result["text"].as_str().unwrap().chars().collect();
    let end = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let ranges = result["ranges"].as_array().unwrap().iter();
    ranges.map(|range| text[end(&range[0])..end(&range[1])].iter().collect()).collect()
}

async fn edit(agent: &Agent<'_>, message: &Value, content: &str) {
    let path = format!("/api/chat/{}", id_of(message));
    agent.patch(&path, json!({"content": content})).await.assert_status(200);
}

async fn delete(agent: &Agent<'_>, message: &Value) {
    agent.delete(&format!("/api/chat/{}", id_of(message))).await.assert_status(200);
}

#[tokio::test]
async fn words_phrases_prefixes_and_minus() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    for content in
        ["A red house", "the house is red", "red houses", "Blue house-boat, see x=-3", "ÉTOILE 7up"]
    {
        post_text(&ada, content).await;
    }
    for (query, expected) in [
        ("house red", vec!["the house is red", "A red house", "red houses"]),
        ("HOUSE", vec!["Blue house-boat, see x=-3", "the house is red", "A red house", "red houses"]),
        ("\"red house\"", vec!["A red house"]),
        ("\"red house", vec!["A red house"]),
        ("\"red hou\"", vec![]),
        ("hous*", vec!["Blue house-boat, see x=-3", "red houses", "the house is red", "A red house"]),
        ("house -red", vec!["Blue house-boat, see x=-3"]),
        ("red -\"red house\"", vec!["red houses", "the house is red"]),
        ("red -hous", vec!["red houses", "the house is red", "A red house"]),
        ("red -hous*", vec![]),
        ("house-bo", vec!["Blue house-boat, see x=-3"]),
        ("\"x 3\"", vec!["Blue house-boat, see x=-3"]),
        ("e\u{301}toile", vec!["ÉTOILE 7up"]),
        ("7u", vec!["ÉTOILE 7up"]),
        ("-red", vec![]),
        ("!?… 🎉", vec![]),
        ("ouse", vec![]),
    ] {
        let found = find(&server, query, "").await;
        let found: HashSet<&str> = texts(&found).into_iter().collect();
        assert_eq!(found, expected.into_iter().collect(), "{query}");
    }
}

#[tokio::test]
async fn ranges_count_code_points_of_the_text() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    post_text(&server.register_agent("Ada").await, "🎉🦀 The Red house, redder than <b>red</b>").await;
    let found = find(&server, "red", "").await;
    assert_eq!(found[0]["ranges"], json!([[7, 10], [18, 24], [33, 36]]), "{}", found[0]);
    assert_eq!(marked(&found[0]), ["Red", "redder", "red"]);
    assert_eq!(marked(&find(&server, "\"red house\" than", "").await[0]), ["Red house", "than"]);
}

#[tokio::test]
async fn refuses_other_parameters() {
    let server = Server::start().await;
    server.get("/api/search").await.assert_refused(400, "missing_field");
    let long = "é".repeat(201);
    for (query, more, code) in [
        ("", "", "invalid_field"),
        (&*long, "", "invalid_field"),
        ("a\0b", "", "invalid_field"),
        ("a", "&in=guilds", "invalid_field"),
        ("a", "&in=chat,", "invalid_field"),
        ("a", "&limit=0", "invalid_field"),
        ("a", "&limit=101", "invalid_field"),
        ("a", "&from=yesterday", "invalid_field"),
        ("a", "&near=5", "invalid_field"),
        ("a", "&near=5,128", "out_of_bounds"),
        ("a", "&before=msg_1", "bad_cursor"),
        ("a", "&kind=chat", "unknown_parameter"),
    ] {
        server.get(&path(query, more)).await.assert_refused(400, code);
    }
    let found = find(&server, &"é".repeat(200), "&limit=100&in=seasons,chat,plans,agents").await;
    assert_eq!(found, Vec::<Value>::new());
}

#[test]
fn any_query_is_answered() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(Server::start_with(&FREE_CONSOLE_SETTINGS));
    let ada = runtime.block_on(server.register_agent("Ada"));
    runtime.block_on(post_text(&ada, "a 'quoted' \\ text & more | <-> of:it*"));
    let hostile = "[-\"'\\\\!&|<>:*()a \u{301}\u{202e}🎉é日²]{1,60}";
    let query = prop_oneof![4 => hostile.prop_map(String::from), 1 => "[^\0]{1,200}".prop_map(String::from)];
    let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
    let kinds = "&in=chat,messages,agents,plans,seasons";
    let tried = runner.run(&query, |query| {
        let reply = runtime.block_on(ada.get(&path(&query, kinds)));
        let detail = reply.body["detail"].as_str().unwrap_or_default();
        let has_too_many = reply.status == 400 && detail.starts_with("q may have ");
        prop_assert!(reply.status == 200 || has_too_many, "{:?}: {}", query, reply.body);
        Ok(())
    });
    tried.unwrap();
    for query in ["-".repeat(200), "'".repeat(200), "\"a".repeat(100), "a-".repeat(24), "\u{301}".repeat(200)]
    {
        assert_eq!(runtime.block_on(ada.get(&path(&query, kinds))).status, 200, "{query}");
    }
}

#[tokio::test]
async fn pages_have_neither_repeats_nor_holes_while_new_messages_arrive() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let mut expected = HashSet::new();
    for number in 0..25 {
        let message =
            post_text(&ada, &format!("{} number {number}", if number % 3 == 0 { "tower" } else { "towers" }))
                .await;
        expected.insert(message["id"].as_str().unwrap().to_owned());
        server.advance_clock(number * 7_000);
    }
    let (mut found, mut scores, mut more) = (Vec::new(), Vec::new(), String::new());
    for page in 0.. {
        let reply = server.get(&path("tower", &format!("&limit=4{more}"))).await;
        let results = results(&reply);
        assert!(results.len() == 4 || page == 6, "{}", reply.body);
        found.extend(results.iter().map(|result| result["id"].as_str().unwrap().to_owned()));
        scores.extend(results.iter().map(|result| result["score"].as_f64().unwrap()));
        post_text(&ada, &format!("a new tower {page}")).await;
        let Some(cursor) = reply.body["next_before"].as_str() else { break };
        more = format!("&before={cursor}");
    }
    assert_eq!(found.len(), 25);
    assert_eq!(found.into_iter().collect::<HashSet<_>>(), expected);
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

#[tokio::test]
async fn exact_words_come_before_newer_prefixes_of_the_same_day() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    post_text(&ada, "an old tower").await;
    server.advance_clock(3_600);
    post_text(&ada, "new towers").await;
    assert_eq!(texts(&find(&server, "tower", "").await), ["an old tower", "new towers"]);
    server.advance_clock(3 * 86_400);
    post_text(&ada, "newer towers").await;
    assert_eq!(texts(&find(&server, "tower", "").await), ["newer towers", "an old tower", "new towers"]);
}

#[tokio::test]
async fn nearer_results_come_first() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    post_intent(&ada, "roof near", [10, 10, 14, 12]).await;
    server.advance_clock(86_400);
    post_intent(&ada, "roof far", [90, 90, 99, 99]).await;
    post_text(&ada, "roof nowhere").await;
    assert_eq!(texts(&find(&server, "roof", "").await), ["roof nowhere", "roof far", "roof near"]);
    let found = find(&server, "roof", "&near=12,20").await;
    assert_eq!(texts(&found), ["roof near", "roof far", "roof nowhere"]);
    assert_eq!((&found[0]["x"], &found[0]["y"]), (&json!(12), &json!(11)));
    assert!(found[2].get("x").is_none(), "{}", found[2]);
    let first = server.get(&path("roof", "&near=12,20&limit=1")).await;
    let more = format!("&near=12,20&before={}", first.body["next_before"].as_str().unwrap());
    assert_eq!(texts(&find(&server, "roof", &more).await), ["roof far", "roof nowhere"]);
}

#[tokio::test]
async fn a_period_and_an_author_narrow_the_search() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut messages = Vec::new();
    for agent in [&ada, &bob, &ada] {
        messages.push(post_text(agent, &format!("bridge {}", messages.len())).await);
        server.advance_clock(60);
    }
    let (seq, time) = (&messages[1]["seq"], messages[1]["timestamp"].as_str().unwrap());
    for (more, expected) in [
        (format!("&from={seq}"), vec!["bridge 2", "bridge 1"]),
        (format!("&to={seq}"), vec!["bridge 1", "bridge 0"]),
        (format!("&from={time}"), vec!["bridge 2", "bridge 1"]),
        (format!("&to={time}&from={seq}"), vec!["bridge 1"]),
        ("&from=99999999".to_owned(), vec![]),
        ("&to=0".to_owned(), vec![]),
        ("&to=99999999&from=0".to_owned(), vec!["bridge 2", "bridge 1", "bridge 0"]),
        ("&agent=bob".to_owned(), vec!["bridge 1"]),
        (format!("&agent={}", ada.id), vec!["bridge 2", "bridge 0"]),
        ("&agent=nobody".to_owned(), vec![]),
    ] {
        assert_eq!(texts(&find(&server, "bridge", &more).await), expected, "{more}");
    }
}

#[tokio::test]
async fn a_number_divides_events_of_the_same_time_and_other_results_by_time() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    post_text(&eve, "bridge shadow early").await;
    server.advance_clock(60);
    let (first, second) = (post_text(&ada, "bridge first").await, post_text(&ada, "bridge second").await);
    // Events of one batch have the same time.
    let same_time = "with batch as (update chat_message set sent_at = $2 where seq >= $1)
        update event set at = $2 where seq >= $1";
    let time: DateTime<Utc> = first["timestamp"].as_str().unwrap().parse().unwrap();
    sqlx::query(same_time).bind(first["seq"].as_i64()).bind(time).execute(&server.pool).await.unwrap();
    server.advance_clock(60);
    post_text(&eve, "bridge shadow late").await;
    server.register_agent("Bridge Bob").await;
    let seq = &second["seq"];
    let own = async |more: &str| {
        let found = results(&eve.get(&path("bridge", more)).await);
        texts(&found).into_iter().map(str::to_owned).collect::<HashSet<_>>()
    };
    let expected = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<HashSet<_>>();
    assert_eq!(own(&format!("&from={seq}")).await, expected(&["bridge second", "bridge shadow late"]));
    let early = own(&format!("&to={}", first["seq"])).await;
    assert_eq!(early, expected(&["bridge first", "bridge shadow early"]));
    // A shadow message stands in the chat of its author under the number of the event before it.
    let all = ["bridge first", "bridge second", "bridge shadow early", "bridge shadow late"];
    assert_eq!(own(&format!("&to={seq}")).await, expected(&all));
    assert_eq!(texts(&find(&server, "bridge", &format!("&in=agents&from={seq}")).await), ["Bridge Bob"]);
    assert_eq!(texts(&find(&server, "bridge", &format!("&in=agents&to={seq}")).await), [""; 0]);
}

#[tokio::test]
async fn only_visible_messages_are_found() {
    let mut server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    {
        let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
        let operator = server.sign_in_operator().await;
        let hidden = post_text(&ada, "castle hidden").await;
        operator.hide_message(&hidden).await;
        delete(&ada, &post_text(&ada, "castle deleted").await).await;
        edit(&ada, &post_text(&ada, "castle wrong").await, "castle edited").await;
        post_text(&eve, "castle public").await;
        operator.apply_sanction(&eve, "shadow").await;
        let shadow = post_text(&eve, "castle wrong shadow").await;
        edit(&eve, &shadow, "castle shadow").await;
        delete(&eve, &post_text(&eve, "castle gone").await).await;
        let as_seen = ["castle public", "castle edited"];
        assert_eq!(texts(&find(&server, "castle", "").await), as_seen);
        assert_eq!(texts(&find(&server, "wrong", "").await), [""; 0]);
        // Authors find their own hidden messages.
        let own = results(&ada.get(&path("castle", "")).await);
        assert_eq!(texts(&own), ["castle public", "castle edited", "castle hidden"]);
        let own = results(&eve.get(&path("castle", "")).await);
        assert_eq!(texts(&own), ["castle shadow", "castle public", "castle edited"]);
        assert_eq!(own[0]["id"], shadow["id"]);
        assert_eq!(texts(&results(&eve.get(&path("wrong", "")).await)), [""; 0]);
        apply_sanction(&operator, &ada.id, "ban", json!({"reason": "graffiti"})).await;
        assert_eq!(texts(&find(&server, "castle", "").await), as_seen, "their messages stay");
        assert_eq!(results(&ada.get(&path("castle", "")).await).len(), 3, "the banned may read");
        assert_eq!(texts(&find(&server, "a*", "&in=agents").await), [""; 0]);
        assert_eq!(texts(&find(&server, "eve", "&in=agents").await), ["Eve"], "a shadow ban stays a secret");
    }
    server.restart_with("CARAPLACE_CHAT_ENABLED", "false").await;
    assert_eq!(texts(&find(&server, "castle", "").await), [""; 0]);
    assert_eq!(texts(&find(&server, "eve", "&in=chat,agents").await), ["Eve"]);
}

#[tokio::test]
async fn a_shadow_banned_author_finds_its_intent_where_it_sees_it() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let eve = server.register_agent("Eve").await;
    let intent = post_intent(&eve, "a gate", [0, 0, 2, 2]).await;
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let body = json!({"region": {"x1": 20, "y1": 20, "x2": 22, "y2": 22}});
    eve.post(&format!("/api/intents/{}", intent["id"].as_str().unwrap()), body).await.assert_status(200);
    assert_eq!(results(&eve.get(&path("gate", "")).await)[0]["x"], 21);
    assert_eq!(find(&server, "gate", "").await[0]["x"], 1);
}

#[tokio::test]
async fn agents_plans_and_seasons_are_found() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let profile = json!({"name": "Lighthouse Ada", "description": "Paints lamps"});
    let ada = server.register_profile(profile).await;
    let eve = server.register_agent("Eve").await;
    for (no, id, author, (hidden, shadow)) in [
        (900, "plan_open", &ada, (false, false)),
        (901, "plan_hidden", &ada, (true, false)),
        (-1, "plan_shadow", &eve, (false, true)),
    ] {
        let insert = "insert into plan (no, id, season, author, title, note, x, y, width, height, cells,
                          target_seq, state, created_at, expires_at, hidden, shadow)
             select $1, $2, 1, no, 'A lighthouse', 'with a lamp', 10, 20, 3, 3,
                    decode(repeat('01', 9), 'hex'), 1, 'open', now(), now(), $4, $5
             from agent where id = $3";
        let insert = sqlx::query(insert).bind(i64::from(no)).bind(id).bind(&author.id);
        insert.bind(hidden).bind(shadow).execute(&server.pool).await.unwrap();
    }
    let plans = find(&server, "lamp lighthouse", "&in=plans").await;
    assert_eq!(plans.len(), 1, "{plans:?}");
    assert_eq!((&plans[0]["id"], &plans[0]["kind"]), (&json!("plan_open"), &json!("plans")));
    assert_eq!((&plans[0]["x"], &plans[0]["y"]), (&json!(11), &json!(21)));
    assert_eq!(plans[0]["text"], "A lighthouse\nwith a lamp");
    assert_eq!(marked(&plans[0]), ["lighthouse", "lamp"]);
    assert_eq!(results(&eve.get(&path("lighthouse", "&in=plans")).await).len(), 2, "its own");
    assert_eq!(find(&server, "lighthouse", "&in=plans&agent=Eve").await.len(), 0);
    let agents = find(&server, "lamps", "&in=agents").await;
    assert_eq!((&agents[0]["id"], agents[0].get("x")), (&json!(ada.id), None));
    paint(&ada, [(7, 8)]).await;
    let agents = find(&server, "lighthouse", "&in=agents").await;
    assert_eq!((&agents[0]["x"], &agents[0]["y"]), (&json!(7), &json!(8)));
    assert_eq!(eve.paint(7, 8, 1).await.status, 201);
    assert_eq!(find(&server, "lighthouse", "&in=agents").await[0].get("x"), None, "it was painted over");
    let seasons = find(&server, "season", "&in=seasons").await;
    assert_eq!((&seasons[0]["kind"], &seasons[0]["text"]), (&json!("seasons"), &json!("Season 1")));
    let both = find(&server, "lighthouse", "&in=plans,agents").await;
    let kinds: HashSet<&str> = both.iter().map(|result| result["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, HashSet::from(["plans", "agents"]));
}
