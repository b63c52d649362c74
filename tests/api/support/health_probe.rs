//! A probe that polls `/healthz` during an attack, and beside it a server of its own that shows how busy the
//! machine is.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use platform::clock;
use tokio::sync::oneshot;

/// Maximum time of every response of `/healthz` on a machine with nothing else to do.
const MAX_RESPONSE_TIME: Duration = Duration::from_millis(200);
/// How many times as long as the slowest response of the reference a response of `/healthz` may take in
/// addition: the server passes each request between several threads, the reference has one.
const REFERENCE_FACTOR: u32 = 5;
/// Timeout of a request, so that a failing test ends.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Pause between two requests, so that the probe itself is no load.
const PROBE_INTERVAL: Duration = Duration::from_millis(10);
const REFERENCE_RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/// Polls `/healthz` while a test attacks the server, each time on a new connection, from a thread of its own
/// with blocking sockets: the test's own tasks cannot delay it. Usage:
///
/// ```ignore
/// let probe = HealthProbe::start(server.running().address).await;
/// // … the attack …
/// probe.assert_quick();
/// ```
pub struct HealthProbe {
    should_stop: Arc<AtomicBool>,
    thread: JoinHandle<HealthStats>,
    /// Returns the slowest response of the reference.
    reference: JoinHandle<Duration>,
}

/// The responses of `/healthz` during an attack.
#[derive(Debug)]
struct HealthStats {
    answers: usize,
    slowest: Duration,
    /// Responses other than 200, and failed connections.
    failures: Vec<String>,
}

impl HealthProbe {
    /// Starts the probe, and returns after the first response.
    pub async fn start(address: SocketAddr) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let stop_flag = is_over.clone();
        let reference = start_reference(is_over.clone());
        let mut health = HealthStats { answers: 0, slowest: Duration::ZERO, failures: Vec::new() };
        let (ready_sender, ready) = oneshot::channel();
        let thread = thread::spawn(move || {
            // Sent before the attack, so that one-time work of the server is not measured.
            health.probe_once(address);
            (health.answers, health.slowest) = (0, Duration::ZERO);
            let _ = ready_sender.send(());
            // Sent at least once, so that a short attack is measured, too.
            loop {
                health.probe_once(address);
                if stop_flag.load(Ordering::Relaxed) {
                    return health;
                }
                thread::park_timeout(PROBE_INTERVAL);
            }
        });
        // The test's runtime also runs a part of the server and must not be blocked.
        ready.await.unwrap();
        Self { should_stop: is_over, thread, reference }
    }

    /// Ends the probe and asserts that every response was 200 and came within 200 ms, or as late as the
    /// machine is busy with other things.
    #[track_caller]
    pub fn assert_fast(self) {
        self.should_stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        let health = self.thread.join().unwrap();
        let reference = self.reference.join().unwrap();
        println!(
            "/healthz: {} answers, the slowest after {:?}; reference {reference:?}",
            health.answers, health.slowest
        );
        assert!(health.failures.is_empty(), "/healthz failed during the attack: {health:?}");
        assert!(health.answers > 0, "/healthz was never requested during the attack: {health:?}");
        let limit = MAX_RESPONSE_TIME + REFERENCE_FACTOR * reference;
        assert!(health.slowest < limit, "/healthz was slow during the attack: {health:?}, limit {limit:?}");
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

/// Starts a server that does nothing but answer, and a client that asks it until the flag is set: both are as
/// slow as the machine makes any program meanwhile. The client returns the slowest response.
fn start_reference(is_over: Arc<AtomicBool>) -> JoinHandle<Duration> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        // The client's last connection is the only one without a request.
        while let Ok((mut socket, _)) = listener.accept() {
            if !matches!(socket.read(&mut [0; 2_048]), Ok(1..)) {
                return;
            }
            let _ = socket.write_all(REFERENCE_RESPONSE);
        }
    });
    thread::spawn(move || {
        let mut slowest = Duration::ZERO;
        while !is_over.load(Ordering::Relaxed) {
            let started = clock::monotonic_now();
            request_healthz(address).unwrap();
            slowest = slowest.max(started.elapsed());
            thread::park_timeout(PROBE_INTERVAL);
        }
        drop(TcpStream::connect(address));
        slowest
    })
}

/// Sends one request. Returns the head of the response.
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
