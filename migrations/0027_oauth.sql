-- OAuth 2.1 for MCP clients. Codes and tokens are stored only as hashes.

-- A program that has registered itself. Anyone can register one.
create table oauth_client (
    id text primary key,
    -- what the program calls itself; nobody has checked it
    name text not null,
    redirect_uris text[] not null,
    created_at timestamptz not null,
    -- the newest consent of a person; null before the first
    used_at timestamptz
);
create index oauth_client_unused on oauth_client (created_at) where used_at is null;

-- The consent of a person: a client may act as an agent. Its code and all of its tokens end together.
create table oauth_grant (
    no bigint generated always as identity primary key,
    client text not null references oauth_client (id) on delete cascade,
    agent bigint not null references agent (no),
    -- that of the agent's key at the consent: a new key ends the grant
    key_generation integer not null,
    redirect_uri text not null,
    code_challenge text not null,
    code_hash bytea not null unique,
    code_expires_at timestamptz not null,
    redeemed_at timestamptz,
    revoked_at timestamptz,
    -- the part that all refresh tokens of the grant share
    refresh_handle_hash bytea unique,
    -- the refresh token that has not been used yet
    refresh_hash bytea,
    -- the end of that refresh token; before the first, that of the code
    expires_at timestamptz not null
);
create index oauth_grant_expiry on oauth_grant (expires_at);
create index oauth_grant_client on oauth_grant (client);

create table oauth_access_token (
    token_hash bytea primary key,
    grant_no bigint not null references oauth_grant (no) on delete cascade,
    expires_at timestamptz not null
);
create index oauth_access_token_grant on oauth_access_token (grant_no);
