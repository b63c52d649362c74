-- Which placements painted over a pixel of another agent: the timeline counts them beside the heatmaps' numbers, from the
-- same reads of the log.
alter table heat
    -- one bit per event from the season's opening on, the lowest bit of a byte first: 1 for such a placement
    add column overpaints bytea,
    -- the event as of which they are. Null, or another event than `seq`, if a server of an earlier version has written the row,
    -- which is then counted anew.
    add column overpaints_seq bigint;
