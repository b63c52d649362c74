-- The canvas as of every so many numbers of the log, so that any moment of the past is one of these and the few
-- placements after it. Written in the background, and only ever for speed: where a row is missing, more is folded.
create table snapshot (
    -- the newest event that is folded in; a row is the same whoever writes it
    seq bigint primary key,
    -- its time
    at timestamptz not null,
    -- the newest event that changed a pixel
    version bigint not null,
    -- placements since the season's opening
    placements bigint not null,
    -- one palette index per pixel, row by row, two in each byte, the first one in its upper half
    pixels bytea not null
)
-- Pixels lie apart from the rest, which is read for the course of a whole season.
with (toast_tuple_target = 128);
