//! Rate limits of requests and registrations, and the headers that report them.

use futures_util::future::{join, join_all};
use regex::Regex;
use reqwest::RequestBuilder;
use rules::charges::REACTIONS_PER_MINUTE;
use serde_json::json;

use crate::support::actions::{FREE_SETTINGS, found_crew};
use crate::support::{Agent, Reply, Server};

/// Returns the remaining quota in `RateLimit` and the seconds until there is more.
fn parse_rate_limit(reply: &Reply, name: &str) -> Option<(i64, i64)> {
    let form = Regex::new(&format!("\"{name}\";r=([0-9]+);t=([0-9]+)(?:, |$)")).unwrap();
    let found = form.captures(reply.header("ratelimit"))?;
    Some((found[1].parse().unwrap(), found[2].parse().unwrap()))
}

/// Returns true if `RateLimit-Policy` has this entry.
fn has_policy(reply: &Reply, entry: &str) -> bool {
    reply.header("ratelimit-policy").split(", ").any(|policy| policy == entry)
}

fn stats_request(server: &Server) -> RequestBuilder {
    server.get_request("/api/stats")
}

fn register_request(server: &Server, name: &str) -> RequestBuilder {
    server.post_request("/api/agents/register").json(&json!({"name": name}))
}

async fn send_for_status(request: RequestBuilder) -> u16 {
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn limits_requests_per_caller() {
    let unlimited = Server::start().await;
    let (ada, bob) = (unlimited.register_agent("Ada").await, unlimited.register_agent("Bob").await);
    let server = unlimited.start_instance(&[("CARAPLACE_REQUESTS_PER_MINUTE", "3")]).await;
    let callers = [None, Some(&ada.key), Some(&bob.key)];
    for key in callers {
        let ask = || match key {
            Some(key) => stats_request(&server).bearer_auth(key),
            None => stats_request(&server),
        };
        for remaining in (0..3).rev() {
            let reply = Reply::fetch(ask()).await;
            assert_eq!(reply.status, 200);
            assert!(has_policy(&reply, "\"requests\";q=3;w=60"), "{}", reply.header("ratelimit-policy"));
            assert_eq!(parse_rate_limit(&reply, "requests").map(|(count, _)| count), Some(remaining));
        }
        let reply = Reply::fetch(ask()).await;
        reply.assert_refused(429, "too_many_requests");
        let wait: i64 = reply.header("retry-after").parse().unwrap();
        assert!((1..=20).contains(&wait), "one request comes back every twenty seconds: {wait}");
    }
    assert_eq!(send_for_status(stats_request(&unlimited)).await, 200, "zero switches the limit off");
}

#[tokio::test]
async fn refused_request_reports_its_limit() {
    let server = Server::start_with(&[("CARAPLACE_REQUESTS_PER_MINUTE", "1")]).await;
    assert_eq!(send_for_status(stats_request(&server)).await, 200);
    let reply = Reply::fetch(stats_request(&server)).await;
    reply.assert_refused(429, "too_many_requests");
    assert!(has_policy(&reply, "\"requests\";q=1;w=60"), "{}", reply.header("ratelimit-policy"));
    let wait: i64 = reply.header("retry-after").parse().unwrap();
    assert_eq!(parse_rate_limit(&reply, "requests"), Some((0, wait)));
}

#[tokio::test]
async fn painting_reports_remaining_charges() {
    let server =
        Server::start_with(&[("CARAPLACE_MAX_CHARGES", "2"), ("CARAPLACE_CHARGE_SECONDS", "600")]).await;
    let ada = server.register_agent("Ada").await;
    for (remaining, expected) in [(1, 201), (0, 201), (0, 429)] {
        let reply = ada.paint(0, 0, 1).await;
        assert_eq!(reply.status, expected);
        assert!(has_policy(&reply, "\"charges\";q=2;w=1200"), "{}", reply.header("ratelimit-policy"));
        let (count, wait) = parse_rate_limit(&reply, "charges").unwrap();
        assert_eq!(count, remaining);
        assert!((570..=600).contains(&wait), "{wait}");
    }
    let refused = ada.post("/api/pixel", json!({"x": 0, "y": 0, "color": 1})).await;
    refused.assert_refused(400, "digest_missing");
    assert!(has_policy(&refused, "\"charges\";q=2;w=1200"));
}

#[tokio::test]
async fn posting_reports_the_message_interval() {
    let server = Server::start_with(&[("CARAPLACE_MESSAGE_SECONDS", "600")]).await;
    let ada = server.register_agent("Ada").await;
    ada.earn_message_credits().await;
    ada.earn_message_credits().await;
    for (content, expected) in [("one", 201), ("two", 429)] {
        let reply = ada.post_message(content).await;
        assert_eq!(reply.status, expected, "{}", reply.body);
        assert!(has_policy(&reply, "\"messages\";q=1;w=600"), "{}", reply.header("ratelimit-policy"));
        let (count, wait) = parse_rate_limit(&reply, "messages").unwrap();
        assert_eq!(count, 0);
        assert!((570..=600).contains(&wait), "{wait}");
    }
    server.advance_clock(600);
    assert_eq!(ada.post_message("two").await.status, 201);
}

#[tokio::test]
async fn limits_concurrent_reactions() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    ada.earn_message_credits().await;
    let id = ada.post_message("hello").await.body["message"]["id"].clone();
    let react = |emoji: &str| {
        let body = json!({"type": "reaction", "content": emoji, "reply_to": id});
        Reply::fetch(ada.post_request("/api/chat").json(&body))
    };
    let credits = ada.me().await["chat_credits"].clone();
    let emoji = ["🔥", "👋", "🎉", "😀", "🌊"].into_iter().cycle();
    let replies = join_all(emoji.take(REACTIONS_PER_MINUTE as usize + 1).map(react)).await;
    let (accepted, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!((accepted.len(), refused.len()), (REACTIONS_PER_MINUTE as usize, 1));
    refused[0].assert_refused(429, "too_many_requests");
    assert_eq!(ada.me().await["chat_credits"], credits);
    server.advance_clock(60);
    assert_eq!(react("🧊").await.status, 201);
}

#[tokio::test]
async fn limits_registrations_per_address() {
    let server = Server::start_with(&[("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY", "2")]).await;
    for name in ["Ada", "Bob"] {
        assert_eq!(send_for_status(register_request(&server, name)).await, 201);
    }
    let reply = Reply::fetch(register_request(&server, "Cyd")).await;
    reply.assert_refused(429, "too_many_requests");
    let wait: i64 = reply.header("retry-after").parse().unwrap();
    assert!((1..=86_400).contains(&wait), "{wait}");
    assert_eq!(server.fetch_number("select count(*) from agent where kind = 'agent'").await, 2);
}

#[tokio::test]
async fn refused_registration_is_not_counted() {
    let server = Server::start_with(&[("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY", "2")]).await;
    assert_eq!(send_for_status(register_request(&server, "Ada")).await, 201);
    for (name, code, expected) in
        [("ADA", "name_taken", 409), ("system", "name_not_allowed", 422), ("!", "invalid_field", 400)]
    {
        for _ in 0..3 {
            Reply::fetch(register_request(&server, name)).await.assert_refused(expected, code);
        }
    }
    assert_eq!(send_for_status(register_request(&server, "Bob")).await, 201);
}

#[tokio::test]
async fn ignores_forwarded_headers_of_untrusted_callers() {
    let settings = [("CARAPLACE_REQUESTS_PER_MINUTE", "1"), ("CARAPLACE_TRUSTED_PROXIES", "10.0.0.0/8")];
    let server = Server::start_with(&settings).await;
    assert_eq!(send_for_status(stats_request(&server).header("X-Forwarded-For", "198.51.100.1")).await, 200);
    for address in ["198.51.100.2", "10.0.0.1", "127.0.0.2", "::1"] {
        let request = stats_request(&server)
            .header("X-Forwarded-For", address)
            .header("Forwarded", format!("for={address}"));
        assert_eq!(send_for_status(request).await, 429, "{address}");
    }
}

#[tokio::test]
async fn limits_each_address_behind_a_trusted_proxy() {
    let settings =
        [("CARAPLACE_REQUESTS_PER_MINUTE", "1"), ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8")];
    let server = Server::start_with(&settings).await;
    for (forwarded, expected) in [
        ("198.51.100.1", 200),
        ("198.51.100.2", 200),
        ("198.51.100.1", 429),
        ("203.0.113.5, 198.51.100.2", 429),
        ("198.51.100.1, 203.0.113.5", 200),
        ("203.0.113.5, 10.1.2.3", 429),
        ("2001:db8:1:2::1", 200),
        ("2001:db8:1:2:ffff::2", 429),
        ("2001:db8:1:3::1", 429),
        ("2001:db8:1:100::1", 200),
    ] {
        let request = stats_request(&server).header("X-Forwarded-For", forwarded);
        assert_eq!(send_for_status(request).await, expected, "{forwarded}");
    }
    let two_lines = stats_request(&server)
        .header("X-Forwarded-For", "192.0.2.77")
        .header("X-Forwarded-For", "198.51.100.2");
    assert_eq!(send_for_status(two_lines).await, 429, "the last header line is the nearest proxy's");
}

#[tokio::test]
async fn limits_large_documents_for_any_spelling_of_the_path() {
    let spellings: [&[&str]; 4] = [
        &[
            "/openapi/agents.json",
            "/openapi/agents%2ejson",
            "/%6fpenapi/agents.json",
            "/openapi/agents.json?a=1",
        ],
        &["/openapi.json", "/%6fpenapi.json", "/openapi%2Ejson", "/openapi.json?fresh=1"],
        &["/docs", "/d%6Fcs", "/%64%6f%63%73", "/docs?fresh=1"],
        &["/og.png", "/og%2epng", "/%6Fg.png", "/og.png?fresh=1"],
    ];
    for spellings in spellings {
        let server = Server::start_with(&[("CARAPLACE_REQUESTS_PER_MINUTE", "4")]).await;
        for path in spellings {
            let reply = server.get(path).await;
            assert_eq!(reply.status, 200, "{path}");
            assert!(has_policy(&reply, "\"requests\";q=4;w=60"), "{path}");
        }
        for path in spellings {
            server.get(path).await.assert_refused(429, "too_many_requests");
            assert_eq!(send_for_status(server.client.head(server.url(path))).await, 429, "HEAD {path}");
        }
        let known = server.get_request(spellings[0]).header("If-None-Match", "*");
        assert_eq!(send_for_status(known).await, 429, "also for the agent that has the name");
        assert_eq!(send_for_status(stats_request(&server)).await, 429, "they count as requests");
    }
}

#[tokio::test]
async fn documents_count_against_the_agents_own_limit() {
    let unlimited = Server::start().await;
    let ada = unlimited.register_agent("Ada").await;
    let server = unlimited.start_instance(&[("CARAPLACE_REQUESTS_PER_MINUTE", "2")]).await;
    for expected in [200, 200, 429] {
        assert_eq!(send_for_status(server.get_request("/docs")).await, expected);
    }
    let unknown = server.get_request("/docs").bearer_auth("cp_unknown");
    assert_eq!(send_for_status(unknown).await, 429, "no key, no limit of its own");
    // Her key is cached by this instance after its first use on a path that looks keys up.
    assert_eq!(send_for_status(stats_request(&server).bearer_auth(&ada.key)).await, 200);
    for expected in [200, 429] {
        let request = server.get_request("/openapi.json").bearer_auth(&ada.key);
        assert_eq!(send_for_status(request).await, expected);
    }
    for path in ["/openapi.json", "/docs", "/og.png"] {
        assert_eq!(send_for_status(unlimited.get_request(path)).await, 200, "zero switches the limit off");
    }
}

#[tokio::test]
async fn registration_reports_its_limit() {
    let server = Server::start_with(&[("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY", "2")]).await;
    for (name, remaining) in [("Ada", 1), ("Bob", 0), ("Cyd", 0)] {
        let reply = Reply::fetch(register_request(&server, name)).await;
        let policy = reply.header("ratelimit-policy");
        assert!(has_policy(&reply, "\"registrations\";q=2;w=86400"), "{name}: {policy}");
        let count = parse_rate_limit(&reply, "registrations").map(|(count, _)| count);
        assert_eq!(count, Some(remaining), "{name}");
    }
}

#[tokio::test]
async fn agent_limit_applies_across_addresses() {
    let unlimited = Server::start().await;
    let ada: Agent<'_> = unlimited.register_agent("Ada").await;
    let settings = [("CARAPLACE_REQUESTS_PER_MINUTE", "1"), ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.1")];
    let server = unlimited.start_instance(&settings).await;
    for (address, expected) in [("198.51.100.1", 200), ("198.51.100.2", 429)] {
        let request = stats_request(&server).bearer_auth(&ada.key).header("X-Forwarded-For", address);
        assert_eq!(send_for_status(request).await, expected);
    }
}

/// Sends a message of this importance to the chat, to a crew, or to Bob. Returns the answer.
async fn send_important(agent: &Agent<'_>, path: &str, importance: &str, content: &str) -> Reply {
    let mut body = json!({"content": content, "importance": importance});
    if path == "/api/direct" {
        body["to"] = json!(["Bob"]);
    }
    agent.post(path, body).await
}

#[tokio::test]
async fn important_messages_share_one_ration_wherever_they_are_sent() {
    let [server, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let [ada, _bob] = server.register_agents(["Ada", "Bob"]).await;
    let there = ada.on(&other);
    let crew = found_crew(&ada, "Roofers", "open").await;
    let crew = format!("/api/crews/{}/messages", crew["id"].as_str().unwrap());
    let places = ["/api/chat", crew.as_str(), "/api/direct"];
    for (number, path) in places.iter().chain(&places[..2]).enumerate() {
        let agent = if number % 2 == 0 { &ada } else { &there };
        send_important(agent, path, "high", &format!("high {number}")).await.assert_status(201);
    }
    send_important(&ada, places[0], "critical", "critical").await.assert_status(201);
    for importance in ["high", "critical"] {
        let status = ada.me().await;
        for (agent, path) in [(&ada, places[0]), (&there, places[0]), (&there, places[1]), (&ada, places[2])]
        {
            let refused = send_important(agent, path, importance, "one too many").await;
            refused.assert_refused(429, "too_many_messages");
            let wait: i64 = refused.header("retry-after").parse().unwrap();
            assert!((86_000..=86_400).contains(&wait), "{wait}");
            assert_eq!(parse_rate_limit(&refused, "messages"), None, "other messages need not wait");
        }
        assert_eq!(ada.me().await, status, "a refusal costs nothing");
    }
    assert_eq!(server.count_rows("importance_use").await, 6);
    send_important(&ada, places[0], "normal", "as many as you like").await.assert_status(201);
    server.advance_clock(86_400);
    send_important(&there, places[0], "critical", "a day later").await.assert_status(201);
}

#[tokio::test]
async fn important_messages_of_one_batch_count_together() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let [ada, _bob] = server.register_agents(["Ada", "Bob"]).await;
    let head_lock = server.lock_head().await;
    let messages = [("/api/chat", "now"), ("/api/direct", "at once"), ("/api/chat", "quickly")];
    let sent = join_all(messages.map(|(path, content)| send_important(&ada, path, "critical", content)));
    let released = async {
        server.wait_for_blocked_writers(1).await;
        head_lock.release().await;
    };
    let (replies, ()) = join(sent, released).await;
    let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 429, 429]);
}
