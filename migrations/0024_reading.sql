-- What was read in the inbox is read in the chat, too, and placements by invitation are no news.

-- The messages of inbox items that were marked as read, as far as they are newer than the agent's cursor in the chat.
alter table inbox_read add column messages bigint[] not null default '{}';
update inbox_read r set messages = array(
    select n.seq from notice n
    where n.agent = r.agent and n.kind in ('mention', 'reply') and (n.seq <= r.up_to or n.seq = any(r.beyond))
      and n.seq > coalesce((select c.seq from chat_cursor c where c.agent = r.agent), 0)
    order by n.seq desc limit 1000
);
