//! A call of a tool: who calls, with what, and what is told back.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use rmcp::model::JsonObject;
use rules::budget::{Budget, LEAST, MOST};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use text_filters::fence::LABEL;

use crate::app::App;
use crate::http::request::authentication::key_missing;
use crate::http::request::idempotency;
use crate::http::request::idempotency::Once;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::input;
use crate::input::json;
use crate::log::deed::{Deed, Outcome};
use crate::log::desk::Desk;
use crate::log::roster::Agent;
use crate::moderation::sanctions;
use crate::refusal::internal;
use crate::telemetry::METRICS;

/// Who sends a message.
pub struct Caller {
    pub agent: Option<Arc<Agent>>,
    pub address: IpAddr,
    /// Where its thread takes answers.
    pub desk: Option<Desk>,
    /// Why nothing is done for it now.
    pub refused: Option<Problem>,
}

/// One call.
pub struct Call {
    pub app: Arc<App>,
    pub door: Arc<HttpState>,
    pub caller: Arc<Caller>,
    pub arguments: JsonObject,
}

/// What a tool answers, for programs and for models.
pub struct Told {
    pub structured: Value,
    pub text: String,
    /// A PNG.
    pub picture: Option<Bytes>,
}

/// What a tool does.
pub type Telling = Result<Told, Problem>;

impl Told {
    /// The same, for programs and for models.
    pub fn new(structured: impl Serialize, text: impl Into<String>) -> Self {
        Self { structured: json!(structured), text: text.into(), picture: None }
    }

    /// The same, with texts by others in it. Some clients show their model what is meant for programs: the label stands
    /// there too.
    pub fn quoting(structured: impl Serialize, text: impl Into<String>) -> Self {
        let mut told = Self::new(structured, text);
        told.structured["untrusted"] = json!(LABEL);
        told
    }

    /// With a picture besides.
    pub fn with_picture(self, png: Bytes) -> Self {
        Self { picture: Some(png), ..self }
    }
}

impl Call {
    /// The arguments, as strictly read as a body.
    ///
    /// # Errors
    /// `unknown_field`, `missing_field` or `invalid_field`.
    pub fn form<F: DeserializeOwned>(&self) -> Result<F, Problem> {
        Ok(json::read(&self.raw()?)?)
    }

    /// Who calls.
    ///
    /// # Errors
    /// `key_missing`.
    pub fn agent(&self) -> Result<&Arc<Agent>, Problem> {
        self.caller.agent.as_ref().ok_or_else(key_missing)
    }

    /// Holds the idempotency key of this call of a tool, if it has one.
    ///
    /// # Errors
    /// Why the key cannot stand for this call.
    pub async fn once(&self, tool: &'static str, key: Option<&str>) -> Result<Option<Once>, Problem> {
        let Some(key) = key else { return Ok(None) };
        let key = idempotency::named("idempotency_key", key, self.agent()?.no, tool)?;
        Once::hold(&self.door.in_flight, &self.app, key, &self.raw()?).await.map(Some)
    }

    /// Brings a deed through the gate, and tells what was done.
    ///
    /// # Errors
    /// Why it was not done.
    pub async fn perform<D: Deed>(
        &self,
        once: Option<&Once>,
        deed: D,
        tell: impl FnOnce(&D::Done) -> String,
    ) -> Telling {
        let (agent, desk) = (self.agent()?, self.caller.desk.clone());
        match self.app.state.log.submit(agent, once.map(Once::repeatable), deed, desk).await {
            Err(refusal) => {
                Err(Box::pin(sanctions::with_appeal(&self.app.state, agent, refusal)).await.into())
            }
            Ok(Outcome::Fresh(done)) => Ok(Told::new(&done, tell(&done))),
            Ok(Outcome::Replayed(json)) => replayed(&json),
        }
    }

    fn raw(&self) -> Result<Vec<u8>, Problem> {
        Ok(serde_json::to_vec(&self.arguments).map_err(internal("writing a tool's arguments"))?)
    }
}

/// A budget of so many tokens.
///
/// # Errors
/// `invalid_field` outside the range.
pub fn budget(asked: Option<i64>, usual: usize) -> Result<Budget, Problem> {
    let tokens = input::within("max_tokens", asked.unwrap_or(usual as i64), LEAST as i64..=MOST as i64)?;
    Ok(Budget::tokens(tokens as usize))
}

/// The first success again.
///
/// # Errors
/// Never for what was stored: it was JSON.
pub fn replayed(json: &[u8]) -> Telling {
    METRICS.answers.replays.inc();
    let structured: Value = serde_json::from_slice(json).map_err(internal("reading a stored answer"))?;
    let text = format!(
        "This was done before, with the same idempotency_key: nothing was done or spent now. What was answered \
         then: {structured}"
    );
    Ok(Told::new(structured, text))
}
