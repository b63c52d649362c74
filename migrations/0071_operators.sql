-- Operators with names and roles. The password of the first owner is a setting, so its row has none. Servers of an earlier
-- version do not know operators: what they write belongs to the first owner, by the defaults of the new columns.
create table operator (
    -- operator_…
    id text primary key,
    name text not null,
    role text not null check (role in ('read_only', 'moderator', 'operator', 'owner')),
    -- Argon2id; null for the first owner
    password_hash text,
    -- encrypted; null before codes are set up
    totp_secret bytea,
    -- the newest step of 30 s whose code was used: no code counts twice
    totp_last_step bigint not null default 0,
    -- null while codes are off
    totp_enabled_at timestamptz,
    -- BLAKE3 of the recovery codes that are left
    recovery_hashes bytea[] not null default '{}',
    created_at timestamptz not null,
    -- the name of the operator who has sent the invitation; null for the first owner
    invited_by text,
    disabled_at timestamptz
);
-- Two operators of one name could not be told apart in the audit log.
create unique index operator_name_key on operator (lower(name));
insert into operator (id, name, role, created_at)
values ('operator_00000000000000000000000000000000', 'owner', 'owner', clock_timestamp());

alter table operator_session add column operator_id text not null
    default 'operator_00000000000000000000000000000000' references operator (id);
alter table operator_key add column operator_id text not null
    default 'operator_00000000000000000000000000000000' references operator (id);
-- read, moderate, manage, own; a key has those of them that its operator still has
alter table operator_key add column scopes text[] not null default '{read,moderate,manage,own}'
    check (cardinality(scopes) > 0);
