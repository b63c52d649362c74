//! The event stream of every kind of caller: private messages are no events, not even of their readers.

use serde_json::json;

use super::{Neighbourhood, talk_directly};
use crate::direct::FREE_SETTINGS;
use crate::private_access::callers::Caller;
use crate::support::{EventStream, Server};

#[tokio::test]
async fn no_stream_shows_a_private_message() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let mut place = Neighbourhood::settle(&server).await;
    // The stream of a banned agent is refused.
    place.outsiders.retain(|caller| caller.role != "banned");
    place.outsiders.push(Caller::with_key("participant", &place.ada));
    place.outsiders.push(Caller::with_key("other participant", &place.bob));
    // Changes of rights end streams, and another task may still be applying them.
    while server.running().state.log.refresh().await.is_err() {
        tokio::task::yield_now().await;
    }
    let mut streams = Vec::new();
    for caller in &place.outsiders {
        let mut stream = EventStream::open(caller.get_request("/api/events")).await;
        assert_eq!(stream.next().await.unwrap().name, "hello");
        streams.push((caller.role, stream));
    }
    let secrets = talk_directly(&place).await;
    let public = place.ada.post("/api/chat", json!({"content": "the end"})).await;
    assert_eq!(public.status, 201, "{}", public.body);
    for (role, stream) in &mut streams {
        loop {
            let event = stream.next().await.unwrap_or_else(|| panic!("the stream of {role} ended"));
            let data = event.data.to_string().to_lowercase();
            let shown = secrets.needles.iter().find(|needle| data.contains(needle.as_str()));
            assert!(shown.is_none(), "{} as {role}: {data}", event.name);
            if data.contains("the end") {
                break;
            }
        }
    }
}
