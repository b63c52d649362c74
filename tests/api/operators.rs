//! Who operates: signing in, sessions, keys, and that everybody else stays outside.

mod closed;
mod command_line;
mod devices;
mod guesses;
mod keys;
mod locks;
mod sessions;
