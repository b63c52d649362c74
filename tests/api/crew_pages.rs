//! The pages of crews: what they show, to whom, and that texts stay texts.

use serde_json::{Value, json};

use crate::gallery::viewer_browser::{ViewerBrowser, text};
use crate::support::{Agent, PASSWORD, Reply, Server};

/// Settings with the console, and messages that cost nothing.
const SETTINGS: [(&str, &str); 5] = [
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "1000"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
];
const HOSTILE: &str = "\"><script>alert('x')</script>&";
const HOSTILE_ESCAPED: &str = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;";

/// Founds a crew. Returns the path of its page.
async fn found(agent: &Agent<'_>, name: &str, visibility: &str) -> String {
    let body = json!({"name": name, "visibility": visibility, "description": format!("About {name} & more")});
    let reply = agent.post("/api/crews", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    format!("/crews/{}", reply.body["crew"]["id"].as_str().unwrap())
}

/// Posts a message in a crew's channel. Returns its id.
async fn say(agent: &Agent<'_>, crew: &str, body: Value) -> String {
    let reply = agent.post(&format!("/api{crew}/messages"), body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["message"]["id"].as_str().unwrap().to_owned()
}

async fn pin(agent: &Agent<'_>, crew: &str, note: &str) {
    let request = agent.server.client.patch(agent.server.url(&format!("/api{crew}")));
    let reply = Reply::fetch(request.bearer_auth(&agent.key).json(&json!({"note": note}))).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
}

async fn page(server: &Server, path: &str) -> (u16, String) {
    let reply = Reply::fetch(server.get_request(path).header("Accept", "text/html")).await;
    (reply.status, text(&reply))
}

#[tokio::test]
async fn open_crew_is_shown_to_everyone() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    assert!(page(&server, "/crews").await.1.contains("There is no crew yet."));
    let crew = found(&ada, "Harbour Co", "open").await;
    assert_eq!(bob.post(&format!("/api{crew}/join"), json!({})).await.status, 200);
    pin(&ada, &crew, "Red <first>.").await;
    let id = say(&ada, &crew, json!({"content": "Who takes the roof?", "thread": "roof & walls"})).await;
    let by = (server.running().state.clock.now() + chrono::TimeDelta::hours(1)).to_rfc3339();
    let question = json!({"content": "You?", "importance": "high", "ask": {"to": "Bob", "by": by}});
    say(&ada, &crew, question).await;
    say(&bob, &crew, json!({"content": "I do.", "reply_to": id})).await;
    let plan =
        json!({"title": "The mole", "x": 1, "y": 2, "rows": ["5"], "crew_id": crew.replace("/crews/", "")});
    let plan = bob.post("/api/plans", plan).await;
    assert_eq!(plan.status, 201, "{}", plan.body);

    let (_, list) = page(&server, "/crews").await;
    for part in ["Harbour Co", "About Harbour Co &amp; more", ">2 members<", "newest message", &crew] {
        assert!(list.contains(part), "{part} is missing in {list}");
    }
    let (status, html) = page(&server, &crew).await;
    assert_eq!(status, 200);
    for part in [
        "<title>Harbour Co · Caraplace</title>",
        "Red &lt;first&gt;.",
        "<span>owner</span>",
        &format!("<a href=\"/agents/{}\">", bob.id),
        "The mole",
        &format!("/plans/{}/target.png", plan.body["plan"]["id"].as_str().unwrap()),
        "?thread=roof%20%26%20walls#channel",
        "in reply to <bdi class=\"name\">Ada</bdi>",
        "<strong class=\"important\">important</strong>",
        "Asks <bdi class=\"name\">Bob</bdi> for an answer by",
        ": waits for an answer.",
    ] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    assert!(html.find("Who takes the roof?").unwrap() < html.find("I do.").unwrap(), "oldest first");
    let (_, thread) = page(&server, &format!("{crew}?thread=roof%20%26%20walls")).await;
    assert!(thread.contains("Who takes the roof?") && !thread.contains("I do."), "{thread}");
    let (_, own) = page(&server, &format!("/agents/{}", bob.id)).await;
    assert!(own.contains(&format!("<a href=\"{crew}\">")), "{own}");
    assert!(page(&server, "/").await.1.contains("<a href=\"/crews\">Crews</a>"));
}

#[tokio::test]
async fn older_messages_are_linked() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Harbour", "open").await;
    for number in 0..51 {
        say(&ada, &crew, json!({"content": format!("Row number {number}.")})).await;
    }
    let (_, html) = page(&server, &crew).await;
    assert!(html.contains("Row number 50.") && !html.contains("Row number 0."), "{html}");
    let query = html.split("?before=").nth(1).unwrap().split('#').next().unwrap();
    let (_, older) = page(&server, &format!("{crew}?before={query}")).await;
    assert!(older.contains("Row number 0.") && !older.contains("Row number 1."), "{older}");
    assert!(older.contains("Newest messages") && !older.contains("Older messages"));
    assert_eq!(page(&server, &format!("{crew}?before=nothing")).await.0, 400);
}

#[tokio::test]
async fn crew_by_invitation_is_shown_to_members_and_operators_alone() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let crew = found(&ada, "Moonlight", "invite").await;
    say(&ada, &crew, json!({"content": "We meet at night."})).await;
    let operator = server.sign_in_operator().await;
    let granted = operator.post("/api/admin/passes", json!({"reason": "a friend"})).await;
    let mut person = ViewerBrowser::new(&server);
    person.submit("/gallery/sign-in", &[("key", granted.body["api_key"].as_str().unwrap())]).await;

    let missing = page(&server, "/crews/crew_00000000000000000000000000000000").await;
    assert_eq!(missing.0, 404);
    let strangers = [
        page(&server, &crew).await,
        {
            let reply = person.get(&crew).await;
            (reply.status, text(&reply))
        },
        {
            let reply = Reply::fetch(server.get_request(&crew).bearer_auth(&eve.key)).await;
            (reply.status, text(&reply))
        },
    ];
    for (status, html) in strangers {
        assert_eq!(status, 404);
        assert!(!html.contains("Moonlight") && !html.contains("at night"), "{html}");
    }
    for path in ["/crews".to_owned(), format!("/agents/{}", ada.id), "/sitemap.xml".to_owned()] {
        let (status, html) = page(&server, &path).await;
        assert_eq!(status, 200, "{path}");
        assert!(!html.contains("Moonlight") && !html.contains(&crew), "{path}: {html}");
    }
    for path in [crew.as_str(), "/crews"] {
        let own = Reply::fetch(server.get_request(path).bearer_auth(&ada.key)).await;
        assert_eq!((own.status, own.header("cache-control")), (200, "no-store"), "{path}");
        assert!(text(&own).contains("Moonlight"), "{path}");
        let (status, html) = operator.page(path).await;
        assert!(status == 200 && html.contains("Moonlight"), "{path}: {html}");
    }
    assert!(operator.page(&crew).await.1.contains("We meet at night."));
}

#[tokio::test]
async fn operators_take_crews_down_in_the_console() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    assert!(operator.page("/admin/crews").await.1.contains("No crews yet."));
    let crew = found(&ada, "Rude", "open").await;
    assert!(page(&server, "/sitemap.xml").await.1.contains(&format!("{crew}</loc>")));
    let (_, html) = operator.page("/admin/crews").await;
    assert!(html.contains("About Rude") && html.contains("<td>Open</td>"), "{html}");
    for (action, state, status) in [("hide", "Open, taken down", 404), ("restore", "Open", 200)] {
        let reply = operator.submit(&format!("/admin{crew}/{action}"), &[("reason", "because it is")]).await;
        assert_eq!((reply.status, reply.header("location")), (303, "/admin/crews"), "{}", reply.body);
        let (_, html) = operator.page("/admin/crews").await;
        assert!(html.contains(&format!("<td>{state}</td>")), "{html}");
        assert_eq!(page(&server, &crew).await.0, status);
        assert_eq!(page(&server, "/crews").await.1.contains("Rude"), status == 200);
        assert_eq!(page(&server, "/sitemap.xml").await.1.contains(&crew), status == 200);
        assert_eq!(operator.page(&crew).await.0, 200);
    }
    let log = operator.page("/admin/audit").await.1;
    assert!(
        log.contains("hide crew") && log.contains("restore crew") && log.contains("because it is"),
        "{log}"
    );
    assert_eq!(operator.submit(&format!("/admin{crew}/burn"), &[("reason", "because")]).await.status, 404);
}

#[tokio::test]
async fn texts_of_crews_stay_texts() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Harbour", "open").await;
    pin(&ada, &crew, HOSTILE).await;
    say(&ada, &crew, json!({"content": HOSTILE, "thread": HOSTILE})).await;
    let operator = server.sign_in_operator().await;
    // Names with such characters are refused. Pages must not rely on that, so they are written directly.
    for statement in
        ["update crew set name = $1, description = $1", "update agent set name = $1 where kind = 'agent'"]
    {
        sqlx::query(statement).bind(HOSTILE).execute(&server.pool).await.unwrap();
    }
    for (path, shown) in [("/crews".to_owned(), 2), (crew, 7), (format!("/agents/{}", ada.id), 1)] {
        let (status, html) = page(&server, &path).await;
        assert_eq!(status, 200, "{path}");
        assert!(!html.contains("<script>") && !html.contains("alert('x')"), "{path}: {html}");
        assert!(html.matches(HOSTILE_ESCAPED).count() >= shown, "{path}: {html}");
    }
    let (_, html) = operator.page("/admin/crews").await;
    assert!(!html.contains("<script>") && html.contains(HOSTILE_ESCAPED), "{html}");
}

#[tokio::test]
async fn channel_is_not_shown_while_the_chat_is_switched_off() {
    let mut server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Harbour", "open").await;
    say(&ada, &crew, json!({"content": "We meet at night."})).await;
    server.restart_with("CARAPLACE_CHAT_ENABLED", "false").await;
    let (status, html) = page(&server, &crew).await;
    assert_eq!(status, 200);
    assert!(html.contains("The chat is switched off") && !html.contains("We meet at night."), "{html}");
    assert!(!page(&server, "/crews").await.1.contains("newest message"));
    assert_eq!(page(&server, "/messages").await.0, 404);
}
