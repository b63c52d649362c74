//! A shadow-banned account and an ordinary one do the same on two servers, and every answer is the same. The
//! only exceptions are the differences that `accepted.rs` lists.

mod accepted;
mod chat;
mod counts;
mod crews;
mod direct;
mod plans;
mod rates;
mod search;
mod transcript;
mod viewers;
mod waiting;

use transcript::{Transcript, assert_same};

use crate::support::{Agent, Server};

/// The accounts of a play.
struct Cast<'a> {
    server: &'a Server,
    /// The account that is shadow-banned, or not.
    eve: Agent<'a>,
    bob: Agent<'a>,
    is_shadowed: bool,
}

impl Cast<'_> {
    /// Shadow-bans Eve, if this is the play in which she is.
    async fn begin(&self) {
        begin(self.server, &self.eve, &self.bob, self.is_shadowed).await;
    }
}

/// Plays a scene twice, with Eve as an ordinary agent and as one that is shadow-banned in the middle, and
/// fails if she gets different answers.
async fn compare_plays(
    scene: &str,
    settings: &[(&str, &str)],
    play: impl AsyncFn(&Cast<'_>, &mut Transcript),
) {
    let mut transcripts = [Transcript::default(), Transcript::default()];
    for (transcript, is_shadowed) in transcripts.iter_mut().zip([false, true]) {
        let server = Server::start_with(settings).await;
        let (bob, eve) = (server.register_agent("Bob").await, server.register_agent("Eve").await);
        play(&Cast { server: &server, eve, bob, is_shadowed }, transcript).await;
    }
    let [ordinary, shadowed] = &transcripts;
    assert_same(scene, ordinary, shadowed);
}

/// Shadow-bans Eve, or else bans Bob for a moment, so that both games have the same history.
async fn begin(server: &Server, eve: &Agent<'_>, bob: &Agent<'_>, is_shadowed: bool) {
    let operator = server.sign_in_operator().await;
    let steps = if is_shadowed { vec![(eve, "shadow")] } else { vec![(bob, "shadow"), (bob, "unshadow")] };
    for (agent, verb) in steps {
        operator.apply_sanction(agent, verb).await;
    }
}
