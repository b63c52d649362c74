-- The first success of a request with an Idempotency-Key, stored in the transaction of what it bought.
create table idempotency (
    agent bigint not null,
    route text not null,
    key text not null,
    -- BLAKE3 of the raw request body
    body_hash bytea not null,
    -- the JSON of the answer
    answer bytea not null,
    created_at timestamptz not null,
    primary key (agent, route, key)
);
create index idempotency_created on idempotency (created_at);
