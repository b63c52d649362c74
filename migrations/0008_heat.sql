-- What a pixel can tell: who painted it last, when, how often, and which plans cover it.

-- What was done to each pixel as of some event, so that the first who asks after a start does not wait for the whole
-- log to be read. Four bytes per pixel, row by row, the highest first.
create table heat (
    -- the season's opening event
    season bigint primary key,
    -- the newest event that is counted
    seq bigint not null,
    -- the newest painter's number; 0 where nobody painted
    painters bytea not null,
    -- when the newest stroke was put there, in seconds since 1970
    painted_at bytea not null,
    -- how many strokes there were
    strokes bytea not null
);

-- The plans that cover a pixel. The newest are looked through first: on a busy canvas a few of them cover it.
create index chat_message_plan on chat_message (seq) where type = 'intent';
create index chat_message_region on chat_message
    using gist (box(point(region[1], region[2]), point(region[3], region[4]))) where type = 'intent';
