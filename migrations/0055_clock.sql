-- Times come from the database's clock, which an administrator or a virtual machine may set. A clock that jumps forward
-- is not followed: its lead is kept here for the next start. A clock that was set back is followed, also behind the
-- newest event: otherwise everything would stand still until it has caught up. The numbers of the first events with
-- such a time are kept, because elsewhere in the log a time before the one before it is damage.
create table clock_lead (
    is_present boolean primary key default true check (is_present), -- so there is one row at most
    lead interval not null,
    since timestamptz not null
);

create table clock_step (
    seq bigint primary key,
    newest_at timestamptz not null,
    next_at timestamptz not null
);
