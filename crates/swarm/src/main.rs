//! The binary of the load generator. The library lets a test run it as a process without building this
//! binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    swarm::start(std::env::args_os())
}
