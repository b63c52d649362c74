//! Replies, reactions, inbox and read state of viewers.

use serde_json::{Value, json};

use super::{Lounge, me, react, say};
use crate::support::Reply;
use crate::support::actions::fetch_inbox;
use crate::support::values::texts_of;

fn kinds(inbox: &Value) -> Vec<&str> {
    texts_of(&inbox["items"], "kind")
}

#[tokio::test]
async fn viewer_replies_and_reacts_like_an_agent() {
    let lounge = Lounge::open(&[]).await;
    let (ada, grace) = (lounge.server.register_agent("Ada").await, lounge.viewer("Grace").await);
    let question = say(&ada, "Who is there?", None).await;
    let answer = say(&grace, "A person", Some(&question)).await;
    assert_eq!((&answer["reply_to"], &answer["sender_type"]), (&question["id"], &json!("human")));
    let reaction = react(&grace, &question, "🔥").await.assert_status(201);
    assert_eq!(reaction["reactions"], json!([{"emoji": "🔥", "count": 1}]));
    assert_eq!(react(&grace, &question, "🔥").await.body["reactions"], json!([]));
    let told = ada.get("/api/inbox").await.body;
    assert_eq!((kinds(&told), &told["items"][0]["importance"]), (vec!["reply"], &json!("high")));
    lounge.server.assert_log_is_sound().await;
}

#[tokio::test]
async fn reactions_of_viewers_have_the_limits_and_rights_of_messages() {
    let lounge = Lounge::open(&[]).await;
    let (ada, grace) = (lounge.server.register_agent("Ada").await, lounge.viewer("Grace").await);
    let message = say(&ada, "hello", None).await;
    for _ in 0..10 {
        assert_eq!(react(&grace, &message, "🔥").await.status, 201);
    }
    react(&grace, &message, "🔥").await.assert_refused(429, "too_many_requests");
    lounge.server.advance_clock(60);
    let unknown = json!({"id": "msg_00000000000000000000000000000000"});
    react(&grace, &unknown, "🔥").await.assert_refused(422, "reply_target_missing");
    react(&grace, &message, "no emoji").await.assert_refused(400, "invalid_field");
    let sanction = async |verb: &str, body: Value| {
        lounge.operate(&format!("/api/admin/agents/{}/{verb}", grace.id), body).await;
    };
    sanction("mute", json!({"reason": "r"})).await;
    react(&grace, &message, "🔥").await.assert_refused(403, "muted");
    sanction("ban", json!({"reason": "r", "why": "w"})).await;
    react(&grace, &message, "🔥").await.assert_refused(403, "banned");
    react(&grace, &message, "no emoji").await.assert_refused(400, "invalid_field");
    let lapsed = lounge.viewer("Lapsed").await;
    lounge.operate(&format!("/api/admin/passes/{}/revoke", lapsed.id), json!({"reason": "r"})).await;
    react(&lapsed, &message, "🔥").await.assert_refused(402, "gallery_pass_required");
    assert_eq!(lapsed.get("/api/inbox").await.status, 200, "reading needs no pass");
}

#[tokio::test]
async fn viewer_has_an_inbox_and_reads_it() {
    let lounge = Lounge::open(&[]).await;
    let (ada, grace) = (lounge.server.register_agent("Ada").await, lounge.viewer("Grace").await);
    let question = say(&grace, "A roof?", None).await;
    let mention = say(&ada, "@grace, yes", None).await;
    let reply = say(&ada, "red", Some(&question)).await;
    react(&ada, &question, "👍").await;
    assert_eq!(me(&grace).await["unread"], 3);
    let page = fetch_inbox(&grace, "").await;
    assert_eq!((kinds(&page), &page["unread"]), (vec!["reaction", "reply", "mention"], &json!(3)));
    let unread = grace.get("/api/chat/new").await.body;
    let contents = texts_of(&unread["messages"], "content");
    assert_eq!(contents, ["@grace, yes", "red"], "own messages are not unread");
    let marked = grace.post("/api/inbox/read", json!({"ids": [page["items"][1]["id"]]})).await;
    assert_eq!((marked.status, &marked.body["unread"]), (200, &json!(2)));
    let acknowledged = grace.get(&format!("/api/chat/new?ack={}", mention["seq"])).await.body;
    assert_eq!(acknowledged["messages"], json!([]), "the reply was read in the inbox");
    assert_eq!(kinds(&fetch_inbox(&grace, "unread=true").await), ["reaction"]);
    grace.post("/api/inbox/read", json!({"up_to": page["items"][0]["seq"]})).await;
    assert_eq!((me(&grace).await["unread"].clone(), reply["id"].is_string()), (json!(0), true));
}

#[tokio::test]
async fn session_reads_and_only_own_pages_mark() {
    let lounge = Lounge::open(&[]).await;
    let (ada, grace) = (lounge.server.register_agent("Ada").await, lounge.viewer("Grace").await);
    let message = say(&ada, "@grace hello", None).await;
    let browser = lounge.browser(&grace).await;
    let get = |path: &str| browser.with_browser_headers(lounge.server.get_request(path));
    let page = Reply::fetch(get("/api/inbox")).await;
    assert_eq!((page.status, kinds(&page.body)), (200, vec!["mention"]));
    let mark = |site: &str| {
        let request = browser.with_browser_headers(lounge.server.post_request("/api/inbox/read"));
        Reply::fetch(request.header("Sec-Fetch-Site", site).json(&json!({"up_to": message["seq"]})))
    };
    let acknowledge = |site: &str| {
        Reply::fetch(get(&format!("/api/chat/new?ack={}", message["seq"])).header("Sec-Fetch-Site", site))
    };
    mark("cross-site").await.assert_refused(403, "forbidden");
    acknowledge("cross-site").await.assert_refused(403, "forbidden");
    assert_eq!(Reply::fetch(get("/api/chat/new").header("Sec-Fetch-Site", "none")).await.status, 200);
    assert_eq!(me(&grace).await["unread"], 1, "another site has marked nothing");
    assert_eq!(acknowledge("same-origin").await.status, 200);
    assert_eq!(mark("same-origin").await.status, 200);
    assert_eq!(me(&grace).await["unread"], 0);
}

#[tokio::test]
async fn mention_before_the_first_read_is_not_lost() {
    let lounge = Lounge::open(&[]).await;
    let (ada, grace) = (lounge.server.register_agent("Ada").await, lounge.viewer("Grace").await);
    say(&ada, "@grace hello", None).await;
    for number in 0..60 {
        say(&ada, &format!("message {number}"), None).await;
    }
    assert_eq!(kinds(&fetch_inbox(&grace, "unread=true").await), ["mention"]);
}
