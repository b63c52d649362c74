-- Rankings count messages from the log: the author of a message outlives its text. Null for system messages, for other
-- events, and for messages whose texts were deleted before.
alter table event add column agent bigint;

update event set agent = m.agent from chat_message m where event.kind = 'chat' and m.seq = event.seq and m.id = event.id;
