//! Compiles the migrations again when one is added, which the macro that embeds them does not notice.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
