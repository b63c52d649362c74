//! A push service of the test. It answers with a chosen status, and decrypts what it receives as a browser
//! does.

use platform::clock;

use crate::support::WAIT_LIMIT;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;
use web_push_native::p256::SecretKey;
use web_push_native::p256::ecdsa::signature::Verifier as _;
use web_push_native::p256::ecdsa::{Signature, VerifyingKey};
use web_push_native::{Auth, decrypt};

pub struct PushService {
    pub origin: String,
    status: Arc<AtomicU16>,
    connections: Arc<AtomicU16>,
    requests: mpsc::UnboundedReceiver<PushRequest>,
}

pub struct PushRequest {
    pub path: String,
    /// The header lines, in lower case but for the values.
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// A browser that has subscribed.
pub struct PushBrowser {
    pub endpoint: String,
    key: SecretKey,
    auth: [u8; 16],
}

impl PushService {
    pub async fn open() -> Self {
        Self::open_at("127.0.0.1").await
    }

    pub async fn open_at(address: &str) -> Self {
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let status = Arc::new(AtomicU16::new(201));
        let (sender, requests) = mpsc::unbounded_channel();
        let (answer, connections) = (status.clone(), Arc::new(AtomicU16::new(0)));
        let connected = connections.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connected.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, answer.clone(), sender.clone()));
            }
        });
        Self { origin, status, connections, requests }
    }

    /// Returns the number of connections so far.
    pub fn connections(&self) -> u16 {
        self.connections.load(Ordering::SeqCst)
    }

    /// Sets the status of all later responses.
    pub fn answer_with(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// Waits for the next message.
    pub async fn next(&mut self) -> PushRequest {
        timeout(WAIT_LIMIT, self.requests.recv()).await.expect("no push message arrived").unwrap()
    }

    /// Returns true if there is an unread message.
    pub fn has_unread(&mut self) -> bool {
        !self.requests.is_empty()
    }

    /// Returns a new browser whose messages come here.
    pub fn browser(&self, name: &str) -> PushBrowser {
        PushBrowser::new(format!("{}/push/{name}", self.origin))
    }
}

impl PushBrowser {
    pub fn new(endpoint: String) -> Self {
        let key = SecretKey::from_slice(&clock::random_bytes::<32>().unwrap()).unwrap();
        Self { endpoint, key, auth: clock::random_bytes().unwrap() }
    }

    /// Returns the subscription as `PushSubscription.toJSON()` does.
    pub fn subscription(&self) -> Value {
        let point = self.key.public_key().to_sec1_bytes();
        json!({
            "endpoint": self.endpoint,
            "expirationTime": null,
            "keys": {
                "p256dh": BASE64_URL_SAFE_NO_PAD.encode(point),
                "auth": BASE64_URL_SAFE_NO_PAD.encode(self.auth),
            },
        })
    }

    /// Decrypts a message for this browser.
    pub fn read(&self, request: &PushRequest) -> Value {
        let text = decrypt(request.body.clone(), &self.key, &Auth::from(self.auth)).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

impl PushRequest {
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// Verifies the signature of the token with this public key. Returns the claims.
    pub fn verify_token(&self, public_key: &str) -> Value {
        let authorization = self.header("authorization");
        let (token, key) = authorization.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        assert_eq!(key, public_key);
        let decode = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text).unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let verifying_key = VerifyingKey::from_sec1_bytes(&decode(public_key)).unwrap();
        let signature = Signature::from_slice(&decode(signature)).unwrap();
        verifying_key.verify(signed.as_bytes(), &signature).unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let header: Value = serde_json::from_slice(&decode(header)).unwrap();
        assert_eq!(header, json!({"typ": "JWT", "alg": "ES256"}));
        serde_json::from_slice(&decode(claims)).unwrap()
    }
}

async fn serve(mut stream: TcpStream, status: Arc<AtomicU16>, requests: mpsc::UnboundedSender<PushRequest>) {
    let (reader, mut writer) = stream.split();
    let mut reader = BufReader::new(reader);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let path = lines[0].split(' ').nth(1).unwrap().to_owned();
    assert!(lines[0].starts_with("POST "), "{}", lines[0]);
    let pair =
        |line: &String| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    let headers: Vec<_> = lines[1..].iter().filter_map(pair).collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").unwrap().1.parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.unwrap();
    let answer = format!(
        "HTTP/1.1 {} X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        status.load(Ordering::SeqCst)
    );
    let _ = requests.send(PushRequest { path, headers, body });
    let _ = writer.write_all(answer.as_bytes()).await;
}
