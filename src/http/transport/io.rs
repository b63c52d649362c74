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

use super::header_guard::Lines;
use super::open_connections::Activity;
use super::timeouts::Patience;

/// How much the system may hold that was not yet sent: a client that does not read costs no more.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 128 * 1024;
/// After so long without a sign from the other end it is gone.
#[cfg(target_os = "linux")]
const SILENCE: Duration = Duration::from_mins(1);

/// A socket with its patience.
pub struct Wire {
    socket: TcpStream,
    lines: Lines,
    pub patience: Rc<Patience>,
}

impl Wire {
    /// Takes over a new connection, and keeps its activity up to date.
    pub fn new(socket: TcpStream, activity: Arc<Activity>) -> Self {
        if let Err(error) = tune(&socket) {
            tracing::debug!(%error, "a socket could not be tuned");
        }
        Self { socket, lines: Lines::default(), patience: Rc::new(Patience::new(Instant::now(), activity)) }
    }

    fn note(&self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Pending => self.patience.stall(Instant::now()),
            Poll::Ready(Ok(bytes)) => self.patience.take(*bytes, Instant::now()),
            Poll::Ready(Err(_)) => {}
        }
    }
}

#[cfg(target_os = "linux")]
fn tune(socket: &TcpStream) -> io::Result<()> {
    let socket = SockRef::from(socket);
    socket.set_tcp_nodelay(true)?;
    socket.set_tcp_notsent_lowat(UNSENT)?;
    socket.set_tcp_user_timeout(Some(SILENCE))
}

#[cfg(not(target_os = "linux"))]
fn tune(socket: &TcpStream) -> io::Result<()> {
    SockRef::from(socket).set_tcp_nodelay(true)
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let known = buffer.filled().len();
        let read = Pin::new(&mut self.socket).poll_read(context, buffer);
        if self.patience.expects_another_head() {
            self.lines = Lines::default();
        }
        // What comes early, behind a request that is not answered yet, is not looked at: who sends that is no proxy.
        if self.patience.expects_a_head() {
            self.lines.feed(&buffer.filled()[known..])?;
        }
        read
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.note(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write_vectored(context, parts);
        self.note(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    /// Is called when all that was ready has been written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.patience.taken(Instant::now());
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
