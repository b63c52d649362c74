//! A key of any type, which is compared and hashed by the implementations of its own type.

use std::any::Any;
use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Hashing and comparison of a key whose type is not known.
pub trait AnyKey: Any + Send + Sync {
    /// Feeds the key to a hasher, as its own `Hash` does.
    fn hash_into(&self, hasher: &mut dyn Hasher);
    /// Returns true if the other key has the same type and value.
    fn is_equal(&self, other: &dyn AnyKey) -> bool;
}

impl<K: Eq + Hash + Send + Sync + 'static> AnyKey for K {
    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }

    fn is_equal(&self, other: &dyn AnyKey) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<K>().is_some_and(|other| self == other)
    }
}

impl Hash for dyn AnyKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash_into(state);
    }
}

impl PartialEq for dyn AnyKey {
    fn eq(&self, other: &Self) -> bool {
        self.is_equal(other)
    }
}

impl Eq for dyn AnyKey {}

/// The key of an entry. A look-up needs only a reference to the caller's key.
#[derive(Clone)]
pub struct Key(Arc<dyn AnyKey>);

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        *self.0 == *other.0
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Key {
    /// Stores a key without its type.
    pub fn new(key: impl Eq + Hash + Send + Sync + 'static) -> Self {
        Self(Arc::new(key))
    }

    /// Returns the key as look-ups take it.
    pub fn as_any_key(&self) -> &dyn AnyKey {
        &*self.0
    }
}

impl Borrow<dyn AnyKey> for Key {
    fn borrow(&self) -> &dyn AnyKey {
        self.as_any_key()
    }
}
