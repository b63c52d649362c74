-- Who runs the place: sessions of the console, keys of programs, and what guards the password against guessing. Everything
-- stands here rather than in a server's memory, so that each instance knows it and an end is an end everywhere.

create table operator_session (
    -- BLAKE3 of the cookie's token; the token itself is kept nowhere
    token_hash bytea primary key,
    -- where the sign-in came from, for the audit log
    address text not null,
    since timestamptz not null,
    -- moved on at most once a minute
    seen_at timestamptz not null
);

create table operator_key (
    id text primary key,
    name text not null,
    -- BLAKE3 of the key, as with agents
    key_hash bytea not null constraint operator_key_hash_key unique,
    created_at timestamptz not null,
    -- moved on at most once a minute
    used_at timestamptz,
    revoked_at timestamptz
);
-- Two live keys of one name could not be told apart in the audit log.
create unique index operator_key_name_key on operator_key (name) where revoked_at is null;

-- Wrong passwords, by the address that sent them, and together under '*'.
create table sign_in_tally (
    who text primary key,
    wrong integer not null default 0,
    last_at timestamptz not null,
    locked_until timestamptz not null,
    -- an address that has been let in lately is not kept waiting for what others do
    let_in_at timestamptz
);
