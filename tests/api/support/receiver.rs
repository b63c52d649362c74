//! An HTTP server that stores the POST requests that it receives. It answers with a chosen status, or not at
//! all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};

use reqwest::header::{HeaderMap, HeaderName};
use serde_json::Value;
use standardwebhooks::Webhook;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::tcp::ReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::WAIT_LIMIT;

/// The status with which the receiver never answers.
const SILENCE: u16 = 0;

pub struct Receiver {
    pub url: String,
    answer: Arc<Answer>,
    requests: mpsc::UnboundedReceiver<Received>,
}

struct Answer {
    status: AtomicU16,
    connections: AtomicUsize,
    open: AtomicUsize,
    most_open: AtomicUsize,
}

/// A request to the receiver.
pub struct Received {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Receiver {
    /// Opens a receiver on a host of its own: requests are limited per host.
    pub async fn open() -> Self {
        static OPENED: AtomicUsize = AtomicUsize::new(0);
        let number = OPENED.fetch_add(1, Ordering::SeqCst);
        Self::open_at(&format!("127.0.{}.{}", 1 + number / 250, 1 + number % 250)).await
    }

    pub async fn open_at(address: &str) -> Self {
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (sender, requests) = mpsc::unbounded_channel();
        let [connections, open, most_open] = [0, 0, 0].map(AtomicUsize::new);
        let answer = Arc::new(Answer { status: 204.into(), connections, open, most_open });
        let shared_answer = answer.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared_answer.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, shared_answer.clone(), sender.clone()));
            }
        });
        Self { url, answer, requests }
    }

    /// Sets the status of all later responses.
    pub fn answer_with(&self, status: u16) {
        self.answer.status.store(status, Ordering::SeqCst);
    }

    /// Answers no later request.
    pub fn hang(&self) {
        self.answer_with(SILENCE);
    }

    /// Returns the number of connections so far.
    pub fn connections(&self) -> usize {
        self.answer.connections.load(Ordering::SeqCst)
    }

    /// Returns the largest number of requests that were open at the same time.
    pub fn most_open(&self) -> usize {
        self.answer.most_open.load(Ordering::SeqCst)
    }

    /// Waits for the next request.
    pub async fn next(&mut self) -> Received {
        timeout(WAIT_LIMIT, self.requests.recv()).await.expect("no request arrived").unwrap()
    }

    /// Waits for the next request, for as long as it takes.
    pub async fn next_without_timeout(&mut self) -> Received {
        self.requests.recv().await.unwrap()
    }

    /// Returns true if there is an unread request.
    pub fn has_unread(&self) -> bool {
        !self.requests.is_empty()
    }

    /// Returns the next request, if it has arrived.
    pub fn try_next(&mut self) -> Option<Received> {
        self.requests.try_recv().ok()
    }
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Returns the body of a delivery.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns true if one of the signatures is that which the library of the standard makes.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        // The library verifies only with the real time, and tests move the server's clock.
        let timestamp = self.header("webhook-timestamp").parse().unwrap();
        let library = Webhook::new(secret).unwrap();
        let expected = library.sign(self.header("webhook-id"), timestamp, &self.body).unwrap();
        self.header("webhook-signature").split(' ').any(|signature| signature == expected)
    }

    /// Returns true if the library of the standard accepts the request now.
    pub fn is_accepted_by_library(&self, secret: &str) -> bool {
        Webhook::new(secret).unwrap().verify(&self.body, &self.headers).is_ok()
    }
}

async fn serve(mut stream: TcpStream, answer: Arc<Answer>, requests: mpsc::UnboundedSender<Received>) {
    let (reader, mut writer) = stream.split();
    let mut reader = BufReader::new(reader);
    let Some(request) = read_request(&mut reader).await else { return };
    let open = answer.open.fetch_add(1, Ordering::SeqCst) + 1;
    answer.most_open.fetch_max(open, Ordering::SeqCst);
    let status = answer.status.load(Ordering::SeqCst);
    let _ = requests.send(request);
    if status == SILENCE {
        // Until the client closes the connection.
        let _ = reader.read(&mut [0]).await;
    } else {
        let head = format!(
            "HTTP/1.1 {status} X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        let _ = writer.write_all(head.as_bytes()).await;
    }
    answer.open.fetch_sub(1, Ordering::SeqCst);
}

/// Reads a request; `None` if the connection ends before.
async fn read_request(reader: &mut BufReader<ReadHalf<'_>>) -> Option<Received> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    assert!(lines[0].starts_with("POST "), "{}", lines[0]);
    let path = lines[0].split(' ').nth(1)?.to_owned();
    let mut headers = HeaderMap::new();
    for (name, value) in lines[1..].iter().filter_map(|line| line.split_once(": ")) {
        headers.insert(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
    }
    let length = headers.get("content-length")?.to_str().ok()?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.ok()?;
    Some(Received { path, headers, body })
}
