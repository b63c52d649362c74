//! OAuth 2.1 for MCP clients: registered clients, the consents of people, and the tokens of a consent.
//!
//! All clients are public: they have no secret and prove with PKCE that a code is theirs. An access token
//! acts as one agent, at `/mcp` only. A grant is the consent of a person; its code and tokens end together,
//! when the agent gets a new key, when the client revokes a token, when a code is used twice, or when a
//! refresh token is used again later than a minute after its rotation.

pub mod access;
pub mod clients;
pub mod consent;
pub mod exchange;
mod pkce;
pub mod redirect_uri;
mod store;

use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::tokens::TOKEN_CHARS;

use redirect_uri::RedirectUri;

/// The only scope: everything that the agent can do at `/mcp`.
pub const SCOPE: &str = "agent";
/// The lifetime of an authorization code.
const CODE_LIFETIME: TimeDelta = TimeDelta::seconds(60);
/// The lifetime of an access token.
pub const ACCESS_TOKEN_LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// The time after which an unused refresh token expires.
const REFRESH_TOKEN_LIFETIME: TimeDelta = TimeDelta::days(30);
/// The time for which a rotated refresh token still gives its successor: a client may have lost the response,
/// or have refreshed twice at once.
const ROTATION_GRACE: TimeDelta = TimeDelta::seconds(60);
const ACCESS_TOKEN_PREFIX: &str = "cpa_";
const ACCESS_TOKEN_FORMAT: SecretFormat = SecretFormat { prefix: ACCESS_TOKEN_PREFIX, part_count: 1 };
/// A refresh token begins with the handle of its grant.
const REFRESH_TOKEN_FORMAT: SecretFormat = SecretFormat { prefix: REFRESH_TOKEN_PREFIX, part_count: 2 };
const CODE_FORMAT: SecretFormat = SecretFormat { prefix: CODE_PREFIX, part_count: 1 };
const REFRESH_TOKEN_PREFIX: &str = "cpr_";
const CODE_PREFIX: &str = "cpc_";

pub use pkce::is_code_challenge;

/// The format of one kind of secret.
struct SecretFormat {
    prefix: &'static str,
    /// The number of parts after the prefix, each with `TOKEN_CHARS` characters.
    part_count: usize,
}

/// A registered client.
#[derive(Clone, Debug)]
pub struct Client {
    /// `client_…`.
    pub id: String,
    /// The name that the client gave itself.
    pub name: String,
    pub redirect_uris: Vec<String>,
}

impl Client {
    /// Returns true if the client has registered this redirect URI.
    pub fn allows(&self, uri: &RedirectUri<'_>) -> bool {
        self.redirect_uris.iter().any(|registered| uri.is_allowed_by(registered))
    }
}

/// A request of a client to act as an agent. It has been checked.
pub struct Consent<'a> {
    /// The client's id.
    pub client: &'a str,
    pub redirect_uri: &'a str,
    /// The PKCE challenge of the method `S256`.
    pub code_challenge: &'a str,
}

/// Returns the first part of a secret after its prefix; `None` if the secret does not have this format or was
/// not issued here. It may have ended. With more characters, each variant of an issued secret would be looked
/// up.
fn issued_part<'a>(state: &AppState, format: &SecretFormat, secret: &'a str) -> Option<&'a str> {
    let text = secret.strip_prefix(format.prefix)?;
    if text.len() != format.part_count * TOKEN_CHARS {
        return None;
    }
    let part = text.get(..TOKEN_CHARS)?;
    state.tokens.oauth.has_issued(part).then_some(part)
}

/// Deletes expired grants and tokens, and clients that nobody uses.
pub async fn sweep(state: &AppState) -> Result<(), sqlx::Error> {
    let now = state.clock.now();
    store::delete_expired(&state.pool, now, now - ROTATION_GRACE).await
}
