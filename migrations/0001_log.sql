-- The numbered log: everything that anyone can see is an event with the next consecutive number.

-- The gate. One row; whoever writes locks it first, in a statement of its own.
create table log_head (
    one_row boolean primary key default true check (one_row),
    -- number of the newest event
    seq bigint not null default 0,
    -- number of the newest event that changed a pixel
    version bigint not null default 0,
    -- number of the newest entry of the control log
    control bigint not null default 0,
    -- time of the newest event; the next one is never earlier
    at timestamptz not null default 'epoch',
    -- keys the digests; two random UUIDs hold 244 random bits
    digest_secret bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
);
insert into log_head default values;

-- Every event but placements, which have a table of their own. These rows outlive the texts.
create table event (
    seq bigint primary key,
    kind text not null check (kind in ('season', 'chat', 'reaction')),
    -- the season's or the message's id
    id text not null,
    at timestamptz not null
);
create index event_id on event (id);
create index event_chat on event (seq) where kind = 'chat';

-- What instances must know and the public must not see.
create table control (
    no bigint primary key,
    kind text not null check (kind in ('key_changed')),
    -- the agent's number
    subject bigint not null,
    at timestamptz not null
);

-- A season is a stretch of the log: one canvas from blank to archive.
create table season (
    id text primary key,
    title text not null,
    width integer not null check (width between 8 and 4096),
    height integer not null check (height between 8 and 4096),
    -- number of the event that opened it
    seq bigint not null unique,
    opened_at timestamptz not null
);
