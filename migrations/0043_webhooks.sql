-- Webhooks: agents are told of events by signed HTTP requests. A delivery is claimed by one instance at a time, which
-- moves its next attempt forward before it sends, so no crash loses one; receivers recognise repetitions by its id.

create table webhook (
    no bigint generated always as identity primary key,
    -- hook_…
    id text not null unique,
    agent bigint not null references agent (no),
    url text not null,
    -- the host and the port of the address: requests under way are counted by it
    host text not null,
    events text[] not null check (cardinality(events) > 0),
    -- encrypted: the first eight bytes name the key, the next twelve are the nonce
    secret bytea not null,
    -- signs, too, for a day after rotated_at; null before the first rotation and after that day
    previous_secret bytea,
    rotated_at timestamptz,
    state text not null default 'active' check (state in ('active', 'disabled')),
    -- only events after this number are told
    after_seq bigint not null,
    -- charges that were full at this time, or before, are not told
    charges_told_at timestamptz not null,
    -- the time of the first failed attempt since the last success; null if the last attempt succeeded
    failing_since timestamptz,
    -- the earliest time of the next attempt of any delivery
    retry_at timestamptz not null,
    -- the time from which all tests and repetitions that its agent may ask for at once are available again
    requests_full_at timestamptz not null,
    -- the server has disabled it at this time; null if it is active, or its agent has disabled it
    disabled_at timestamptz,
    -- gone: the receiver answered 410; failing: no attempt succeeded for a day
    disabled_reason text check (disabled_reason in ('gone', 'failing')),
    -- the time at which its agent was told that
    disabled_told_at timestamptz,
    created_at timestamptz not null,
    check ((disabled_at is null) = (disabled_reason is null)),
    check (disabled_at is null or state = 'disabled')
);
create index webhook_agent on webhook (agent);
create index webhook_disabled on webhook (agent) where disabled_at is not null and disabled_told_at is null;

create table delivery (
    no bigint generated always as identity primary key,
    id text not null unique default 'delivery_' || replace(gen_random_uuid()::text, '-', ''),
    -- No foreign key: its check would lock the webhook's row, for which the writer of the log would wait. Deliveries whose
    -- webhook is gone are never claimed, and the clean-up deletes them.
    webhook bigint not null,
    -- names what is told, so that it is told once
    dedupe_key text not null,
    type text not null,
    -- the message that is told is read when it is sent, so that no text is sent that was taken down since: the number of
    -- the event of a public one, or the id of a private one
    message_seq bigint,
    private_message text,
    -- what is told, unless it is a message
    data jsonb,
    state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
    attempts integer not null default 0,
    first_failed_at timestamptz,
    -- the earliest time of the next attempt; a claim moves it forward
    next_at timestamptz not null,
    -- of the last attempt; null if there was no response
    last_status integer,
    created_at timestamptz not null,
    unique (webhook, dedupe_key),
    check (num_nonnulls(message_seq, private_message, data) = 1)
);
create index delivery_pending on delivery (webhook, next_at, no) where state = 'pending';
create index delivery_due on delivery (next_at) where state = 'pending';
create index delivery_page on delivery (webhook, no desc);
create index delivery_created on delivery (created_at);

-- Deliveries of public events up to this number are stored.
create table webhook_cursor (
    one_row boolean primary key default true check (one_row),
    seq bigint not null
);
insert into webhook_cursor (seq) select seq from log_head;
