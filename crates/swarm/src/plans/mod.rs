//! Plans: pictures that agents paint together.

pub mod api_types;
