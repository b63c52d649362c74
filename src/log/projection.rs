//! Projections: what one noun keeps in memory of the log. A noun above the log implements [`Projection`], and
//! the world keeps it at the head without knowing its name.

use std::any::Any;
use std::sync::Arc;

use sqlx::PgConnection;

use super::canvas::{Canvas, NewestPlacement};
use super::sql_future::SqlFuture;
use crate::log::live::event::Event;

/// The data of the current season that one noun keeps in memory.
pub trait Projection: Any + Send + Sync {
    /// Reads it when the server starts, as of the head. The canvas has been read before.
    fn load<'a>(&'a mut self, connection: &'a mut PgConnection, canvas: &'a Canvas) -> SqlFuture<'a, ()>;

    /// Applies the next event. `canvas` is that after the event, and `covered` the placement over which the
    /// event has painted, if it has.
    fn apply(&mut self, event: &Event, canvas: &Canvas, covered: Option<NewestPlacement>);

    /// Returns true if the next event may change what messages show that were posted before, so that they
    /// must be read again. It has not been applied yet.
    fn changes_messages(&self, _: &Event) -> bool {
        false
    }

    /// Sets the name of an author.
    fn rename_author(&mut self, author: &Arc<str>, name: &Arc<str>);

    /// Returns the ids of the authors whose names it keeps.
    fn author_ids(&self) -> Vec<Arc<str>>;
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

    /// Returns the projections in the order of the server.
    pub(super) fn iter(&self) -> impl Iterator<Item = &dyn Projection> {
        self.0.iter().map(|projection| projection.as_ref())
    }

    /// Returns the projections to be changed, in the order of the server.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn Projection>> {
        self.0.iter_mut()
    }
}
