//! `caraplace admin password-hash`: hashes a password for CARAPLACE_ADMIN_PASSWORD.

use std::io::{BufRead as _, IsTerminal as _, Write as _, stderr, stdin};

use platform::clock;
use rules::passwords::{MAX_PASSWORD_BYTES, MIN_PASSWORD_CHARS, PasswordHash, is_long_enough};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use serde_json::json;

use super::context::{CliOutput, CliOutputResult};
use super::database::CliResult;

/// Reads a password and returns its hash.
pub(super) fn hash() -> CliOutputResult {
    let password = if stdin().is_terminal() { prompt_twice()? } else { read_line()? };
    if !is_long_enough(&password) {
        let _ = writeln!(
            stderr(),
            "This password has fewer than {MIN_PASSWORD_CHARS} characters; choose a longer password."
        );
    }
    let salt =
        clock::random_bytes().map_err(|error| format!("The system gives no random bytes: {error}."))?;
    let hash = PasswordHash::new(&password, salt)
        .ok_or_else(|| format!("A password must have 1 to {MAX_PASSWORD_BYTES} bytes."))?;
    Ok(CliOutput::new(hash.as_str(), &json!({"hash": hash.as_str()})))
}

fn prompt_twice() -> CliResult<String> {
    let first = prompt("Password: ")?;
    let repeated = prompt("Repeat the password: ")?;
    if first == repeated { Ok(first) } else { Err("The two passwords differ. Run the command again.".into()) }
}

/// Asks for a line without showing what is typed.
fn prompt(question: &str) -> CliResult<String> {
    let input = stdin();
    let _ = write!(stderr(), "{question}");
    let original = tcgetattr(&input).map_err(unreadable)?;
    let mut without_echo = original.clone();
    without_echo.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&input, OptionalActions::Flush, &without_echo).map_err(unreadable)?;
    let line = read_line();
    tcsetattr(&input, OptionalActions::Flush, &original).map_err(unreadable)?;
    let _ = writeln!(stderr());
    line
}

fn read_line() -> CliResult<String> {
    let mut line = String::new();
    stdin().lock().read_line(&mut line).map_err(unreadable)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn unreadable(error: impl std::fmt::Display) -> String {
    format!("The password cannot be read: {error}.")
}
