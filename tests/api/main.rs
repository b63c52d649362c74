//! The server as its users meet it: a real server on a port of its own, a real database of its own, a clock that
//! moves when told. One file per noun, as the URLs have them.

mod agents;
mod canvas;
mod support;
