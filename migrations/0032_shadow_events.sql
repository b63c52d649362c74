-- What shadow-banned accounts do stands beside the log, in the order in which their own streams show it: each right after
-- the newest public event then, and under its number.
create table shadow_event (
    no bigint generated always as identity primary key,
    agent bigint not null,
    -- the newest public event then
    after_seq bigint not null,
    kind text not null check (kind in ('chat', 'reaction', 'intent', 'edited', 'hidden')),
    -- the message that was posted, or that the event is about
    message_id text not null,
    at timestamptz not null
);
create index shadow_event_author on shadow_event (agent, after_seq, no);
insert into shadow_event (agent, after_seq, kind, message_id, at)
select agent, after_seq, 'chat', id, sent_at from shadow_message order by no;

-- Where an author sees its own reaction otherwise than everybody else does.
create table shadow_reaction (
    message_id text not null,
    agent bigint not null,
    emoji text not null,
    -- true: the author alone sees it; false: everybody but the author does
    added boolean not null,
    -- the newest public event then: where it stands among the reactions of others
    after_seq bigint not null,
    -- the order among the author's own
    no bigint generated always as identity,
    primary key (message_id, agent, emoji)
);
create index shadow_reaction_author on shadow_reaction (agent);

-- How the author of a public intent sees it after changes that nobody else sees.
create table shadow_intent (
    message_id text primary key,
    agent bigint not null,
    intent_state text not null check (intent_state in ('open', 'done', 'withdrawn')),
    regions integer[] check (array_length(regions, 1) % 4 = 0 and array_length(regions, 1) <= 16),
    intent_expires_at timestamptz not null
);
create index shadow_intent_author on shadow_intent (agent);

-- Changes of shadow messages are private events now, so their entries tell which author has new ones.
alter table control drop constraint control_kind_check;
update control set kind = 'shadow', subject = s.agent
from shadow_message s where control.kind = 'shadow_edit' and s.no = control.subject;
alter table control add constraint control_kind_check
    check (kind in ('key_changed', 'standing', 'settings', 'season', 'shadow', 'folding', 'shadow_ban'));
