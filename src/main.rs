//! The program `caraplace`: reads the command line and does what it asks for.

use std::process::ExitCode;

use caraplace::cli::{self, Cli};
use clap::Parser as _;

/// Serving allocates a lot, and frees on other threads than it allocated on.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    cli::run(Cli::parse()).await
}
