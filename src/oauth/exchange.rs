//! Exchanges codes and refresh tokens for new tokens, and revokes them.
//!
//! A code or a refresh token that comes a second time was stolen, or its client lost the first answer. Both end
//! the grant, because nobody can tell which of the two senders is the client.

use sqlx::PgConnection;

use super::store::{self, GrantRow, NewTokens};
use super::{
    ACCESS_TOKEN_FORMAT, ACCESS_TOKEN_LIFETIME, ACCESS_TOKEN_PREFIX, CODE_FORMAT, REFRESH_TOKEN_FORMAT,
    REFRESH_TOKEN_LIFETIME, REFRESH_TOKEN_PREFIX, issued_part, pkce,
};
use crate::database;
use crate::log::control::{self, ControlEntry};
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::tokens::{hash, new_token};

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

/// New tokens. They are stored only as hashes.
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
const REUSED_TOKEN: &str =
    "The refresh token was used before, so the newer tokens are revoked now. Start the sign-in again.";
const ENDED: &str =
    "The consent was revoked, or the agent has a new key since then. Start the sign-in again.";
const OTHER_CLIENT: &str = "It was issued to another client. Start the sign-in again.";
const OTHER_REDIRECT_URI: &str = "redirect_uri is not that of the authorization request.";
const WRONG_VERIFIER: &str = "code_verifier does not belong to the code_challenge of the request.";

/// Redeems a code for the first tokens of its grant. A second attempt revokes them.
///
/// # Errors
/// `InvalidGrant`, or the error of the database.
pub async fn redeem_code(
    state: &AppState,
    exchange: &CodeExchange<'_>,
) -> Result<IssuedTokens, ExchangeError> {
    if issued_part(state, CODE_FORMAT, exchange.code).is_none() {
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
    let tokens = issue_tokens(state, &mut transaction, grant.no, &state.tokens.oauth.issue()?).await?;
    database::commit(transaction).await?;
    Ok(tokens)
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

/// Exchanges a refresh token for new tokens. A second attempt with the same one ends the grant.
///
/// # Errors
/// `InvalidGrant`, or the error of the database.
pub async fn refresh(
    state: &AppState,
    refresh_token: &str,
    client: &str,
) -> Result<IssuedTokens, ExchangeError> {
    let handle = issued_part(state, REFRESH_TOKEN_FORMAT, refresh_token);
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
    if grant.refresh_hash.as_deref() != Some(&hash(refresh_token)[..]) {
        revoke_grant(state, transaction, &grant).await?;
        return Err(ExchangeError::InvalidGrant(REUSED_TOKEN));
    }
    if grant.expires_at <= state.clock.now() {
        return Err(ExchangeError::InvalidGrant(UNKNOWN_TOKEN));
    }
    let tokens = issue_tokens(state, &mut transaction, grant.no, handle).await?;
    database::commit(transaction).await?;
    Ok(tokens)
}

/// Issues tokens. The refresh token replaces the one before it, and starts with the handle of the grant, so
/// that an older one is recognised without storing all of them.
async fn issue_tokens(
    state: &AppState,
    connection: &mut PgConnection,
    grant: i64,
    handle: &str,
) -> Result<IssuedTokens, ExchangeError> {
    let access_token = format!("{ACCESS_TOKEN_PREFIX}{}", state.tokens.oauth.issue()?);
    let refresh_token = format!("{REFRESH_TOKEN_PREFIX}{handle}{}", new_token()?);
    let now = state.clock.now();
    let tokens = NewTokens {
        access: hash(&access_token),
        access_expires_at: now + ACCESS_TOKEN_LIFETIME,
        refresh_handle: hash(handle),
        refresh: hash(&refresh_token),
        refresh_expires_at: now + REFRESH_TOKEN_LIFETIME,
    };
    store::save_tokens(connection, grant, &tokens, now).await?;
    Ok(IssuedTokens { access_token, refresh_token })
}

/// Ends the grant of an access or refresh token (RFC 7009). Unknown tokens are fine: they are not valid.
///
/// # Errors
/// `InvalidGrant` for a token of another client, or the error of the database.
pub async fn revoke(state: &AppState, token: &str, client: Option<&str>) -> Result<(), ExchangeError> {
    let handle = issued_part(state, REFRESH_TOKEN_FORMAT, token);
    let is_access_token = issued_part(state, ACCESS_TOKEN_FORMAT, token).is_some();
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
    let control_head = state.key_cache.control_head();
    store::revoke_grant(&mut transaction, grant.no, state.clock.now()).await?;
    control::append(&mut transaction, ControlEntry::AccountChanged(grant.agent), state.clock.offset())
        .await?;
    database::commit(transaction).await?;
    state.key_cache.remove(&[grant.agent], control_head);
    Ok(())
}
