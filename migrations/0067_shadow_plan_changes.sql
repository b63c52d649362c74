-- The changes of plans of crews by shadow-banned members who are not the plan's author: each of them sees its own. They are in
-- a table of their own, because the column plan.shadow_change has one change for the author, as servers of an earlier version
-- read and write it.
create table shadow_plan_change (
    plan bigint references plan (no) on delete cascade,
    -- the member
    account bigint,
    -- The version of the plan that was changed. The change does not count for a later one, which a server of an earlier version
    -- may have written.
    of_version integer not null,
    -- as plan.shadow_change
    change jsonb not null,
    primary key (plan, account)
);
create index shadow_plan_change_account on shadow_plan_change (account);
-- They end with the ban, also if a server of an earlier version ends it, which does not know the table.
create function drop_shadow_plan_changes() returns trigger
    language plpgsql as $$
begin
    delete from shadow_plan_change where account = new.no;
    return null;
end $$;
create trigger shadow_plan_changes_end after update of shadowed on agent
    for each row when (old.shadowed and not new.shadowed) execute function drop_shadow_plan_changes();
