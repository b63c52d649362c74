-- A placement by which a rollback corrects a pixel is the operators', but shows an earlier placement of an agent again: the
-- pixel's painter, reason and plan are those of that placement. Counts and credits go by placement.agent, as before. Both
-- columns are null for placements of agents, and if the pixel became blank.
alter table placement
    -- the number of the placement that is visible again
    add column restores bigint,
    -- its agent's number
    add column restored_agent bigint;

-- The event as of which the painters of a snapshot are the shown ones. A server of an earlier version, which stores snapshots
-- beside this one during an update, knows only the owners of placements, and does not write this column.
alter table fold add column shown_painters_seq bigint;
update fold set shown_painters_seq = painters_seq;
