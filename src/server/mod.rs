//! The program: HTTP, the command line, tasks beside the requests, the deletion of old texts, and the check
//! of the log.

pub mod answer_check;
pub mod cli;
pub mod http;
pub mod log_check;
pub mod nouns;
pub mod retention;
pub mod tasks;
