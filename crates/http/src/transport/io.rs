//! A client socket that tracks stalled writes and checks the line ends of request heads.

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

/// The largest number of unsent bytes in the kernel's send buffer, which limits the memory for clients that
/// do not read.
#[cfg(target_os = "linux")]
const MAX_UNSENT_BYTES: u32 = 128 * 1024;
/// The time without an acknowledgement after which the kernel closes the connection (`TCP_USER_TIMEOUT`).
#[cfg(target_os = "linux")]
const PEER_TIMEOUT: Duration = Duration::from_mins(1);

/// A client socket with its timeouts.
pub struct ClientSocket {
    socket: TcpStream,
    header_guard: HeaderGuard,
    pub timeouts: Rc<ConnectionTimeouts>,
}

impl ClientSocket {
    /// Wraps a new connection's socket, and tracks its activity.
    pub fn new(socket: TcpStream, activity: Arc<Activity>) -> Self {
        if let Err(error) = set_socket_options(&socket) {
            tracing::debug!(%error, "setting socket options failed");
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
fn set_socket_options(socket: &TcpStream) -> io::Result<()> {
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
        let has_read_nothing = buffer.filled().len() == filled_before && buffer.remaining() > 0;
        if has_read_nothing && matches!(result, Poll::Ready(Ok(()))) {
            self.timeouts.mark_peer_closed();
        }
        if self.timeouts.take_head_start() {
            self.header_guard = HeaderGuard::default();
        }
        // Pipelined bytes, which arrive before the response, are not checked: proxies do not pipeline
        // requests.
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

    /// Called when all buffered bytes have been written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.timeouts.all_written(Instant::now());
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
