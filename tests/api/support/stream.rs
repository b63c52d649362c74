//! The live stream, event by event.

use std::time::Duration;

use reqwest::{RequestBuilder, Response};
use serde_json::Value;

/// Longer than anything here takes, so that a test that fails also ends.
const EVENT_TIMEOUT: Duration = Duration::from_secs(20);

/// One event as it came.
#[derive(Debug)]
pub struct Event {
    pub name: String,
    pub id: Option<i64>,
    pub data: Value,
}

/// An open stream.
pub struct EventStream {
    response: Response,
    /// What has come and was not yet read; a chunk may end within a character.
    bytes: Vec<u8>,
}

impl EventStream {
    pub async fn open(request: RequestBuilder) -> Self {
        let response = request.header("Accept", "text/event-stream").send().await.unwrap();
        assert_eq!(response.status(), 200);
        Self { response, bytes: Vec::new() }
    }

    /// The next event; none when the stream has ended.
    pub async fn next(&mut self) -> Option<Event> {
        tokio::time::timeout(EVENT_TIMEOUT, self.read()).await.expect("no event came")
    }

    /// The next event with a number, whatever comes between.
    pub async fn next_with_id(&mut self) -> Event {
        loop {
            let event = self.next().await.expect("the stream ended");
            if event.id.is_some() {
                return event;
            }
        }
    }

    /// What the next presence says that is told while the database is there, or while it is not.
    pub async fn next_presence(&mut self, live: bool) -> Value {
        loop {
            let event = self.next().await.expect("the stream ended");
            if event.name == "presence" && event.data.get("live").is_none() == live {
                return event.data;
            }
        }
    }

    /// The numbers of the next events, up to and with this one.
    pub async fn read_seqs_up_to(&mut self, last: i64) -> Vec<i64> {
        let mut seqs = Vec::new();
        while seqs.last().is_none_or(|number| *number < last) {
            seqs.extend(self.next_with_id().await.seqs());
        }
        seqs
    }

    async fn read(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.bytes.windows(2).position(|pair| pair == b"\n\n") {
                let block: Vec<u8> = self.bytes.drain(..end + 2).collect();
                if let Some(event) = parse(std::str::from_utf8(&block).unwrap()) {
                    return Some(event);
                }
                continue;
            }
            let chunk = self.response.chunk().await.ok().flatten()?;
            self.bytes.extend_from_slice(&chunk);
        }
    }
}

impl Event {
    /// All numbers that the event stands for.
    pub fn seqs(&self) -> Vec<i64> {
        match self.name.as_str() {
            "pixels" => {
                self.data.as_array().unwrap().iter().map(|placement| placement[0].as_i64().unwrap()).collect()
            }
            _ => vec![self.data["seq"].as_i64().unwrap()],
        }
    }
}

fn parse(block: &str) -> Option<Event> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let name = field("event:")?.to_owned();
    let id = field("id:").map(|id| id.parse().unwrap());
    let data = serde_json::from_str(field("data:")?).unwrap();
    Some(Event { name, id, data })
}
