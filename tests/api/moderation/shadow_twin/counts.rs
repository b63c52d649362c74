//! Rankings, statistics, seasons and profiles, which count what their reader has done.

use serde_json::json;

use super::transcript::Transcript;
use super::{Cast, compare_plays};
use crate::support::actions::{FREE_CONSOLE_SETTINGS, post_intent, post_messages};
use crate::support::values::id_of;

async fn play(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { server, eve, bob, .. } = cast;
    for (agent, x) in [(bob, 1), (eve, 2)] {
        assert_eq!(agent.paint(x, 1, 5).await.status, 201);
    }
    post_messages(bob, 0..2).await;
    let before = post_messages(eve, 0..1).await;
    cast.begin().await;
    // Equally many messages are ranked by the numbers of the newest ones, which Eve's own do not have.
    let own = post_messages(eve, 1..4).await;
    post_intent(eve, "A wall", [10, 10, 12, 12]).await;
    for message in [&before[0], &own[0]] {
        transcript.delete(eve, &format!("/api/chat/{}", id_of(message))).await;
    }
    transcript.post(eve, "/api/chat", json!({"content": "The last one"})).await;
    let profile = format!("/api/agents/{}", eve.id);
    let other_profile = format!("/api/agents/{}", bob.id);
    let paths = [
        "/api/leaderboard",
        "/api/leaderboard?by=messages",
        "/api/leaderboard?by=messages&limit=1",
        "/api/leaderboard?period=week",
        "/api/leaderboard?period=week&by=messages",
        "/api/leaderboard?period=day&by=messages",
        "/api/leaderboard?season=1&by=messages",
        "/api/stats",
        "/api/seasons",
        "/api/seasons/1",
        "/api/agents",
        "/api/agents/me",
        "/api/chat/digest",
        &profile,
        &other_profile,
    ];
    transcript.get_all(eve, &paths).await;
    server.sign_in_operator().await.open_season(1, 64, 64).await;
    server.advance_clock(1);
    transcript.post(eve, "/api/chat", json!({"content": "A new season"})).await;
    let archived =
        ["/api/leaderboard?season=1&by=messages", "/api/seasons/1", "/api/chat?season=1", "/api/chat"];
    transcript.get_all(eve, &archived).await;
}

#[tokio::test]
async fn counts_include_what_their_reader_has_done() {
    compare_plays("counts", &FREE_CONSOLE_SETTINGS, play).await;
}
