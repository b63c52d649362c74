//! A socket without any manners of its own.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, interval, timeout};

/// Longer than anything here takes, so that a test that fails also ends.
const PATIENCE: Duration = Duration::from_secs(40);

/// A connection on which exactly what a test says is sent.
pub struct Raw(TcpStream);

/// What came of a connection.
#[derive(Debug)]
pub struct End {
    /// All that was answered.
    pub answer: String,
    /// How long it stayed open.
    pub after: Duration,
}

impl End {
    /// The statuses of all answers, in order.
    pub fn statuses(&self) -> Vec<u16> {
        let lines = self.answer.split("HTTP/1.1 ").skip(1);
        lines.map(|rest| rest.split(' ').next().unwrap().trim().parse().unwrap()).collect()
    }
}

impl Raw {
    pub async fn connect(address: SocketAddr) -> Self {
        Self(TcpStream::connect(address).await.unwrap())
    }

    /// With a system that keeps next to nothing of what comes in.
    pub async fn narrow(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        Self(socket.connect(address).await.unwrap())
    }

    /// Sends at once; whether the other end still takes it.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.0.write_all(bytes.as_ref()).await.is_ok()
    }

    /// Reads at most so many bytes; none when the connection has ended.
    pub async fn read(&mut self, most: usize) -> Vec<u8> {
        let mut bytes = vec![0; most];
        let length = timeout(PATIENCE, self.0.read(&mut bytes)).await.expect("the server hangs").unwrap_or(0);
        bytes.truncate(length);
        bytes
    }

    /// Reads until this has come.
    pub async fn read_until(&mut self, mark: &str) -> String {
        let mut text = String::new();
        while !text.contains(mark) {
            let bytes = self.read(1_024).await;
            assert!(!bytes.is_empty(), "the connection ended: {text}");
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
        text
    }

    /// Reads until the connection has ended.
    pub async fn rest(mut self) -> End {
        let (begun, mut all) = (Instant::now(), Vec::new());
        loop {
            let bytes = self.read(65_536).await;
            if bytes.is_empty() {
                let answer = String::from_utf8_lossy(&all).into_owned();
                return End { answer, after: begun.elapsed() };
            }
            all.extend(bytes);
        }
    }

    /// Sends these pieces again and again, one every quarter of a second, until the other end takes no more.
    pub async fn trickle(self, pieces: &[&str]) -> End {
        let begun = Instant::now();
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
            let mut beat = interval(Duration::from_millis(250));
            for piece in pieces.iter().cycle() {
                beat.tick().await;
                if outgoing.write_all(piece.as_bytes()).await.is_err() {
                    return;
                }
            }
        };
        timeout(PATIENCE, sending).await.expect("the connection is never cut");
        let after = begun.elapsed();
        let answer = String::from_utf8_lossy(&reading.await.unwrap()).into_owned();
        End { answer, after }
    }
}
