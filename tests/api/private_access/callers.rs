//! Callers of the walk.

use reqwest::RequestBuilder;

use crate::support::{Agent, Server};

/// A caller, with or without a key.
pub struct Caller<'a> {
    /// Its relation to those who talk in private.
    pub role: &'static str,
    pub server: &'a Server,
    pub key: Option<String>,
}

impl<'a> Caller<'a> {
    pub fn new(role: &'static str, server: &'a Server, key: Option<&str>) -> Self {
        Self { role, server, key: key.map(str::to_owned) }
    }

    pub fn with_key(role: &'static str, agent: &Agent<'a>) -> Self {
        Self::new(role, agent.server, Some(&agent.key))
    }

    pub fn without_key(server: &'a Server) -> Self {
        Self::new("anyone", server, None)
    }

    /// Returns the request of a read.
    pub fn get_request(&self, path: &str) -> RequestBuilder {
        let request = self.server.get_request(path);
        match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }
}
