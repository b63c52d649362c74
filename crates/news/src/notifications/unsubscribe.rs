//! Stops mails with the link in each of them, without a session. The link names the viewer and is
//! authenticated by a keyed hash, so nothing is stored for it, and it allows nothing else.

use blake3::Hash;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::ids::AccountId;

use super::store;

/// The context from which the key of the links is derived.
const LINK_CONTEXT: &str = "caraplace 2026-11 links that stop mails";

/// Returns the token of a viewer's links: its id, a full stop and 256 bits in hex.
pub(super) fn token(state: &AppState, viewer_id: &str) -> String {
    format!("{viewer_id}.{}", mac(state, viewer_id).to_hex())
}

fn mac(state: &AppState, viewer_id: &str) -> Hash {
    state.tokens.derive(LINK_CONTEXT, &[]).mac(viewer_id)
}

/// Returns true if a token was made by `token`.
pub fn is_valid(state: &AppState, token: &str) -> bool {
    find_viewer_id(state, token).is_some()
}

fn find_viewer_id<'a>(state: &AppState, token: &'a str) -> Option<&'a str> {
    let (id, mac_hex) = token.split_once('.')?;
    let sent = Hash::from_hex(mac_hex).ok()?;
    AccountId::parse(id)?;
    // Hashes are compared in constant time.
    (sent == mac(state, id)).then_some(id)
}

/// Stops mails to the viewer of a token. Returns false if the token is invalid.
pub async fn stop_mail(state: &AppState, token: &str) -> Result<bool, Refusal> {
    let Some(viewer_id) = find_viewer_id(state, token) else { return Ok(false) };
    store::stop_mail(&state.pool, viewer_id).await?;
    Ok(true)
}
