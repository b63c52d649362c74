//! Programs that act for somebody: the tools of models, and the guide with its drafts.

pub mod app;
pub mod drafts;
pub mod guide;
pub mod tools;
