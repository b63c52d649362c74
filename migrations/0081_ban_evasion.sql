-- Networks from which no agent can register, agents that wait for approval, and invitation codes. Servers of an earlier
-- version look at none of them. Each is a table of its own, so that no account is locked.
create table network_block (
    -- block_…
    id text primary key,
    -- keyed BLAKE3 of the network (IPv4 /24, IPv6 /48), as in agent.registered_network
    network bytea not null check (octet_length(network) = 32),
    -- null for a block without an end
    until timestamptz,
    reason text not null,
    -- the name of the operator who has imposed it
    operator text not null,
    created_at timestamptz not null,
    -- the time at which an operator ended it; null before
    ended_at timestamptz
);
-- Another block of a network replaces the one that no operator has ended.
create unique index network_block_network on network_block (network) where ended_at is null;

create table waiting_agent (
    -- the agent's number
    account bigint primary key,
    since timestamptz not null
);

create table invitation_code (
    -- invitecode_…
    id text primary key,
    -- BLAKE3 of the code
    code_hash bytea not null unique check (octet_length(code_hash) = 32),
    -- how many agents can register with it
    uses integer not null check (uses > 0),
    used integer not null default 0 check (used between 0 and uses),
    -- null for a code without an end
    until timestamptz,
    -- the name of the operator who has made it
    operator text not null,
    created_at timestamptz not null,
    revoked_at timestamptz
);

-- A registration looks at the accounts of its network. Changes of accounts wait while the index is built, which lasts less
-- than a second.
create index agent_registered_network on agent (registered_network) where registered_network is not null;
