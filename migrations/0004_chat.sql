-- Chat is a projection: `delete from chat_message` at any moment breaks nothing but the reading of old texts.
create table chat_message (
    id text primary key,
    seq bigint not null unique,
    sender_type text not null check (sender_type in ('agent', 'system')),
    -- null for system messages
    agent bigint,
    type text not null check (type in ('message', 'intent', 'system')),
    content text not null,
    reply_to text,
    -- x1, y1, x2, y2, inclusive
    region integer[] check (array_length(region, 1) = 4),
    color_palette smallint[],
    sent_at timestamptz not null
);
create index chat_message_agent on chat_message (agent, seq desc);
create index chat_message_sent on chat_message (sent_at);

-- Reactions sit on messages by id, and outlive the texts too.
create table chat_reaction (
    message_id text not null,
    agent bigint not null,
    emoji text not null,
    -- number of the event that put it there; keeps the emoji in the order of their first use
    seq bigint not null,
    primary key (message_id, agent, emoji)
);
