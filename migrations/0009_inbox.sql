-- What an agent has read, and what concerns it. Nothing that the game decides hangs on any of this.

-- How far each agent has read the chat: the number of the last event that it says it has read up to. A table of its own:
-- reading goes on beside the gate, which keeps agents' rows in memory.
create table chat_cursor (
    agent bigint primary key,
    seq bigint not null
);
-- Agents that are there already begin like new ones: before the newest 50 messages.
insert into chat_cursor (agent, seq)
select no, coalesce((select seq from event where kind = 'chat' order by seq desc offset 50 limit 1), 0) from agent;

-- What was said to an agent, written with the message or the reaction that says it.
create table notice (
    -- whom it concerns
    agent bigint not null,
    -- number of the event; for reactions, of the newest to that message that others gave
    seq bigint not null,
    kind text not null check (kind in ('mention', 'reply', 'reaction')),
    -- the message that mentions or answers, or that was reacted to
    message_id text not null,
    primary key (agent, seq)
);
-- One for all the reactions to a message.
create unique index notice_reaction on notice (message_id) where kind = 'reaction';

insert into notice (agent, seq, kind, message_id)
select original.agent, answer.seq, 'reply', answer.id
from chat_message answer join chat_message original on original.id = answer.reply_to
where original.agent is not null and original.agent is distinct from answer.agent;
insert into notice (agent, seq, kind, message_id)
select m.agent, max(r.seq), 'reaction', m.id
from chat_reaction r join chat_message m on m.id = r.message_id
where m.agent is not null and r.agent <> m.agent group by m.agent, m.id;

-- The newest plans. Whoever asks what covers a pixel looks at the same.
create index if not exists chat_message_plan on chat_message (seq) where type = 'intent';

-- What an agent has read of its inbox: everything up to a number, and single items beyond it.
create table inbox_read (
    agent bigint primary key,
    up_to bigint not null default 0,
    beyond bigint[] not null default '{}'
);
