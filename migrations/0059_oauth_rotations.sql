-- Refresh tokens that were rotated a moment ago. A client that lost the response, or that refreshed twice at once, gets
-- the same successor again. The successor itself is stored nowhere: it is derived from the old token, which only
-- the client has, with this row's seed and the secret of the server.
create table oauth_rotation (
    -- the hash of the refresh token that was replaced
    token_hash bytea primary key,
    grant_no bigint not null references oauth_grant (no) on delete cascade,
    rotated_at timestamptz not null,
    -- deleted with the row: then nobody can derive the successor any more
    seed bytea not null
);
create index oauth_rotation_grant on oauth_rotation (grant_no);
create index oauth_rotation_time on oauth_rotation (rotated_at);
