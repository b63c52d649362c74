//! The search in private messages: those of the caller's own crews and conversations, as it sees them.

use std::cell::Cell;
use std::collections::HashSet;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{delete, edit, path, results, texts};
use crate::direct::{conversations, send_ok};
use crate::support::actions::{FREE_CONSOLE_SETTINGS, found_crew_of, post_text, read_pages};
use crate::support::values::{fields_of, id_of, texts_of};
use crate::support::{Agent, Reply, Server};

/// Texts of several scripts, with letters that have another form or number in another case, marks, signs of
/// which PostgreSQL and the server may think differently, and punctuation.
const TEXTS: &str = concat!(
    "[a-zA-Z0-9éÉßẞıİΟΔΣσςЖжǅﬁ²①Ⅷ日本\u{e44}\u{e17}\u{e49}\u{939}\u{93f}\u{633}\u{644}\u{301}\u{307}\u{212a}",
    "\u{200d}🎉 _'.+/:@#%=-]{1,24}"
);

/// Returns the private messages that an account finds, the best first.
async fn find(agent: &Agent<'_>, query: &str, more: &str) -> Vec<Value> {
    results(&agent.get(&path(query, &format!("&in=messages{more}"))).await)
}

/// Posts a message in a crew, and returns it.
async fn post_to_crew(author: &Agent<'_>, crew: &Value, content: &str) -> Value {
    let path = format!("/api/crews/{}/messages", id_of(crew));
    author.post(&path, json!({"content": content})).await.assert_status(201)["message"].clone()
}

/// Sends a direct message, and returns it.
async fn send(sender: &Agent<'_>, to: &Agent<'_>, content: &str) -> Value {
    send_ok(sender, &[&to.id], content).await["message"].clone()
}

#[tokio::test]
async fn messages_of_own_crews_and_conversations_are_found() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let [ada, bob, cyd, eve] = server.register_agents(["Ada", "Bob", "Cyd", "Eve"]).await;
    let crew = found_crew_of(&ada, "Roofers", "open", &[&bob]).await;
    let posted = post_to_crew(&ada, &crew, "a lantern on the roof").await;
    let sent = send_ok(&ada, &[&bob.id, &cyd.id], "🎉 the lanterns are ours").await;
    for reader in [&ada, &bob] {
        let found = find(reader, "lantern", "").await;
        assert_eq!(texts(&found), ["a lantern on the roof", "🎉 the lanterns are ours"]);
        let expected = json!(["messages", posted["id"], crew["id"]]);
        assert_eq!(fields_of(&found[0], ["kind", "id", "crew_id"]), expected);
        assert_eq!(["conversation_id", "thread_id", "x"].map(|field| found[0].get(field)), [None; 3]);
        assert_eq!(
            fields_of(&found[1], ["id", "conversation_id", "ranges"]),
            json!([sent["message"]["id"], sent["conversation_id"], [[6, 14]]])
        );
        assert_eq!(["crew_id", "thread_id"].map(|field| found[1].get(field)), [None; 2]);
        assert_eq!(results(&reader.get(&path("lantern", "")).await), [Value::Null; 0], "chat by default");
    }
    assert_eq!(texts(&find(&cyd, "lantern", "").await), ["🎉 the lanterns are ours"]);
    assert_eq!(texts(&find(&eve, "lantern", "").await), [""; 0], "no member of the open crew");
    post_text(&eve, "my lantern").await;
    let search = path("lantern", "&in=chat,messages");
    let own = results(&bob.get(&search).await);
    let kinds: Vec<&str> = own.iter().map(|result| result["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["chat", "messages", "messages"]);
    for request in [server.get_request(&search), server.get_request(&search).bearer_auth(&operator)] {
        assert_eq!(texts(&results(&Reply::fetch(request).await)), ["my lantern"]);
    }
}

#[tokio::test]
async fn results_name_the_thread_in_which_a_message_stands() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let crew = found_crew_of(&ada, "Roofers", "open", &[&bob]).await;
    let path = format!("/api/crews/{}/messages", id_of(&crew));
    let body = json!({"content": "a lantern", "thread": "roof"});
    let posted = ada.post(&path, body).await.assert_status(201)["message"].clone();
    assert!(posted["thread_id"].is_string(), "{posted}");
    let found = find(&bob, "lantern", "").await;
    let fields = ["id", "crew_id", "thread_id"];
    assert_eq!(fields_of(&found[0], fields), fields_of(&posted, fields));
}

#[tokio::test]
async fn words_phrases_prefixes_and_minus() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    for content in
        ["A red house", "the house is red", "red house-boats", "ÉTOILE 7up", "ΟΔΟΣ ΕΔΩ", "日本語 本"]
    {
        send(&ada, &bob, content).await;
    }
    for (query, expected) in [
        ("HOUSE red", vec!["A red house", "the house is red", "red house-boats"]),
        ("\"red house\"", vec!["A red house", "red house-boats"]),
        ("red -\"red house\"", vec!["the house is red"]),
        ("house-bo", vec!["red house-boats"]),
        ("house -boat", vec!["A red house", "the house is red", "red house-boats"]),
        ("house -boat*", vec!["A red house", "the house is red"]),
        ("e\u{301}toile 7", vec![]),
        ("étoile 7u", vec!["ÉTOILE 7up"]),
        ("ΟΔΟΣ", vec!["ΟΔΟΣ ΕΔΩ"]),
        ("οδοσ εδ", vec!["ΟΔΟΣ ΕΔΩ"]),
        ("日", vec!["日本語 本"]),
        ("ouse", vec![]),
        ("%", vec![]),
        ("-red", vec![]),
    ] {
        let found = find(&bob, query, "").await;
        let found: HashSet<&str> = texts(&found).into_iter().collect();
        assert_eq!(found, expected.into_iter().collect(), "{query}");
    }
}

#[tokio::test]
async fn an_author_and_a_period_narrow_the_search_and_pages_follow_one_another() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    send(&ada, &bob, "bridge 0").await;
    server.advance_clock(60);
    let event = post_text(&ada, "bridge in public").await;
    server.advance_clock(60);
    let second = send(&bob, &ada, "bridge 1").await;
    server.advance_clock(60);
    send(&ada, &bob, "bridge 2").await;
    let (seq, time) = (&event["seq"], second["timestamp"].as_str().unwrap());
    for (more, expected) in [
        (String::new(), vec!["bridge 2", "bridge 1", "bridge 0"]),
        (format!("&from={seq}"), vec!["bridge 2", "bridge 1"]),
        (format!("&to={seq}"), vec!["bridge 0"]),
        (format!("&from={time}"), vec!["bridge 2", "bridge 1"]),
        (format!("&to={time}&from={seq}"), vec!["bridge 1"]),
        ("&from=99999999".to_owned(), vec![]),
        ("&agent=bob".to_owned(), vec!["bridge 1"]),
        (format!("&agent={}", ada.id), vec!["bridge 2", "bridge 0"]),
        ("&agent=nobody".to_owned(), vec![]),
        ("&near=5,5".to_owned(), vec!["bridge 2", "bridge 1", "bridge 0"]),
    ] {
        assert_eq!(texts(&find(&ada, "bridge", &more).await), expected, "{more}");
    }
    let pages = path("bridge", "&in=messages,chat&limit=1");
    let pages = read_pages(&pages, async |path| ada.get(path).await).await;
    let found: Vec<&str> = pages.iter().flat_map(|page| texts_of(&page["results"], "text")).collect();
    assert_eq!((found.len(), pages.len()), (4, 4), "{found:?}");
    let all = HashSet::from(["bridge 0", "bridge 1", "bridge 2", "bridge in public"]);
    assert_eq!(found.into_iter().collect::<HashSet<_>>(), all);
}

#[tokio::test]
async fn only_what_the_caller_can_read_now_is_found() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let operator = server.sign_in_operator().await;
    let crew = found_crew_of(&ada, "Roofers", "invite", &[&bob]).await;
    post_to_crew(&bob, &crew, "castle of the whole crew").await;
    operator.hide_message(&send(&bob, &ada, "castle hidden").await).await;
    delete(&bob, &send(&bob, &ada, "castle deleted").await).await;
    edit(&bob, &send(&bob, &ada, "castle wrong").await, "castle edited").await;
    let both = ["castle edited", "castle of the whole crew"];
    for reader in [&ada, &bob, &ada.with_extra_key(&["read"]).await] {
        assert_eq!(texts(&find(reader, "castle", "").await), both);
        assert_eq!(texts(&find(reader, "wrong", "").await), [""; 0]);
    }
    let chatting = ada.with_extra_key(&["chat"]).await;
    chatting.get(&path("castle", "&in=messages")).await.assert_refused(403, "scope_missing");
    bob.post(&format!("/api/crews/{}/leave", id_of(&crew)), json!({})).await.assert_status(200);
    assert_eq!(texts(&find(&bob, "castle", "").await), ["castle edited"], "it has left the crew");
    operator.apply_sanction(&ada, "ban").await;
    assert_eq!(texts(&find(&ada, "castle", "").await), both, "the banned may read");
    operator.post_with_reason(&format!("/api/admin/crews/{}/hide", id_of(&crew))).await;
    assert_eq!(texts(&find(&ada, "castle", "").await), ["castle edited"], "the crew was taken down");
}

#[tokio::test]
async fn texts_of_shadow_banned_accounts_are_found_by_these_alone() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, eve] = server.register_agents(["Ada", "Eve"]).await;
    let before = send(&eve, &ada, "tower before").await;
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    edit(&eve, &before, "tower after").await;
    send(&eve, &ada, "tower shadow").await;
    for (reader, query, expected) in [
        (&ada, "tower", vec!["tower before"]),
        (&ada, "after", vec![]),
        (&eve, "tower", vec!["tower shadow", "tower after"]),
        (&eve, "before", vec![]),
    ] {
        assert_eq!(texts(&find(reader, query, "").await), expected, "{query}");
    }
}

#[tokio::test]
async fn a_message_that_is_found_counts_as_delivered_and_stays_unread() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let sent = send(&ada, &bob, "a lantern").await;
    let receipts = async || {
        let read = ada.get(&format!("/api/chat/{}", id_of(&sent))).await.assert_status(200);
        read["message"]["receipts"].as_array().unwrap().clone()
    };
    find(&ada, "lantern", "").await;
    find(&bob, "roof", "").await;
    assert_eq!(receipts().await, [Value::Null; 0]);
    find(&bob, "lantern", "").await;
    let receipt = &receipts().await[0];
    assert!(receipt["delivered_at"].is_string() && receipt["read_at"].is_null(), "{receipt}");
    assert_eq!(conversations(&bob).await[0]["unread"], 1);
}

#[tokio::test]
async fn nothing_is_found_while_the_chat_is_switched_off() {
    let mut server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let key = {
        let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
        send(&ada, &bob, "a lantern").await;
        assert_eq!(find(&bob, "lantern", "").await.len(), 1);
        bob.key
    };
    server.restart_with("CARAPLACE_CHAT_ENABLED", "false").await;
    assert_eq!(texts(&find(&server.client_with_key(&key), "lantern", "").await), [""; 0]);
}

/// Gives all messages of agents, public and private ones, this text.
async fn change_all_texts(server: &Server, text: &str) {
    for statement in [
        "update chat_message set content = $1 where agent is not null",
        "update private_message set content = $1",
    ] {
        sqlx::query(statement).bind(text).execute(&server.pool).await.unwrap();
    }
}

/// Returns a part of a text that begins with a word; `None` if there is no word in it.
fn part_of(text: &str, start: Index, length: usize) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let begins_word =
        |at: &usize| chars[*at].is_alphanumeric() && (*at == 0 || !chars[*at - 1].is_alphanumeric());
    let starts: Vec<usize> = (0..chars.len()).filter(begins_word).collect();
    (!starts.is_empty()).then(|| chars[*start.get(&starts)..].iter().take(length).collect())
}

/// The search in private messages leaves out those without a wanted word before it parses any.
#[test]
fn private_messages_are_found_by_the_words_of_public_ones() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(Server::start_with(&FREE_CONSOLE_SETTINGS));
    let [ada, bob] = runtime.block_on(server.register_agents(["Ada", "Bob"]));
    runtime.block_on(post_text(&ada, "in public"));
    runtime.block_on(send(&ada, &bob, "in private"));
    let text = prop_oneof![3 => TEXTS.prop_map(String::from), 1 => "[^\0]{1,24}".prop_map(String::from)];
    let parts = (text, any::<Index>(), 1..10_usize);
    let mut runner = TestRunner::new(Config { cases: 150, failure_persistence: None, ..Config::default() });
    let found = Cell::new(0);
    let tried = runner.run(&parts, |(text, start, length)| {
        let Some(part) = part_of(&text, start, length) else { return Ok(()) };
        runtime.block_on(change_all_texts(&server, &text));
        for query in [part.to_lowercase(), part.to_uppercase(), part] {
            let search = |kind: &str| {
                let reply = runtime.block_on(ada.get(&path(&query, &format!("&in={kind}&agent={}", ada.id))));
                (reply.status, reply.body["results"].as_array().map_or(0, Vec::len))
            };
            let (public, private) = (search("chat"), search("messages"));
            prop_assert_eq!(public, private, "{:?} in {:?}", query, text);
            found.set(found.get() + public.1);
        }
        Ok(())
    });
    tried.unwrap();
    assert!(found.get() > 50, "{} searches found the text", found.get());
}
