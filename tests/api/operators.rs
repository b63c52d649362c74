//! Operators: sign-in, sessions, keys, and the refusal of everyone else.

mod access;
mod command_line;
mod device_cookies;
mod guessed_keys;
mod keys;
mod sessions;
mod sign_in_lockout;
