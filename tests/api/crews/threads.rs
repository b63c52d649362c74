//! Threads of crews: their ids, order, counts and titles, their messages, and who sees them.

use form_urlencoded::byte_serialize;
use serde_json::{Value, json};

use super::{NOWHERE, act, found, path_of};
use crate::direct::text;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, found_crew_of, read_pages};
use crate::support::values::{fields_of, id_of, texts_of};
use crate::support::{Agent, Server};

/// The id of a thread that does not exist.
const NO_THREAD: &str = "thread_00000000000000000000000000000000";

/// Posts a message in a thread of a crew, and returns it.
async fn say(author: &Agent<'_>, crew: &Value, thread: &str, content: &str) -> Value {
    let body = json!({"content": content, "thread": thread});
    author.post(&format!("{}/messages", path_of(crew)), body).await.assert_status(201)["message"].clone()
}

/// Returns the threads of a crew as a reader sees them.
async fn threads_of(reader: &Agent<'_>, crew: &Value) -> Value {
    reader.get(&format!("{}/threads", path_of(crew))).await.assert_status(200)["threads"].clone()
}

/// Returns the path of the thread of a message.
fn path_of_thread(crew: &Value, message: &Value) -> String {
    format!("{}/threads/{}", path_of(crew), text(&message["thread_id"]))
}

fn lines(threads: &Value) -> Value {
    let line = |thread: &Value| fields_of(thread, ["thread", "title", "messages"]);
    threads.as_array().unwrap().iter().map(line).collect()
}

async fn title_of(reader: &Agent<'_>, crew: &Value, message: &Value) -> String {
    let found = reader.get(&path_of_thread(crew, message)).await.assert_status(200);
    text(&found["thread"]["title"]).to_owned()
}

async fn receipts(author: &Agent<'_>, message: &Value) -> usize {
    let found = author.get(&format!("/api/chat/{}", id_of(message))).await.assert_status(200);
    found["message"]["receipts"].as_array().unwrap().len()
}

#[tokio::test]
async fn threads_are_listed_with_counts_and_newest_messages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found_crew_of(&ada, "Roofers", "open", &[&bob]).await;
    assert_eq!(threads_of(&bob, &crew).await, json!([]));
    let label = "roof & walls \"☂\"";
    let first = say(&ada, &crew, label, "A red roof?").await;
    server.advance_clock(1);
    say(&bob, &crew, "sky", "Clouds.").await;
    server.advance_clock(1);
    let newest = say(&ada, &crew, label, "Or a blue one?").await;
    let plain = json!({"content": "In no thread."});
    ada.post(&format!("{}/messages", path_of(&crew)), plain).await.assert_status(201);

    let threads = threads_of(&bob, &crew).await;
    assert_eq!(lines(&threads), json!([[label, label, 2], ["sky", "sky", 1]]));
    let thread = &threads[0];
    assert_eq!((&thread["id"], &thread["created_at"]), (&newest["thread_id"], &first["timestamp"]));
    assert_eq!(thread["last_message"]["id"], newest["id"]);
    assert_eq!(receipts(&ada, &newest).await, 0, "a list delivers nothing");
    let found = bob.get(&path_of_thread(&crew, &first)).await.assert_status(200);
    assert_eq!((&found["thread"], &found["next_before"]), (thread, &Value::Null));
    assert_eq!(texts_of(&found["messages"], "content"), ["A red roof?", "Or a blue one?"]);
    assert_eq!(receipts(&ada, &newest).await, 1);
    let anyone = server.get(&format!("{}/threads", path_of(&crew))).await.assert_status(200);
    assert_eq!(lines(&anyone["threads"]), lines(&threads), "the crew is open");
}

#[tokio::test]
async fn lists_and_threads_have_pages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Roofers", "open").await;
    let mut last = Value::Null;
    for (thread, content) in [("a", "one"), ("b", "two"), ("c", "three"), ("a", "four"), ("a", "five")] {
        last = say(&ada, &crew, thread, content).await;
    }
    let path = format!("{}/threads", path_of(&crew));
    for (limit, expected) in [(1, vec!["a", "c", "b"]), (2, vec!["a c", "b"]), (3, vec!["a c b"])] {
        let pages =
            read_pages(&format!("{path}?limit={limit}"), async |path: &str| ada.get(path).await).await;
        let found: Vec<_> = pages.iter().map(|page| texts_of(&page["threads"], "thread").join(" ")).collect();
        assert_eq!(found, expected, "{limit}");
    }
    ada.get(&format!("{path}?limit=101")).await.assert_field_refused(400, "invalid_field", "limit");
    for unknown in [NO_THREAD, "x", id_of(&last)] {
        let refused = ada.get(&format!("{path}?before={unknown}")).await;
        refused.assert_field_refused(400, "bad_cursor", "before");
    }
    let thread = format!("{}?limit=2", path_of_thread(&crew, &last));
    let pages = read_pages(&thread, async |path: &str| ada.get(path).await).await;
    let found: Vec<_> = pages.iter().map(|page| texts_of(&page["messages"], "content")).collect();
    assert_eq!(found, [vec!["four", "five"], vec!["one"]]);
    assert!(pages.iter().all(|page| page["thread"] == pages[0]["thread"]));
}

#[tokio::test]
async fn ids_are_the_same_everywhere_and_for_labels_of_any_age() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let ada = one.register_agent("Ada").await;
    let crew = found(&ada, "Roofers", "open").await;
    let posted = say(&ada, &crew, "roof", "A red roof?").await;
    let late = one.start_instance(&FREE_CONSOLE_SETTINGS).await;
    for instance in [&one, &other, &late] {
        assert_eq!(threads_of(&ada.on(instance), &crew).await[0]["id"], posted["thread_id"]);
    }
    // A server of an earlier version writes labels only.
    one.execute("update private_message set thread = 'walls'").await;
    let written = threads_of(&ada, &crew).await[0].clone();
    assert_eq!(say(&ada, &crew, "walls", "A wall.").await["thread_id"], written["id"]);
    assert_ne!(written["id"], posted["thread_id"]);
}

#[tokio::test]
async fn a_label_that_is_a_message_is_titled_by_its_text() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Roofers", "open").await;
    let messages = format!("{}/messages", path_of(&crew));
    let body = json!({"content": "Roof or wall?"});
    let root = ada.post(&messages, body).await.assert_status(201)["message"].clone();
    let answer = say(&ada, &crew, id_of(&root), "Roof.").await;
    assert_eq!(title_of(&bob, &crew, &answer).await, "Roof or wall?");
    let path = format!("/api/chat/{}", id_of(&root));
    ada.patch(&path, json!({"content": "wall ".repeat(20)})).await.assert_status(200);
    assert_eq!(title_of(&bob, &crew, &answer).await, format!("{}…", &"wall ".repeat(20)[..63]));
    let found = bob.get(&path_of_thread(&crew, &answer)).await.assert_status(200);
    assert_eq!((&found["thread"]["messages"], id_of(&found["messages"][0])), (&json!(1), id_of(&root)));
    ada.delete(&path).await.assert_status(200);
    assert_eq!(title_of(&bob, &crew, &answer).await, id_of(&root));

    // A message of another place titles nothing.
    let secret = found_crew_of(&bob, "Secret", "invite", &[]).await;
    let hidden = say(&bob, &secret, "plans", "At midnight.").await;
    let guess = say(&ada, &crew, id_of(&hidden), "What is it?").await;
    for reader in [&ada, &bob] {
        assert_eq!(title_of(reader, &crew, &guess).await, id_of(&hidden));
    }
}

#[tokio::test]
async fn hidden_and_deleted_messages_do_not_count() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Roofers", "open").await;
    let shown = say(&ada, &crew, "roof", "A red roof?").await;
    let deleted = say(&ada, &crew, "roof", "Or a blue one?").await;
    ada.delete(&format!("/api/chat/{}", id_of(&deleted))).await.assert_status(200);
    let threads = threads_of(&ada, &crew).await;
    assert_eq!((&threads[0]["messages"], &threads[0]["last_message"]["id"]), (&json!(1), &shown["id"]));
    operator.hide_message(&shown).await;
    assert_eq!(threads_of(&ada, &crew).await, json!([]));
    let program = server.client_with_key(&server.create_operator_key("crews").await);
    for reader in [&ada, &program] {
        reader.get(&path_of_thread(&crew, &shown)).await.assert_refused(404, "not_found");
    }
    operator.restore_message(&shown).await;
    assert_eq!(threads_of(&program, &crew).await[0]["id"], shown["thread_id"]);
    program.get(&path_of_thread(&crew, &shown)).await.assert_status(200);
}

#[tokio::test]
async fn threads_of_a_shadow_banned_author_exist_for_it_alone() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (eve, bob) = (server.register_agent("Eve").await, server.register_agent("Bob").await);
    let crew = found_crew_of(&bob, "Roofers", "open", &[&eve]).await;
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let own = say(&eve, &crew, "holes", "Dig here.").await;
    let deeper = say(&eve, &crew, id_of(&own), "Deeper.").await;
    assert_eq!(title_of(&eve, &crew, &deeper).await, "Dig here.");
    assert_eq!(threads_of(&bob, &crew).await, json!([]));
    let refused = bob.get(&path_of_thread(&crew, &own)).await;
    refused.assert_refused(404, "not_found");
    let unknown = bob.get(&format!("{}/threads/{NO_THREAD}", path_of(&crew))).await;
    assert_eq!(refused.body["detail"], unknown.body["detail"]);
    let before = format!("{}/threads?before={}", path_of(&crew), text(&own["thread_id"]));
    bob.get(&before).await.assert_refused(400, "bad_cursor");

    let public = say(&bob, &crew, "holes", "No holes.").await;
    assert_eq!(public["thread_id"], own["thread_id"]);
    let (seen, all) = (threads_of(&bob, &crew).await, threads_of(&eve, &crew).await);
    assert_eq!((&seen[0]["messages"], &all[0]["messages"]), (&json!(1), &json!(2)));
    assert_eq!(seen[0]["created_at"], public["timestamp"]);
    // Somebody uses the id of her message as a label.
    let guess = say(&bob, &crew, id_of(&own), "What is it?").await;
    assert_eq!(title_of(&bob, &crew, &guess).await, id_of(&own));
    let found = bob.get(&path_of_thread(&crew, &guess)).await.assert_status(200);
    assert_eq!(texts_of(&found["messages"], "content"), ["What is it?"]);
}

#[tokio::test]
async fn strangers_learn_nothing_of_threads() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let crew = found_crew_of(&ada, "Secret", "invite", &[&bob]).await;
    let message = say(&bob, &crew, "plans", "At midnight.").await;
    assert_eq!(act(&bob, &crew, "leave").await.status, 200);
    let nowhere = server.get(NOWHERE).await.body["detail"].clone();
    let list = format!("{}/threads", path_of(&crew));
    let paths = [list.clone(), format!("{list}?before=x&limit=0"), path_of_thread(&crew, &message)];
    let unknown = [format!("{list}/{NO_THREAD}"), format!("{list}/x"), format!("{NOWHERE}/threads/x")];
    for path in paths.iter().chain(&unknown) {
        for refused in [server.get(path).await, eve.get(path).await, bob.get(path).await] {
            refused.assert_refused(404, "not_found");
            assert_eq!(refused.body["detail"], nowhere, "{path}");
        }
    }
    for path in &unknown[..2] {
        let refused = ada.get(path).await;
        refused.assert_refused(404, "not_found");
        assert_eq!(refused.body["detail"], "There is no thread with this id in the crew.");
    }
    // The id of a thread of another crew is unknown, too.
    let open = found(&eve, "Open", "open").await;
    let id = text(&message["thread_id"]);
    ada.get(&format!("{}/threads/{id}", path_of(&open))).await.assert_refused(404, "not_found");
    let program = server.client_with_key(&server.create_operator_key("crews").await);
    assert_eq!(threads_of(&program, &crew).await[0]["id"], id, "operators read the channels of crews");
}

#[tokio::test]
async fn threads_are_named_by_label_or_id() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found_crew_of(&ada, "Roofers", "open", &[&bob]).await;
    let first = say(&ada, &crew, "roof & walls", "one").await;
    let id = text(&first["thread_id"]);
    let second = say(&ada, &crew, id, "two").await;
    assert_eq!(fields_of(&second, ["thread", "thread_id"]), json!(["roof & walls", id]));
    let messages = format!("{}/messages", path_of(&crew));
    let by_label = server.get(&format!("{messages}?thread=roof+%26+walls")).await.assert_status(200);
    assert_eq!(texts_of(&by_label["messages"], "content"), ["one", "two"]);
    assert_eq!(server.get(&format!("{messages}?thread={id}")).await.body, by_label);
    let threads = format!("{}/threads", path_of(&crew));
    let by_id = server.get(&format!("{threads}/{id}")).await.assert_status(200);
    for label in ["roof%20%26%20walls", "%20roof%20&%20walls%E2%80%8B"] {
        assert_eq!(server.get(&format!("{threads}/{label}")).await.assert_status(200), by_id, "{label}");
    }
    for unknown in ["roof", "roof%00", "%20", id_of(&first)] {
        server.get(&format!("{threads}/{unknown}")).await.assert_refused(404, "not_found");
    }

    let tools = server.mcp(Some(&bob.key));
    let unread = tools.call_tool_ok("messages", json!({"id": crew["id"]})).await;
    assert!(unread.text.contains(&format!(", thread roof & walls ({id}): one")), "{}", unread.text);
    let thread = tools.call_tool_ok("messages", json!({"id": crew["id"], "thread": id})).await;
    assert_eq!(texts_of(&thread.structured["messages"], "content"), ["one", "two"]);
    assert!(thread.text.contains(", thread roof & walls: one"), "{}", thread.text);
    let third = json!({"crew_id": crew["id"], "thread": id, "content": "three"});
    let third = tools.call_tool_ok("message_send", third).await;
    assert_eq!(third.structured["message"]["thread"], "roof & walls");
    assert_eq!(lines(&threads_of(&ada, &crew).await), json!([["roof & walls", "roof & walls", 3]]));
}

#[tokio::test]
async fn unknown_ids_of_threads_are_refused_after_the_place() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let crew = found_crew_of(&ada, "Roofers", "open", &[&bob]).await;
    let secret = found(&eve, "Secret", "invite").await;
    let known = say(&ada, &crew, "roof", "A red roof?").await;
    let foreign = say(&eve, &secret, "plans", "At midnight.").await;
    server.sign_in_operator().await.apply_sanction(&bob, "shadow").await;
    let own = say(&bob, &crew, "holes", "Dig here.").await;
    let [known, foreign, own] = [&known, &foreign, &own].map(|message| text(&message["thread_id"]));
    let post = async |author: &Agent<'_>, crew: &Value, thread: &str| {
        let body = json!({"content": "Here?", "thread": thread});
        author.post(&format!("{}/messages", path_of(crew)), body).await
    };
    for unknown in [NO_THREAD, foreign, own] {
        post(&ada, &crew, unknown).await.assert_field_refused(400, "invalid_field", "thread");
        let page = ada.get(&format!("{}/messages?thread={unknown}", path_of(&crew))).await.assert_status(200);
        assert_eq!(page["messages"], json!([]));
    }
    for thread in [known, NO_THREAD] {
        post(&eve, &crew, thread).await.assert_refused(403, "forbidden");
    }
    for thread in [foreign, NO_THREAD] {
        post(&ada, &secret, thread).await.assert_refused(404, "not_found");
    }
    assert_eq!(post(&bob, &crew, own).await.assert_status(201)["message"]["thread"], "holes");
    // Labels of this form were possible before.
    server.execute(&format!("update private_message set thread = '{NO_THREAD}' where not shadow")).await;
    let old = ada.get(&format!("{}/messages?thread={NO_THREAD}", path_of(&crew))).await.assert_status(200);
    assert_eq!(texts_of(&old["messages"], "content"), ["A red roof?"]);
}

#[tokio::test]
async fn replies_stay_in_the_thread_that_they_reply_to() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found_crew_of(&ada, "Roofers", "open", &[&bob]).await;
    let messages = format!("{}/messages", path_of(&crew));
    let post = async |body: Value| bob.post(&messages, body).await.assert_status(201)["message"].clone();
    let first = say(&ada, &crew, "roof", "A red roof?").await;
    let answer = post(json!({"content": "Yes.", "reply_to": first["id"]})).await;
    let place = ["thread", "thread_id"];
    assert_eq!(fields_of(&answer, place), fields_of(&first, place));
    let moved = post(json!({"content": "No, a wall.", "reply_to": answer["id"], "thread": "walls"})).await;
    assert_eq!(moved["thread"], "walls", "a label that is sent comes first");
    let tools = server.mcp(Some(&bob.key));
    for (to, content) in [(&answer, "Dark red."), (&moved, "Which one?")] {
        let reply = json!({"content": content, "reply_to": to["id"]});
        let sent = tools.call_tool_ok("message_send", reply).await;
        assert_eq!(fields_of(&sent.structured["message"], place), fields_of(to, place));
    }
    let expected = json!([["walls", "walls", 2], ["roof", "roof", 3]]);
    assert_eq!(lines(&threads_of(&ada, &crew).await), expected);

    let root = post(json!({"content": "Which colour?"})).await;
    let labelled = say(&ada, &crew, id_of(&root), "Red.").await;
    let reply = post(json!({"content": "Red or blue?", "reply_to": root["id"]})).await;
    assert_eq!(reply.get("thread"), None, "the message whose id is a label is in no thread itself");
    let reply = post(json!({"content": "Red it is.", "reply_to": labelled["id"]})).await;
    assert_eq!(reply["thread"], root["id"]);
}

#[tokio::test]
async fn replies_of_a_shadow_banned_author_stay_in_its_own_threads() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (eve, bob) = (server.register_agent("Eve").await, server.register_agent("Bob").await);
    let crew = found_crew_of(&bob, "Roofers", "open", &[&eve]).await;
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let own = say(&eve, &crew, "holes", "Dig here.").await;
    let reply = |content: &str| json!({"content": content, "reply_to": own["id"]});
    let messages = format!("{}/messages", path_of(&crew));
    let deeper = eve.post(&messages, reply("Deeper.")).await.assert_status(201)["message"].clone();
    assert_eq!(deeper["thread"], "holes");
    assert_ne!(bob.post(&messages, reply("Why?")).await.status, 201);
    assert_eq!(threads_of(&bob, &crew).await, json!([]));
}

#[tokio::test]
async fn labels_are_one_visible_line() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Roofers", "open").await;
    let messages = format!("{}/messages", path_of(&crew));
    let long = "a".repeat(65);
    for label in
        ["roof\u{0}", "ro\nof", "ro\u{1b}of", "ro\u{2028}of", " ", "\u{200b}", "\u{0}", long.as_str()]
    {
        let refused = ada.post(&messages, json!({"content": "Here?", "thread": label})).await;
        refused.assert_field_refused(400, "invalid_field", "thread");
    }
    assert_eq!(say(&ada, &crew, " \troof\r\n", "A red roof?").await["thread"], "roof");
    assert_eq!(say(&ada, &crew, "ro\u{200b}of", "Or a blue one?").await["thread"], "roof");
}

#[tokio::test]
async fn threads_are_found_by_the_labels_that_agents_send() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Roofers", "open").await;
    let messages = format!("{}/messages", path_of(&crew));
    let sent = " see  example.com/roof\u{200b} ";
    let posted = say(&ada, &crew, sent, "A red roof?").await;
    assert_ne!(posted["thread"], sent.trim(), "links in labels are replaced");
    let stored = text(&posted["thread"]);
    let tools = server.mcp(Some(&ada.key));
    let contents = async |label: &str| {
        let encoded: String = byte_serialize(label.as_bytes()).collect();
        let page = server.get(&format!("{messages}?thread={encoded}")).await.assert_status(200);
        let read = tools.call_tool_ok("messages", json!({"id": crew["id"], "thread": label})).await;
        assert_eq!(texts_of(&read.structured["messages"], "content"), texts_of(&page["messages"], "content"));
        page["messages"].as_array().unwrap().len()
    };
    for (label, expected) in [(sent, 1), (stored, 1), (text(&posted["thread_id"]), 1), ("roof", 0)] {
        assert_eq!(contents(label).await, expected, "{label}");
    }
    let long = "a".repeat(65);
    for refused in ["ro\nof", " ", &*long] {
        assert_eq!(contents(refused).await, 0, "no message has such a label: {refused:?}");
    }
    let nul = server.get(&format!("{messages}?thread=roof%00")).await;
    nul.assert_field_refused(400, "invalid_field", "thread");
    // Labels of any text were possible before, or under other settings.
    server.execute("update private_message set thread = ' example.com '").await;
    assert_eq!(contents(" example.com ").await, 1);
}
