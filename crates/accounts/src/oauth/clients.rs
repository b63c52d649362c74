//! Registered clients (RFC 7591): anyone may register one, so nothing that it says of itself is trusted.

use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::clock;
use platform::refusal::Refusal;
use text_filters::content::clean;

use super::{Client, store};

/// The largest number of redirect URIs of a client.
pub const MAX_REDIRECT_URIS: usize = 10;
/// The longest name that is kept, in characters.
const MAX_NAME_CHARS: usize = 60;
const NAMELESS: &str = "A program without a name";
const ID_PREFIX: &str = "client";

/// Registers a client, and returns it with the time of its registration. The URIs must be valid.
pub async fn register(
    state: &AppState,
    name: Option<&str>,
    redirect_uris: Vec<String>,
) -> Result<(Client, DateTime<Utc>), Refusal> {
    let client = Client { id: clock::new_id(ID_PREFIX), name: clean_name(name), redirect_uris };
    let now = state.clock.now();
    store::insert_client(&state.pool, &client, now).await?;
    Ok((client, now))
}

/// Returns the client with this id; `None` if there is none.
pub async fn find(state: &AppState, id: &str) -> Result<Option<Client>, Refusal> {
    // PostgreSQL refuses some texts, and none of them is an id.
    let is_id =
        id.strip_prefix("client_").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if !is_id {
        return Ok(None);
    }
    Ok(store::find_client(&state.pool, id).await?)
}

/// Returns a name without invisible characters, shortened if it is too long.
fn clean_name(name: Option<&str>) -> String {
    let cleaned = name.and_then(|name| clean(name).ok()).filter(|name| !name.is_empty());
    let Some(cleaned) = cleaned else { return NAMELESS.to_owned() };
    match cleaned.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => format!("{}…", &cleaned[..end]),
        None => cleaned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cleaned_and_shortened() {
        assert_eq!(clean_name(None), NAMELESS);
        assert_eq!(clean_name(Some(" \u{202e}\u{200b} ")), NAMELESS);
        assert_eq!(clean_name(Some("Pa\u{202e}int\0er")), "Painter");
        assert_eq!(clean_name(Some(&"é".repeat(99))).chars().count(), MAX_NAME_CHARS + 1);
    }
}
