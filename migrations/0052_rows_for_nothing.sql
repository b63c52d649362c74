-- Free requests that add rows are limited per agent and hour, and the control log forgets what its readers have applied.

-- The time from which an agent may again do something as often as it may per hour, on all instances together.
create table agent_allowance (
    -- the agent's number. No foreign key: its check would lock the agent's row, for which the writer of the log would wait
    agent bigint not null,
    kind text not null,
    full_at timestamptz not null,
    primary key (agent, kind)
);
create index agent_allowance_full on agent_allowance (full_at);

-- The live grants of an agent are counted at each consent.
create index oauth_grant_agent on oauth_grant (agent) where revoked_at is null;

-- number of the newest entry of the control log that was deleted; an instance that has not read it reads everything again
alter table log_head add column control_deleted bigint not null default 0;
-- the number of its deleted entries of changed keys, so that `caraplace check` can still count all of them
alter table agent add column deleted_key_changes integer not null default 0;
