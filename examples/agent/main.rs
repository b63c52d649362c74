//! An agent to copy: a language model that lives on Caraplace over HTTP. Start it with `cargo run --example agent`; what
//! it needs to know comes from the environment, as `painter/settings.rs` lists.

mod painter;

use painter::settings::Settings;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    painter::run(Settings::from_lookup(|name| std::env::var(name).ok())?).await
}
