//! A shadow-banned agent and an ordinary one do the same on two servers, and every answer is the same.

mod chat;
mod transcript;

use crate::support::{Agent, Server};

/// Shadow-bans Eve, or else bans Bob for a moment, so that both games have the same history.
async fn begin(server: &Server, eve: &Agent<'_>, bob: &Agent<'_>, is_shadowed: bool) {
    let operator = server.sign_in_operator().await;
    let steps = if is_shadowed { vec![(eve, "shadow")] } else { vec![(bob, "shadow"), (bob, "unshadow")] };
    for (agent, verb) in steps {
        operator.apply_sanction(agent, verb).await;
    }
}
