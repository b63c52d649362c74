//! The program `caraplace`: parses the command line and runs the command.

use std::process::ExitCode;

use caraplace::server::cli::{self, Cli};
use clap::Parser as _;

/// The server allocates a lot, and often frees memory on another thread than it was allocated on.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    Box::pin(cli::run(Cli::parse())).await
}
