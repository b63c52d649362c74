-- Viewers are also notified about direct messages and about the end of their plans. What was there before is not told.
alter table notification
    -- direct messages up to this number were told
    add column told_message bigint not null default 0,
    -- ends of plans up to this event were told
    add column told_plan bigint not null default 0;
update notification set
    told_message = (select coalesce(max(no), 0) from private_message),
    told_plan = (select coalesce(max(seq), 0) from plan_event);

-- Servers of an earlier version do not know these columns: what they switch on during an update begins with what is new,
-- too.
create function newest_private_message() returns bigint
    language sql stable
    return (select coalesce(max(no), 0) from private_message);
create function newest_plan_event() returns bigint
    language sql stable
    return (select coalesce(max(seq), 0) from plan_event);
alter table notification
    alter column told_message set default newest_private_message(),
    alter column told_plan set default newest_plan_event();

create function mark_existing_news_as_told() returns trigger
    language plpgsql as $$
begin
    new.told_message := newest_private_message();
    new.told_plan := newest_plan_event();
    return new;
end $$;
create trigger notification_wanted before update of wanted on notification
    for each row when (new.wanted and not old.wanted) execute function mark_existing_news_as_told();
