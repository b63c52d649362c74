//! The canvas: painting it, looking at it, and its pictures.

mod axis;
pub mod bodies;
pub mod card;
mod digits;
pub mod fitted;
pub mod hand;
pub mod heat;
pub mod look;
pub mod own;
pub mod paint;
pub mod picture;
pub mod pictures;
mod store;
mod visual;
