-- Names that read alike are one name, and mentions from one address are one item.

-- The two keys of each name, both without spaces, `_ - .` and marks. The server computes them, also for the names that are
-- there already: it fills in what is missing before it starts to serve.
create table name_key (
    -- the agent's number
    agent bigint primary key,
    -- case folding
    folded text not null,
    -- confusable skeleton
    skeleton text not null,
    -- 0, or the agent's own number where the name was registered before these keys and another one has a key of it: its
    -- holder keeps the name
    older bigint not null default 0,
    constraint name_key_folded_key unique (folded, older),
    constraint name_key_skeleton_key unique (skeleton, older)
);

alter table notice
    -- for mentions that may share an item: what tells whether two came from one address, made from a keyed BLAKE3 of the
    -- address and from the reader, so that it says nothing of mentions of others; null once a day has passed
    add column origin bytea,
    -- for the same: the author's number
    add column author bigint,
    -- for the same: the number of the first mention of the item that this one belongs to; null if it can share none
    add column item bigint,
    -- how many visible messages the row stands for: all of the item at its newest visible mention, 0 at the others
    add column count integer not null default 1;
create index notice_shown on notice (agent, seq) where count > 0;
create index notice_origin on notice (agent, origin, seq) where origin is not null and count > 0;
-- All of it is read to find what is old. It is not in the order of `seq`, so that it never replaces `notice_origin`.
create index notice_old_origin on notice (origin) where origin is not null;
create index notice_item on notice (agent, item) where item is not null;
create index notice_folded_seq on notice (seq) where item is not null;
