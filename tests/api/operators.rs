//! Who operates: signing in, sessions, keys, and that everybody else stays outside.

mod closed;
mod keys;
mod locks;
mod sessions;
