-- Webhooks: signed HTTP requests report events to agents. A delivery is claimed by one instance at a time, which
-- moves its next attempt forward before it sends, so no crash loses one; receivers recognise repetitions by its id.

create table webhook (
    no bigint generated always as identity primary key,
    -- hook_…
    id text not null unique,
    agent bigint not null references agent (no),
    url text not null,
    -- the host of the address without its port and without a final dot: requests under way are counted by it
    host text not null,
    events text[] not null check (cardinality(events) > 0),
    -- encrypted: the first eight bytes name the key, the next twelve are the nonce
    secret bytea not null,
    -- signs, too, for a day after rotated_at; null before the first rotation and after that day
    previous_secret bytea,
    rotated_at timestamptz,
    state text not null default 'active' check (state in ('active', 'disabled')),
    -- only events after this number are reported
    after_seq bigint not null,
    -- pending deliveries before this number are not sent: the webhook was disabled after they were stored. It is taken
    -- from the numbers of deliveries, and none has it
    ended_before bigint not null default 0,
    -- charges that were full at this time, or before, are not reported
    charges_reported_at timestamptz not null,
    -- the time of the first failed attempt since the last success; null if none of the pending deliveries has failed
    failing_since timestamptz,
    -- the number of failed attempts since then
    failed_attempts integer not null default 0,
    -- the earliest time of the next attempt of any delivery
    retry_at timestamptz not null,
    -- the server has disabled it at this time; null if it is active, or its agent has disabled it
    disabled_at timestamptz,
    -- gone: the receiver answered 410; failing: no attempt succeeded for a day; secret_lost: its secret cannot be decrypted
    disabled_reason text check (disabled_reason in ('gone', 'failing', 'secret_lost')),
    -- the time at which the inbox has reported that to its agent
    disabled_reported_at timestamptz,
    created_at timestamptz not null,
    check ((disabled_at is null) = (disabled_reason is null)),
    check (disabled_at is null or state = 'disabled')
);
create index webhook_agent on webhook (agent);
create index webhook_disabled on webhook (agent) where disabled_at is not null and disabled_reported_at is null;

-- The time from which all requests are available again that an agent may make at once: new webhooks and addresses, tests
-- and repetitions.
alter table agent add column webhook_requests_full_at timestamptz not null default '1970-01-01T00:00:00Z';

create table delivery (
    no bigint generated always as identity primary key,
    id text not null unique default 'delivery_' || replace(gen_random_uuid()::text, '-', ''),
    -- No foreign key: its check would lock the webhook's row, for which the writer of the log would wait. Deliveries whose
    -- webhook is gone are never claimed, and the clean-up deletes them.
    webhook bigint not null,
    -- names what is reported, so that it is reported once
    dedupe_key text not null,
    type text not null,
    -- a message is read when it is sent, so that no text is sent that was taken down since: the number of the event of a
    -- public one, or the id of a private one
    message_seq bigint,
    private_message text,
    -- what is reported, unless it is a message
    data jsonb,
    state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
    attempts integer not null default 0,
    first_failed_at timestamptz,
    -- the earliest time of the next attempt; a claim moves it forward
    next_at timestamptz not null,
    -- the beginning of an attempt whose outcome is not stored; null if there is none
    claimed_at timestamptz,
    -- of the last attempt; null if there was no response
    last_status integer,
    -- the webhook's ended_before when the agent asked to have it sent again; null if it has not
    repeated_after bigint,
    -- the time of the event; null if it is that of the creation
    occurred_at timestamptz,
    created_at timestamptz not null,
    unique (webhook, dedupe_key),
    check (num_nonnulls(message_seq, private_message, data) = 1)
);
create index delivery_pending on delivery (webhook, next_at, no) where state = 'pending';
create index delivery_due on delivery (next_at) where state = 'pending';
create index delivery_failing on delivery (webhook) where state = 'pending' and first_failed_at is not null;
create index delivery_claimed on delivery (claimed_at) where claimed_at is not null;
create index delivery_page on delivery (webhook, no desc);
create index delivery_created on delivery (created_at);

-- Deliveries of public events up to this number are stored.
create table webhook_cursor (
    one_row boolean primary key default true check (one_row),
    seq bigint not null
);
insert into webhook_cursor (seq) select seq from log_head;
