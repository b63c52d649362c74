//! The canvas: painting it, looking at it, and its pictures.

pub mod bodies;
pub mod look;
pub mod paint;
pub mod picture;
mod store;
