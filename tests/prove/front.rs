//! A door before an instance that keeps its address while the instance comes and goes, can cut connections, and lie.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What a read may hold; a request of the swarm fits.
const CHUNK: usize = 64 * 1024;

/// Leads to an instance.
pub struct Front {
    pub base: String,
    way: Arc<Way>,
    door: JoinHandle<()>,
}

struct Way {
    backend: Mutex<SocketAddr>,
    cutting: AtomicBool,
    cuts: AtomicUsize,
    lie: Mutex<Option<Lie>>,
    luck: Mutex<StdRng>,
}

/// When a connection is cut whose request has reached the server.
#[derive(Clone, Copy)]
enum Cut {
    AtOnce,
    BeforeTheAnswer,
    WithinTheAnswer,
}

/// What the instance did not say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lie {
    /// No frame of pixels arrives.
    FrameLost,
    /// The first pixel of each frame has another colour.
    OtherColour,
    /// The last pixel of the canvas has another colour.
    OtherCanvas,
    /// Agents have fewer charges.
    OtherCharges,
}

impl Front {
    pub async fn open(backend: &str, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let way = Arc::new(Way {
            backend: Mutex::new(address(backend)),
            cutting: AtomicBool::new(false),
            cuts: AtomicUsize::new(0),
            lie: Mutex::new(None),
            luck: Mutex::new(StdRng::seed_from_u64(seed)),
        });
        let door = tokio::spawn(serve(listener, way.clone()));
        Self { base, way, door }
    }

    /// The instance has another address now.
    pub fn lead_to(&self, backend: &str) {
        *self.way.backend.lock() = address(backend);
    }

    /// From now on every other write is cut before its answer is read, or no longer any.
    pub fn cut(&self, cutting: bool) {
        self.way.cutting.store(cutting, Ordering::Relaxed);
    }

    /// From now on this lie is told, or only the truth.
    pub fn tell(&self, lie: Option<Lie>) {
        *self.way.lie.lock() = lie;
    }

    pub fn cuts(&self) -> usize {
        self.way.cuts.load(Ordering::Relaxed)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.door.abort();
    }
}

fn address(base: &str) -> SocketAddr {
    base.trim_start_matches("http://").parse().unwrap()
}

async fn serve(listener: TcpListener, way: Arc<Way>) {
    while let Ok((client, _)) = listener.accept().await {
        let way = way.clone();
        let backend = *way.backend.lock();
        tokio::spawn(async move {
            // A client whose instance is away is sent away too.
            if let Ok(server) = TcpStream::connect(backend).await {
                let _ = carry(client, server, &way).await;
            }
        });
    }
}

/// Returns when either side has closed, or the connection is cut.
async fn carry(mut client: TcpStream, mut server: TcpStream, way: &Way) -> std::io::Result<()> {
    let (mut up, mut down) = (vec![0; CHUNK], vec![0; CHUNK]);
    let (mut doom, mut question) = (None, Vec::new());
    loop {
        tokio::select! {
            read = client.read(&mut up) => {
                let chunk = &up[..read?];
                if chunk.is_empty() {
                    return Ok(());
                }
                doom = doom.or_else(|| way.doom(chunk));
                question = chunk.to_vec();
                server.write_all(chunk).await?;
                if let Some(Cut::AtOnce) = doom {
                    way.cuts.fetch_add(1, Ordering::Relaxed);
                    return Ok(());
                }
            }
            read = server.read(&mut down) => {
                let chunk = &mut down[..read?];
                let lie = *way.lie.lock();
                if let Some(lie) = lie.filter(|lie| question.starts_with(lie.subject())) {
                    lie.twist(chunk);
                }
                if let Some(cut) = doom {
                    let told = if let Cut::WithinTheAnswer = cut { chunk.len() / 2 } else { 0 };
                    client.write_all(&chunk[..told]).await?;
                    way.cuts.fetch_add(1, Ordering::Relaxed);
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

impl Lie {
    /// Whether streams tell it.
    pub fn is_streamed(self) -> bool {
        matches!(self, Self::FrameLost | Self::OtherColour)
    }

    /// The question that is answered with it.
    fn subject(self) -> &'static [u8] {
        match self {
            Self::FrameLost | Self::OtherColour => b"GET /api/events",
            Self::OtherCanvas => b"GET /api/canvas.bin",
            Self::OtherCharges => b"GET /api/agents/me",
        }
    }

    /// Never changes a length: what is around it stays readable.
    fn twist(self, chunk: &mut [u8]) {
        match self {
            Self::FrameLost => {
                if let Some(at) = find(chunk, b"event: pixels") {
                    // A comment; the rest of it is a frame without a name.
                    chunk[at] = b':';
                }
            }
            Self::OtherColour => {
                let Some(row) = find(chunk, b"data: [[") else { return };
                let commas = (row..chunk.len()).filter(|at| chunk[*at] == b',');
                if let Some(end) = commas.take(4).nth(3) {
                    chunk[end - 1] ^= 1;
                }
            }
            Self::OtherCharges => {
                let words = b"\"charges\":9";
                if let Some(at) = find(chunk, words) {
                    chunk[at + words.len() - 1] = b'8';
                }
            }
            Self::OtherCanvas => {
                if let Some(last) = chunk.last_mut().filter(|last| **last < 16) {
                    *last ^= 1;
                }
            }
        }
    }
}

fn find(chunk: &[u8], words: &[u8]) -> Option<usize> {
    chunk.windows(words.len()).position(|window| window == words)
}

impl Way {
    fn doom(&self, chunk: &[u8]) -> Option<Cut> {
        let is_write = chunk.starts_with(b"POST /api/pixel") || chunk.starts_with(b"POST /api/chat");
        if !is_write || !self.cutting.load(Ordering::Relaxed) {
            return None;
        }
        let cuts =
            [Some(Cut::AtOnce), Some(Cut::BeforeTheAnswer), Some(Cut::WithinTheAnswer), None, None, None];
        cuts[self.luck.lock().random_range(0..cuts.len())]
    }
}
