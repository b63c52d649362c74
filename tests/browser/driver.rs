//! chromedriver on a port of its own. It is stopped with its Chromium when the test ends or fails.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// Advice if a program is missing. The test fails, because a skipped test could go unnoticed.
pub const INSTALL_HINT: &str = "run the tests with `make test`, which says what to install";
/// Timeout for closing Chromium.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(15);

/// Maximum number of attempts to start chromedriver on a free port.
const ATTEMPTS: usize = 3;

/// A running chromedriver and the profile of its Chromium.
pub struct Driver {
    pub port: u16,
    process: Child,
    profile: TempDir,
    // Kept open, because chromedriver could not write to a closed pipe.
    _stdout: BufReader<ChildStdout>,
}

impl Driver {
    pub fn start() -> Self {
        let started = (0..ATTEMPTS).find_map(|_| Self::try_start());
        started.unwrap_or_else(|| panic!("chromedriver names no port: {INSTALL_HINT}"))
    }

    /// Starts chromedriver; `None` if its port was taken between its choice and its use.
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

    /// Returns the number of chromedriver's process, of which Chromium's are descendants.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Returns the argument with Chromium's profile folder.
    pub fn profile_argument(&self) -> String {
        format!("--user-data-dir={}", self.profile.path().display())
    }

    /// Closes Chromium, then chromedriver.
    fn shut_down(&self) -> std::io::Result<()> {
        let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        connection.set_read_timeout(Some(SHUTDOWN_TIMEOUT))?;
        connection.write_all(b"GET /shutdown HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        connection.read_exact(&mut [0; 12])
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // A killed chromedriver would leave its Chromium running in a deleted profile.
        if self.shut_down().is_err() {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

/// Reads the port from the line with which chromedriver reports that it is ready.
fn read_port(stdout: &mut impl BufRead) -> Option<u16> {
    let mut lines = stdout.lines().map_while(Result::ok);
    let ready = lines.find(|line| line.contains("started successfully on port"))?;
    ready.rsplit(' ').next()?.trim_end_matches('.').parse().ok()
}
