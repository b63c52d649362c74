//! Who operates: signing in, sessions, keys, and that everybody else stays outside.

mod access;
mod command_line;
mod device_cookies;
mod guessed_keys;
mod keys;
mod sessions;
mod sign_in_lockout;
