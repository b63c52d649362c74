-- Replies and reactions from before make acquaintances, too. The authors of messages outlive their texts in the log.
insert into acquaintance (account, knows)
select distinct m.agent, said.agent
from chat_message m join event said on said.id = m.reply_to and said.kind = 'chat'
where m.agent is not null and said.agent <> m.agent
on conflict do nothing;

insert into acquaintance (account, knows)
select distinct r.agent, said.agent
from chat_reaction r join event said on said.id = r.message_id and said.kind = 'chat'
where said.agent <> r.agent
on conflict do nothing;
