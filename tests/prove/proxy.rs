//! A proxy with a stable address before an instance. It can cut connections and tamper with responses.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Maximum size of a read. A request of `swarm` fits.
const CHUNK_BYTES: usize = 64 * 1024;

/// A proxy before an instance.
pub struct FaultProxy {
    pub base_url: String,
    state: Arc<ProxyState>,
    accept_task: JoinHandle<()>,
}

struct ProxyState {
    backend: Mutex<SocketAddr>,
    is_cutting: AtomicBool,
    cut_count: AtomicUsize,
    tampering: Mutex<Option<Tampering>>,
    rng: Mutex<StdRng>,
}

/// The time at which a connection is cut after its request has reached the server.
#[derive(Clone, Copy)]
enum CutPoint {
    AfterRequest,
    BeforeResponse,
    WithinResponse,
}

/// A change of the instance's responses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tampering {
    /// Frames of pixels are dropped.
    DroppedFrame,
    /// The first pixel of each frame has another colour.
    ChangedColor,
    /// The last pixel of the canvas has another colour.
    ChangedCanvas,
    /// Agents have fewer charges.
    ChangedCharges,
}

impl FaultProxy {
    pub async fn start(backend: &str, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(ProxyState {
            backend: Mutex::new(parse_address(backend)),
            is_cutting: AtomicBool::new(false),
            cut_count: AtomicUsize::new(0),
            tampering: Mutex::new(None),
            rng: Mutex::new(StdRng::seed_from_u64(seed)),
        });
        let accept_task = tokio::spawn(accept_connections(listener, state.clone()));
        Self { base_url, state, accept_task }
    }

    /// Sets the address of the instance.
    pub fn set_backend(&self, backend: &str) {
        *self.state.backend.lock() = parse_address(backend);
    }

    /// Enables or disables cutting every other write before its response is read.
    pub fn set_cutting(&self, is_cutting: bool) {
        self.state.is_cutting.store(is_cutting, Ordering::Relaxed);
    }

    /// Sets or clears the change of responses.
    pub fn set_tampering(&self, tampering: Option<Tampering>) {
        *self.state.tampering.lock() = tampering;
    }

    pub fn cut_count(&self) -> usize {
        self.state.cut_count.load(Ordering::Relaxed)
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.accept_task.abort();
    }
}

fn parse_address(base_url: &str) -> SocketAddr {
    base_url.trim_start_matches("http://").parse().unwrap()
}

async fn accept_connections(listener: TcpListener, state: Arc<ProxyState>) {
    while let Ok((client, _)) = listener.accept().await {
        let state = state.clone();
        let backend = *state.backend.lock();
        tokio::spawn(async move {
            // If the instance is down, the client's connection is closed.
            if let Ok(server) = TcpStream::connect(backend).await {
                let _ = forward(client, server, &state).await;
            }
        });
    }
}

/// Forwards data until either side closes or the connection is cut.
async fn forward(mut client: TcpStream, mut server: TcpStream, state: &ProxyState) -> std::io::Result<()> {
    let (mut upstream_buffer, mut downstream_buffer) = (vec![0; CHUNK_BYTES], vec![0; CHUNK_BYTES]);
    let (mut planned_cut, mut request) = (None, Vec::new());
    loop {
        tokio::select! {
            read = client.read(&mut upstream_buffer) => {
                let chunk = &upstream_buffer[..read?];
                if chunk.is_empty() {
                    return Ok(());
                }
                planned_cut = planned_cut.or_else(|| state.choose_cut(chunk));
                request = chunk.to_vec();
                server.write_all(chunk).await?;
                if let Some(CutPoint::AfterRequest) = planned_cut {
                    state.cut_count.fetch_add(1, Ordering::Relaxed);
                    return Ok(());
                }
            }
            read = server.read(&mut downstream_buffer) => {
                let chunk = &mut downstream_buffer[..read?];
                let tampering = *state.tampering.lock();
                if let Some(tampering) = tampering.filter(|lie| request.starts_with(lie.request_prefix())) {
                    tampering.apply(chunk);
                }
                if let Some(cut_point) = planned_cut {
                    let sent_bytes = if let CutPoint::WithinResponse = cut_point { chunk.len() / 2 } else { 0 };
                    client.write_all(&chunk[..sent_bytes]).await?;
                    state.cut_count.fetch_add(1, Ordering::Relaxed);
                    return Ok(());
                }
                if chunk.is_empty() {
                    return Ok(());
                }
                client.write_all(chunk).await?;
            }
        }
    }
}

impl Tampering {
    /// Returns true if the change affects event streams.
    pub fn is_streamed(self) -> bool {
        matches!(self, Self::DroppedFrame | Self::ChangedColor)
    }

    /// Returns the request whose response is changed.
    fn request_prefix(self) -> &'static [u8] {
        match self {
            Self::DroppedFrame | Self::ChangedColor => b"GET /api/events",
            Self::ChangedCanvas => b"GET /api/canvas.bin",
            Self::ChangedCharges => b"GET /api/agents/me",
        }
    }

    /// Changes a chunk without changing its length, so that the rest stays readable.
    fn apply(self, chunk: &mut [u8]) {
        match self {
            Self::DroppedFrame => {
                if let Some(index) = find(chunk, b"event: pixels") {
                    // The line becomes a comment, and the rest a frame without an event name.
                    chunk[index] = b':';
                }
            }
            Self::ChangedColor => {
                let Some(row_start) = find(chunk, b"data: [[") else { return };
                let commas = (row_start..chunk.len()).filter(|at| chunk[*at] == b',');
                if let Some(end_index) = commas.take(4).nth(3) {
                    chunk[end_index - 1] ^= 1;
                }
            }
            Self::ChangedCharges => {
                let field = b"\"charges\":9";
                if let Some(index) = find(chunk, field) {
                    chunk[index + field.len() - 1] = b'8';
                }
            }
            Self::ChangedCanvas => {
                if let Some(last) = chunk.last_mut().filter(|last| **last < 16) {
                    *last ^= 1;
                }
            }
        }
    }
}

fn find(chunk: &[u8], pattern: &[u8]) -> Option<usize> {
    chunk.windows(pattern.len()).position(|window| window == pattern)
}

impl ProxyState {
    fn choose_cut(&self, chunk: &[u8]) -> Option<CutPoint> {
        let is_write = chunk.starts_with(b"POST /api/pixel") || chunk.starts_with(b"POST /api/chat");
        if !is_write || !self.is_cutting.load(Ordering::Relaxed) {
            return None;
        }
        let choices = [
            Some(CutPoint::AfterRequest),
            Some(CutPoint::BeforeResponse),
            Some(CutPoint::WithinResponse),
            None,
            None,
            None,
        ];
        choices[self.rng.lock().random_range(0..choices.len())]
    }
}
