//! A door before an instance that keeps its address while the instance comes and goes, and can cut connections.

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
    luck: Mutex<StdRng>,
}

/// When a connection is cut whose request has reached the server.
#[derive(Clone, Copy)]
enum Cut {
    AtOnce,
    BeforeTheAnswer,
    WithinTheAnswer,
}

impl Front {
    pub async fn open(backend: &str, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let way = Arc::new(Way {
            backend: Mutex::new(address(backend)),
            cutting: AtomicBool::new(false),
            cuts: AtomicUsize::new(0),
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
    let mut doom = None;
    loop {
        tokio::select! {
            read = client.read(&mut up) => {
                let chunk = &up[..read?];
                if chunk.is_empty() {
                    return Ok(());
                }
                doom = doom.or_else(|| way.doom(chunk));
                server.write_all(chunk).await?;
                if let Some(Cut::AtOnce) = doom {
                    way.cuts.fetch_add(1, Ordering::Relaxed);
                    return Ok(());
                }
            }
            read = server.read(&mut down) => {
                let chunk = &down[..read?];
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
