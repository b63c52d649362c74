//! A probe that asks `/healthz` for as long as an attack lasts.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use caraplace::clock;
use tokio::sync::oneshot;

/// Every answer of `/healthz` must come within this time, whatever goes on.
const MAX_RESPONSE_TIME: Duration = Duration::from_millis(200);
/// Longer than any answer takes, so that a test that fails also ends.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// The pause between two questions, so that the probe is no attack of its own.
const PROBE_INTERVAL: Duration = Duration::from_millis(10);
const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/// Asks `/healthz` again and again while a test attacks the server, each time on a new connection, from a thread of its own
/// with blocking sockets: the test's own tasks cannot delay it. Use it so:
///
/// ```ignore
/// let probe = HealthProbe::start(server.running().address).await;
/// // … the attack …
/// probe.assert_quick();
/// ```
pub struct HealthProbe {
    should_stop: Arc<AtomicBool>,
    thread: JoinHandle<HealthStats>,
}

/// The answers of `/healthz` during an attack.
#[derive(Debug)]
struct HealthStats {
    answers: usize,
    slowest: Duration,
    /// Answers that were not 200, and connections that broke.
    failures: Vec<String>,
}

impl HealthProbe {
    /// Begins to ask. The first answer has come when this returns.
    pub async fn start(address: SocketAddr) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let stop_flag = is_over.clone();
        let mut health = HealthStats { answers: 0, slowest: Duration::ZERO, failures: Vec::new() };
        let (ready_sender, ready) = oneshot::channel();
        let thread = thread::spawn(move || {
            // Before the attack: what the server does once only is not measured.
            health.probe_once(address);
            (health.answers, health.slowest) = (0, Duration::ZERO);
            let _ = ready_sender.send(());
            // Once at least: an attack that is over at once is measured too.
            loop {
                health.probe_once(address);
                if stop_flag.load(Ordering::Relaxed) {
                    return health;
                }
                thread::park_timeout(PROBE_INTERVAL);
            }
        });
        // The test's runtime runs a part of the server and must not be blocked.
        ready.await.unwrap();
        Self { should_stop: is_over, thread }
    }

    /// Ends the probe and insists that every answer was 200 and came within 200 ms.
    #[track_caller]
    pub fn assert_fast(self) {
        self.should_stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        let health = self.thread.join().unwrap();
        println!("/healthz: {} answers, the slowest after {:?}", health.answers, health.slowest);
        assert!(health.failures.is_empty(), "/healthz failed during the attack: {health:?}");
        assert!(health.answers > 0, "/healthz was never asked during the attack: {health:?}");
        assert!(health.slowest < MAX_RESPONSE_TIME, "/healthz was slow during the attack: {health:?}");
    }
}

impl HealthStats {
    fn probe_once(&mut self, address: SocketAddr) {
        let started = clock::monotonic_now();
        match request_healthz(address) {
            Ok(answer) if answer.starts_with("HTTP/1.1 200") => self.answers += 1,
            Ok(answer) => self.failures.push(answer),
            Err(error) => self.failures.push(error.to_string()),
        }
        self.slowest = self.slowest.max(started.elapsed());
    }
}

/// Asks once; returns the head of the answer.
fn request_healthz(address: SocketAddr) -> std::io::Result<String> {
    let mut socket = TcpStream::connect_timeout(&address, REQUEST_TIMEOUT)?;
    socket.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    socket.write_all(REQUEST)?;
    let (mut answer, mut bytes) = (String::new(), [0; 2_048]);
    while !answer.contains("\r\n\r\n") {
        let length = socket.read(&mut bytes)?;
        if length == 0 {
            break;
        }
        answer.push_str(&String::from_utf8_lossy(&bytes[..length]));
    }
    Ok(answer)
}
