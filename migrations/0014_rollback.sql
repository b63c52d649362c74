-- What was rolled back. A row strikes placements out for as long as it holds; the canvas is corrected by placements of
-- the operator's account, and undoing is one more correction.
create table rollback (
    id text primary key,
    -- the season's opening event
    season bigint not null,
    -- whose placements; null for anyone's
    agent bigint,
    x1 smallint not null,
    y1 smallint not null,
    x2 smallint not null,
    y2 smallint not null,
    -- those after this event, until the other
    after_seq bigint not null,
    upto_seq bigint not null,
    operator text not null,
    why text not null,
    started_at timestamptz not null,
    undone_at timestamptz,
    -- whether the canvas still has to be corrected
    running boolean not null,
    -- whether another season began before it was through
    overtaken boolean not null default false,
    -- one after the other, in this order
    queued_at timestamptz not null,
    -- rises with each undoing: whoever is still at the one before stops
    turn integer not null default 0,
    -- when somebody last said to be at it
    beat_at timestamptz not null,
    -- events read so far, and to be read; then pixels corrected so far, and to be corrected
    events_read bigint not null default 0,
    events bigint not null default 0,
    pixels_done bigint not null default 0,
    pixels bigint not null default 0,
    -- how many placements it strikes, once they were counted
    placements bigint
);
create index rollback_season on rollback (season);
create index rollback_running on rollback (queued_at, id) where running;
