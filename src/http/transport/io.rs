//! A client's socket that notices when the client does not take what is written to it, and heads that hide lines.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::header_guard::HeaderGuard;
use super::open_connections::Activity;
use super::timeouts::ConnectionTimeouts;

/// How much the system may hold that was not yet sent: a client that does not read costs no more.
#[cfg(target_os = "linux")]
const MAX_UNSENT_BYTES: u32 = 128 * 1024;
/// After so long without a sign from the other end it is gone.
#[cfg(target_os = "linux")]
const PEER_TIMEOUT: Duration = Duration::from_mins(1);

/// A socket with its patience.
pub struct ClientSocket {
    socket: TcpStream,
    header_guard: HeaderGuard,
    pub timeouts: Rc<ConnectionTimeouts>,
}

impl ClientSocket {
    /// Takes over a new connection, and keeps its activity up to date.
    pub fn new(socket: TcpStream, activity: Arc<Activity>) -> Self {
        if let Err(error) = set_socket_options(&socket) {
            tracing::debug!(%error, "a socket could not be tuned");
        }
        Self {
            socket,
            header_guard: HeaderGuard::default(),
            timeouts: Rc::new(ConnectionTimeouts::new(Instant::now(), activity)),
        }
    }

    fn record_write(&self, result: &Poll<io::Result<usize>>) {
        match result {
            Poll::Pending => self.timeouts.mark_stalled(Instant::now()),
            Poll::Ready(Ok(bytes)) => self.timeouts.record_written(*bytes, Instant::now()),
            Poll::Ready(Err(_)) => {}
        }
    }
}

#[cfg(target_os = "linux")]
fn set_socket_options(socket: &TcpStream) -> io::Result<()> {
    let socket = SockRef::from(socket);
    socket.set_tcp_nodelay(true)?;
    socket.set_tcp_notsent_lowat(MAX_UNSENT_BYTES)?;
    socket.set_tcp_user_timeout(Some(PEER_TIMEOUT))
}

#[cfg(not(target_os = "linux"))]
fn tune(socket: &TcpStream) -> io::Result<()> {
    SockRef::from(socket).set_tcp_nodelay(true)
}

impl AsyncRead for ClientSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let filled_before = buffer.filled().len();
        let result = Pin::new(&mut self.socket).poll_read(context, buffer);
        if self.timeouts.take_head_start() {
            self.header_guard = HeaderGuard::default();
        }
        // What comes early, behind a request that is not answered yet, is not looked at: who sends that is no proxy.
        if self.timeouts.expects_head() {
            self.header_guard.check(&buffer.filled()[filled_before..])?;
        }
        result
    }
}

impl AsyncWrite for ClientSocket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.record_write(&result);
        result
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.socket).poll_write_vectored(context, buffers);
        self.record_write(&result);
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    /// Is called when all that was ready has been written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.timeouts.all_written(Instant::now());
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
