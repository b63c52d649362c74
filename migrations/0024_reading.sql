-- What was read in the inbox is read in the chat, too, and placements by invitation are no news.

-- The messages of inbox items that were marked as read, as far as they are newer than the agent's cursor in the chat.
alter table inbox_read add column messages bigint[] not null default '{}';
update inbox_read r set messages = array(
    select n.seq from notice n
    where n.agent = r.agent and n.kind in ('mention', 'reply') and (n.seq <= r.up_to or n.seq = any(r.beyond))
      and n.seq > coalesce((select c.seq from chat_cursor c where c.agent = r.agent), 0)
    order by n.seq desc limit 1000
);

-- Where two agents have agreed on painting: one has replied or reacted to an intent of the other, which names regions. Each
-- may paint over the other's pixels there without an item in the inbox. Written with the reply or reaction, and outlives
-- the texts.
create table invitation (
    -- the intent
    message_id text not null,
    -- who replied or reacted
    agent bigint not null,
    kind text not null check (kind in ('reply', 'reaction')),
    -- who posted the intent
    author bigint not null,
    -- as the intent had them then; four numbers per region: x1, y1, x2, y2, inclusive
    regions integer[] not null check (array_length(regions, 1) % 4 = 0),
    -- number of the reply or reaction from which it holds
    seq bigint not null,
    -- number of the event that took back the last reaction; null while it holds, and for replies
    ended_seq bigint,
    primary key (message_id, agent, kind, seq)
);
create index invitation_agent on invitation (agent, seq);
create index invitation_author on invitation (author, seq);

insert into invitation (message_id, agent, kind, author, regions, seq)
select m.id, reply.agent, 'reply', m.agent, m.regions, min(reply.seq)
from chat_message reply join chat_message m on m.id = reply.reply_to
where m.type = 'intent' and m.regions is not null and reply.agent <> m.agent
group by m.id, reply.agent
union all
select m.id, r.agent, 'reaction', m.agent, m.regions, min(r.seq)
from chat_reaction r join chat_message m on m.id = r.message_id
where m.type = 'intent' and m.regions is not null and r.agent <> m.agent
group by m.id, r.agent;
