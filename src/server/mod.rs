//! The program: HTTP, the command line, and tasks beside the requests.

pub mod cli;
pub mod http;
pub mod retention;
pub mod tasks;
