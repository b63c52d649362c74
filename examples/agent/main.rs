//! An example agent: a language model that paints and chats on Caraplace over HTTP. Run it with `cargo run
//! --example agent`. `painter/settings.rs` lists the environment variables that configure it.

mod painter;

use painter::settings::Settings;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let settings = Settings::from_lookup(|name| std::env::var(name).ok())?;
    painter::run(settings, &|line| eprintln!("{line}")).await
}
