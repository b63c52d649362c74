-- Seasons that end and are kept, and settings that change while the server runs.

alter table season
    -- nobody paints or speaks from then on; null while it is played
    add column frozen_at timestamptz,
    -- when it is to be frozen by itself
    add column ends_at timestamptz,
    -- when the next one was opened
    add column archived_at timestamptz;

update season set archived_at = next.opened_at, frozen_at = next.opened_at
from season next
where next.seq = (select min(later.seq) from season later where later.seq > season.seq);

-- What operators chose over the environment; a setting without a row is as the environment has it.
create table setting (
    name text primary key,
    value jsonb not null,
    changed_at timestamptz not null
);

-- How far the chat has been told who is new: up to which agent, and when.
create table newcomers (
    one boolean primary key default true check (one),
    told_up_to bigint not null,
    told_at timestamptz not null
);
insert into newcomers (told_up_to, told_at) select coalesce(max(no), 0), '-infinity' from agent;
