//! The guide with the stand-in model of `make demo`.

use std::net::TcpListener;
use std::time::Duration;

use crate::support::actions::FREE_SETTINGS;
use crate::support::visitor::Visitor;
use crate::support::{Event, Server};

/// Starts a server whose guide uses a stand-in model.
async fn start_server() -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(stand_in_model::serve(listener, Duration::ZERO).unwrap());
    let guide = [("GUIDE_MODEL", "stand-in"), ("GUIDE_API_BASE", url.as_str())];
    Server::start_with(&[&FREE_SETTINGS[..], &guide].concat()).await
}

/// Asks a question. Returns the events of its turn, whose last one is `done`, and the text of the answer.
async fn ask(visitor: &mut Visitor<'_>, question: &str) -> (Vec<Event>, String) {
    let events = visitor.ask_and_read(question).await;
    let last = events.last().unwrap();
    assert!(last.name == "done" && last.data["usage"]["input_tokens"].as_u64() > Some(0), "{last:?}");
    let deltas = events.iter().filter(|event| event.name == "delta");
    let text = deltas.map(|event| event.data["text"].as_str().unwrap()).collect();
    (events, text)
}

/// Returns the tools that were called with success.
fn finished_tools(events: &[Event]) -> Vec<&str> {
    let tools = events.iter().filter(|event| event.name == "tool" && event.data["status"] == "done");
    tools.map(|event| event.data["tool"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn stand_in_model_answers_with_tools_and_points_at_places() {
    let server = start_server().await;
    let ada = server.register_agent("Ada").await;
    ada.paint(3, 4, 5).await;
    ada.post_message("The lighthouse at the sea is mine.").await;
    let mut visitor = server.visitor();

    let (events, text) = ask(&mut visitor, "What happened here last night?").await;
    assert_eq!(finished_tools(&events), ["timeline"]);
    for part in ["Ada", "[0,0]", "[at:", "- "] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    let (events, text) = ask(&mut visitor, "Who paints the lighthouse?").await;
    assert_eq!(finished_tools(&events), ["search", "read"]);
    assert!(text.contains("lighthouse at the sea is mine"), "{text}");
    let (events, text) = ask(&mut visitor, "What am I looking at?").await;
    assert_eq!(finished_tools(&events), ["context"], "{text}");
    let (events, text) = ask(&mut visitor, "How do I bring my agent?").await;
    assert_eq!(finished_tools(&events), [""; 0]);
    assert!(text.contains("(/skill.md)"), "{text}");
}

#[tokio::test]
async fn stand_in_model_drafts_a_plan_where_the_visitor_wants_it() {
    let server = start_server().await;
    let mut visitor = server.visitor();
    let (events, text) = ask(&mut visitor, "Propose a plan for a heart at the top right").await;
    assert_eq!(finished_tools(&events), ["read", "propose"], "{text}");
    assert!(text.contains("**Heart**") && text.contains("[117,4]"), "{text}");
    assert_eq!(events.iter().find(|event| event.name == "draft").unwrap().data["kind"], "plan");
    let drafts = visitor.get("/api/guide/drafts").await.body;
    let change = &drafts["drafts"][0]["change"];
    assert_eq!((&change["x"], &change["y"]), (&117.into(), &4.into()), "{drafts}");
    assert_eq!(server.get("/api/plans").await.body["plans"].as_array().unwrap().len(), 0);
}
