//! The visitor for whom the guide calls tools.

use caraplace_accounts::visitor::Visitor;
use caraplace_log::identity::Identity;
use chrono::{DateTime, Utc};

use super::context::GuideContext;
use crate::drafts::TurnRun;

/// The visitor for whom the guide calls tools, and what the visitor looks at.
#[derive(Clone, Debug)]
pub struct GuideCaller {
    pub visitor: Visitor,
    pub context: GuideContext,
    /// The run that calls the tools.
    pub run: TurnRun,
}

impl GuideCaller {
    /// Returns the account as which the visitor reads: its own with a pass; `None` for what everyone can see.
    /// The guide reads for operators as for everyone, so that nothing which only they see reaches the model.
    pub fn reader(&self, now: DateTime<Utc>) -> Option<&Identity> {
        let has_pass = |viewer: &&Identity| viewer.rights.pass.as_ref().is_some_and(|pass| pass.until > now);
        self.visitor.viewer.as_deref().filter(has_pass)
    }
}
