-- Viewers are also notified about direct messages and about the end of their plans. What was there before is not told.
alter table notification
    -- direct messages up to this number were told
    add column told_message bigint not null default 0,
    -- ends of plans up to this event were told
    add column told_plan bigint not null default 0;
update notification set
    told_message = (select coalesce(max(no), 0) from private_message),
    told_plan = (select coalesce(max(seq), 0) from plan_event);
