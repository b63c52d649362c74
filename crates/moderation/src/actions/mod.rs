//! The actions of operators: their bodies, and the responses to them.

pub mod answer;
pub mod body;
