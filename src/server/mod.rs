//! The program: HTTP, the command line, tasks beside the requests, and the deletion of old texts.

pub mod cli;
pub mod http;
pub mod log_check;
pub mod nouns;
pub mod retention;
pub mod tasks;
