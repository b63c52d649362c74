//! chromedriver on a port of its own; it and its Chromium end with the test, also when the test fails.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// What to do where something is missing: a test that is skipped would be believed.
pub const INSTALL_HINT: &str = "run the tests with `make test`, which says what to install";
/// More than Chromium ever needs to close.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(15);

/// How often chromedriver is started until one has a port.
const ATTEMPTS: usize = 3;

/// A running chromedriver and the profile of the Chromium that it starts.
pub struct Driver {
    pub port: u16,
    process: Child,
    profile: TempDir,
    // Held open: without a reader, chromedriver could not write another line.
    _stdout: BufReader<ChildStdout>,
}

impl Driver {
    pub fn start() -> Self {
        let started = (0..ATTEMPTS).find_map(|_| Self::try_start());
        started.unwrap_or_else(|| panic!("chromedriver names no port: {INSTALL_HINT}"))
    }

    /// None where it gave up: it asks for a free port, and may find it taken a moment later.
    fn try_start() -> Option<Self> {
        let child =
            Command::new("chromedriver").arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut process =
            child.unwrap_or_else(|error| panic!("chromedriver does not start ({error}): {INSTALL_HINT}"));
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let Some(port) = read_port(&mut stdout) else {
            let _ = process.kill();
            let _ = process.wait();
            return None;
        };
        Some(Self { port, process, profile: tempfile::tempdir().unwrap(), _stdout: stdout })
    }

    /// The argument that keeps Chromium to its own profile.
    pub fn profile_argument(&self) -> String {
        format!("--user-data-dir={}", self.profile.path().display())
    }

    /// Closes Chromium in good order, then chromedriver.
    fn shut_down(&self) -> std::io::Result<()> {
        let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        connection.set_read_timeout(Some(SHUTDOWN_TIMEOUT))?;
        connection.write_all(b"GET /shutdown HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        connection.read_exact(&mut [0; 12])
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Killed outright, it would leave its Chromium to notice by itself, with the profile's folder under its feet.
        if self.shut_down().is_err() {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

/// Reads the port from the line in which chromedriver says that it is ready.
fn read_port(stdout: &mut impl BufRead) -> Option<u16> {
    let mut lines = stdout.lines().map_while(Result::ok);
    let ready = lines.find(|line| line.contains("started successfully on port"))?;
    ready.rsplit(' ').next()?.trim_end_matches('.').parse().ok()
}
