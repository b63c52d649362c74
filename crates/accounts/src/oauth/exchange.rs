//! Exchanges codes and refresh tokens for new tokens, and revokes them.
//!
//! A code that comes a second time was stolen, or its client lost the first response. Both end the grant,
//! because the server cannot tell which of the two senders is the client. So does a refresh token, but not
//! within a minute of its rotation: until then it gives the same successor again.

use caraplace_log::control;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::state::AppState;
use platform::clock;
use platform::database;
use platform::refusal::{Refusal, internal};
use platform::tokens::{hash, new_token};
use sqlx::PgConnection;

use super::store::{self, GrantRow, NewAccessToken, NewRefreshToken, Rotation};
use super::{
    ACCESS_TOKEN_FORMAT, ACCESS_TOKEN_LIFETIME, ACCESS_TOKEN_PREFIX, CODE_FORMAT, REFRESH_TOKEN_FORMAT,
    REFRESH_TOKEN_LIFETIME, REFRESH_TOKEN_PREFIX, ROTATION_GRACE, issued_part, pkce,
};
use crate::key_cache::KeyCache;

/// The purpose of the keys with which the successors of refresh tokens are derived.
const SUCCESSOR_CONTEXT: &str = "caraplace 2026-11 successors of refresh tokens";

type Transaction = sqlx::Transaction<'static, sqlx::Postgres>;

/// The fields of a request that redeems a code.
pub struct CodeExchange<'a> {
    pub code: &'a str,
    pub client: &'a str,
    /// The redirect URI of the authorization request; OAuth 2.1 no longer sends it.
    pub redirect_uri: Option<&'a str>,
    /// The PKCE verifier.
    pub verifier: &'a str,
}

/// The tokens of a response. They are stored only as hashes.
pub struct IssuedTokens {
    pub access_token: String,
    pub refresh_token: String,
}

/// The reason why no tokens are issued.
#[derive(Debug)]
pub enum ExchangeError {
    /// The code or token is not valid for this client. The sentence says why, and what to do.
    InvalidGrant(&'static str),
    Refused(Refusal),
}

impl From<Refusal> for ExchangeError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<sqlx::Error> for ExchangeError {
    fn from(error: sqlx::Error) -> Self {
        Self::Refused(error.into())
    }
}

const UNKNOWN_CODE: &str = "The code is unknown or has expired. Start the sign-in again.";
const REPLAYED_CODE: &str =
    "The code was used before, so its tokens are revoked now. Start the sign-in again.";
const UNKNOWN_TOKEN: &str = "The refresh token is unknown or has expired. Start the sign-in again.";
const REUSED_TOKEN: &str = "The refresh token was replaced over a minute ago, so the newer tokens are \
     revoked now. Start the sign-in again.";
const ENDED: &str =
    "The consent was revoked, or the agent has a new key since then. Start the sign-in again.";
const OTHER_CLIENT: &str = "It was issued to another client. Start the sign-in again.";
const OTHER_REDIRECT_URI: &str = "redirect_uri is not that of the authorization request.";
const WRONG_VERIFIER: &str = "code_verifier does not belong to the code_challenge of the request.";

/// Redeems a code for the first tokens of its grant. A second attempt revokes them.
///
/// # Errors
/// `InvalidGrant`.
pub async fn redeem_code(
    state: &AppState,
    exchange: &CodeExchange<'_>,
) -> Result<IssuedTokens, ExchangeError> {
    if issued_part(state, &CODE_FORMAT, exchange.code).is_none() {
        return Err(ExchangeError::InvalidGrant(UNKNOWN_CODE));
    }
    let mut transaction = state.pool.begin().await?;
    let grant = store::lock_grant_by_code(&mut transaction, &hash(exchange.code)).await?;
    let grant = grant.ok_or(ExchangeError::InvalidGrant(UNKNOWN_CODE))?;
    if grant.is_redeemed {
        revoke_grant(state, transaction, &grant).await?;
        return Err(ExchangeError::InvalidGrant(REPLAYED_CODE));
    }
    check_code(state, &grant, exchange).map_err(ExchangeError::InvalidGrant)?;
    let handle = state.tokens.oauth.issue()?;
    let refresh_token = format!("{REFRESH_TOKEN_PREFIX}{handle}{}", new_token()?);
    save_refresh_token(state, &mut transaction, grant.no, &handle, &refresh_token).await?;
    issue_tokens(state, transaction, grant.no, refresh_token).await
}

fn check_code(state: &AppState, grant: &GrantRow, exchange: &CodeExchange<'_>) -> Result<(), &'static str> {
    if grant.client != exchange.client {
        return Err(OTHER_CLIENT);
    }
    if grant.code_expires_at <= state.clock.now() {
        return Err(UNKNOWN_CODE);
    }
    if exchange.redirect_uri.is_some_and(|uri| uri != grant.redirect_uri) {
        return Err(OTHER_REDIRECT_URI);
    }
    if !pkce::is_verified(&grant.code_challenge, exchange.verifier) {
        return Err(WRONG_VERIFIER);
    }
    if grant.is_ended { Err(ENDED) } else { Ok(()) }
}

/// Exchanges a refresh token for a new access token and its successor. Within `ROTATION_GRACE` it can be
/// repeated, also if the successor was exchanged meanwhile; a later attempt ends the grant.
///
/// # Errors
/// `InvalidGrant`.
pub async fn refresh(
    state: &AppState,
    refresh_token: &str,
    client: &str,
) -> Result<IssuedTokens, ExchangeError> {
    let handle = issued_part(state, &REFRESH_TOKEN_FORMAT, refresh_token);
    let handle = handle.ok_or(ExchangeError::InvalidGrant(UNKNOWN_TOKEN))?;
    let mut transaction = state.pool.begin().await?;
    let grant = store::lock_grant_by_refresh_handle(&mut transaction, &hash(handle)).await?;
    let grant = grant.ok_or(ExchangeError::InvalidGrant(UNKNOWN_TOKEN))?;
    if grant.client != client {
        return Err(ExchangeError::InvalidGrant(OTHER_CLIENT));
    }
    if grant.is_ended {
        return Err(ExchangeError::InvalidGrant(ENDED));
    }
    if grant.refresh_hash.as_deref() == Some(&hash(refresh_token)[..]) {
        if grant.expires_at <= state.clock.now() {
            return Err(ExchangeError::InvalidGrant(UNKNOWN_TOKEN));
        }
        let successor = rotate(state, &mut transaction, grant.no, handle, refresh_token).await?;
        return issue_tokens(state, transaction, grant.no, successor).await;
    }
    let oldest = state.clock.now() - ROTATION_GRACE;
    let seed = store::find_rotation_seed(&mut transaction, grant.no, &hash(refresh_token), oldest).await?;
    let Some(seed) = seed else {
        revoke_grant(state, transaction, &grant).await?;
        return Err(ExchangeError::InvalidGrant(REUSED_TOKEN));
    };
    issue_tokens(state, transaction, grant.no, successor(state, handle, refresh_token, &seed)).await
}

/// Replaces a refresh token by its successor, and returns it.
async fn rotate(
    state: &AppState,
    connection: &mut PgConnection,
    grant: i64,
    handle: &str,
    refresh_token: &str,
) -> Result<String, ExchangeError> {
    let seed = clock::random_bytes::<32>().map_err(internal("drawing a seed"))?.to_vec();
    let successor = successor(state, handle, refresh_token, &seed);
    save_refresh_token(state, connection, grant, handle, &successor).await?;
    let rotation = Rotation { token_hash: hash(refresh_token), seed };
    let now = state.clock.now();
    store::insert_rotation(connection, grant, &rotation, now, now - ROTATION_GRACE).await?;
    Ok(successor)
}

/// Derives the successor of a refresh token. Without the token itself, the seed and the server's secret give
/// nothing.
fn successor(state: &AppState, handle: &str, refresh_token: &str, seed: &[u8]) -> String {
    let rest = state.tokens.derive(SUCCESSOR_CONTEXT, seed).mac(refresh_token).to_hex();
    format!("{REFRESH_TOKEN_PREFIX}{handle}{rest}")
}

/// Saves a refresh token, which replaces the one before it. It starts with the handle of the grant, so that
/// an older one is recognised without storing all of them.
async fn save_refresh_token(
    state: &AppState,
    connection: &mut PgConnection,
    grant: i64,
    handle: &str,
    refresh_token: &str,
) -> Result<(), ExchangeError> {
    let now = state.clock.now();
    let expires_at = now + REFRESH_TOKEN_LIFETIME;
    let token = NewRefreshToken { handle: hash(handle), hash: hash(refresh_token), expires_at };
    Ok(store::set_refresh_token(connection, grant, &token, now).await?)
}

/// Issues a new access token beside a refresh token, and commits both.
async fn issue_tokens(
    state: &AppState,
    mut transaction: Transaction,
    grant: i64,
    refresh_token: String,
) -> Result<IssuedTokens, ExchangeError> {
    let access_token = format!("{ACCESS_TOKEN_PREFIX}{}", state.tokens.oauth.issue()?);
    let now = state.clock.now();
    let token = NewAccessToken { hash: hash(&access_token), expires_at: now + ACCESS_TOKEN_LIFETIME };
    store::insert_access_token(&mut transaction, grant, &token, now).await?;
    database::commit(transaction).await?;
    Ok(IssuedTokens { access_token, refresh_token })
}

/// Ends the grant of an access or refresh token (RFC 7009). Unknown tokens are fine: they are not valid.
///
/// # Errors
/// `InvalidGrant` for a token of another client.
pub async fn revoke(state: &AppState, token: &str, client: Option<&str>) -> Result<(), ExchangeError> {
    let handle = issued_part(state, &REFRESH_TOKEN_FORMAT, token);
    let is_access_token = issued_part(state, &ACCESS_TOKEN_FORMAT, token).is_some();
    let mut transaction = state.pool.begin().await?;
    let grant = match handle {
        Some(handle) => store::lock_grant_by_refresh_handle(&mut transaction, &hash(handle)).await?,
        None if is_access_token => store::lock_grant_by_access_token(&mut transaction, &hash(token)).await?,
        None => None,
    };
    match grant {
        Some(grant) if client.is_some_and(|client| client != grant.client) => {
            Err(ExchangeError::InvalidGrant(OTHER_CLIENT))
        }
        Some(grant) if !grant.is_ended => Ok(revoke_grant(state, transaction, &grant).await?),
        _ => Ok(()),
    }
}

/// Ends a grant on all instances. They read the agent and its tokens again, as after a new key.
async fn revoke_grant(
    state: &AppState,
    mut transaction: Transaction,
    grant: &GrantRow,
) -> Result<(), Refusal> {
    let key_cache = KeyCache::of(state);
    let control_head = key_cache.control_head();
    store::revoke_grant(&mut transaction, grant.no, state.clock.now()).await?;
    control::append(&mut transaction, ControlEntry::AccountChanged(grant.agent), state.clock.offset())
        .await?;
    database::commit(transaction).await?;
    key_cache.remove(&[grant.agent], control_head);
    Ok(())
}
