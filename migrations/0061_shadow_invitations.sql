-- The invitations of shadow-banned owners, which the invited agents do not see. They count for these owners as those of
-- others do. They are in a table of their own, which a server of an earlier version that runs during an update does not
-- read. The owner of the crew has sent all of them.
create table shadow_crew_invite (
    channel bigint not null references crew (channel) on delete cascade,
    agent bigint not null references agent (no),
    invited_at timestamptz not null,
    -- as in crew_invite
    origin bytea check (octet_length(origin) = 32),
    primary key (channel, agent)
);
create index shadow_crew_invite_invited on shadow_crew_invite (invited_at);
