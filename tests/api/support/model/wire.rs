//! The HTTP of the fake model: one request per connection.

use std::collections::HashMap;
use std::io;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::MODEL_KEY;

/// The path and the headers of a request.
pub(super) struct RequestHead {
    pub(super) path: String,
    /// The headers, with names in lower case.
    pub(super) headers: HashMap<String, String>,
}

/// Reads a request with its body; `None` if the connection ends before.
pub(super) async fn read_request(socket: &mut TcpStream) -> Option<(RequestHead, String)> {
    let mut read = Vec::new();
    loop {
        let mut piece = [0; 16_384];
        let length = socket.read(&mut piece).await.ok().filter(|length| *length > 0)?;
        read.extend_from_slice(&piece[..length]);
        let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
        let head = parse_head(std::str::from_utf8(&read[..end]).unwrap());
        let body = &read[end + 4..];
        if body.len() >= head.headers["content-length"].parse::<usize>().unwrap() {
            return Some((head, String::from_utf8(body.to_vec()).unwrap()));
        }
    }
}

fn parse_head(text: &str) -> RequestHead {
    let mut lines = text.lines();
    let path = lines.next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let header = |line: &str| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_ascii_lowercase(), value.to_owned())
    };
    RequestHead { path, headers: lines.map(header).collect() }
}

/// Starts an event stream with these events.
pub(super) async fn stream(socket: &mut TcpStream, events: &[String]) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    socket.write_all(head.as_bytes()).await?;
    send(socket, events).await
}

/// Sends events in pieces that end anywhere, as networks split them.
pub(super) async fn send(socket: &mut TcpStream, events: &[String]) -> io::Result<()> {
    for piece in events.concat().as_bytes().chunks(97) {
        socket.write_all(piece).await?;
        socket.flush().await?;
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// Refuses a request with a message that repeats the key and the request, as a careless provider could.
pub(super) async fn refuse(
    socket: &mut TcpStream,
    status: u16,
    retry_after: Option<u32>,
    request: &Value,
) -> io::Result<()> {
    let message = format!("The key {MODEL_KEY} may not send {request}");
    let body = json!({"type": "error", "error": {"type": "test_error", "message": message}}).to_string();
    let retry_after = retry_after.map_or_else(String::new, |seconds| format!("Retry-After: {seconds}\r\n"));
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{retry_after}Content-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    socket.write_all(format!("{head}{body}").as_bytes()).await
}
