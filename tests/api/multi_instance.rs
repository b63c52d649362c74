//! Several instances on one database show the same state, independent of which one writes.

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::support::actions::{CONSOLE_SETTINGS, FREE_SETTINGS, place, post_text, react};
use crate::support::values::fields_of;
use crate::support::waiting::{poll, wait_until};
use crate::support::{Agent, EventStream, Reply, Server};

/// Returns all state on which two instances must agree.
async fn read_state(server: &Server) -> (blake3::Hash, blake3::Hash, Value, Value) {
    let canvas = blake3::hash(&server.get("/api/canvas.bin").await.bytes);
    let chat = server.get("/api/chat?limit=100").await.body;
    let digest = server.get("/api/chat/digest").await.body["digest"].clone();
    let head = server.get("/api/stats").await.body["head"].clone();
    (canvas, blake3::hash(chat["messages"].to_string().as_bytes()), digest, head)
}

/// Paints, posts and reacts; each round on the same few pixels as all other agents.
async fn play(agent: Agent<'_>, rounds: i64) {
    let here = agent.server.running().address.port();
    for round in 0..rounds {
        let (y, color) = (round % 4, round % 16);
        place(&agent, &[(0, y, color), (1, y, color), (2, y, color)]).await;
        let message = post_text(&agent, &format!("round {round} at {here}")).await;
        if round % 5 == 0 {
            react(&agent, &message, "🔥").await;
        }
    }
}

#[tokio::test]
async fn two_instances_under_load_agree_without_gaps() {
    let [one, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let agents = one.register_agents(["Ada", "Bob", "Cyd", "Dee"]).await;
    let mut streams = [one.events(Some(0)).await, other.events(Some(0)).await];
    // Each agent uses both instances at the same time.
    join_all(agents.iter().flat_map(|agent| [play(agent.on(&one), 20), play(agent.on(&other), 20)])).await;
    let agreed = async || {
        let (here, there) = join(read_state(&one), read_state(&other)).await;
        (here == there).then_some(here)
    };
    let (.., head) = poll(agreed, "the instances still differ").await;
    assert_eq!(head, 1 + 8 * (20 * 4 + 4));
    assert_eq!(one.head().await, head.as_i64().unwrap());
    for stream in &mut streams {
        let numbers = stream.read_seqs_up_to(head.as_i64().unwrap()).await;
        assert_eq!(numbers, (1..=head.as_i64().unwrap()).collect::<Vec<_>>());
    }
    let late = one.start_instance(&FREE_SETTINGS).await;
    assert_eq!(read_state(&late).await, read_state(&one).await, "after a replay of the log");
}

/// Sends the same request ten times to each instance, all concurrently.
async fn send_twenty(
    one: &Server,
    other: &Server,
    agent: &Agent<'_>,
    path: &str,
    body: impl Fn(i64) -> Value,
) -> Vec<Reply> {
    let (here, there) = (agent.on(one), agent.on(other));
    let requests =
        (0..20).map(|i| if i % 2 == 0 { here.post(path, body(i)) } else { there.post(path, body(i)) });
    join_all(requests).await
}

/// Asserts that one request placed its pixel. The others were refused, or found the colour that they wanted.
fn assert_one_places(replies: &[Reply], color: impl Fn(i64) -> i64) {
    let winners: Vec<_> = (0..20).filter(|i| replies[*i].status == 201).collect();
    assert_eq!(winners.len(), 1);
    let placed = color(winners[0] as i64);
    for (i, reply) in replies.iter().enumerate().filter(|(i, _)| *i != winners[0]) {
        if color(i as i64) == placed {
            assert_eq!((reply.status, &reply.body["already"]), (200, &json!([0])), "{}", reply.body);
        } else {
            reply.assert_refused(409, "pixel_changed");
        }
    }
}

fn assert_one_wins(replies: &[Reply], status: u16, code: &str) {
    let (won, lost): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!(won.len(), 1);
    lost.iter().for_each(|reply| reply.assert_refused(status, code));
}

#[tokio::test]
async fn quotas_are_shared_by_all_instances() {
    let one = Server::start_with(&[("CARAPLACE_MESSAGE_SECONDS", "0")]).await;
    let other = one.start_instance(&[("CARAPLACE_MESSAGE_SECONDS", "0")]).await;
    let agent = one.register_agent("Ada").await;
    agent.earn_message_credits().await;
    for x in 0..4 {
        assert_eq!(agent.paint(x, 1, 2).await.status, 201);
    }
    let digest = one.digest().await;
    let pixel = |i| json!({"x": i, "y": 2, "color": 3, "chat_digest": digest});
    assert_one_wins(&send_twenty(&one, &other, &agent, "/api/pixel", pixel).await, 429, "no_charges");
    // Ten pixels were painted, which pay for two messages.
    assert_eq!(agent.post_message("The first").await.status, 201);
    let message = |i| json!({"content": format!("message {i}")});
    assert_one_wins(&send_twenty(&one, &other, &agent, "/api/chat", message).await, 429, "no_chat_credits");
    let (here, there) = (agent.me().await, agent.on(&other).me().await);
    let quotas = ["charges", "chat_credits", "pixels_placed", "messages_sent"];
    assert_eq!(fields_of(&here, quotas), fields_of(&there, quotas));
    assert_eq!(fields_of(&here, quotas), json!([0, 0, 10, 2]));
}

#[tokio::test]
async fn message_interval_is_shared_by_all_instances() {
    let one = Server::start_with(&[("CARAPLACE_PIXELS_PER_MESSAGE", "0")]).await;
    let other = one.start_instance(&[("CARAPLACE_PIXELS_PER_MESSAGE", "0")]).await;
    let agent = one.register_agent("Ada").await;
    let message = |i| json!({"content": format!("message {i}")});
    assert_one_wins(&send_twenty(&one, &other, &agent, "/api/chat", message).await, 429, "too_many_messages");
    let same = |_| json!({"content": "The same"});
    one.advance_clock(60);
    assert_one_wins(&send_twenty(&one, &other, &agent, "/api/chat", same).await, 422, "duplicate_message");
}

#[tokio::test]
async fn same_expected_color_on_two_instances_succeeds_once() {
    let [one, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let agent = one.register_agent("Ada").await;
    for _ in 0..5 {
        let digest = one.digest().await;
        let expected = one.get("/api/pixel?x=7&y=7").await.body["color"].as_i64().unwrap();
        // Each wants another colour, except that there are fewer other colours than requests.
        let color = |i: i64| (expected + 1 + i % 15) % 16;
        let pixel =
            |i| json!({"x": 7, "y": 7, "color": color(i), "expected_color": expected, "chat_digest": digest});
        assert_one_places(&send_twenty(&one, &other, &agent, "/api/pixel", pixel).await, color);
        one.running().state.log.refresh().await.unwrap();
    }
}

#[tokio::test]
async fn registrations_of_one_name_on_two_instances_succeed_once() {
    let [one, other] = Server::start_two_instances(&[]).await;
    let names = ["PixelCrab", "pixeIcrab"];
    let name = |i: usize| json!({"name": names[i % 2]});
    let tries = (0..20).map(|i| [&one, &other][i % 2].post("/api/agents/register", name(i / 2)));
    assert_one_wins(&join_all(tries).await, 409, "name_taken");
}

#[tokio::test]
async fn streams_report_a_database_outage() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let mut stream = EventStream::open(server.get_request("/api/events")).await;
    let hello = stream.next().await.unwrap();
    assert_eq!((hello.name.as_str(), hello.data.get("live")), ("hello", None));

    let outage = server.start_outage().await;
    assert_eq!(stream.next_presence(false).await["spectators"], 1);
    let mut late = EventStream::open(server.get_request("/api/events")).await;
    assert_eq!(late.next().await.unwrap().data["live"], false);
    ada.paint(1, 1, 1).await.assert_refused(503, "database_unavailable");
    assert_eq!(server.get("/api/canvas").await.status, 200, "the known state is still shown");

    outage.end().await;
    stream.next_presence(true).await;
    assert_eq!(ada.paint(1, 1, 1).await.status, 201);
}

/// An account is cached only if the control log has not changed while it was read, and only the streams of
/// cached accounts stay open.
#[tokio::test]
async fn a_stream_that_opens_while_a_setting_changes_stays_open() {
    let [one, other] = Server::start_two_instances(&CONSOLE_SETTINGS).await;
    let (ada, operator) = (one.register_agent("Ada").await, one.sign_in_operator().await);
    let there = ada.on(&other);
    let mut lock = one.pool.begin().await.unwrap();
    sqlx::query("lock table agent in access exclusive mode").execute(&mut *lock).await.unwrap();
    let change = async {
        one.wait_for_lock_waits(1).await;
        operator.change_setting("message_seconds", json!(9)).await;
        let is_known = async || other.running().state.log.control_head() > 0;
        wait_until(is_known, "the change never arrives").await;
        lock.rollback().await.unwrap();
    };
    let (mut stream, ()) = join(there.open_stream(), change).await;
    assert_eq!(ada.paint(1, 1, 1).await.status, 201);
    assert_eq!(stream.next_with_id().await.name, "pixels");
}
