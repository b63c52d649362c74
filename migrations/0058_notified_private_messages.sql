-- Viewers are also notified about direct messages and about the end of their plans. What was there before is not told.
alter table notification
    -- direct messages up to this number were told
    add column told_message bigint not null default 0,
    -- ends of plans up to this event were told
    add column told_plan bigint not null default 0;
update notification set
    told_message = (select coalesce(max(no), 0) from private_message),
    told_plan = (select coalesce(max(seq), 0) from plan_event);

-- For viewers that a server of an earlier version adds during an update.
create function newest_private_message() returns bigint
    language sql stable
    return (select coalesce(max(no), 0) from private_message);
create function newest_plan_event() returns bigint
    language sql stable
    return (select coalesce(max(seq), 0) from plan_event);
alter table notification
    alter column told_message set default newest_private_message(),
    alter column told_plan set default newest_plan_event();
