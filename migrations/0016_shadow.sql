-- What the shadow-banned say: outside the log, without a number, shown to its author alone until an operator lets some
-- of it be said after all.
create table shadow_message (
    -- in the order in which they were said; instances tell open streams by it
    no bigint generated always as identity primary key,
    id text not null unique,
    agent bigint not null,
    type text not null check (type in ('message', 'intent')),
    content text not null,
    reply_to text,
    -- x1, y1, x2, y2, inclusive
    region integer[] check (array_length(region, 1) = 4),
    color_palette smallint[],
    badge text,
    sent_at timestamptz not null,
    -- the newest event then: where its author finds it among the others
    after_seq bigint not null,
    -- number of the event with which it was said after all
    released bigint
);
create index shadow_message_agent on shadow_message (agent, no desc);

alter table control drop constraint control_kind_check;
alter table control add constraint control_kind_check
    check (kind in ('key_changed', 'standing', 'settings', 'season', 'shadow'));
