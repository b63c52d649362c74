//! The pages of messages: what a person with a pass writes to an agent, reads, and is told when it is
//! refused.

use serde_json::json;

use crate::direct::send_ok;
use crate::gallery::viewer_browser::ViewerBrowser;
use crate::support::actions::FREE_CONSOLE_SETTINGS;
use crate::support::{Reply, Server, with_form_body};

const HOSTILE: &str = "\"><script>alert('x')</script>&";
const HOSTILE_ESCAPED: &str = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;";

/// Signs a person with a new pass in, and returns its browser and its id.
async fn sign_in(server: &Server) -> (ViewerBrowser<'_>, String) {
    let viewer = server.create_viewer().await;
    let mut person = ViewerBrowser::new(server);
    person.submit("/gallery/sign-in", &[("key", &viewer.key)]).await;
    assert!(person.session().is_some());
    (person, viewer.id)
}

/// Sends the form. Returns the status and the page, or the path of the page that follows.
async fn write(person: &mut ViewerBrowser<'_>, to: &str, content: &str) -> (u16, String) {
    let reply = person.submit("/messages", &[("to", to), ("content", content)]).await;
    let location = reply.header("location").to_owned();
    (reply.status, if reply.status == 303 { location } else { reply.text().to_owned() })
}

async fn html(person: &mut ViewerBrowser<'_>, path: &str) -> String {
    let reply = person.get(path).await;
    assert_eq!((reply.status, reply.header("cache-control")), (200, "no-store"), "{path}");
    reply.text().to_owned()
}

#[tokio::test]
async fn person_writes_to_an_agent_and_reads_its_answer() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (mut person, id) = sign_in(&server).await;
    let agent_page = format!("/agents/{}", ada.id);
    let link = format!("<a href=\"/messages/new?to={}\">Write to this agent</a>", ada.id);
    assert!(html(&mut person, &agent_page).await.contains(&link));
    assert!(!server.page(&agent_page).await.1.contains("Write to this agent"));
    assert!(html(&mut person, "/messages").await.contains("Nothing yet."));
    let form = html(&mut person, &format!("/messages/new?to={}", ada.id)).await;
    assert!(form.contains("Write to <bdi class=\"foreign\">Ada</bdi>"), "{form}");
    assert!(form.contains("every 10 minutes"), "{form}");

    let (status, path) = write(&mut person, &ada.id, "What will\r\nit be?").await;
    assert_eq!(status, 303, "{path}");
    let conversation = path.strip_prefix("/messages/").unwrap().to_owned();
    let got = ada.get(&format!("/api/direct/{conversation}")).await.body;
    assert_eq!(got["messages"][0]["content"], "What will it be?", "{got}");
    send_ok(&ada, &[&id], "A harbour.").await;
    let list = html(&mut person, "/messages").await;
    assert!(list.contains("A harbour.") && list.contains("1 unread") && list.contains(&path), "{list}");
    let read = html(&mut person, &path).await;
    assert!(read.find("What will").unwrap() < read.find("A harbour.").unwrap(), "{read}");
    assert!(!html(&mut person, "/messages").await.contains("unread"));
    let known = person.get(&format!("/messages/new?to={}", ada.id)).await;
    assert_eq!((known.status, known.header("location")), (303, path.as_str()));

    let (mut other, _) = sign_in(&server).await;
    assert_eq!(other.get(&path).await.status, 404, "of others");
    let mut nobody = ViewerBrowser::new(&server);
    for hidden in ["/messages", path.as_str(), "/messages/new"] {
        let shown = html(&mut nobody, hidden).await;
        assert!(shown.contains("You are not signed in here.") && !shown.contains("A harbour."), "{shown}");
    }
}

#[tokio::test]
async fn refusals_are_sentences_and_keep_the_text() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (mut person, id) = sign_in(&server).await;
    let blocked = bob.put(&format!("/api/agents/me/blocks/{id}"), json!({})).await;
    assert!(blocked.status < 300, "{}", blocked.body);
    for (to, content, status, sentence) in [
        (bob.id.as_str(), "Hello & welcome.", 403, "This agent takes no messages from you."),
        ("Nobody", "Hello & welcome.", 400, "There is no agent with this name."),
        (ada.id.as_str(), " ", 422, "Change the text, then send it again."),
    ] {
        let (refused, page) = write(&mut person, to, content).await;
        assert_eq!(refused, status, "{page}");
        let is_told = page.contains("role=\"alert\"") && page.contains(sentence);
        assert!(is_told, "{sentence} is missing in {page}");
        assert!(content == " " || page.contains("Hello &amp; welcome.</textarea>"), "{page}");
        assert_eq!(page.contains("value=\"Nobody\""), to == "Nobody", "{page}");
    }
    assert_eq!(write(&mut person, "Ada", "Hello.").await.0, 303, "a name is enough, and nothing was spent");
    let soon = person.submit("/messages", &[("to", &ada.id), ("content", "And again.")]).await;
    assert!(soon.status == 429 && soon.text().contains("send it again in 10 minutes."), "{}", soon.text());
    assert!((590..=600).contains(&soon.header("retry-after").parse::<i64>().unwrap()));
    let token = person.fetch_form_token().await;
    let fields = [("token", token.as_str()), ("to", ada.id.as_str()), ("content", "And again.")];
    let cookies = person.form_request("/messages", &fields).build().unwrap().headers()["cookie"].clone();
    let by_program = server.post_request("/messages").header("Cookie", cookies);
    let by_program = by_program.header("Accept", "application/json").header("Origin", server.url(""));
    Reply::fetch(with_form_body(by_program, &fields)).await.assert_refused(429, "too_many_messages");
    server.advance_clock(601);
    server.sign_in_operator().await.post_with_reason(&format!("/api/admin/passes/{id}/revoke")).await;
    let (status, page) = write(&mut person, &ada.id, "And again.").await;
    assert!(status == 402 && page.contains("You have no Gallery Pass now."), "{status}: {page}");
    let read = html(&mut person, "/messages").await;
    assert!(read.contains("Hello."), "reading needs no pass: {read}");
    let agent_page = person.get(&format!("/agents/{}", ada.id)).await;
    assert!(agent_page.status == 200 && !agent_page.text().contains("Write to this agent"));
}

#[tokio::test]
async fn form_must_come_from_our_own_page() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (mut person, _) = sign_in(&server).await;
    let token = person.fetch_form_token().await;
    let fields = [("to", ada.id.as_str()), ("content", "Hello.")];
    let without_token = person.form_request("/messages", &fields);
    let fields = [("token", token.as_str()), ("to", ada.id.as_str()), ("content", "Hello.")];
    let from_elsewhere = person.with_browser_headers(server.post_request("/messages"));
    let from_elsewhere = with_form_body(from_elsewhere.header("Sec-Fetch-Site", "cross-site"), &fields);
    for request in [without_token, from_elsewhere] {
        assert_eq!(Reply::fetch(request).await.status, 403);
    }
    let mut nobody = ViewerBrowser::new(&server);
    assert_eq!(write(&mut nobody, &ada.id, "Hello.").await.0, 401);
    assert_eq!(ada.get("/api/direct").await.body["conversations"], json!([]));
}

#[tokio::test]
async fn texts_of_messages_stay_texts() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (mut person, id) = sign_in(&server).await;
    let (status, path) = write(&mut person, &ada.id, "Hello.").await;
    assert_eq!(status, 303, "{path}");
    send_ok(&ada, &[&id], HOSTILE).await;
    let rename = "update agent set name = $1 where kind = 'agent'";
    sqlx::query(rename).bind(HOSTILE).execute(&server.pool).await.unwrap();
    for (path, shown) in [("/messages", 2), (path.as_str(), 4)] {
        let page = html(&mut person, path).await;
        assert!(!page.contains("<script>") && !page.contains("alert('x')"), "{path}: {page}");
        assert!(page.matches(HOSTILE_ESCAPED).count() >= shown, "{path}: {page}");
    }
    let (status, page) = write(&mut person, HOSTILE, HOSTILE).await;
    assert_eq!(status, 400, "{page}");
    assert!(!page.contains("<script>") && page.contains(HOSTILE_ESCAPED), "{page}");
}

#[tokio::test]
async fn form_names_no_interval_where_there_is_none() {
    let settings = [("CARAPLACE_WHISPER_SECONDS", "0")];
    let server = Server::start_with(&[&FREE_CONSOLE_SETTINGS[..], &settings[..]].concat()).await;
    let (mut person, _) = sign_in(&server).await;
    let form = html(&mut person, "/messages/new").await;
    assert!(form.contains("Up to 280 characters.") && !form.contains("agent every"), "{form}");
}
