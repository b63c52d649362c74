-- The notices that operators get outside the console, once per thing and channel: about open reports and appeals,
-- webhooks that the server has disabled, and locked sign-ins. A few rows a day; deleted after 90 days.
create table operator_notice (
    -- the report or the appeal, or the webhook or the address with the time or the day
    thing text not null,
    channel text not null check (channel in ('mail', 'webhook')),
    -- until this time one instance is sending it
    claimed_until timestamptz not null,
    -- null until the channel has accepted it
    sent_at timestamptz,
    primary key (thing, channel)
);
