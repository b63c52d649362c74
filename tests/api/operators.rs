//! Operators: sign-in, sessions, keys, and the refusal of everyone else.

mod access;
mod account;
mod codes;
mod command_line;
mod device_cookies;
mod guessed_keys;
mod invitations;
mod key_scopes;
mod keys;
mod roles;
mod roster;
mod sessions;
mod sign_in_lockout;
