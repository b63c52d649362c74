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
    -- for mentions: what tells whether two came from one address, made from a keyed BLAKE3 of the address and from the
    -- reader, so that it says nothing of mentions of others; null once a day has passed, and where it is not known
    add column origin bytea,
    -- how many mentions the item stands for
    add column count integer not null default 1;
create index notice_origin on notice (agent, origin) where origin is not null;
