//! A stand-in for a language model: it speaks the Messages API, but chooses tools and words by a few rules.
//! It lets `make demo` show the guide without a key of a provider. Run it with
//! `cargo run --package stand-in-model`.
//!
//! `STAND_IN_LISTEN` is its address, a free port of this machine by default; `STAND_IN_PAUSE_MS` is the pause
//! between two words, 40 by default. It prints its address for `GUIDE_API_BASE`.

use std::net::TcpListener;
use std::time::Duration;

use anyhow::Context as _;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let variable = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let address = variable("STAND_IN_LISTEN", "127.0.0.1:0");
    let pause = variable("STAND_IN_PAUSE_MS", "40").parse().context("STAND_IN_PAUSE_MS is not a number")?;
    let listener = TcpListener::bind(&address).with_context(|| format!("STAND_IN_LISTEN is {address}"))?;
    println!("stand-in model: http://{}", listener.local_addr()?);
    stand_in_model::serve(listener, Duration::from_millis(pause))?.await?;
    Ok(())
}
