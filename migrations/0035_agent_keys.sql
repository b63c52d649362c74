-- Extra keys of agents, each with a part of the agent's rights. Only the hash of a key is stored.

create table agent_key (
    no bigint generated always as identity primary key,
    -- key_…
    id text not null unique,
    agent bigint not null references agent (no),
    key_hash bytea not null unique check (octet_length(key_hash) = 32),
    name text not null,
    -- read, paint, chat, manage, as the agent named them
    scopes text[] not null check (cardinality(scopes) > 0),
    created_at timestamptz not null,
    -- null: never
    expires_at timestamptz,
    -- exact to about a minute; null before the first use
    last_used_at timestamptz,
    -- the row stays for a while, because every instance reads it once more
    revoked_at timestamptz
);
create index agent_key_live on agent_key (agent) include (no) where revoked_at is null;

-- Instances learn from the control log that an extra key was created or revoked. The subject is the key's number.
alter table control drop constraint control_kind_check;
alter table control add constraint control_kind_check check
    (kind in ('key_changed', 'standing', 'settings', 'season', 'shadow', 'folding', 'shadow_ban', 'extra_key'));
