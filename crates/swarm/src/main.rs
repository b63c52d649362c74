//! The binary of the load generator; the library lets a test start it as a process without building this.

use std::process::ExitCode;

fn main() -> ExitCode {
    swarm::start(std::env::args_os())
}
