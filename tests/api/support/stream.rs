//! A client of the event stream.

use std::time::Duration;

use reqwest::{RequestBuilder, Response};
use serde_json::Value;

/// Timeout, so that a failing test ends.
const EVENT_TIMEOUT: Duration = super::WAIT_LIMIT;

/// An event as received.
#[derive(Debug)]
pub struct Event {
    pub name: String,
    pub id: Option<i64>,
    /// The id as it was sent.
    pub id_text: Option<String>,
    pub data: Value,
}

/// An open stream.
pub struct EventStream {
    response: Response,
    /// The received bytes that are not read yet. A chunk may end within a character.
    bytes: Vec<u8>,
    /// The last number of spectators.
    spectators: Value,
}

impl EventStream {
    pub async fn open(request: RequestBuilder) -> Self {
        let response = request.header("Accept", "text/event-stream").send().await.unwrap();
        assert_eq!(response.status(), 200);
        Self { response, bytes: Vec::new(), spectators: Value::Null }
    }

    /// Returns the next event that is no heartbeat; `None` if the stream has ended.
    pub async fn next(&mut self) -> Option<Event> {
        tokio::time::timeout(EVENT_TIMEOUT, self.read_news()).await.expect("no event came")
    }

    /// Skips the number of spectators where it only repeats the last one.
    async fn read_news(&mut self) -> Option<Event> {
        loop {
            let event = self.read().await?;
            let spectators = event.data["spectators"].clone();
            let is_repeated = event.name == "presence" && spectators == self.spectators;
            if !spectators.is_null() {
                self.spectators = spectators;
            }
            if !is_repeated || event.data.get("live").is_some() {
                return Some(event);
            }
        }
    }

    /// Returns true if the stream ends, whatever it still sends.
    pub async fn ends(&mut self) -> bool {
        let end = async { while self.next().await.is_some() {} };
        tokio::time::timeout(EVENT_TIMEOUT, end).await.is_ok()
    }

    /// Returns the next event with a number of its own, and skips others; the id of `hello` is where the
    /// stream starts.
    pub async fn next_with_id(&mut self) -> Event {
        loop {
            let event = self.next().await.expect("the stream ended");
            if event.id.is_some() && event.name != "hello" {
                return event;
            }
        }
    }

    /// Returns the next presence event whose `live` has this value.
    pub async fn next_presence(&mut self, live: bool) -> Value {
        loop {
            let event = self.next().await.expect("the stream ended");
            if event.name == "presence" && event.data.get("live").is_none() == live {
                return event.data;
            }
        }
    }

    /// Returns the numbers of the next events, up to and including this one.
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
    /// Returns all numbers that the event contains.
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
    let id_text = field("id:").map(str::to_owned);
    let id = id_text.as_ref().map(|id| id.parse().unwrap());
    let data = serde_json::from_str(field("data:")?).unwrap();
    Some(Event { name, id, id_text, data })
}
