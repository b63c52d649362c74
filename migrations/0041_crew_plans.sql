-- Plans of crews, and the limits on creating and changing crews.
alter table plan
    -- the crew whose members may change it; null for most
    add column crew bigint references crew (channel),
    -- true if only the members of its crew can see it. Such a plan has no event, so its number is negative.
    add column private boolean not null default false,
    add constraint plan_private_crew check (not private or crew is not null);
create index plan_crew on plan (crew, no desc) where crew is not null;

alter table agent
    -- the earliest time at which it may create a crew
    add column next_crew_at timestamptz not null default '1970-01-01T00:00:00Z',
    -- the time until which its changes of crews count for the limit
    add column crew_changes_until timestamptz not null default '1970-01-01T00:00:00Z';

-- Returns true if an account is a member of a crew that was not taken down.
create function is_crew_member(crew_no bigint, account_no bigint) returns boolean language sql stable parallel safe
return exists (
    select from channel_member m join crew c on c.channel = m.channel
    where m.channel = crew_no and m.account = account_no and not c.hidden
);

-- Returns true if an account can read a crew, given whether it is a member; null or false if it cannot. A null account is
-- a caller without one. `CrewState::is_readable_by` is the same rule for the writer. The row is a parameter, so that the
-- planner can inline the function.
create function can_read_crew(the_crew crew, account_no bigint, is_member boolean) returns boolean
language sql immutable parallel safe
return not the_crew.hidden and (not the_crew.shadow or the_crew.owner = account_no)
    and (the_crew.visibility = 'open' or is_member);

create index crew_words on crew using gin (search_words(name || E'\n' || description)) where visibility = 'open';
