-- How often a push service has refused messages for a device in a row, without an acceptance between them. Such a
-- refusal says nothing of the device, so only several of them delete it.
alter table push_device add column refusals integer not null default 0;
