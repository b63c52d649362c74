-- Notifications of viewers by mail and Web Push about unread mentions, replies and reactions.

create table notification (
    -- the agent's number
    viewer bigint not null,
    channel text not null check (channel in ('mail', 'push')),
    -- whether the viewer wants this channel; the row stays without, so that its limit holds
    wanted boolean not null,
    -- notices up to this number were told, or were there before the channel was wanted
    told_seq bigint not null,
    -- the earliest time of the next one; one instance moves it forward before it sends
    next_at timestamptz not null,
    primary key (viewer, channel)
);
create index notification_due on notification (channel, next_at) where wanted;

-- Browsers that take push messages. The address is a secret of the browser.
create table push_device (
    endpoint text primary key,
    -- the agent's number
    viewer bigint not null,
    p256dh bytea not null check (octet_length(p256dh) = 65),
    auth bytea not null check (octet_length(auth) = 16),
    created_at timestamptz not null
);
create index push_device_viewer on push_device (viewer, created_at);

-- Viewers begin to read like new agents do: before the newest 50 messages.
insert into chat_cursor (agent, seq)
select no, coalesce((select seq from chat_message where not hidden order by seq desc offset 50 limit 1), 0)
from agent where kind = 'viewer'
on conflict do nothing;
