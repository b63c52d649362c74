//! A raw TCP connection without an HTTP client.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, interval, timeout};

/// Timeout, so that a failing test ends.
const IO_TIMEOUT: Duration = super::WAIT_LIMIT;

/// A connection on which exactly the bytes of a test are sent.
pub struct RawConnection(TcpStream);

/// The end of a connection.
#[derive(Debug)]
pub struct ClosedConnection {
    /// All data that was received.
    pub received: String,
    /// The time until it ended.
    pub open_for: Duration,
}

impl ClosedConnection {
    /// Returns the statuses of all responses in order.
    pub fn statuses(&self) -> Vec<u16> {
        let lines = self.received.split("HTTP/1.1 ").skip(1);
        lines.map(|rest| rest.split(' ').next().unwrap().trim().parse().unwrap()).collect()
    }
}

impl RawConnection {
    pub async fn connect(address: SocketAddr) -> Self {
        Self(TcpStream::connect(address).await.unwrap())
    }

    /// Connects with a minimal receive buffer.
    pub async fn connect_with_small_buffer(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        Self(socket.connect(address).await.unwrap())
    }

    /// Sends bytes. Returns true if the connection still accepts them.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.0.write_all(bytes.as_ref()).await.is_ok()
    }

    /// Reads at most this number of bytes; none if the connection has ended.
    pub async fn read(&mut self, max_bytes: usize) -> Vec<u8> {
        let mut bytes = vec![0; max_bytes];
        let length =
            timeout(IO_TIMEOUT, self.0.read(&mut bytes)).await.expect("the server hangs").unwrap_or(0);
        bytes.truncate(length);
        bytes
    }

    /// Reads until this text has come.
    pub async fn read_until(&mut self, pattern: &str) -> String {
        let mut text = String::new();
        while !text.contains(pattern) {
            let bytes = self.read(1_024).await;
            assert!(!bytes.is_empty(), "the connection ended: {text}");
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
        text
    }

    /// Reads until the connection has ended.
    pub async fn read_to_end(mut self) -> ClosedConnection {
        let (started, mut all) = (Instant::now(), Vec::new());
        loop {
            let bytes = self.read(65_536).await;
            if bytes.is_empty() {
                let answer = String::from_utf8_lossy(&all).into_owned();
                return ClosedConnection { received: answer, open_for: started.elapsed() };
            }
            all.extend(bytes);
        }
    }

    /// Sends these pieces repeatedly, one every quarter of a second, until the connection has ended.
    pub async fn trickle(self, pieces: &[&str]) -> ClosedConnection {
        let started = Instant::now();
        let (mut incoming, mut outgoing) = self.0.into_split();
        let reading = tokio::spawn(async move {
            let (mut all, mut bytes) = (Vec::new(), vec![0; 65_536]);
            while let Ok(length) = incoming.read(&mut bytes).await {
                if length == 0 {
                    break;
                }
                all.extend_from_slice(&bytes[..length]);
            }
            all
        });
        let sending = async {
            let mut ticks = interval(Duration::from_millis(250));
            for piece in pieces.iter().cycle() {
                ticks.tick().await;
                if outgoing.write_all(piece.as_bytes()).await.is_err() {
                    return;
                }
            }
        };
        timeout(IO_TIMEOUT, sending).await.expect("the connection was never closed");
        let after = started.elapsed();
        let answer = String::from_utf8_lossy(&reading.await.unwrap()).into_owned();
        ClosedConnection { received: answer, open_for: after }
    }
}
