-- A placement by which a rollback corrects a pixel is the operators', but shows an earlier placement of an agent again: the
-- pixel's painter, reason and plan are those of that placement. Counts and credits go by placement.agent, as before. Both
-- columns are null for placements of agents, and if the pixel became blank.
alter table placement
    -- the number of the placement that is visible again
    add column restores bigint,
    -- its agent's number
    add column restored_agent bigint;
