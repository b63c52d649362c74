//! The pages of crews: what they show, to whom, and that texts stay texts.

use serde_json::{Value, json};

use crate::gallery::viewer_browser::ViewerBrowser;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, open_plan};
use crate::support::values::id_of;
use crate::support::{Agent, Server};

const HOSTILE: &str = "\"><script>alert('x')</script>&";
const HOSTILE_ESCAPED: &str = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;";

/// Founds a crew. Returns the path of its page.
async fn found(agent: &Agent<'_>, name: &str, visibility: &str) -> String {
    let body = json!({"name": name, "visibility": visibility, "description": format!("About {name} & more")});
    let founded = agent.post("/api/crews", body).await.assert_status(201);
    format!("/crews/{}", founded["crew"]["id"].as_str().unwrap())
}

/// Posts a message in a crew's channel. Returns its id.
async fn say(agent: &Agent<'_>, crew: &str, body: Value) -> String {
    let posted = agent.post(&format!("/api{crew}/messages"), body).await.assert_status(201);
    posted["message"]["id"].as_str().unwrap().to_owned()
}

/// Posts a message in a thread. Returns the path of the thread's page.
async fn say_in_thread(agent: &Agent<'_>, crew: &str, thread: &str, content: &str) -> String {
    let body = json!({"content": content, "thread": thread});
    let posted = agent.post(&format!("/api{crew}/messages"), body).await.assert_status(201);
    format!("{crew}/threads/{}", posted["message"]["thread_id"].as_str().unwrap())
}

async fn pin(agent: &Agent<'_>, crew: &str, note: &str) {
    agent.patch(&format!("/api{crew}"), json!({"note": note})).await.assert_status(200);
}

#[tokio::test]
async fn open_crew_is_shown_to_everyone() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    assert!(server.page("/crews").await.1.contains("There is no crew yet."));
    let crew = found(&ada, "Harbour Co", "open").await;
    assert_eq!(bob.post(&format!("/api{crew}/join"), json!({})).await.status, 200);
    pin(&ada, &crew, "Red <first>.").await;
    let first = say(&ada, &crew, json!({"content": "Who takes the roof?", "thread": "roof & walls"})).await;
    let by = (server.running().state.clock.now() + chrono::TimeDelta::hours(1)).to_rfc3339();
    let question = json!({"content": "You?", "importance": "high", "ask": {"to": "Bob", "by": by}});
    say(&ada, &crew, question).await;
    say(&bob, &crew, json!({"content": "I do.", "reply_to": first})).await;
    let plan =
        json!({"title": "The mole", "x": 1, "y": 2, "rows": ["5"], "crew_id": crew.replace("/crews/", "")});
    let plan = open_plan(&bob, plan).await;

    let (_, list) = server.page("/crews").await;
    for part in ["Harbour Co", "About Harbour Co &amp; more", ">2 members<", "newest message", &crew] {
        assert!(list.contains(part), "{part} is missing in {list}");
    }
    let (status, html) = server.page(&crew).await;
    assert_eq!(status, 200);
    for part in [
        "<title>Harbour Co · Caraplace</title>",
        "Red &lt;first&gt;.",
        "<span>owner</span>",
        &format!("<a href=\"/agents/{}\">", bob.id),
        "The mole",
        &format!("/plans/{}/target.png", id_of(&plan)),
        "<a class=\"thread\" href=\"",
        "<h2 id=\"threads-title\">Threads (1)</h2>",
        "<bdi class=\"foreign\">roof &amp; walls</bdi></a> <span>2 messages, the newest ",
        "in reply to <bdi class=\"name\">Ada</bdi>",
        "<strong class=\"important\">important</strong>",
        "Asks <bdi class=\"name\">Bob</bdi> for an answer by",
        ": waits for an answer.",
    ] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    assert!(html.find("Who takes the roof?").unwrap() < html.find("I do.").unwrap(), "oldest first");
    let (_, thread) = server.page(&format!("{crew}?thread=roof%20%26%20walls")).await;
    let is_thread = |page: &str| {
        ["Who takes the roof?", "I do."].iter().all(|part| page.contains(part)) && !page.contains("You?")
    };
    assert!(is_thread(&thread), "{thread}");
    let (path, _) = html.split_once("<a class=\"thread\" href=\"").unwrap().1.split_once('"').unwrap();
    assert!(path.starts_with(&format!("{crew}/threads/thread_")), "{path}");
    let (status, thread) = server.page(path).await;
    assert!(status == 200 && is_thread(&thread), "{thread}");
    let (_, own) = server.page(&format!("/agents/{}", bob.id)).await;
    assert!(own.contains(&format!("<a href=\"{crew}\">")), "{own}");
    assert!(server.page("/").await.1.contains("<a href=\"/crews\">Crews</a>"));
}

#[tokio::test]
async fn older_messages_are_linked() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Harbour", "open").await;
    for number in 0..51 {
        say(&ada, &crew, json!({"content": format!("Row number {number}.")})).await;
    }
    let (_, html) = server.page(&crew).await;
    assert!(html.contains("Row number 50.") && !html.contains("Row number 0."), "{html}");
    let query = html.split("?before=").nth(1).unwrap().split('#').next().unwrap();
    let (_, older) = server.page(&format!("{crew}?before={query}")).await;
    assert!(older.contains("Row number 0.") && !older.contains("Row number 1."), "{older}");
    assert!(older.contains("Newest messages") && !older.contains("Older messages"));
    assert_eq!(server.page(&format!("{crew}?before=nothing")).await.0, 400);
}

#[tokio::test]
async fn threads_have_pages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Harbour", "open").await;
    let root = say(&ada, &crew, json!({"content": "Who <takes>\nthe roof?"})).await;
    for number in 0..51 {
        say(&ada, &crew, json!({"content": format!("Row number {number}."), "thread": root})).await;
    }
    let (_, html) = server.page(&crew).await;
    let path = html.split_once("<ol class=\"thread-list\">").unwrap().1;
    let path = path.split_once("href=\"").unwrap().1.split_once('"').unwrap().0;
    let (status, html) = server.page(path).await;
    assert_eq!(status, 200);
    for part in [
        "<title>Who &lt;takes&gt; the roof? · Caraplace</title>",
        "<h1><bdi class=\"foreign\">Who &lt;takes&gt; the roof?</bdi></h1>",
        &format!("Thread of <a href=\"{crew}\"><bdi class=\"foreign\">Harbour</bdi></a>"),
        "51 messages, the first ",
        "Row number 50.",
    ] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    assert!(!html.contains("Row number 0."), "{html}");
    assert!(!html.contains("class=\"thread\""), "the thread is named once: {html}");
    let before = html.split("?before=").nth(1).unwrap().split('"').next().unwrap();
    let (_, older) = server.page(&format!("{path}?before={before}")).await;
    assert!(older.contains("Row number 0.") && !older.contains("Row number 1."), "{older}");
    assert!(older.contains("Newest messages") && !older.contains("Older messages"));
    assert_eq!(server.page(&format!("{path}?before=nothing")).await.0, 400);
    let unknown = format!("{crew}/threads/thread_00000000000000000000000000000000");
    let reply = server.get_with_headers(&unknown, &[("Accept", "text/html")]).await;
    assert!(reply.status == 404 && reply.text().contains("There is no such thread"), "{}", reply.text());
}

#[tokio::test]
async fn threads_are_counted_and_all_are_linked() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Harbour", "open").await;
    for (posted, total, count, has_others) in [(0..12, 12, "(12)", false), (12..19, 19, "(19)", true)] {
        for number in posted {
            say_in_thread(&ada, &crew, &format!("{HOSTILE} {number}"), &format!("Here {number}.")).await;
        }
        let (_, html) = server.page(&crew).await;
        assert!(html.contains(&format!("<h2 id=\"threads-title\">Threads {count}</h2>")), "{html}");
        let (_, section) = html.split_once("<ol class=\"thread-list\">").unwrap();
        let (section, _) = section.split_once("</section>").unwrap();
        let (newest, others) = section.split_once("<summary>All threads</summary>").unwrap_or((section, ""));
        let links = [newest, others].map(|list| list.matches("/threads/thread_").count());
        assert_eq!(links, [12, total - 12], "{section}");
        assert_eq!(others.contains(&format!("{HOSTILE_ESCAPED} 0<")), has_others, "{section}");
        assert!(!section.contains("/api/crews") && !section.contains("<script>"), "{section}");
    }
    for number in 19..101 {
        say_in_thread(&ada, &crew, &format!("Thread {number}"), &format!("Here {number}.")).await;
    }
    let (_, html) = server.page(&crew).await;
    assert!(html.contains("Threads (100+)</h2>"), "{html}");
    assert!(html.contains(&format!("<code>GET /api{crew}/threads</code> lists all.")), "{html}");
}

#[tokio::test]
async fn replies_to_messages_of_other_pages_are_linked() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Harbour", "open").await;
    let first = say(&ada, &crew, json!({"content": "Who takes the roof?"})).await;
    let reply = say(&ada, &crew, json!({"content": "I do.", "reply_to": first, "thread": "roof"})).await;
    let (_, html) = server.page(&crew).await;
    let on_the_page = format!("<a href=\"#{first}\">in reply to <bdi class=\"name\">Ada</bdi></a>");
    assert!(html.contains(&on_the_page) && !html.contains("an earlier message"), "{html}");
    let thread = html.split_once("<a class=\"thread\" href=\"").unwrap().1.split_once('"').unwrap().0;
    let (_, html) = server.page(thread).await;
    let address = format!("{crew}?before={reply}#{first}");
    let link = format!("<a href=\"{address}\">in reply to an earlier message</a>");
    assert!(html.contains(&link), "{html}");
    let (status, html) = server.page(&format!("{crew}?before={reply}")).await;
    assert!(status == 200 && html.contains(&format!("<li id=\"{first}\">")), "{html}");
}

#[tokio::test]
async fn crew_by_invitation_is_shown_to_members_and_operators_alone() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let crew = found(&ada, "Moonlight", "invite").await;
    let thread = say_in_thread(&ada, &crew, "Nights", "We meet at night.").await;
    let operator = server.sign_in_operator().await;
    let viewer = server.create_viewer().await;
    let mut person = ViewerBrowser::new(&server);
    person.submit("/gallery/sign-in", &[("key", &viewer.key)]).await;

    assert_eq!(server.page("/crews/crew_00000000000000000000000000000000").await.0, 404);
    for page in [&crew, &thread] {
        let anyone = server.get_with_headers(page, &[("Accept", "text/html")]).await;
        for reply in [anyone, person.get(page).await, eve.get(page).await] {
            assert_eq!(reply.status, 404);
            let html = reply.text();
            assert!(!html.contains("Moonlight") && !html.contains("at night"), "{html}");
        }
    }
    for path in ["/crews".to_owned(), format!("/agents/{}", ada.id), "/sitemap.xml".to_owned()] {
        let (status, html) = server.page(&path).await;
        assert_eq!(status, 200, "{path}");
        assert!(!html.contains("Moonlight") && !html.contains(&crew), "{path}: {html}");
    }
    for path in [crew.as_str(), thread.as_str(), "/crews"] {
        let own = ada.get(path).await;
        assert_eq!((own.status, own.header("cache-control")), (200, "no-store"), "{path}");
        assert!(own.text().contains("Moonlight"), "{path}");
        let (status, html) = operator.page(path).await;
        assert!(status == 200 && html.contains("Moonlight"), "{path}: {html}");
    }
    assert!(operator.page(&crew).await.1.contains("We meet at night."));
}

#[tokio::test]
async fn operators_take_crews_down_in_the_console() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    assert!(operator.page("/admin/crews").await.1.contains("No crews yet."));
    let crew = found(&ada, "Rude", "open").await;
    assert!(server.page("/sitemap.xml").await.1.contains(&format!("{crew}</loc>")));
    let (_, html) = operator.page("/admin/crews").await;
    assert!(html.contains("About Rude") && html.contains("<td>Open</td>"), "{html}");
    for (action, state, status) in [("hide", "Open, taken down", 404), ("restore", "Open", 200)] {
        let reply = operator.submit(&format!("/admin{crew}/{action}"), &[("reason", "because it is")]).await;
        assert_eq!((reply.status, reply.header("location")), (303, "/admin/crews"), "{}", reply.body);
        let (_, html) = operator.page("/admin/crews").await;
        assert!(html.contains(&format!("<td>{state}</td>")), "{html}");
        assert_eq!(server.page(&crew).await.0, status);
        assert_eq!(server.page("/crews").await.1.contains("Rude"), status == 200);
        assert_eq!(server.page("/sitemap.xml").await.1.contains(&crew), status == 200);
        assert_eq!(operator.page(&crew).await.0, 200);
    }
    let log = operator.page("/admin/audit").await.1;
    for part in ["hide crew", "restore crew", "because it is"] {
        assert!(log.contains(part), "{log}");
    }
    assert_eq!(operator.submit(&format!("/admin{crew}/burn"), &[("reason", "because")]).await.status, 404);
}

#[tokio::test]
async fn texts_of_crews_stay_texts() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Harbour", "open").await;
    pin(&ada, &crew, HOSTILE).await;
    let thread = say_in_thread(&ada, &crew, HOSTILE, HOSTILE).await;
    let operator = server.sign_in_operator().await;
    // Names with such characters are refused. Pages must not rely on that, so they are written directly.
    let crew_update = "update crew set name = $1, description = $1";
    for update in [crew_update, "update agent set name = $1 where kind = 'agent'"] {
        sqlx::query(update).bind(HOSTILE).execute(&server.pool).await.unwrap();
    }
    let own = format!("/agents/{}", ada.id);
    for (path, shown) in [("/crews".to_owned(), 2), (crew, 8), (thread, 6), (own, 1)] {
        let (status, html) = server.page(&path).await;
        assert_eq!(status, 200, "{path}");
        assert!(!html.contains("<script>") && !html.contains("alert('x')"), "{path}: {html}");
        assert!(html.matches(HOSTILE_ESCAPED).count() >= shown, "{path}: {html}");
    }
    let (_, html) = operator.page("/admin/crews").await;
    assert!(!html.contains("<script>") && html.contains(HOSTILE_ESCAPED), "{html}");
}

#[tokio::test]
async fn channel_is_not_shown_while_the_chat_is_switched_off() {
    let mut server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Harbour", "open").await;
    let thread = say_in_thread(&ada, &crew, "Nights", "We meet at night.").await;
    server.restart_with("CARAPLACE_CHAT_ENABLED", "false").await;
    let (status, html) = server.page(&crew).await;
    assert_eq!(status, 200);
    assert!(html.contains("The chat is switched off") && !html.contains("We meet at night."), "{html}");
    assert!(!html.contains("Nights") && !server.page("/crews").await.1.contains("newest message"));
    for path in ["/messages", &thread] {
        let (status, text) = server.page(path).await;
        assert_eq!(status, 404);
        assert!(text.contains("<h1>The chat is switched off</h1>") && !text.contains("digest"), "{text}");
    }
}
