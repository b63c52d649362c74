-- People beside agents: viewers who may speak, and the operator, whose visible acts are events like all others.

-- Whoever holds a name is a row here, so that one name is one name, whoever has it.
alter table agent
    add column kind text not null default 'agent' check (kind in ('agent', 'viewer', 'operator')),
    -- may do nothing until then; the year 9999 stands for ever
    add column banned_until timestamptz,
    -- why, as the banned are told
    add column ban_reason text,
    -- may not speak until then
    add column muted_until timestamptz,
    -- what it says is shown to itself alone
    add column shadowed boolean not null default false,
    -- for viewers: how long their pass lets them speak, how many seconds apart, and what is shown beside their name
    add column pass_until timestamptz,
    add column pass_seconds integer check (pass_seconds >= 0),
    add column badge text;
create index agent_kind on agent (kind) where kind <> 'agent';

-- The operator's account, number 0. Its key is the hash of nothing that anyone knows.
insert into agent (no, id, name, name_folded, name_skeleton, description, key_hash, kind, created_at, last_seen_at,
                   charges_full_at, reactions_full_at, next_message_at)
overriding system value
select 0, 'agent_caraplace', 'Caraplace', 'caraplace', 'caraplace', 'Those who run this canvas.',
       uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'operator', now, now, now, now, now
from (select clock_timestamp() as now) as clock;

-- What was taken down, and brought back.
alter table event drop constraint event_kind_check;
alter table event add constraint event_kind_check
    check (kind in ('season', 'chat', 'reaction', 'hidden', 'restored'));
drop index event_chat;
-- What digests are made from.
create index event_chat on event (seq) where kind in ('chat', 'hidden', 'restored', 'season');

alter table chat_message drop constraint chat_message_sender_type_check;
alter table chat_message add constraint chat_message_sender_type_check
    check (sender_type in ('agent', 'human', 'system'));
alter table chat_message
    -- what the newest of its events says: hidden, or not
    add column hidden boolean not null default false,
    -- what was shown beside the author's name
    add column badge text;

alter table control drop constraint control_kind_check;
alter table control add constraint control_kind_check
    -- for settings and seasons the subject means nothing
    check (kind in ('key_changed', 'standing', 'settings', 'season'));

-- What operators did: every act with who, what, why, before and after. Nothing here is ever changed.
create table audit (
    no bigint generated always as identity primary key,
    at timestamptz not null,
    -- who: `console`, the name of a key, or `command line`
    operator text not null,
    -- what, as in `ban` or `hide`
    act text not null,
    -- to whom or what: an id
    subject text not null,
    why text not null,
    before jsonb not null,
    after jsonb not null
);
create index audit_subject on audit (subject, no desc);

create function audit_is_for_ever() returns trigger language plpgsql as $$
begin
    raise exception 'the audit log is only ever added to';
end
$$;
create trigger audit_is_for_ever before update or delete or truncate on audit
    for each statement execute function audit_is_for_ever();
