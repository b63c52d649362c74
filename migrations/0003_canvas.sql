-- Placements: the part of the log that paints. No foreign key to agent: agents are never deleted, and the
-- placing transaction has just read them under the gate.
create table placement (
    seq bigint primary key,
    x smallint not null,
    y smallint not null,
    color smallint not null,
    agent bigint not null,
    placed_at timestamptz not null
);
create index placement_spot on placement (x, y, seq desc);
create index placement_agent on placement (agent, seq desc);
create index placement_time on placement using brin (placed_at);
