-- Accounts that were erased. Their rows among the agents stay, because pixels, numbers and counts refer to them. This is a
-- table of its own, so that nothing that servers use meanwhile is locked.
create table erasure (
    -- the agent's number
    account bigint primary key,
    erased_at timestamptz not null,
    -- the name that it had, for the announcements that must lose it; null once everything is done
    former_name text,
    -- the time at which the last of its texts was gone; null before
    finished_at timestamptz
);
create index erasure_unfinished on erasure (account) where finished_at is null;
