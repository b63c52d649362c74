//! Projections: what one noun keeps in memory of the log. A noun above the log implements [`Projection`], and
//! the world keeps it at the head without knowing its name.

use std::any::Any;
use std::sync::Arc;

use caraplace_live::event::Event;
use chrono::{DateTime, Utc};
use platform::config::GameSettings;
use rules::numbers::Seq;
use sqlx::PgConnection;

use super::canvas::{Canvas, NewestPlacement};
use super::control_entry::ControlEntry;
use super::season::Season;
use super::sql_future::SqlFuture;

/// The state as of which a projection is loaded.
#[derive(Clone, Copy)]
pub struct LoadContext<'a> {
    pub season: &'a Season,
    /// The canvas at the head.
    pub canvas: &'a Canvas,
    pub head: Seq,
    pub now: DateTime<Utc>,
    /// The secret that all instances share.
    pub secret: &'a [u8; 32],
    /// The configured settings, without the changes of operators.
    pub game: &'a GameSettings,
}

/// The effect of an event on what the log itself keeps.
#[derive(Clone, Copy)]
pub struct AppliedEvent<'a> {
    /// The canvas after the event.
    pub canvas: &'a Canvas,
    /// The placement over which the event has painted; `None` if it is no placement.
    pub covered: Option<NewestPlacement>,
    /// True if projections that cannot apply the event must be read again.
    pub outdates_others: bool,
}

/// The data of the current season that one noun keeps in memory.
pub trait Projection: Any + Send + Sync {
    /// Reads it when the server starts.
    fn load<'a>(
        &'a mut self,
        connection: &'a mut PgConnection,
        context: LoadContext<'a>,
    ) -> SqlFuture<'a, ()>;

    /// Applies the next event.
    fn apply(&mut self, event: &Event, applied: AppliedEvent<'_>);

    /// Returns true if other projections must be read again after the next event, because they cannot apply
    /// it. It has not been applied yet.
    fn outdates_others(&self, _: &Event) -> bool {
        false
    }

    /// Sets the name of an author.
    fn rename_author(&mut self, author: &Arc<str>, name: &Arc<str>);

    /// Returns the ids of the authors whose names it keeps.
    fn author_ids(&self) -> Vec<Arc<str>>;

    /// Returns entries of the control log about everything that it keeps and that the control log can change,
    /// for an instance that was cut off until the entries that it has missed were deleted.
    fn missed_entries(&mut self) -> Vec<ControlEntry> {
        Vec::new()
    }
}

/// Makes the projections of nouns, before anything was read.
pub type NewProjections = fn() -> Vec<Box<dyn Projection>>;

/// The projections of the nouns that the server names.
#[derive(Default)]
pub struct Projections(Vec<Box<dyn Projection>>);

impl Projections {
    /// Returns projections of which nothing was read.
    pub(super) fn new(projections: NewProjections) -> Self {
        Self(projections())
    }

    /// Returns the projection of this type.
    pub(super) fn get<P: Projection>(&self) -> &P {
        let mut projections = self.iter().map(|projection| -> &dyn Any { projection });
        let Some(projection) = projections.find_map(|projection| projection.downcast_ref()) else {
            unreachable!("the server names all projections")
        };
        projection
    }

    /// Returns the projection of this type, to be changed.
    pub(super) fn get_mut<P: Projection>(&mut self) -> &mut P {
        let mut projections = self.0.iter_mut().map(|projection| -> &mut dyn Any { projection.as_mut() });
        let Some(projection) = projections.find_map(|projection| projection.downcast_mut()) else {
            unreachable!("the server names all projections")
        };
        projection
    }

    /// Returns the projections in the order of the server.
    pub(super) fn iter(&self) -> impl Iterator<Item = &dyn Projection> {
        self.0.iter().map(|projection| projection.as_ref())
    }

    /// Returns the projections to be changed, in the order of the server.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn Projection>> {
        self.0.iter_mut()
    }
}
