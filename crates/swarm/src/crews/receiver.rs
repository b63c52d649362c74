//! The receiver of the agents' webhooks: a small HTTP server that checks signatures and recognises repeated
//! deliveries.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    io,
    sync::{Arc, OnceLock},
};

use parking_lot::Mutex;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use standardwebhooks::Webhook;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

use crate::crews::api_types::{Delivery, PrivateMessage};

/// The maximum size of a request, head and body.
const MAX_REQUEST_BYTES: u64 = 128 * 1024;
/// One in this many deliveries is recorded and answered with an error, so that the server repeats it.
const DELIVERIES_PER_ERROR: usize = 8;

/// The deliveries to the agents of a run.
pub struct Deliveries {
    agents: Vec<AgentWebhook>,
    record: Mutex<DeliveryRecord>,
}

/// All deliveries of a run.
#[derive(Default)]
pub struct DeliveryRecord {
    /// The ids of all deliveries.
    ids: HashSet<String>,
    /// The events that told an agent of a message, by the agent's index and the id of the message.
    pub events: HashMap<(usize, String), Vec<String>>,
    /// Number of deliveries that came again under the same id.
    pub repeated: usize,
    /// The deliveries that are wrong.
    pub faults: Vec<String>,
}

/// The webhook of one agent.
#[derive(Default)]
struct AgentWebhook {
    inbox: Arc<Inbox>,
    verifier: OnceLock<Webhook>,
}

/// The calls of an agent's webhook that the agent has not handled.
#[derive(Default)]
pub struct Inbox {
    messages: Mutex<VecDeque<PrivateMessage>>,
    notify: Notify,
}

/// A request to the receiver.
struct ReceivedRequest {
    /// The index of the agent, which is the path.
    agent: usize,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Inbox {
    /// Waits until there is a call.
    pub async fn wait(&self) {
        self.notify.notified().await;
    }

    /// Removes and returns the next call.
    pub fn take(&self) -> Option<PrivateMessage> {
        self.messages.lock().pop_front()
    }

    fn add(&self, message: PrivateMessage) {
        self.messages.lock().push_back(message);
        self.notify.notify_one();
    }
}

impl DeliveryRecord {
    /// Returns the number of different deliveries.
    pub fn id_count(&self) -> usize {
        self.ids.len()
    }
}

impl Deliveries {
    /// Returns the empty record of this number of agents.
    pub fn new(agents: usize) -> Self {
        let agents = std::iter::repeat_with(AgentWebhook::default).take(agents).collect();
        Deliveries { agents, record: Mutex::default() }
    }

    /// Returns the calls of an agent.
    pub fn inbox(&self, agent: usize) -> Arc<Inbox> {
        self.agents.get(agent).map(|webhook| webhook.inbox.clone()).unwrap_or_default()
    }

    /// Sets the secret with which deliveries to an agent are signed. Returns false if it is none.
    pub fn set_secret(&self, agent: usize, secret: &str) -> bool {
        let (webhook, verifier) = (self.agents.get(agent), Webhook::new(secret).ok());
        webhook.zip(verifier).is_some_and(|(webhook, verifier)| webhook.verifier.set(verifier).is_ok())
    }

    /// Calls `read` with the record.
    pub fn read<T>(&self, read: impl FnOnce(&DeliveryRecord) -> T) -> T {
        read(&self.record.lock())
    }

    /// Serves until the program ends.
    pub async fn serve(self: Arc<Self>, listener: TcpListener) {
        loop {
            if let Ok((stream, _)) = listener.accept().await {
                let deliveries = self.clone();
                // A connection that breaks is closed, and the server repeats its delivery.
                tokio::spawn(async move { deliveries.answer(stream).await });
            }
        }
    }

    async fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        let (reader, mut writer) = stream.split();
        let request = read_request(reader).await?;
        let status = self.accept(&request);
        let head = format!("HTTP/1.1 {status} Done\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        writer.write_all(head.as_bytes()).await
    }

    /// Records a delivery, and tells the agent of a new one. Returns the status of the response.
    fn accept(&self, request: &ReceivedRequest) -> u16 {
        let id = request.headers.get("webhook-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
        let mut record = self.record.lock();
        let (webhook, delivery) = match self.parse(request) {
            Ok(parsed) => parsed,
            Err(fault) => {
                record.faults.push(format!("delivery {id} to agent {}: {fault}", request.agent));
                return 400;
            }
        };
        if !record.ids.insert(id.to_owned()) {
            record.repeated += 1;
            return 204;
        }
        let message = delivery.data.item;
        record.events.entry((request.agent, message.id.clone())).or_default().push(delivery.kind);
        webhook.inbox.add(message);
        if record.ids.len().is_multiple_of(DELIVERIES_PER_ERROR) { 503 } else { 204 }
    }

    fn parse(&self, request: &ReceivedRequest) -> Result<(&AgentWebhook, Delivery), String> {
        let webhook = self.agents.get(request.agent).ok_or("there is no such agent")?;
        let verifier = webhook.verifier.get().ok_or("the agent has no webhook")?;
        verifier.verify(&request.body, &request.headers).map_err(|error| error.to_string())?;
        let delivery = serde_json::from_slice(&request.body).map_err(|error| error.to_string())?;
        Ok((webhook, delivery))
    }
}

/// Reads a request of HTTP/1.1 with a `Content-Length`.
async fn read_request(reader: impl AsyncRead + Unpin) -> io::Result<ReceivedRequest> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let mut reader = BufReader::new(reader.take(MAX_REQUEST_BYTES));
    let request_line = read_line(&mut reader).await?;
    let path = request_line.strip_prefix("POST /").and_then(|rest| rest.split(' ').next());
    let agent = path.and_then(|path| path.parse().ok()).ok_or_else(invalid)?;
    let mut headers = HeaderMap::new();
    loop {
        let line = read_line(&mut reader).await?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(invalid)?;
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
        headers.insert(name, HeaderValue::from_str(value.trim()).map_err(|_| invalid())?);
    }
    let length = headers.get("content-length").and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let mut body = Vec::new();
    reader.take(length.ok_or_else(invalid)?).read_to_end(&mut body).await?;
    Ok(ReceivedRequest { agent, headers, body })
}

async fn read_line(reader: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<String> {
    let mut line = String::new();
    if reader.read_line(&mut line).await? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    /// Returns the request of a signed delivery.
    fn request(agent: usize, id: &str, timestamp: i64) -> ReceivedRequest {
        let body = br#"{"type":"ask","timestamp":"2026-01-01T00:00:00Z","data":{"message":
            {"id":"msg_a","agent_id":"agent_a","timestamp":"2026-01-01T00:00:00Z"}}}"#;
        let signature = Webhook::new(SECRET).unwrap().sign(id, timestamp, body).unwrap();
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("webhook-id", id),
            ("webhook-timestamp", &timestamp.to_string()),
            ("webhook-signature", &signature),
        ] {
            headers.insert(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        ReceivedRequest { agent, headers, body: body.to_vec() }
    }

    fn now() -> i64 {
        std::fs::File::create(tempfile::NamedTempFile::new().unwrap().path())
            .and_then(|file| file.metadata()?.modified())
            .map(|at| at.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() as i64)
            .unwrap()
    }

    #[test]
    fn repeated_and_forged_deliveries_reach_no_agent() {
        let deliveries = Deliveries::new(2);
        assert!(deliveries.set_secret(1, SECRET));
        let inbox = deliveries.inbox(1);
        assert_eq!(deliveries.accept(&request(1, "a", now())), 204);
        assert_eq!(inbox.take().unwrap().id, "msg_a");
        assert_eq!(deliveries.accept(&request(1, "a", now())), 204);
        assert!(inbox.take().is_none(), "repeated");
        let forged = ReceivedRequest { body: b"{}".to_vec(), ..request(1, "b", now()) };
        for refused in [forged, request(0, "c", now()), request(1, "d", now() - 3_600)] {
            assert_eq!(deliveries.accept(&refused), 400);
        }
        assert!(inbox.take().is_none(), "forged, unknown, old");
        deliveries.read(|record| {
            assert_eq!((record.repeated, record.faults.len()), (1, 3), "{:?}", record.faults);
            assert_eq!(record.events[&(1, "msg_a".to_owned())], ["ask"]);
        });
    }

    #[tokio::test]
    async fn requests_are_read_with_their_body() {
        let text = b"POST /7 HTTP/1.1\r\nwebhook-id: a\r\nContent-Length: 2\r\n\r\n{}rest";
        let request = read_request(&text[..]).await.unwrap();
        assert_eq!((request.agent, request.body.as_slice()), (7, &b"{}"[..]));
        assert_eq!(request.headers["webhook-id"], "a");
        assert!(read_request(&b"GET /7 HTTP/1.1\r\n\r\n"[..]).await.is_err());
        assert!(read_request(&b"POST /7 HTTP/1.1\r\n"[..]).await.is_err(), "incomplete");
    }
}
