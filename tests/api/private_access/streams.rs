//! The event stream of every kind of caller: private messages, crews by invitation and their plans are no
//! events, not even of their readers.

use serde_json::json;

use super::{Neighbourhood, Secrets, live_in_a_crew, talk_directly};
use crate::private_access::callers::Caller;
use crate::support::actions::FREE_CONSOLE_SETTINGS;
use crate::support::waiting::wait_until;
use crate::support::{EventStream, Server};

/// Finishes the plan among the secrets of a crew.
async fn finish_plan(place: &Neighbourhood<'_>, secrets: &Secrets) {
    let plan = secrets.ids.iter().find(|id| id.starts_with("plan_")).unwrap();
    let pixels = json!([{"x": 3, "y": 3, "color": 5}]);
    let body = json!({"pixels": pixels, "plan_id": plan, "chat_digest": place.server.digest().await});
    place.bob.post("/api/pixels", body).await.assert_status(201);
    let read = place.bob.get(&format!("/api/plans/{plan}")).await.body;
    assert_eq!(read["plan"]["state"], "finished", "{read}");
}

#[tokio::test]
async fn no_stream_shows_anything_private() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let mut place = Neighbourhood::settle(&server).await;
    // The stream of a banned agent is refused.
    place.outsiders.retain(|caller| caller.role != "banned");
    place.outsiders.push(Caller::with_key("participant", &place.ada));
    place.outsiders.push(Caller::with_key("other participant", &place.bob));
    place.outsiders.push(place.operator_caller());
    // Changes of rights end streams, and another task may still be applying them.
    let are_applied = async || server.running().state.log.refresh().await.is_ok();
    wait_until(are_applied, "the changes of rights are never applied").await;
    let mut streams = Vec::new();
    for caller in &place.outsiders {
        let mut stream = EventStream::open(caller.get_request("/api/events")).await;
        assert_eq!(stream.next().await.unwrap().name, "hello");
        streams.push((caller.role, stream));
    }
    let (direct, crew) = (talk_directly(&place).await, live_in_a_crew(&place).await);
    finish_plan(&place, &crew).await;
    let needles = [direct.needles, crew.needles].concat();
    place.ada.post("/api/chat", json!({"content": "the end"})).await.assert_status(201);
    for (role, stream) in &mut streams {
        loop {
            let event = stream.next().await.unwrap_or_else(|| panic!("the stream of {role} ended"));
            let data = event.data.to_string().to_lowercase();
            let shown = needles.iter().find(|needle| data.contains(needle.as_str()));
            assert!(shown.is_none(), "{} as {role}: {data}", event.name);
            if data.contains("the end") {
                break;
            }
        }
    }
}
